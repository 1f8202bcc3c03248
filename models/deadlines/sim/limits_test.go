package sim

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"racecard/datasets/trace"
)

// TestLimits: a run may take up to 2^43 - 1 µs, and must be able to end.
func TestLimits(t *testing.T) {
	bag := func(d int64) Plan { return Plan{Stages: []Stage{{Tasks: 1, Duration: constant(t, d)}}} }
	two := bag(1 << 42)
	two.Stages[0].Tasks = 2
	slow := bag(second)
	slow.StartUp = constant(t, limit)
	o := func(o Options) *Options { o.Allocation = []Step{{0, 1}}; return &o }
	general := o(Options{Observe: func(Event, Progress) {}})
	for _, test := range []struct {
		name string
		plan Plan
		o    *Options
		want error
	}{
		{"the longest task", bag(limit - 1), tokens(1), nil},
		{"the longest task, general loop", bag(limit - 1), general, nil},
		{"too long a task", bag(limit), tokens(1), ErrTooLong},
		{"too long a task, general loop", bag(limit), general, ErrTooLong},
		{"too long together", two, tokens(1), ErrTooLong},
		{"too long together, general loop", two, general, ErrTooLong},
		{"side by side", two, tokens(2), nil},
		{"too long at this scale", bag(limit / 2), o(Options{Scale: 3}), ErrTooLong},
		{"too long to start", slow, tokens(1), ErrTooLong},
		{"no tokens", two, tokens(0), ErrStarved},
		{"no tokens, general loop", two, &Options{Allocation: []Step{{0, 0}}, Observe: general.Observe}, ErrStarved},
		{"no tokens after all", two, &Options{Allocation: []Step{{0, 0}, {5, 1}, {9, 0}}}, ErrStarved},
		{"tokens later", bag(9), &Options{Allocation: []Step{{0, 0}, {5, 1}}}, nil},
		{"spare tokens only", bag(9), &Options{Allocation: []Step{{0, 0}},
			Spare: &Spare{Steps: []Step{{0, 0}, {5, 1}}}}, nil},
		{"no spare tokens", bag(9), &Options{Allocation: []Step{{0, 0}}, Spare: &Spare{Steps: []Step{{0, 0}}}},
			ErrStarved},
		{"no tokens, though machines are lost", bag(9), &Options{Allocation: []Step{{0, 0}}, Loss: &Loss{constant(t, 5),
			1}}, ErrStarved},
		{"control gives none", bag(9), &Options{Allocation: []Step{{0, 0}}, Control: func(int64, Progress) int32 {
			return 0
		}, Period: 1 << 40}, ErrTooLong},
	} {
		if _, err := runner(t, test.plan).Run(test.o, rand.NewPCG(1, 1)); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
	}
}

// TestErrors: what makes no sense is refused, and the message says what.
func TestErrors(t *testing.T) {
	d := constant(t, second)
	st := Stage{Tasks: 2, Duration: d}
	with := func(change func(*Stage)) Plan {
		s := st
		change(&s)
		return Plan{Stages: []Stage{s}}
	}
	inOrder, err := InOrder([]int64{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	for want, p := range map[string]Plan{
		"no stages":               {},
		"0 tasks":                 with(func(s *Stage) { s.Tasks = 0 }),
		"no duration":             with(func(s *Stage) { s.Duration = Dist{} }),
		"failure probability 1":   with(func(s *Stage) { s.Failure.Probability = 1 }),
		"failure probability NaN": with(func(s *Stage) { s.Failure.Probability = math.NaN() }),
		"a share of 2":            with(func(s *Stage) { s.Failure.Share = []float64{2} }),
		"losing attempts -1":      with(func(s *Stage) { s.Lost.Probability = -1 }),
		"0 attempts lost":         with(func(s *Stage) { s.Lost.Together = []int32{0} }),
		"3 durations in order":    with(func(s *Stage) { s.Duration = inOrder }),
		"more than 1048560 tasks": with(func(s *Stage) { s.Tasks = maxSlots + 1 }),
		"edge 0 -> 2":             {Stages: []Stage{st, st}, Edges: []Edge{{0, 2, trace.AllToAll}}},
		"given twice": {Stages: []Stage{st, st}, Edges: []Edge{{0, 1, trace.AllToAll},
			{0, 1, trace.OneToOne}}},
		"cycle": {Stages: []Stage{st, st}, Edges: []Edge{{0, 1, trace.AllToAll},
			{1, 0, trace.AllToAll}}},
		"between 2 and 1 tasks": {Stages: []Stage{st, {Tasks: 1, Duration: d}}, Edges: []Edge{{0, 1, trace.OneToOne}}},
	} {
		if _, err := Compile(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Compile: %v, want %q", err, want)
		}
	}
	one := []Step{{0, 1}}
	r := runner(t, Plan{Stages: []Stage{st}})
	for want, o := range map[string]Options{
		"allocation: want a first step":   {},
		"step 1: -1 tokens":               {Allocation: []Step{{0, 1}, {1, -1}}},
		"step 1: 1 tokens at 0":           {Allocation: []Step{{0, 1}, {0, 1}}},
		"period of 0":                     {Allocation: one, Control: func(int64, Progress) int32 { return 1 }},
		"scale -1":                        {Allocation: one, Scale: -1},
		"machines of -1 slots":            {Allocation: one, Machine: -1},
		"machine loss":                    {Allocation: one, Loss: &Loss{Dist{}, 1}},
		"slow machines: want":             {Allocation: one, Slow: &Slow{Tokens: 1}},
		"slower by a factor of 0":         {Allocation: one, Slow: &Slow{1, []float64{1, 0}}},
		"after NaN medians":               {Allocation: one, Speculate: &Speculation{math.NaN()}},
		"spare tokens: want a first step": {Allocation: one, Spare: &Spare{}},
		"want numbers to change to":       {Allocation: one, Spare: &Spare{Steps: one, Between: d}},
		"-1 spare tokens": {Allocation: one, Spare: &Spare{Steps: one, Between: d,
			Tokens: []int32{-1}}},
		"slowdown of 0": {Allocation: one, Spare: &Spare{Steps: one, Slowdown: []float64{0}}},
		"slowdown of NaN on spare tokens; want": {Allocation: one,
			Spare: &Spare{Steps: one, Slowdown: []float64{math.NaN()}}},
	} {
		if _, err := r.Run(&o, rand.NewPCG(1, 1)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Run: %v, want %q", err, want)
		}
	}
	for want, durations := range map[string][]int64{"none given": nil, "-1..5": {5, -1},
		"1..8796093022209": {1, MaxDuration + 1}} {
		if _, err := Empirical(durations); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Empirical(%v): %v, want %q", durations, err, want)
		}
	}
	if _, err := Inverse(func(p float64) float64 { return math.Inf(1) }, 3); err == nil {
		t.Error("Inverse: no error for an infinite quantile")
	}
}

// Attempts take longer by the factor of the tokens held at their start: two tasks of 2 s on one token 2 s each, on two
// tokens, at a factor of 1.5, 3 s together; more tokens than factors count as the last.
func TestInflation(t *testing.T) {
	d, err := Constant(2_000_000)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Compile(Plan{Stages: []Stage{{Tasks: 2, Duration: d}}})
	if err != nil {
		t.Fatal(err)
	}
	for tokens, want := range map[int32]int64{1: 4_000_000, 2: 3_000_000, 3: 3_000_000} {
		res, err := NewRunner(c).Run(&Options{Allocation: []Step{{Tokens: tokens}}, Inflation: []float64{1, 1.5}},
			rand.NewPCG(1, 2))
		if err != nil || res.End != want {
			t.Errorf("on %d tokens: %d µs, %v, want %d", tokens, res.End, err, want)
		}
	}
	if _, err := NewRunner(c).Run(&Options{Allocation: []Step{{Tokens: 1}}, Inflation: []float64{0}},
		rand.NewPCG(1, 2)); err == nil {
		t.Error("a factor of 0 is accepted")
	}
}

// A run has no use for more tokens than tasks, and may be given MaxTokens at most.
func TestUnlimited(t *testing.T) {
	for want, stages := range map[int32][]Stage{
		1: nil, 5: {{Tasks: 2}, {Tasks: 3}}, MaxTokens: {{Tasks: MaxTokens}, {Tasks: math.MaxInt32}},
	} {
		if got := (&Plan{Stages: stages}).Unlimited(); got != want {
			t.Errorf("%v: %d tokens, want %d", stages, got, want)
		}
	}
}
