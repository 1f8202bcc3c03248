package generate_test

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"racecard/datasets/formats"
	"racecard/datasets/generate"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/trace"
)

// said lists what some runs say that not every trace does.
func said(runs []*trace.Run) map[string]bool {
	got := map[string]bool{}
	names := map[string]bool{}
	for _, run := range runs {
		got["run "+run.Status.String()] = true
		got["name again"] = got["name again"] || names[run.Name] && run.Name != ""
		names[run.Name] = true
		got["long graph"] = got["long graph"] || len(run.Stages) > 15
		got["submission unknown"] = got["submission unknown"] || !run.Submit.Known()
		for _, e := range run.Edges {
			got["edge "+e.Kind.String()] = true
		}
		for _, a := range run.IO {
			got[fmt.Sprintf("io write=%t", a.Write)] = true
		}
		for i := range run.Attempts {
			a := &run.Attempts[i]
			got[a.Status.String()] = true
			got["retry"] = got["retry"] || a.Attempt > 0
			got["copy"] = got["copy"] || a.Speculative == trace.Yes
			got["start unknown"] = got["start unknown"] || !a.Start.Known()
			got["measured"] = got["measured"] || !math.IsNaN(a.Demand[trace.CPU]) &&
				a.Demand[trace.CPU] != run.Stages[a.Stage].Demand[trace.CPU]
			got["gang"] = got["gang"] || a.Demand[trace.GPU] > 8
		}
	}
	return got
}

// Traces of some size hold some of everything that their format can express.
func TestTracesHoldSomeOfEverything(t *testing.T) {
	for kind, want := range map[string][]string{
		"alibaba2018": {"run failed", "run running", "run succeeded", "edge unknown", "long graph"},
		"alibaba2018-instances": {"run failed", "run running", "run succeeded", "edge unknown", "failed", "killed",
			"running", "retry", "measured"},
		"google2011": {"run failed", "run killed", "run running", "run succeeded", "evicted", "failed", "killed",
			"running", "retry",
			"start unknown", "submission unknown", "name again", "measured"},
		"google2019": {"run failed", "run killed", "run running", "run succeeded", "evicted", "failed", "killed",
			"running", "retry",
			"start unknown", "submission unknown", "io write=false", "io write=true"},
		"jhist": {"run failed", "run running", "run succeeded", "failed", "killed", "retry", "copy",
			"edge all_to_all", "name again", "measured"},
		"jsonl":  {"run succeeded", "edge all_to_all"},
		"philly": {"run failed", "run killed", "run running", "run succeeded", "retry", "gang"},
		"spark-like": {"run failed", "run running", "run succeeded", "failed", "killed", "lost", "running", "retry",
			"copy", "edge all_to_all", "edge driver", "long graph"},
		"swf":       {"run failed", "run killed", "run succeeded", "name again"},
		"tr-google": {"succeeded"},
		"tr-yahoo":  {"succeeded"},
		"wfformat": {"run succeeded", "edge one_to_one", "long graph", "name again", "io write=false", "io write=true",
			"measured"},
	} {
		k, err := generate.Named(kind)
		if err != nil {
			t.Fatal(err)
		}
		format, err := formats.Named(k.Format, 0)
		if err != nil {
			t.Fatal(err)
		}
		r := sourcetest.Read(t, format, generated(t, k, 20_000, 1).files()...)
		got := said(r.Runs)
		for _, what := range want {
			if !got[what] {
				t.Errorf("%s: nothing of %q", kind, what)
			}
		}
	}
}

// Rows of a job lie far apart: it is for this that they are gathered.
func TestInstancesOfAJobLieFarApart(t *testing.T) {
	k, err := generate.Named("alibaba2018-instances")
	if err != nil {
		t.Fatal(err)
	}
	f := generated(t, k, 200_000, 1)
	first, last := map[string]int{}, map[string]int{}
	for i, line := range bytes.Split(f[generate.Prefix+"batch_instance.csv"].Bytes(), []byte{'\n'}) {
		if fields := strings.Split(string(line), ","); len(fields) > 2 {
			if _, ok := first[fields[2]]; !ok {
				first[fields[2]] = i
			}
			last[fields[2]] = i
		}
	}
	var spans []int
	for job := range first {
		spans = append(spans, last[job]-first[job])
	}
	slices.Sort(spans)
	if median := spans[len(spans)/2]; median < 5_000 {
		t.Errorf("the rows of half of %d jobs span at most %d of 200,000, want 5,000", len(spans), median)
	}
}

// The tables of 2011 are parts, each in the order of time, and parts of one number cover the same hours.
func TestPartsAreInOrder(t *testing.T) {
	k, err := generate.Named("google2011")
	if err != nil {
		t.Fatal(err)
	}
	f := generated(t, k, 300_000, 1) // two parts
	latest := map[string]int64{}     // of each table
	for _, file := range f.files() {
		in, err := file.Open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var content bytes.Buffer
		if _, err := content.ReadFrom(in); err != nil {
			t.Fatal(err)
		}
		in.Close()
		table, part, _ := strings.Cut(file.Name, "/")
		if part != generate.Prefix+"part-00000-of-00002.csv.gz" && part != generate.Prefix+
			"part-00001-of-00002.csv.gz" {
			t.Errorf("a part is called %s", part)
		}
		for line := range bytes.Lines(content.Bytes()) {
			text, _, _ := bytes.Cut(line, []byte{','})
			at, err := strconv.ParseInt(string(text), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			const slack = 300_000_000 // windows of usage are written when they end
			if at < latest[table]-slack {
				t.Fatalf("%s: %d comes after %d", file.Name, at, latest[table])
			}
			latest[table] = max(latest[table], at)
		}
	}
	if got := len(latest); got != 4 {
		t.Errorf("%d tables, want 4", got)
	}
}
