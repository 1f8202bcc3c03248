package live

import (
	"errors"
	"io/fs"
	"math"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"pgregory.net/rapid"

	"racecard/models/deadlines/jockey"
	"racecard/pipeline/internal/livetest"
)

// opened opens a folder that the test replaces through the returned pointer.
func opened(t testing.TB, files fstest.MapFS) (*Tables, *atomic.Pointer[fstest.MapFS]) {
	t.Helper()
	now := &atomic.Pointer[fstest.MapFS]{}
	now.Store(&files)
	tables, err := OpenFS(func() (fs.FS, error) { return *now.Load(), nil })
	if err != nil {
		t.Fatal(err)
	}
	return tables, now
}

func TestLookUp(t *testing.T) {
	tables, _ := opened(t, livetest.Files(t, nil, livetest.Table("a", 1, 1, 4), livetest.Table("b-#", 2, 1, 4)))
	g := tables.Current()
	if got := strings.Join(g.Jobs(), " "); got != "a b-#" || g.Number() != 1 || len(g.Failed()) != 0 {
		t.Fatalf("%s, generation %d, failed %v", got, g.Number(), g.Failed())
	}
	if g.Table("c") != nil || g.Table("b-2026-11-22") == nil {
		t.Error("a table of another job, or none of a normalised name")
	}
	a := g.Table("a")
	// Half-way between 1 and 4 tokens at 2.5: (100 + 25)/2 s; p50 is exactly that.
	if got := a.Remaining(0, 2.5, .5); math.Abs(got-62.5) > 1e-9 {
		t.Errorf("%v s, want 62.5", got)
	}
	if got := a.Conditioned(State{Progress: .5, ElapsedS: 50.25, SinceS: 50}, 1, .5); math.Abs(got-49.75) > 1e-9 {
		t.Errorf("%v s, want 49.75", got)
	}
	// 10 of 20 tasks of 60 s of work, none of 40 s: 30 of 100 s.
	if got := a.Progress([]float64{.5, 0}); math.Abs(got-.3) > 1e-9 {
		t.Errorf("progress %v, want 0.3", got)
	}
	if n := testing.AllocsPerRun(100, func() {
		tables.Current().Table("a").Remaining(.3, 2.5, .9)
	}); n != 0 {
		t.Errorf("%v allocations per look-up", n)
	}
}

func TestReload(t *testing.T) {
	first := livetest.Files(t, nil, livetest.Table("a", 1, 1, 4), livetest.Table("b", 1, 1, 4))
	tables, now := opened(t, first)
	before := tables.Current()
	if changed, err := tables.Reload(); changed || err != nil {
		t.Fatalf("nothing new: %v, %v", changed, err)
	}
	second := livetest.Files(t, first, livetest.Table("a", 2, 1, 4))
	now.Store(&second)
	if changed, err := tables.Reload(); !changed || err != nil {
		t.Fatal(changed, err)
	}
	after := tables.Current()
	if after.Number() != 2 || after.Table("a").Generation() != 2 || after.Table("b") != before.Table("b") {
		t.Errorf(
			"generation %d, of a %d; b was read again: %v",
			after.Number(),
			after.Table("a").Generation(),
			after.Table("b") != before.Table("b"),
		)
	}
	if got := before.Table("a").Remaining(0, 1, .5); got != 100 {
		t.Errorf("the older generation says %v, want 100", got)
	}

	now.Store(&first)
	if changed, err := tables.Reload(); changed || !errors.Is(err, ErrOlder) || tables.Current() != after {
		t.Errorf("an older version: %v, %v", changed, err)
	}
	now.Store(&fstest.MapFS{})
	if _, err := tables.Reload(); err == nil || tables.Current() != after {
		t.Errorf("a folder that is gone: %v", err)
	}

	// A damaged table is not served, the last good one stays; another one that is new is served.
	third := livetest.Files(t, second, livetest.Table("a", 3, 1, 4), livetest.Table("b", 3, 1, 4))
	for name, f := range third {
		if strings.HasPrefix(name, "a-") && strings.HasSuffix(name, ".arrow") {
			f.Data[len(f.Data)/2] ^= 1
		}
	}
	now.Store(&third)
	if changed, err := tables.Reload(); !changed || err != nil {
		t.Fatal(changed, err)
	}
	g := tables.Current()
	if a, b := g.Table("a").Remaining(0, 1, .5), g.Table("b").Remaining(0, 1, .5); a != 200 || b != 300 ||
		len(g.Failed()) != 1 ||
		!strings.Contains(g.Failed()[0].Error(), "damaged") {
		t.Errorf("a says %v, want 200 of generation 2; b says %v, want 300; failed: %v", a, b, g.Failed())
	}
}

// TestDamagedFolder: whatever region of a file is flipped, or cut off, no wrong number is served.
func TestDamagedFolder(t *testing.T) {
	good := livetest.Files(t, nil, livetest.Table("a", 1, 1, 4))
	for name, file := range good {
		step := 1 + len(file.Data)/100
		for i := 0; i < len(file.Data); i += step {
			for _, cut := range []bool{false, true} {
				bad := fstest.MapFS{}
				for n, f := range good {
					bad[n] = f
				}
				data := append([]byte(nil), file.Data...)
				data[i] ^= 0x41
				if cut {
					data = data[:i]
				}
				bad[name] = &fstest.MapFile{Data: data}
				tables, err := OpenFS(func() (fs.FS, error) { return bad, nil })
				if err != nil {
					continue
				}
				if a := tables.Current().Table("a"); a != nil && a.Remaining(.5, 1, .5) != 50 {
					t.Fatalf("%s, byte %d: %v s, want 50 or no table", name, i, a.Remaining(.5, 1, .5))
				}
			}
		}
	}
}

// TestSwap: while generations change all the time every answer is of exactly one, and old ones are released.
func TestSwap(t *testing.T) {
	files := livetest.Files(t, nil, livetest.Table("a", 1, 1, 4), livetest.Table("b", 1, 1, 4))
	tables, now := opened(t, files)
	swaps := make([]fstest.MapFS, 19) // made before the readers take all processors
	if testing.Short() {              // the race detector is slow; all are tested without it
		swaps = swaps[:4]
	}
	for i := range swaps {
		level := float64(i + 2)
		files = livetest.Files(t, files, livetest.Table("a", level, 1, 4), livetest.Table("b", level, 1, 4))
		swaps[i] = files
	}
	released := &atomic.Int64{}
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				g := tables.Current()
				a, b := g.Table("a").Remaining(0, 1, .5), g.Table("b").Remaining(0, 1, .5)
				if want := 100 * float64(g.Number()); a != want || b != want {
					t.Errorf("generation %d: a %v s, b %v s, want %v", g.Number(), a, b, want)
					return
				}
			}
		})
	}
	for k, files := range swaps {
		runtime.AddCleanup(tables.Current(), func(int) { released.Add(1) }, 0)
		now.Store(&files)
		if changed, err := tables.Reload(); !changed || err != nil {
			t.Fatal(k, changed, err)
		}
	}
	close(stop)
	readers.Wait()
	for range 100 {
		runtime.GC()
		if int(released.Load()) == len(swaps) {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if n := int(released.Load()); n != len(swaps) {
		t.Errorf("%d of %d old generations were released", n, len(swaps))
	}
	runtime.KeepAlive(tables)
}

// stages returns live stages of the plan of livetest, with so many tasks done.
func stages(mapped, summed int) []Stage {
	s := []Stage{{ID: 7, Name: "map at /other/job.py:3", Tasks: 20, Done: mapped, Submitted: true, Dataset: 4}}
	if summed >= 0 {
		s = append(
			s,
			Stage{ID: 9, Name: "sum at /other/job.py:9", Tasks: 10, Done: summed, Submitted: true, Parents: []int64{8}},
			Stage{ID: 8, Name: "map at /other/job.py:3", Tasks: 20, Parents: nil, Dataset: 4},
		) // skipped: reuses 7
	}
	return s
}

func TestMatch(t *testing.T) {
	tables, _ := opened(t, livetest.Files(t, nil, livetest.Table("a", 1, 1, 4)))
	a := tables.Current().Table("a")
	change := func(do func(s []Stage) []Stage) []Stage { return do(stages(20, 5)) }
	for _, test := range []struct {
		name string
		live []Stage
		want [2]float64
		err  string
	}{
		{"nothing yet", []Stage{}, [2]float64{}, ""},
		{"half of the first", stages(10, -1), [2]float64{.5, 0}, ""},
		{"renumbered and skipped", stages(20, 5), [2]float64{1, .5}, ""},
		{"more done than there are", stages(25, 0), [2]float64{1, 0}, ""},
		{"another input", change(func(s []Stage) []Stage { s[0].Tasks, s[0].Done = 40, 10; return s }),
			[2]float64{.25, .5}, ""},
		{"far more tasks", change(func(s []Stage) []Stage { s[0].Tasks = 2000; return s }), [2]float64{},
			"has 2000 tasks, the plan 20"},
		{"another name", change(func(s []Stage) []Stage { s[1].Name = "count at job.py:9"; return s }), [2]float64{},
			"stage 9"},
		{"another shape", change(func(s []Stage) []Stage { s[1].Parents = nil; return s }), [2]float64{}, "stage 9"},
		{"once more", change(func(s []Stage) []Stage {
			return append(s, Stage{ID: 12, Name: s[0].Name, Tasks: 20, Submitted: true})
		}), [2]float64{}, "stage 12"},
		{"no tasks", change(func(s []Stage) []Stage { s[0].Tasks = 0; return s }), [2]float64{}, "at least one task"},
		{"twice", change(func(s []Stage) []Stage { return append(s, s[0]) }), [2]float64{}, "there twice"},
		{"a cycle", change(func(s []Stage) []Stage { s[0].Parents = []int64{9}; return s }), [2]float64{}, "cycle"},
	} {
		got, err := a.Match(test.live)
		switch {
		case test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)):
			t.Errorf("%s: %v, want %q", test.name, err, test.err)
		case test.err == "" && (err != nil || got[0] != test.want[0] || got[1] != test.want[1]):
			t.Errorf("%s: %v, %v; want %v", test.name, got, err, test.want)
		}
	}
}

// Thousands of stages that all have the same thousands of skipped ancestors are refused within seconds.
func TestMatchEndsSoon(t *testing.T) {
	tables, _ := opened(t, livetest.Files(t, nil, livetest.Table("a", 1, 1, 4)))
	const n = 30_000
	var run []Stage
	for i := range int64(n) {
		run = append(run, Stage{ID: i, Parents: []int64{i - 1}},
			Stage{ID: n + i, Name: "map at job.py:3", Tasks: 20, Submitted: true, Parents: []int64{n - 1}})
	}
	begin := time.Now()
	if _, err := tables.Current().Table("a").Match(run); err == nil || !strings.Contains(err.Error(), "skipped ancestors") {
		t.Error(err)
	}
	if took := time.Since(begin); took > 20*time.Second { // it took minutes
		t.Errorf("it took %v", took)
	}
}

// TestStartUp: a run that takes long to start gets what its deadline needs, but is not called slow for that.
func TestStartUp(t *testing.T) {
	tables, _ := opened(t, livetest.Files(t, nil, livetest.Table("a", 1, 1, 2, 4, 8, 16)))
	r, err := tables.Current().Table("a").NewRun(Goal{DeadlineS: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, now := range []float64{0, 10, 20, 30} {
		if d := r.Decide(Observation{NowS: now, Held: 2, Stages: []Stage{}}); d.Slower != 1 || d.Hold {
			t.Errorf("at %v s the run is believed to be slower by %v (%+v)", now, d.Slower, d)
		}
	}
	// From the first task on the run is slow: of 50 s of work on two tokens 30 are done in 60 s.
	for k := range 7 {
		r.Decide(Observation{NowS: 30 + 10*float64(k), Held: 2, Stages: stages(2*k, -1)})
	}
	if d := r.Last(); !(d.Slower > 1.1) || d.Tokens < 4 {
		t.Errorf("a slow run is slower by %v, and requests %d tokens", d.Slower, d.Tokens)
	}
}

// TestStagesAsTheyAre: of two runs with the same progress, the one whose remaining stages have the longer path is asked
// for by Amdahl's law, where the table knows progress alone. Predicted ends are the table's.
func TestStagesAsTheyAre(t *testing.T) {
	tables, _ := opened(t, livetest.Files(t, nil, livetest.Table("a", 1, 1, 2, 4, 8, 16)))
	a := tables.Current().Table("a")
	earliest := func(blend float64, o Observation) (earliestS, endS float64) {
		t.Helper()
		c := a.About().Control
		c.Blend = blend
		r, err := a.NewRun(Goal{DeadlineS: 100, MaxTokens: 8, Control: &c})
		if err != nil {
			t.Fatal(err)
		}
		o.NowS, o.Held = 10, 2
		d := r.Decide(o)
		if math.Abs(d.Progress-.5) > 1e-9 {
			t.Fatalf("progress %v, want 0.5", d.Progress)
		}
		return d.EarliestS, d.EndS
	}
	half := .5
	// paths of 6 and 8 s; 50 s of work
	short, long := Observation{Done: []float64{.75, .125}}, Observation{Done: []float64{.25, .875}}
	unknown, usual := earliest(.6, Observation{Progress: &half})
	if got, end := earliest(0, long); got != unknown || end != usual {
		t.Errorf("the table alone: earliest %v s, end %v s, want %v and %v s", got, end, unknown, usual)
	}
	s, end := earliest(.6, short)
	l, end2 := earliest(.6, long)
	if !(s < l) || math.Abs(end-usual) > 1 || math.Abs(end2-usual) > 1 { // progress has steps of a hundredth
		t.Errorf("earliest %v and %v s, ends %v and %v s, want the second later, and ends of %v s", s, l, end, end2,
			usual)
	}
	c := a.About().Control
	c.Blend = 1.5
	if _, err := a.NewRun(Goal{DeadlineS: 100, Control: &c}); err == nil {
		t.Error("a weight of 1.5 was taken")
	}
}

// TestFewerTokensThanTheGrid: with fewer tokens than a table knows a run takes longer, so they keep no deadline that the
// fewest known just keep. Times of this job are work that tokens share, so a grid from 1 on gives the same answers.
func TestFewerTokensThanTheGrid(t *testing.T) {
	tables, _ := opened(t, livetest.Files(t, nil, livetest.Table("a", 1, 8, 16)))
	a := tables.Current().Table("a")
	for deadline := 10.0; deadline < 200; deadline += 10 {
		// the p90 of 140 s of work, with the slack, and 5% of the deadline before it
		want := min(16, int(math.Ceil(1.05*140/(0.95*deadline))))
		r, err := a.NewRun(Goal{DeadlineS: deadline})
		if err != nil {
			t.Fatal(err)
		}
		if d := r.Decide(Observation{Stages: []Stage{}}); want <= 8 && d.Tokens != want {
			t.Errorf("a deadline of %v s: %d tokens, want %d", deadline, d.Tokens, want)
		}
		o := jockey.DefaultOptions()
		o.Max = 16
		got, err := tables.Current().Admit(t.Context(), jockey.Cluster{Tokens: 16, Options: o},
			[]Wanted{{Job: "a", DeadlineS: deadline}}, false)
		if err != nil || want <= 8 && got.Jobs[0].Tokens != want {
			t.Errorf("admission with a deadline of %v s: %+v, %v; want %d tokens", deadline, got, err, want)
		}
	}
}

func TestHold(t *testing.T) {
	tables, _ := opened(t, livetest.Files(t, nil, livetest.Table("a", 1, 1, 4)))
	r, err := tables.Current().Table("a").NewRun(Goal{DeadlineS: 60, MaxTokens: 4})
	if err != nil {
		t.Fatal(err)
	}
	first := r.Decide(Observation{NowS: 1, Held: 3, Stages: stages(2, -1)})
	if first.Hold || first.Tokens < 2 || first.Tokens > 4 {
		t.Fatalf("%+v", first)
	}
	for _, o := range []Observation{
		{NowS: 5, Held: 3}, {NowS: 5, Held: 3, Done: []float64{1}}, {NowS: 5, Held: 3, Done: []float64{1, 2}},
		{NowS: 5, Held: 3, Progress: &first.LateS},
		{NowS: 5, Held: 3, Stages: []Stage{{ID: 1, Name: "other", Tasks: 1, Submitted: true}}},
	} {
		if d := r.Decide(o); !d.Hold || d.Tokens != 3 || d.Why == "" {
			t.Errorf("%+v: %+v, want it to hold 3 tokens", o, d)
		}
	}
	for want, done := range map[string][]float64{"1 fractions of stages, the plan has 2": {1}, "want 0 to 1": {1, 2}} {
		if d := r.Decide(Observation{NowS: 5, Held: 3, Done: done}); !strings.Contains(d.Why, want) {
			t.Errorf("%v: %q, want %q", done, d.Why, want)
		}
	}
	if d := r.Decide(Observation{NowS: 2, Held: 3, Stages: stages(3, -1)}); d.NowS != 5 || d.Hold {
		t.Errorf("a clock that stepped back: %+v, want 5 s", d)
	}
	if d := r.Decide(Observation{NowS: math.NaN(), Held: 3, Stages: stages(3, -1)}); d.NowS != 5 {
		t.Errorf("no time: %+v, want 5 s", d)
	}
	for _, now := range []float64{1.8e9, math.Inf(1), MostSeconds + 1} { // the first is Unix time
		d := r.Decide(Observation{NowS: now, Held: 3, Stages: stages(3, -1)})
		if !d.Hold || d.Tokens != 3 || !strings.Contains(d.Why, "since the start of the run") {
			t.Errorf("at %g: %+v, want it to hold 3 tokens", now, d)
		}
		if d = r.Decide(Observation{NowS: 6, Held: 3, Stages: stages(3, -1)}); d.NowS != 6 || d.Hold {
			t.Errorf("at 6 s, after %g: %+v", now, d)
		}
	}
	// With 1 token 50 to 150 s remain at the start: a deadline of 100 s is missed by half of runs.
	r, _ = tables.Current().Table("a").NewRun(Goal{DeadlineS: 100})
	if d := r.Decide(Observation{Held: 1, Stages: []Stage{}}); math.Abs(d.Risk-.5) > .01 || d.EndS != 100 ||
		math.Abs(d.EarlyS-60) > 1e-9 ||
		math.Abs(d.LateS-140) > 1e-9 {
		t.Errorf("%+v, want a risk of 0.5 and an end at 60, 100, 140 s", d)
	}
}

// TestDecideBounds: whatever is observed, a decision stays within the bounds of the run, and its numbers are sane.
func TestDecideBounds(t *testing.T) {
	tables, _ := opened(t, livetest.Files(t, nil, livetest.Table("a", 1, 1, 2, 4, 8)))
	a := tables.Current().Table("a")
	rapid.Check(t, func(t *rapid.T) {
		low := rapid.IntRange(1, 5).Draw(t, "min")
		high := rapid.IntRange(low, 20).Draw(t, "max")
		r, err := a.NewRun(
			Goal{DeadlineS: rapid.Float64Range(-10, 500).Draw(t, "deadline"), MinTokens: low, MaxTokens: high},
		)
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			d := r.Decide(
				Observation{
					NowS:   rapid.Float64Range(-5, 1000).Draw(t, "now"),
					Held:   rapid.IntRange(1, 30).Draw(t, "held"),
					Stages: stages(rapid.IntRange(0, 20).Draw(t, "map"), rapid.IntRange(-1, 10).Draw(t, "sum")),
				},
			)
			if d.Hold || d.Tokens < low || d.Tokens > high || !(d.Risk >= 0 && d.Risk <= 1) ||
				!(d.EarlyS <= d.EndS && d.EndS <= d.LateS) ||
				d.Slower < 1 {
				t.Fatalf("%+v of %d to %d tokens", d, low, high)
			}
		}
	})
}
