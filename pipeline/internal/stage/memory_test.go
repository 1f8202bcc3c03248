package stage_test

import (
	"errors"
	"strings"
	"testing"

	"racecard/models/limit"
	"racecard/pipeline/internal/stage"
)

func TestPassesFitInMemory(t *testing.T) {
	// Of 640 MiB, which --memory 1GiB leaves besides reading, a and b take 400 MB each for 4 million runs, c takes little, and d,
	// which has a bound of its own, up to half.
	analyses := []stage.Analysis{{Name: "a", PerRun: 100}, {Name: "b", PerRun: 100}, {Name: "c", PerRun: 1}, {Name: "d"}}
	for _, test := range []struct {
		runs, attempts, memory int64
		want                   string
	}{
		{1000, 9000, 1 << 30, "abcd"},
		{4_000_000, 0, 1 << 30, "a bcd"},
		{4_000_000, 1 << 40, 1 << 30, "a bc d"},
		{4_000_000, 1 << 40, 4 << 30, "abcd"},
		{1 << 40, 1 << 40, 1 << 30, "a b c d"},
		{1 << 40, 1 << 40, 0, "abcd"},
	} {
		rows := map[string]int64{"jobs": test.runs, "tasks": test.attempts}
		var passes []string
		for _, pass := range stage.Passes(rows, analyses, test.memory) {
			names := ""
			for _, a := range pass {
				names += a.Name
			}
			passes = append(passes, names)
		}
		if got := strings.Join(passes, " "); got != test.want {
			t.Errorf("%d runs, %d attempts, %d bytes: %s, want %s", test.runs, test.attempts, test.memory, got, test.want)
		}
	}
}

func TestFits(t *testing.T) {
	a := stage.Analysis{Name: "dag", PerRun: 100, PerRow: 300}
	for _, test := range []struct {
		runs   int64
		tables bool
		want   string // none: it fits
	}{
		{5_000_000, false, ""},
		{1_000_000, true, ""},
		{5_000_000, true, "dag: the store has 5,000,000 runs; at most 1,677,721 can be taken: raise --memory to 2.3GiB, leave it out with --only, leave out --out"},
		{9_000_000, false, "dag: the store has 9,000,000 runs; at most 6,710,886 can be taken: raise --memory to 1.3GiB, leave it out with --only, or import"},
	} {
		err := a.Fits(test.runs, 1<<30, test.tables)
		var limited *limit.Error
		if test.want == "" && err != nil || test.want != "" && (!errors.As(err, &limited) || !strings.HasPrefix(err.Error(), test.want)) {
			t.Errorf("%d runs: %v, want %q", test.runs, err, test.want)
		}
	}
	if err := (&stage.Analysis{Name: "health"}).Fits(1<<60, 1<<20, true); err != nil {
		t.Errorf("an analysis that keeps little is refused: %v", err)
	}
}
