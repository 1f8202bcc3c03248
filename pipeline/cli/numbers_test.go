package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var (
	// onePlural is 1 with a noun in the plural.
	onePlural = regexp.MustCompile(`(?:^|[^0-9.,–/-])1 (runs|jobs|stages|tasks|attempts|records|files|tokens|barriers|models|tables|parts|rows|values|workers|machines|seeds|warnings|findings|events|samples|columns|users|groups|pairs|plans|names|days|hours|indicators|schedulers|experiments)\b`)
	// longNumber is a number of five digits or more without separators.
	longNumber = regexp.MustCompile(`(?:^|[\s(])\d{5,}(?:[\s.,;:)]|$)`)
)

// checkNumbers finds wrong plurals, and numbers without separators, in what people read.
func checkNumbers(t *testing.T, what, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		for _, wrong := range []*regexp.Regexp{onePlural, longNumber} {
			if m := wrong.FindString(line); m != "" {
				t.Errorf("%s: %q in %q", what, m, line)
			}
		}
	}
}

// Everything that commands print about the sample, and about a trace of one run, has plurals and separators.
func TestNumbersInText(t *testing.T) {
	t.Parallel()
	one := importJSONL(t,
		`{"id":"r","name":"n","submit_s":0,"end_s":1000000,"stages":[{"name":"a","durations_s":[1]}]}`+"\n")
	dir := t.TempDir()
	for _, store := range []string{sampleStore(t), one} {
		models := dir + "/m" + string(rune('a'+len(store)%26))
		for _, args := range [][]string{
			{"inspect", store}, {"analyze", store}, {"fit", store, "--all", "--min-runs", "1", "--out", models},
			{"backtest", store, "--min-runs", "2", "--replicates", "20"},
			{"table", "build", models, "--replicates", "20", "--allocations", "1,100000", "--out", models + ".t"},
			{"table", "show", models + ".t"},
			{"simulate", "eagle", store}, {"simulate", "carbyne", store},
		} {
			_, stdout, stderr := call(t, args...)
			checkNumbers(t, strings.Join(args[:2], " "), strings.ReplaceAll(stdout+stderr, store, "STORE"))
		}
	}
	demo := sampleDemo.in(t)
	printed, err := os.ReadFile(demo + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	checkNumbers(t, "demo", string(printed))
	page, err := os.ReadFile(demo + "/report/index.html")
	if err != nil {
		t.Fatal(err)
	}
	text := regexp.MustCompile(`(?s)<(style|script|svg).*?</(style|script|svg)>`).ReplaceAllString(string(page), "")
	checkNumbers(t, "report", regexp.MustCompile(`<[^>]*>`).ReplaceAllString(text, " "))
}
