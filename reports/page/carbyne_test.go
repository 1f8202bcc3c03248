package page

import (
	"math"
	"strings"
	"testing"

	"racecard/datasets/result"
	"racecard/reports/internal/figuretest"
)

// altruismOf returns the finding about altruism in a report on a comparison, and the notes of its section.
func altruismOf(c *result.Carbyne) (Finding, string) {
	s := newSection("carbyne", "", c.Head())
	s.altruism(c)
	if len(s.Findings) == 0 {
		return Finding{}, ""
	}
	return s.Findings[0], strings.Join(s.Notes, " ")
}

// The comparison has carbyne at 1142 s and DRF at 1316: 1 - 1142/1316 = 13%. Tetris' makespan is 5220 s, that of
// carbyne 5520: 5.7% more; DRF's index is 0.68, carbyne's 0.55; SJF's mean 1094 s: 4.4%.
func TestAltruism(t *testing.T) {
	c := figuretest.CarbyneOf("J42")
	f, notes := altruismOf(c)
	if want := "Under Carbyne jobs would take 19 min 2 s on average, under DRF 21 min 56 s (seed 1): altruism would " +
		"end them 13% sooner."; f.Text != want {
		t.Errorf("%q, want %q", f.Text, want)
	}
	for _, want := range []string{"Mean completion time: sjf, 18 min 14 s (carbyne 4.4% more)",
		"Makespan: tetris, 1 h 27 min (carbyne 5.7% more)",
		"Jain’s index of fairness: drf, 0.68 (carbyne 0.55)"} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in %q", want, notes)
		}
	}
	if strings.Contains(f.Detail, "the median of 3") {
		t.Errorf("medians of one seed: %s", f.Detail)
	}
	// Repeated over seeds, the medians of these are said, as the figure shows them.
	spread := func(x float64) result.Spread {
		return result.Spread{Median: result.Number(x), Low: result.Number(x / 2), High: result.Number(2 * x)}
	}
	point := func(name string, mean float64) result.CarbynePoint {
		return result.CarbynePoint{Scheduler: name, JCT: spread(mean), Makespan: spread(600), Jain: spread(0.9)}
	}
	carbyne := point("carbyne", 21)
	carbyne.Improvement = map[string]result.CarbyneFactor{"drf": {Mean: spread(1.5), P50: spread(1.25), P95: spread(3),
		Below1: spread(0.25), Below08: spread(0.5)}}
	c.Experiments = append(c.Experiments, result.CarbyneExperiment{Name: "online", Seeds: []uint64{1, 2, 3},
		Points: []result.CarbynePoint{point("drf", 20), carbyne}})
	f, _ = altruismOf(c)
	if want := "Under Carbyne jobs would take 21 s on average, under DRF 20 s (medians of 3 seeds): altruism would " +
		"end them 5% later."; f.Text != want {
		t.Errorf("%q, want %q", f.Text, want)
	}
	for _, want := range []string{"1.50 times as long on average, 1.25 at the median, 3.00 at the 95th percentile; " +
		"25% of the jobs are slower under Carbyne, 50% by more", "the median of 3 seeds; the table and the curves " +
		"show seed 1.", "n = 250 jobs."} {
		if !strings.Contains(f.Detail, want) {
			t.Errorf("no %q in %q", want, f.Detail)
		}
	}
	delete(c.Improvement, "drf")
	if f, _ := altruismOf(c); f.ID != "" {
		t.Errorf("without DRF: %+v", f)
	}
}

// The report says how many stages are taken as skipped, and nothing where none is.
func TestCarbyneSkippedStages(t *testing.T) {
	for skipped, want := range map[int64]string{0: "", 1: "1 stage is taken as skipped",
		12: "12 stages are taken as skipped"} {
		c := &result.Carbyne{}
		c.Workload.SkippedStages, c.Workload.Stretch = skipped, result.Number(math.NaN())
		if got := strings.Join(carbyneDrawn(c), " "); !strings.HasPrefix(got, want) || (want == "") != (got == "") {
			t.Errorf("%d: %q, want %q", skipped, got, want)
		}
	}
}
