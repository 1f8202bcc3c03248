package distributed_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"reflect"
	"strings"
	"sync"
	"testing"

	"racecard/models/queues/distributed"
)

// mixed makes a workload that loads a cluster: jobs of 1 to 40 tasks, a tenth of them long, so many that there are
// some tasks per worker, submitted at even distances. Clusters of all sizes get the same mix. It is synthetic.
func mixed(workers, perWorker int, load float64) *distributed.Workload {
	state := uint64(1)
	unit := func() float64 { // SplitMix64
		state += 0x9e3779b97f4a7c15
		z := (state ^ state>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		return float64((z^z>>31)>>11) / (1 << 53)
	}
	w := &distributed.Workload{}
	var d []int64
	for len(w.Durations) < perWorker*workers {
		n, mean := 1+int(unit()*40), 5+20*unit()
		if unit() < 0.1 {
			mean = 200 + 400*unit()
		}
		d = d[:0]
		for range n {
			d = append(d, int64((0.5+unit())*mean*distributed.Second))
		}
		w.Add(fmt.Sprint(len(w.Jobs)), 0, -1, d...)
	}
	span := w.Work(false) / load / float64(workers) * distributed.Second
	for i := range w.Jobs {
		w.Jobs[i].Submit = int64(span * float64(i) / float64(len(w.Jobs)))
	}
	return w
}

// TestSimulationsShareAWorkload runs all schedulers at the same time.
func TestSimulationsShareAWorkload(t *testing.T) {
	w, o := mixed(20, 20, 0.9), distributed.DefaultOptions(20)
	var wait sync.WaitGroup
	kinds := distributed.Kinds()
	side := make([]*distributed.Outcome, len(kinds))
	for i, k := range kinds {
		wait.Go(func() {
			out, err := distributed.Run(context.Background(), w, k.New(o), o)
			if err != nil {
				t.Error(err)
			}
			side[i] = out
		})
	}
	wait.Wait()
	for i, k := range kinds {
		alone, err := distributed.Run(context.Background(), w, k.New(o), o)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(alone, side[i]) {
			t.Errorf("%s: beside others, the outcome is another one", k.Name)
		}
	}
}

// TestOutcomesStayAsTheyAre compares digests of all that becomes of a workload with those kept in testdata: a change
// that is to make nothing but speed changes none of them. Where a decision changes, the test prints the lines to keep
// instead.
func TestOutcomesStayAsTheyAre(t *testing.T) {
	distributed.OneGoroutine(t)
	kept, err := os.ReadFile("testdata/outcomes.txt")
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for _, load := range []float64{0.7, 1.3} {
		raw := mixed(100, 30, load)
		for _, k := range distributed.Kinds() {
			for _, epfl := range []bool{false, true} {
				if epfl && !k.EPFL {
					continue
				}
				w, o := raw, distributed.DefaultOptions(100)
				o.General, o.Detail = 90, true
				if o.EPFL = epfl; epfl {
					w = raw.EPFL()
				} else {
					o.Estimates = distributed.Misestimation{Low: 0.5, High: 1.5}
				}
				out, err := distributed.Run(context.Background(), w, k.New(o), o)
				if err != nil {
					t.Fatal(err)
				}
				h := sha256.New()
				for _, x := range []any{out.Completion, out.Long, out.Makespan, out.Utilization, out.SampledMedian,
					out.SampledMean, out.SampledAll, out.Jobs, out.Counts} {
					if err := binary.Write(h, binary.LittleEndian, x); err != nil {
						t.Fatal(err)
					}
				}
				fmt.Fprintf(&lines, "%s epfl=%v load=%g %x\n", k.Name, epfl, load, h.Sum(nil)[:8])
			}
		}
	}
	if lines.String() != string(kept) {
		t.Errorf("outcomes are now\n%swere\n%s", &lines, kept)
	}
}
