package anatomy

import (
	"reflect"
	"testing"

	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// Of three stages, one by one: it took longer and has a plan, it took less, nothing is known of it. Two stages of one
// name are said once each, equal ones once.
func TestQueries(t *testing.T) {
	run := trace.NewRun("r")
	for _, s := range []struct{ name, plan, about string }{{"a", "Exchange, Scan", "q1"}, {"b", "Scan", ""},
		{"c", "", ""}, {"a", "Sort", ""}, {"a", "Sort", ""}} {
		st := trace.NewStage()
		st.Name, st.Plan, st.Description = s.name, s.plan, s.about
		run.Stages = append(run.Stages, st)
	}
	got := queries(run, []result.CausePart{{What: "stage", Stage: "c", Seconds: 9}, {What: "input", Seconds: 5},
		{What: "stage", Stage: "a", Seconds: 3},
		{What: "skew", Stage: "a", Seconds: 2}, {What: "stage", Stage: "b", Seconds: -1}})
	if want := []result.SlowStage{{Stage: "a", Description: "q1", Plan: "Exchange, Scan"},
		{Stage: "a", Plan: "Sort"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
}
