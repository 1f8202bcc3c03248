package fault_test

import (
	"strings"
	"testing"

	"racecard/datasets/fault"
)

func TestReport(t *testing.T) {
	report := func() string {
		var b strings.Builder
		func() {
			defer func() { fault.Report(&b, recover()) }()
			panic("the third stage has no parents")
		}()
		return b.String()
	}
	t.Setenv(fault.Debug, "")
	if got := report(); !strings.Contains(got, "the third stage has no parents") ||
		!strings.Contains(got, "please report") || strings.Contains(got, ".go:") {
		t.Errorf("without a stack: %s", got)
	}
	t.Setenv(fault.Debug, "1")
	if got := report(); !strings.Contains(got, "fault_test.go:") {
		t.Errorf("with a stack: %s", got)
	}
}
