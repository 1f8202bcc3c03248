package jobmodel

import (
	"math"
	"slices"
	"testing"

	"racecard/datasets/modelfile"
	"racecard/datasets/sample/sampletest"
	"racecard/datasets/seed"
	"racecard/datasets/trace"
	"racecard/models/deadlines/profile"
	"racecard/models/deadlines/progress"
	"racecard/models/deadlines/sim"
)

func constant(us int64) modelfile.Dist {
	mean := float64(us) / 1e6
	return modelfile.Dist{N: 1, Family: modelfile.Constant, MeanS: &mean, Values: []int64{us}}
}

func counts(n int64) modelfile.Counts {
	mean := float64(n)
	return modelfile.Counts{N: 1, Mean: &mean, Values: []int64{n}}
}

const second = 1_000_000

// chain is 4 tasks of 3 s, then 2 tasks of 1 s.
func chain() *modelfile.Plan {
	return &modelfile.Plan{
		Resolution: modelfile.ByAttempt, Runs: 1,
		Stages: []modelfile.Stage{
			{Name: "map", Tasks: counts(4), Duration: constant(3 * second),
				Typical: modelfile.Typical{Later: constant(3 * second)}, Latency: constant(0)},
			{Name: "reduce", Tasks: counts(2), Duration: constant(second),
				Typical: modelfile.Typical{Later: constant(second)}, Delay: constant(second / 2)},
		},
		Edges:  []modelfile.Edge{{Parent: 0, Child: 1, Kind: "all_to_all", ShareOfRuns: 1}},
		Driver: modelfile.Driver{StartUp: constant(5 * second)},
	}
}

// of is a profile of one plan.
func of(p *modelfile.Plan) *modelfile.Profile {
	return &modelfile.Profile{Job: "job", Plans: []modelfile.Plan{*p}}
}

// The driver starts for 5 s. On 2 tokens the maps run in two waves, at 5-8 and 8-11 s, the reduces after half a second
// at 11.5-12.5 s; two maps queue 3 s. With a token each, maps run at 5-8 and reduces at 8.5-9.5 s.
func TestTotalsByHand(t *testing.T) {
	o := DefaultOptions()
	o.Tokens = 2
	m, err := New(of(chain()), o)
	if err != nil {
		t.Fatal(err)
	}
	want := []progress.Stage{
		{Tasks: 4, QueuedS: 6, WorkS: 12, LongestS: 3, Begin: 5 / 12.5, End: 11 / 12.5, InfBegin: 5 / 9.5,
			InfEnd: 8 / 9.5},
		{Tasks: 2, QueuedS: 0, WorkS: 2, LongestS: 1, Begin: 11.5 / 12.5, End: 1, InfBegin: 8.5 / 9.5, InfEnd: 1},
	}
	for i, got := range m.Totals {
		for _, x := range [][2]float64{
			{got.Tasks, want[i].Tasks}, {got.QueuedS, want[i].QueuedS}, {got.WorkS, want[i].WorkS},
			{got.LongestS, want[i].LongestS},
			{got.Begin, want[i].Begin}, {got.End, want[i].End}, {got.InfBegin, want[i].InfBegin},
			{got.InfEnd, want[i].InfEnd},
		} {
			if math.Abs(x[0]-x[1]) > 1e-9 {
				t.Errorf("stage %d: got %+v, want %+v", i, got, want[i])
				break
			}
		}
	}
	if _, err := m.Progress(); err != nil {
		t.Error(err)
	}
}

// The number of tasks on a line through (100, 4) with 0.02 per byte: at 200 bytes 6. No residual: nothing is shrunk.
// With one as large as to make the slope its standard error, nothing is left of it.
func TestInputScalesTasks(t *testing.T) {
	p := chain()
	p.InputBytes = &modelfile.Counts{N: 3, Values: []int64{50, 150}}
	p.Stages[0].TasksByInput = &modelfile.Line{N: 5, Intercept: 2, Slope: 0.02, XMean: 100, XSquares: 1000, XMin: 50,
		XMax: 150}
	o := DefaultOptions()
	o.InputBytes = 200
	for _, test := range []struct {
		residual float64
		want     int32
	}{{0, 6}, {0.02 * math.Sqrt(1000), 4}} {
		p.Stages[0].TasksByInput.ResidualSD = test.residual
		m, err := New(of(p), o)
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Plan.Stages[0].Tasks; got != test.want {
			t.Errorf("%d tasks with residual %v, want %d", got, test.residual, test.want)
		}
		if len(m.Warnings) != 1 {
			t.Errorf("warnings %q: want one, of the extrapolation", m.Warnings)
		}
	}
}

func TestTwoEdgesBetweenTwoStages(t *testing.T) {
	p := chain()
	p.Stages[1].Tasks = counts(4)
	p.Edges = []modelfile.Edge{{Parent: 0, Child: 1, Kind: "one_to_one"}, {Parent: 0, Child: 1, Kind: "driver"}}
	m, err := New(of(p), DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	if want := []trace.Edge{{Parent: 0, Child: 1, Kind: trace.AllToAll}}; !slices.Equal(m.Edges, want) {
		t.Errorf("edges %v, want %v", m.Edges, want)
	}
}

// With one executor the sample's runs do half the work or less of that with three: executors load code and share two
// cores. Their models say so.
func TestModelsOfTheSample(t *testing.T) {
	for job, runs := range sampletest.ByJob(t) {
		p, err := profile.Fit(runs, profile.DefaultOptions())
		if err != nil {
			t.Fatal(err)
		}
		work := map[int]float64{}
		for _, tokens := range []int{1, 3} {
			o := DefaultOptions()
			o.Tokens = float64(tokens)
			m, err := New(p, o)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.Progress(); err != nil {
				t.Errorf("%s: %v", job, err)
			}
			c, err := sim.Compile(m.Plan)
			if err != nil {
				t.Fatal(err)
			}
			r := sim.NewRunner(c)
			for i := range uint64(200) {
				res, err := r.Run(&sim.Options{Allocation: []sim.Step{{Tokens: int32(tokens)}}},
					seed.Stream(1, "test", i))
				if err != nil {
					t.Fatal(err)
				}
				work[tokens] += float64(res.TokenTime) / 1e6 / 200
			}
			observed, n := 0.0, 0.0
			for _, r := range runs {
				if r.Guaranteed == int64(tokens) && r.Status == trace.Succeeded {
					n++
					for _, a := range r.Attempts {
						observed += max(0, float64(a.Duration)/1e6)
					}
				}
			}
			if got, want := work[tokens], observed/n; math.Abs(got/want-1) > 0.2 {
				t.Errorf("%s on %d: %v task-seconds simulated, %v observed", job, tokens, got, want)
			}
		}
		if !(work[3] > 1.7*work[1]) {
			t.Errorf("%s: %v task-seconds on one token, %v on three", job, work[1], work[3])
		}
	}
}
