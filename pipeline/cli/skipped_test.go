package cli

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"racecard/datasets/result"
)

// Runs of four tasks of 10 s, a stage that was skipped, and one task of 10 s, on two tokens: the skipped stage takes no
// time, and keeps no command from its answer.
func TestSkippedStages(t *testing.T) {
	var lines strings.Builder
	for i := range 12 {
		at := 100 * i
		fmt.Fprintf(&lines, `{"id":"r%d","name":"n","submit_s":%d,"end_s":%d,"guaranteed":2,"stages":[{"tasks":4},`+
			`{"tasks":null,"parents":[0]},{"tasks":1,"parents":[1]}],"tasks":[`, i, at, at+30)
		for k, start := range []int{0, 0, 10, 10} {
			fmt.Fprintf(&lines, `{"stage":0,"task":%d,"start_s":%d,"end_s":%d},`, k, at+start, at+start+10)
		}
		fmt.Fprintf(&lines, "{\"stage\":2,\"task\":0,\"start_s\":%d,\"end_s\":%d}]}\n", at+20, at+30)
	}
	s := importJSONL(t, lines.String())
	var asked result.WhatIf
	_, stdout, _ := call(t, "whatif", s, "--run", "r3", "--allocations", "1,2,4", "--json")
	if err := json.Unmarshal([]byte(stdout), &asked); err != nil || len(asked.Points) != 3 ||
		asked.Points[0].TimeS != 50 || asked.Points[1].TimeS != 30 || asked.Points[2].TimeS != 20 ||
		!strings.Contains(strings.Join(asked.Warnings, "\n"), "stage 1: taken as skipped, without work") {
		t.Errorf("whatif: %v, %s", err, stdout)
	}
	var next result.Forecast
	_, stdout, _ = call(t, "forecast", s, "--job", "n", "--tokens", "2", "--json")
	if err := json.Unmarshal([]byte(stdout), &next); err != nil || len(next.Tokens) != 1 ||
		strings.Contains(stdout, "no durations of single attempts") {
		t.Errorf("forecast: %v, %s", err, stdout)
	}
	if _, stdout, _ = call(t, "waste", s); strings.Contains(stdout, "neither") {
		t.Errorf("waste: %s", stdout)
	}
	for _, simulator := range [][]string{{"eagle"}, {"carbyne", "--machines", "2", "--capacity", "cpu=2"}} {
		args := append([]string{"simulate", simulator[0], s, "--machines", "2"}, simulator[1:]...)
		if got := must(t, args...); !strings.Contains(got, "12 stages are taken as skipped") {
			t.Errorf("%v: %s", args, got)
		}
	}
}
