package cli

import (
	"fmt"
	"strings"
	"testing"
)

// Eight of the last 20 runs of a job were killed: its forecast, plan and desk are of runs that succeed, and say so. One
// failure of 20 is less than a deadline may miss. A plan of a job with two runs says that these are few.
func TestForecastsTellOfRunsThatFail(t *testing.T) {
	var lines strings.Builder
	for _, job := range []struct {
		name string
		runs int
		ill  func(i int) bool
	}{{"ill", 40, func(i int) bool { return i >= 20 && i%5 < 2 }}, {"well", 40, func(i int) bool { return i == 30 }},
		{"healed", 40, func(i int) bool { return i < 20 }}, {"new", 2, func(int) bool { return false }}} {
		for i := range job.runs {
			status, at := "succeeded", 1_792_972_800+86_400*i
			if job.ill(i) {
				status = "killed"
			}
			fmt.Fprintf(&lines, `{"id":"%s-%d","name":%[1]q,"submit_s":%[3]d,"end_s":%d,"status":%q,"guaranteed":2,`+
				`"stages":[{"durations_s":[60,60]}]}`+"\n", job.name, i, at, at+60, status)
		}
	}
	s := importJSONL(t, lines.String())
	const fails, few = "8 of the last 20 runs of the job did not succeed", "learned from 2 runs"
	_, plan, _ := call(t, "plan", s, "--tokens", "8", "ill@01:00", "well@01:00", "healed@01:00", "new@01:00")
	if strings.Count(plan, "did not succeed") != 1 || !strings.Contains(plan, "ill: "+fails) ||
		strings.Count(plan, "learned from") != 1 || !strings.Contains(plan, "new: "+few) {
		t.Errorf("plan: %s", plan)
	}
	for job, want := range map[string]bool{"ill": true, "well": false, "healed": false} {
		if _, out, stderr := call(t, "forecast", s, "--job", job); strings.Contains(out, fails) != want {
			t.Errorf("forecast of %s: %s%s", job, out, stderr)
		}
	}
	if desk := string(deskData(t, deskPage(t, s))); strings.Count(desk, `["`+fails) != 1 {
		t.Errorf("desk: %s", desk)
	}
}
