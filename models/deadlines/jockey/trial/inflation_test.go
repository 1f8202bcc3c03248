package trial

import (
	"math"
	"testing"

	"racecard/models/deadlines/sim"
)

// Eight tasks of 1 s take 8, 4 and 2 s on 1, 2 and 4 tokens. Where whole runs take 8, 6 and 7 s, tasks take 1, 1.5 and
// 3.5 times as long; on 3 tokens, between those asked for, 2.5 times. A run that held 2 tokens and took 4 s there would
// take 16/3 s on one and 14/3 s on four. After 2 s of start-up, which tokens do not change, whole runs of 10, 6 and 9 s
// on one token and more leave 8, 4 and 7 s to tasks.
func TestInflation(t *testing.T) {
	d, err := sim.Constant(second)
	if err != nil {
		t.Fatal(err)
	}
	started, err := sim.Constant(2 * second)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		name    string
		seconds []float64
		held    float64
		startUp sim.Dist
		want    []float64
	}{
		{"held 1", []float64{8, 6, 7}, 1, sim.Dist{}, []float64{1, 1.5, 2.5, 3.5}},
		{"held 2", []float64{8, 6, 7}, 2, sim.Dist{}, []float64{2. / 3, 1, (1 + 7./3) / 2, 7. / 3}},
		{"held unknown", []float64{8, 6, 7}, 0, sim.Dist{}, []float64{1, 1.5, 2.5, 3.5}},
		{"start-up", []float64{10, 6, 9}, 1, started, []float64{1, 1, 2.25, 3.5}},
	} {
		r := response{tokens: []int32{1, 2, 4}, seconds: x.seconds}
		got, err := r.inflation(sim.Plan{StartUp: x.startUp, Stages: []sim.Stage{{Tasks: 8, Duration: d}}}, x.held, 1,
			1)
		if err != nil {
			t.Fatal(err)
		}
		for i := range x.want {
			if len(got) != len(x.want) || math.Abs(got[i]-x.want[i]) > 1e-4 {
				t.Errorf("%s: factors %v, want %v", x.name, got, x.want)
				break
			}
		}
	}
	r := response{tokens: []int32{1, 2, 4}, seconds: []float64{8, 6, 7}}
	for tokens, want := range map[float64]float64{0.5: 8, 1: 8, 2: 6, 3: 6.5, 4: 7, 100: 7} {
		if got := r.at(tokens); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v tokens: %v s, want %v", tokens, got, want)
		}
	}
}

// Where four tokens make tasks so slow that runs take longer than on two, the loop asks for no more than two and meets
// what a constant allocation meets, and all tokens miss.
func TestTokensThatSlowDown(t *testing.T) {
	j := bag(t)
	j.Inflation = make([]float64, 100)
	for i := range j.Inflation {
		j.Inflation[i] = float64(i+1) / 2 * 1.2
	}
	j.Inflation[0], j.Inflation[1] = 1, 1
	o := small()
	o.Replicates, o.Loop.Max = 4, 20
	o.Deadlines, o.DeadlinesS = nil, []float64{600}
	doc := compare(t, o, j)
	loop, constant, all := doc.Policies["no-simulator"], doc.Policies["no-adaptation"], doc.Policies[maxAllocation]
	if loop.Missed > constant.Missed || loop.Allocation.Max > 2.5 {
		t.Errorf("the loop misses %d of %d and holds up to %v tokens, a constant allocation misses %d", loop.Missed,
			loop.Runs, loop.Allocation.Max, constant.Missed)
	}
	if all.Missed < all.Runs/2 {
		t.Errorf("all tokens miss %d of %d", all.Missed, all.Runs)
	}
}
