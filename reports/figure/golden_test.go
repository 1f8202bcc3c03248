package figure_test

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/result"
	"racecard/reports/figure"
	"racecard/reports/internal/figuretest"
)

func TestMain(m *testing.M) {
	flag.Bool("regen", false, "rewrite golden files")
	flag.Parse()
	os.Exit(m.Run())
}

func regen() bool { return flag.Lookup("regen").Value.(flag.Getter).Get().(bool) }

// figures draws the figures of a bundle.
func figures(b *result.Bundle) []*figure.Figure {
	s := source(b)
	r := b.Documents["recurrence"].(*result.Recurrence)
	d := b.Documents["dag"].(*result.DAG)
	out := []*figure.Figure{
		figure.CoV(r, s),
		figure.Causes(r, s),
		figure.Drift(r, s),
		figure.Guarantee(b.Documents["allocation"].(*result.Allocation), b.Tables["allocation"], s),
		figure.Shape(d, b.Tables["dag"], s),
		figure.PlanShapes(d, s),
		figure.Waterfall(b.Documents["timeline"].(*result.Timeline), b.Tables["timeline"], s),
		figure.Dependency(b.Documents["dependency"].(*result.Dependency), b.Tables["dependency"], s),
		figure.Activity(b.Documents["health"].(*result.Health), s),
	}
	if d.Largest != nil {
		out = append(out, figure.StageGraph(d.Largest, s))
	}
	if l, ok := b.Documents["leftover"].(*result.Leftover); ok {
		out = append(out, figure.Leftover(l, b.Provenance.Units, s), figure.LeftoverShares(l, s),
			figure.LeftoverShape(l,
				b.Tables["leftover"], s))
	}
	if d, ok := b.Documents["backtest"].(*result.Backtest); ok {
		out = append(out, figure.Calibration(d, b.Tables["backtest"], s), figure.PredictionErrors(d, s),
			figure.Predicted(d,
				b.Tables["backtest"], s))
	}
	w := b.Documents["workload"].(*result.Workload)
	return append(out, figure.WhatIf(figure.SomeWhatIf(), s), figure.Remaining(figure.SomeRemaining(), s),
		figure.Indicators(figure.SomeRemaining(), s), figure.Arrivals(w, s), figure.Tails(w, s),
		figure.Cutoff(&w.Cutoff, s),
		figure.Concurrency(w, s), figure.Failures(&w.Failures, s))
}

// jockeyFigures draws those of a comparison of policies.
func jockeyFigures(b *result.Bundle) []*figure.Figure {
	s, j := source(b), b.Documents["jockey"].(*result.Jockey)
	out := []*figure.Figure{figure.JockeyPolicies(j, s), figure.JockeyCompletion(j, s), figure.JockeySensitivity(j, s)}
	for _, t := range append(j.Changed, j.Shown) {
		out = append(out, figure.JockeyRun(t, s))
	}
	return out
}

// carbyneFigures draws those of a comparison of schedulers.
func carbyneFigures(b *result.Bundle) []*figure.Figure {
	s, c := source(b), b.Documents["carbyne"].(*result.Carbyne)
	return []*figure.Figure{figure.CarbyneBars(c, s), figure.CarbyneImprovement(c, b.Tables["carbyne"], s),
		figure.CarbyneSweeps(c, s), figure.CarbyneOverTime(c, s),
		figure.CarbyneCompletion(c, b.Tables["carbyne"], s), figure.CarbyneDAGPS(figuretest.CarbyneDAGPS(),
			figuretest.CarbyneDAGPS().Table(), s)}
}

// eagleFigures draws those of a comparison of schedulers of queues.
func eagleFigures(b *result.Bundle) []*figure.Figure {
	s, e := source(b), b.Documents["eagle"].(*result.Eagle)
	out := []*figure.Figure{figure.EagleCompletion(e, s), figure.EagleWaits(e, s), figure.EagleSweep(&e.Experiments[0],
		s), figure.EagleAblation(&e.Experiments[1], s), figure.EagleExperiment(&e.Experiments[2], s)}
	traces := figuretest.EagleTraces()
	return append(out, figure.EagleSlow("eagle-slow", e.Slow, s),
		figure.EagleTraces(traces.Documents["eagle-traces"].(*result.EagleTraces), source(traces)))
}

// answerFigures draws the answers of waste, compare, explain, forecast and plan.
func answerFigures() []*figure.Figure {
	s := figure.Source{Store: "nights.store", Format: "jsonl", Synthetic: true}
	why := func(c *result.ChangeCause) string { return c.Kind }
	return []*figure.Figure{figure.Waste(figuretest.Waste("nightly"), s),
		figure.Changes(figuretest.Comparison("nightly"),
			why, s), figure.Explained(figuretest.Explanation("nightly"), s),
		figure.Forecast(figuretest.Forecast("nightly"), s),
		figure.DayPlan(figuretest.Agenda("nightly"), s)}
}

// goldens are the figures of which golden files are kept.
func goldens() []*figure.Figure {
	return slices.Concat(figures(figuretest.Backtest()), jockeyFigures(figuretest.Jockey()),
		eagleFigures(figuretest.Eagle()), carbyneFigures(figuretest.Carbyne()), answerFigures())
}

// words writes what a figure says: its numbers and its texts.
func words(f *figure.Figure) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n\n%s\n\n%s\n\n", f.Title, f.Caption, f.Alt)
	for _, v := range f.Values {
		fmt.Fprintf(&b, "%-32s %-20s %.6g\n", v.Of, v.What, v.Value)
	}
	return b.Bytes()
}

// TestGoldenNumbers fails when what the figures say changes, whatever they look like.
func TestGoldenNumbers(t *testing.T) {
	for _, f := range goldens() {
		t.Run(f.Name, func(t *testing.T) {
			got, path := words(f), filepath.Join("testdata", f.Name+".txt")
			if regen() {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s differs (run with -regen if that is meant):\n%s", path,
					difference(string(got), string(want)))
			}
		})
	}
}

// difference returns the first line that differs.
func difference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range g {
		if i >= len(w) || g[i] != w[i] {
			return fmt.Sprintf("line %d: got %q, want %q", i+1, g[i], append(w, "")[min(i, len(w))])
		}
	}
	return "the end is missing"
}

// TestGoldenImages fails when what the figures look like changes. Pixels may differ a little: processors differ in how
// they round.
func TestGoldenImages(t *testing.T) {
	t.Parallel()
	for _, f := range goldens() {
		t.Run(f.Name, func(t *testing.T) {
			got, err := f.PNG(72)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", f.Name+".png")
			if regen() {
				if err := os.WriteFile(path, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if share := differing(t, got, want); share > 0.001 {
				t.Errorf("%s: %.2f%% of the pixels differ (run with -regen if that is meant)", path, 100*share)
			}
		})
	}
}

// differing returns the share of pixels that differ visibly.
func differing(t *testing.T, a, b []byte) float64 {
	t.Helper()
	decode := func(data []byte) image.Image {
		m, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	x, y := decode(a), decode(b)
	if x.Bounds() != y.Bounds() {
		t.Fatalf("size %v, want %v", x.Bounds(), y.Bounds())
	}
	n, r := 0, x.Bounds()
	for i := r.Min.X; i < r.Max.X; i++ {
		for j := r.Min.Y; j < r.Max.Y; j++ {
			r1, g1, b1, _ := x.At(i, j).RGBA()
			r2, g2, b2, _ := y.At(i, j).RGBA()
			if far(r1, r2) || far(g1, g2) || far(b1, b2) {
				n++
			}
		}
	}
	return float64(n) / float64(r.Dx()*r.Dy())
}

func far(a, b uint32) bool { return max(a, b)-min(a, b) > 16<<8 }

// TestSameBytes draws everything twice, from results made twice.
func TestSameBytes(t *testing.T) {
	t.Parallel()
	for name, all := range map[string]func() []*figure.Figure{
		"typical": goldens, "large": func() []*figure.Figure { return figures(figuretest.LargeLeftover()) },
	} {
		a, b := all(), all()
		for i := range a {
			for _, w := range []figure.Width{figure.Wide, figure.Narrow} {
				if a[i].InlineSVG(w) != b[i].InlineSVG(w) {
					t.Errorf("%s: %s: SVG for width %d differs between two drawings", name, a[i].Name, w)
				}
			}
			if !bytes.Equal(a[i].SVG(), b[i].SVG()) || !bytes.Equal(words(a[i]), words(b[i])) {
				t.Errorf("%s: %s: file or words differ between two drawings", name, a[i].Name)
			}
			if name == "large" {
				continue // pixels are slow
			}
			p, err := a[i].PNG(72)
			if err != nil {
				t.Fatal(err)
			}
			q, err := b[i].PNG(72)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(p, q) {
				t.Errorf("%s: PNG differs between two drawings", a[i].Name)
			}
		}
	}
}
