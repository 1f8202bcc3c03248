package cluster_test

import (
	"math/rand/v2"
	"testing"

	"racecard/models/machines/internal/cluster"
)

// TestCoarseNeverRefusesWhatFits compares random demands with random room. Of those that do not fit, most must be ruled
// out.
func TestCoarseNeverRefusesWhatFits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	amount := func() int64 {
		switch rng.IntN(10) {
		case 0:
			return -rng.Int64N(1e11)
		case 1:
			return rng.Int64N(cluster.Most)
		case 2:
			return 0
		}
		return rng.Int64N(1 << (20 + rng.IntN(18)))
	}
	ruledOut, unfit := 0, 0
	for range 20_000 {
		var demand, room cluster.Vector
		for r := range demand {
			demand[r], room[r] = max(0, amount()), amount()
			if rng.IntN(2) == 0 {
				room[r] = demand[r] + rng.Int64N(3) - 1
			}
		}
		if rng.IntN(4) == 0 { // in one resource alone
			demand, room = cluster.Vector{3: demand[3]}, cluster.Vector{3: room[3]}
		}
		coarse, most := demand.Coarse(), room.Coarse()
		above := coarse.Above(&most)
		switch {
		case demand.Fits(&room) && above != 0:
			t.Fatalf("%v fits into %v, but is ruled out", demand, room)
		case above >= 1<<63:
			t.Fatalf("got %x; want a number below 2^63", above)
		case !demand.Fits(&room):
			unfit++
			ruledOut += int(min(above, 1))
		}
	}
	if ruledOut < unfit/2 {
		t.Errorf("%d of %d that do not fit are ruled out; want most", ruledOut, unfit)
	}
}
