package cli

import (
	"fmt"
	"strings"
	"testing"

	"racecard/datasets/result"
)

// Runs without a name of their own are runs of the job that --job-key gives them, in every command.
func TestJobKeyOfNamelessRuns(t *testing.T) {
	dir := t.TempDir()
	var log strings.Builder
	for i := range 40 { // of users 1 and 2, each second run without an application
		application := -1 + 2*(i/2%2)
		fmt.Fprintf(&log, "%d %d 0 %d 1 -1 -1 1 -1 -1 1 %d 1 %d -1 -1 -1 -1\n", i+1, 3600*i, 100+i%5, 1+i%2, application)
	}
	store := dir + "/s"
	must(t, "import", "-q", "--out", store, "--job-key", "user", put(t, dir, "log.swf", log.String()))
	var forecast result.Forecast
	if ask(t, &forecast, "forecast", store, "--job", "user-1"); forecast.Runs != 20 {
		t.Errorf("forecast from %d runs, want 20", forecast.Runs)
	}
	var both struct {
		CoV struct {
			LeftOut map[string]int `json:"left_out"`
			Jobs    []struct{ Runs int }
		}
	}
	ask(t, &both, "analyze", store, "--only", "cov")
	if jobs := both.CoV.Jobs; len(jobs) != 2 || jobs[0].Runs != 20 || jobs[1].Runs != 20 || len(both.CoV.LeftOut) != 0 {
		t.Errorf("the variation of %+v, want two jobs of 20 runs", both.CoV)
	}
	if said := must(t, "fit", store, "--all", "--out", dir+"/m"); strings.Count(said, " 20 ") < 2 {
		t.Errorf("fit says %q, want 20 runs of each job", said)
	}
	var predicted struct{ Backtest result.Backtest }
	if ask(t, &predicted, "backtest", store); predicted.Backtest.Jobs != 2 || predicted.Backtest.Predicted != 34 {
		t.Errorf("predicted %d runs of %d jobs, want 34 of 2", predicted.Backtest.Predicted, predicted.Backtest.Jobs)
	}
}
