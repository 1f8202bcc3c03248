package replay

import (
	"slices"
	"testing"

	"racecard/models/machines/internal/cluster"
)

// TestAStageThatIsNotTheOnlyLeastLooksAtNoOther: where another ready stage needs as little, none is looked at when one
// is ready no more. Else a job of n stages side by side costs n². Looking would find the stages that need less here,
// unbeknown to the job.
func TestAStageThatIsNotTheOnlyLeastLooksAtNoOther(t *testing.T) {
	const n = 5000
	j := &Job{Stages: make([]Stage, n), Need: Never}
	for i := range int32(n) {
		j.Stages[i].Demand = cluster.Vector{1, 2}
		j.ready(i)
	}
	for i := range j.Stages[n/2:] {
		j.Stages[n/2+i].Demand = cluster.Vector{}
	}
	for i := range int32(n / 2) {
		j.unready(i)
	}
	if want := (cluster.Vector{1, 2}); j.Need != want || len(j.Ready) != n/2 {
		t.Errorf("the job needs %v with %d stages ready, want %v with %d: all were looked at", j.Need, len(j.Ready),
			want, n/2)
	}
}

func TestNeedIsTheLeastOfReadyStages(t *testing.T) {
	demands := []cluster.Vector{{3, 1}, {1, 3}, {2, 2}, {1, 1}}
	j := &Job{Stages: make([]Stage, len(demands)), Need: Never}
	for i, d := range demands {
		j.Stages[i].Demand = d
		j.ready(int32(i))
	}
	for _, step := range []struct {
		gone int32
		want cluster.Vector
	}{{3, cluster.Vector{1, 1}}, {0, cluster.Vector{1, 2}}, {1, cluster.Vector{2, 2}}, {2, Never}} {
		if j.unready(step.gone); j.Need != step.want || slices.Contains(j.Ready, step.gone) {
			t.Errorf("without stage %d the job needs %v, ready are %v; want %v", step.gone, j.Need, j.Ready, step.want)
		}
	}
	if !j.Asks.Zero() {
		t.Errorf("no stage is ready, and %v is asked for", j.Asks)
	}
}
