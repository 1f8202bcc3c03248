package cli

import (
	"fmt"
	"strings"
	"testing"
)

// TestHelpSaysLimits reads the help of every command that has limits.
func TestHelpSaysLimits(t *testing.T) {
	for command, text := range limits() {
		help := strings.Join(strings.Fields(must(t, append(strings.Fields(command), "--help")...)), " ")
		if !strings.Contains(help, "Limits: "+text) {
			t.Errorf("%s --help does not say %q", command, text)
		}
	}
}

// Tasks of a year are longer than a simulation takes. Their job is fitted, predicted and forecast all the same, also on
// many more tokens and for an input far beyond those of past runs. Its table is skipped, and other jobs have theirs.
func TestTasksOfAYear(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	for i := range 5 {
		for name, took := range map[string]int{"year": 365 * 86400, "plain": 10} {
			fmt.Fprintf(&lines, `{"id":"%s-%d","name":"%s","status":"succeeded","guaranteed":2,"input_bytes":%d,`+
				`"submit_s":%d,"end_s":%d,"stages":[{"durations_s":[%d,%d]}]}`+"\n", name, i, name, 1000+i,
				1_600_000_000+40_000_000*i, 1_600_000_001+40_000_000*i+took, took, took)
		}
	}
	store := importJSONL(t, lines.String())
	must(t, "backtest", store, "--min-runs", "4", "--within")
	must(t, "forecast", store, "--job", "year", "--tokens", "100000", "--input", "1EB")
	must(t, "fit", store, "--all", "--min-runs", "1", "--out", store+".m")
	out := must(t, "table", "build", store+".m", "--replicates", "20", "--out", store+".t")
	if want := "skipped year: job \"year\": the run would take more than 101 days"; !strings.Contains(out, want) {
		t.Errorf("%s\nwant %q", out, want)
	}
	must(t, "table", "show", store+".t", "--job", "plain")
}
