package figure

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/result"
	"racecard/reports/internal/figuretest"
)

// Answers that are empty, hostile or hold anything are drawn without NaN.
func TestAnswersAreDrawn(t *testing.T) {
	why := func(c *result.ChangeCause) string { return c.Stage }
	for _, name := range []string{"nightly", `"><script>`, "\x00\u202e", ""} {
		var s Source
		everyForm(t, Waste(figuretest.Waste(name), s), true)
		everyForm(t, Changes(figuretest.Comparison(name), why, s), true)
		everyForm(t, Explained(figuretest.Explanation(name), s), true)
		everyForm(t, Forecast(figuretest.Forecast(name), s), true)
		everyForm(t, DayPlan(figuretest.Agenda(name), s), true)
	}
	var s Source
	everyForm(t, Waste(&result.Waste{}, s), true)
	everyForm(t, Changes(&result.Comparison{}, why, s), true)
	everyForm(t, Explained(&result.Explanation{}, s), true)
	everyForm(t, Forecast(&result.Forecast{}, s), true)
	everyForm(t, DayPlan(&result.Agenda{}, s), true)
}

// Any numbers give a drawing, those that are not finite among them.
func TestAnyAnswerIsDrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.OneOf(rapid.Float64(), rapid.Float64Range(0, 1e6),
			rapid.SampledFrom([]float64{0, math.NaN(), math.Inf(1)}))
		x := func() float64 { return n.Draw(t, "x") }
		y := func() result.Number { return result.Number(x()) }
		var s Source
		e := &result.Explanation{TookS: x(), UsualS: x(), UsualFrom: x(), UsualTo: x()}
		f := &result.Forecast{TokensSeen: [2]result.Number{y(), y()}, DeadlineS: y(), Sure: x(), Input: y()}
		c := &result.Comparison{}
		a := &result.Agenda{Tokens: rapid.IntRange(0, 100).Draw(t, "cores"), Sure: x()}
		w := &result.Waste{WasteAmount: result.WasteAmount{HeldCoreH: x()}, Classes: result.WasteClasses{Useful: x()}}
		for range rapid.IntRange(0, 3).Draw(t, "n") {
			e.Parts = append(e.Parts, result.CausePart{What: "stage", Seconds: x()})
			f.Tokens = append(f.Tokens, result.ForecastTokens{Tokens: rapid.IntRange(0, 1e6).Draw(t, "cores"), P50S: x(),
				P90S: x(),
				P95S: x(), CoreH: x(), Chance: y()})
			c.Jobs = append(c.Jobs, result.ComparedJob{Change: y(), Interval: [2]result.Number{y(), y()}, PValue: y(),
				Changed: rapid.Bool().Draw(t, "changed")})
			a.Jobs = append(a.Jobs, result.AgendaJob{StartS: x(), P50EndS: x(), P95EndS: x(), DeadlineS: y(),
				Chance: y()})
			a.Use = append(a.Use, result.AgendaUse{FromS: x(), ToS: x(), Mean: x(), P95: x()})
		}
		everyForm(t, Explained(e, s), false)
		everyForm(t, Forecast(f, s), false)
		everyForm(t, Changes(c, func(*result.ChangeCause) string { return "" }, s), false)
		everyForm(t, DayPlan(a, s), false)
		everyForm(t, Waste(w, s), false)
	})
}
