package sim

import (
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/trace"
)

// drawn is a random plan: durations alone, or all that a plan can have.
func drawn(t *rapid.T, all bool) Plan {
	dist := func(name string, least int64, kept bool) Dist {
		if !kept {
			return Dist{}
		}
		d, err := Empirical(rapid.SliceOfN(rapid.Int64Range(least, 20), 1, 4).Draw(t, name))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	maybe := func(name string) bool { return all && rapid.Bool().Draw(t, name) }
	p := Plan{Stages: make([]Stage, rapid.IntRange(1, 6).Draw(t, "stages")),
		StartUp: dist("start-up", 1, maybe("starts up")), WindDown: dist("wind-down", 0, maybe("winds down"))}
	same := rapid.Int32Range(1, 6).Draw(t, "tasks")
	for i := range p.Stages {
		s := Stage{Tasks: same, Duration: dist("duration", 0, true), First: dist("first", 0, maybe("is cold")),
			Latency: dist("latency", 0, maybe("waits")), Delay: dist("delay", 1, maybe("is delayed"))}
		if rapid.Bool().Draw(t, "other number") {
			s.Tasks = rapid.Int32Range(1, 6).Draw(t, "tasks")
		}
		if maybe("fails") {
			s.Failure = Failure{rapid.Float64Range(0, 0.5).Draw(t, "probability"),
				rapid.SliceOfN(rapid.Float64Range(0, 1), 0, 3).Draw(t, "shares")}
		}
		if maybe("is lost") {
			s.Lost = GroupLoss{rapid.Float64Range(0, 1).Draw(t, "probability"), rapid.SliceOfN(rapid.Int32Range(1, 4),
				0, 3).Draw(t, "together")}
		}
		p.Stages[i] = s
		for j := range i {
			kinds := []trace.EdgeKind{trace.EdgeUnknown, trace.EdgeUnknown, trace.AllToAll, trace.Driver}
			if all && p.Stages[j].Tasks == s.Tasks {
				kinds = append(kinds, trace.OneToOne, trace.OneToOne)
			}
			if k := rapid.SampledFrom(kinds).Draw(t, "edge"); k != trace.EdgeUnknown {
				p.Edges = append(p.Edges, Edge{int32(j), int32(i), k})
			}
		}
	}
	return p
}

// drawnOptions are any options with tokens in the end, but those that call back.
func drawnOptions(t *rapid.T) *Options {
	maybe := func(name string) bool { return rapid.Bool().Draw(t, name) }
	steps := func(name string, least int32) []Step {
		steps := []Step{{0, rapid.Int32Range(least, 8).Draw(t, name)}}
		for maybe("changes") && len(steps) < 5 {
			steps = append(steps, Step{steps[len(steps)-1].At + rapid.Int64Range(1, 30).Draw(t, "after"),
				rapid.Int32Range(least, 8).Draw(t, name)})
		}
		return steps
	}
	between := func(values ...int64) Dist {
		d, err := Empirical(values)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	o := &Options{Allocation: steps("tokens", 0), Evict: maybe("evicts"), Machine: rapid.Int32Range(0, 3).Draw(t,
		"machine"), Antithetic: maybe("antithetic"), StageOrder: maybe("has stages in order")}
	if last := &o.Allocation[len(o.Allocation)-1]; last.Tokens == 0 {
		last.Tokens = 1
	}
	if maybe("loses machines") {
		o.Loss = &Loss{between(30, 90, 100_000), rapid.Int32Range(1, 3).Draw(t, "slots of a machine")}
	}
	if maybe("has spare tokens") {
		o.Spare = &Spare{Steps: steps("spare", 0)}
		if maybe("at random") {
			o.Spare.Between, o.Spare.Tokens = between(5, 20), []int32{0, 1, 4}
		}
		if maybe("slow") {
			o.Spare.Slowdown = []float64{0.9, 1.5, 3}
		}
	}
	if maybe("speculates") {
		o.Speculate = &Speculation{rapid.Float64Range(0, 2).Draw(t, "multiple")}
	}
	if maybe("has slow machines") {
		o.Slow = &Slow{rapid.Int32Range(1, 3).Draw(t, "slots of a slow machine"), []float64{1, 2.5, 0.5}}
	}
	if maybe("scales") {
		o.Scale = rapid.Float64Range(0.5, 3).Draw(t, "scale")
	}
	return o
}

// check checks a law on some 2,000 cases.
func check(t *testing.T, law func(*rapid.T)) {
	for range 20 {
		rapid.Check(t, law)
	}
}

// fixed is a source of one number.
type fixed uint64

func (f fixed) Uint64() uint64 { return uint64(f) }

func compiled(t *rapid.T, p Plan) *Compiled {
	c, err := Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
