package cpa

import (
	"context"
	"math"
	"testing"

	"racecard/models/deadlines/progress"
)

// chain on one token ends tasks at 3, 6, 7 and 8 s. By vertexfrac progress is then 1/4, 2/4, 3/4 and 1; nothing varies,
// so that C is exact at the instants at which progress is made: 8, 5, 2 and 1 s. In between, predictions grow with
// time. At 0, 2, 4 and 6 s progress is 0, 0, .25 and .5, and the end that is predicted 0+8, 2+8, 4+5, 6+2: off by 0, 2,
// 1 and 0 of 8 s, 0.75/8 on average, and they jump by 2, 1 and 1, 4/3/8 on average. The longest time without a move is
// 3 of 8 s.
func TestIndicatorsByHand(t *testing.T) {
	o := few(1)
	told, end, err := Indicators(context.Background(), chain(t), o, Trial{Tokens: 1, Runs: 3, Steps: 4})
	if err != nil || end != 8 {
		t.Fatalf("a run of %v s, %v", end, err)
	}
	if len(told) != int(progress.Count) {
		t.Fatalf("%d indicators tell something, want %d", len(told), progress.Count)
	}
	v := told[progress.VertexFrac]
	for _, x := range []struct {
		what      string
		got, want float64
	}{{"jumps", v.Jumps, 4. / 3 / 8}, {"off", v.Off, 0.75 / 8}, {"still", v.Still, 3. / 8},
		{"at 4 s", v.Trace[2].Progress, 0.25}, {"end at 4 s", v.Trace[2].End, 9}} {
		if math.Abs(x.got-x.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", x.what, x.got, x.want)
		}
	}
	for _, bad := range []Trial{{}, {1, 0, 4}, {1, 1, 1}} {
		if _, _, err := Indicators(context.Background(), chain(t), o, bad); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Indicators(ctx, chain(t), o, DefaultTrial(1)); err == nil {
		t.Error("it goes on after it was cancelled")
	}
}
