package stage_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"racecard/datasets/trace"
	"racecard/models/limit"
	"racecard/pipeline/internal/stage"
)

func TestPassesFitInMemory(t *testing.T) {
	// Of 640 MiB, which --memory 1GiB leaves besides reading, a and b take 400 MB each for 4 million runs, c takes
	// little, and d, which has a bound of its own, up to half.
	analyses := []stage.Analysis{{Name: "a", PerRun: 100}, {Name: "b", PerRun: 100}, {Name: "c", PerRun: 1},
		{Name: "d", PerAttempt: 24}}
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
		var passes []string
		size := stage.Size{Runs: test.runs, Attempts: test.attempts}
		for _, pass := range stage.Passes(size, analyses, test.memory) {
			names := ""
			for _, a := range pass {
				names += a.Name
			}
			passes = append(passes, names)
		}
		if got := strings.Join(passes, " "); got != test.want {
			t.Errorf("%d runs, %d attempts, %d bytes: %s, want %s", test.runs, test.attempts, test.memory, got,
				test.want)
		}
	}
}

func TestFits(t *testing.T) {
	dag := stage.Analysis{Name: "dag", PerRun: 100, PerRow: 300}
	wide := stage.Analysis{Name: "wide", PerRun: 60, PerRow: 200, PerFinish: 40}
	wide.Resources.PerRun, wide.Resources.PerFinish = 30, 10
	for _, test := range []struct {
		runs, resources int64
		tables          bool
		want            string // none: it fits
	}{
		{5_000_000, 1, false, ""},
		{1_000_000, 1, true, ""},
		{5_000_000, 1, true, "tables with a row per run: the store has 5,000,000 runs; at most 1,896,554 can be " +
			"taken: raise --memory to 2.6GiB, name fewer analyses with --only, leave out --out"},
		{9_000_000, 1, false, "dag: the store has 9,000,000 runs; at most 6,710,886 can be taken: raise --memory to " +
			"1.3GiB, leave it out with --only, or import"},
		{6_000_000, 2, false, ""},
		{6_000_000, 3, false, "wide: the store has 6,000,000 runs; at most 4,846,751 can be"},
	} {
		size := stage.Size{Runs: test.runs, Resources: test.resources}
		err := stage.Fits([]stage.Analysis{dag, wide}, size, 1<<30, test.tables)
		var limited *limit.Error
		if test.want == "" && err != nil || test.want != "" && (!errors.As(err, &limited) ||
			!strings.HasPrefix(err.Error(), test.want)) {
			t.Errorf("%+v: %v, want %q", test, err, test.want)
		}
	}
	if err := stage.Fits([]stage.Analysis{{Name: "health"}}, stage.Size{Runs: 1 << 60}, 1<<20, true); err != nil {
		t.Errorf("an analysis that keeps little is refused: %v", err)
	}
}

// No analysis takes more memory for each further run than it says, by a fifth: runs of two attempts, and of twenty.
func TestMemoryPerRun(t *testing.T) {
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC() // what the first one freed late
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	const few, many, part = 3000, 9000, 1500
	for _, tasks := range []int{2, 20} {
		for _, a := range stage.Analyses(stage.DefaultOptions()) {
			into := a.New()
			before := int64(0)
			for from := 0; from < many; from += part {
				if from == few {
					before = heap()
				}
				p := a.New()
				for i := range part {
					p.Add(plainRun(from+i, tasks))
				}
				into.Merge(p)
			}
			got, most := (heap()-before)/(many-few), a.PerRun+int64(tasks)*a.PerAttempt+2*a.PerAccess
			t.Logf("%-10s with %2d attempts: %5d bytes per run of %d", a.Name, tasks, got, most)
			if got > most*6/5+40 { // that is little
				t.Errorf("%s with %d attempts: %d bytes per run, says %d", a.Name, tasks, got, most)
			}
			runtime.KeepAlive(into)
		}
	}
}

// plainRun returns a run of a stage of tasks, which reads what the run before it wrote.
func plainRun(k, tasks int) *trace.Run {
	r := trace.NewRun(fmt.Sprintf("synthetic-%d", k))
	r.Name, r.User, r.Group, r.Status, r.Guaranteed = fmt.Sprintf("job-%d", k%500), fmt.Sprintf("user-%d", k%50),
		"group", trace.Succeeded, 4
	r.Submit = trace.Instant(k) * 1_000_000
	r.Start, r.End = r.Submit+500_000, r.Submit+9_000_000+trace.Instant(k%977)*1000
	r.Stages = []trace.Stage{trace.NewStage()}
	r.Stages[0].Tasks, r.Stages[0].Demand[trace.CPU] = int64(tasks), 1
	for task := range tasks {
		a := trace.NewAttempt(0, int32(task), 0)
		a.Start, a.End, a.Status = r.Start, r.End-trace.Instant(task)*100_003, trace.Succeeded
		a.Duration = a.End.Since(a.Start)
		r.Attempts = append(r.Attempts, a)
	}
	r.IO = []trace.Access{{Dataset: fmt.Sprint("data-", k-1), At: r.Start}, {Dataset: fmt.Sprint("data-", k), At: r.End,
		Write: true}}
	return r
}
