package distributed

import (
	"context"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// sampled is usage as a list of samples.
type sampled struct {
	usage
	samples []int32
	n       int // samples up to the last submission
}

func (s *sampled) sample(busy int32) {
	s.samples = append(s.samples, busy)
	if s.next <= s.last {
		s.n++
	}
	s.next += s.every
}

// median is by rank in the list.
func (s *sampled) median() float64 {
	sorted := slices.Clone(s.samples[:s.n])
	slices.Sort(sorted)
	return float64(sorted[(s.n-1)/2]+sorted[s.n/2]) / 2
}

func TestSamplesAreThoseOfAList(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		last, every := rapid.Int64Range(0, 300).Draw(t, "last"), rapid.Int64Range(1, 40).Draw(t, "every")
		u, slow := newUsage(last, every), sampled{usage: newUsage(last, every)}
		at := int64(0)
		for range rapid.IntRange(1, 20).Draw(t, "changes") {
			busy := int32(rapid.IntRange(0, 5).Draw(t, "busy"))
			at += rapid.Int64Range(0, 90).Draw(t, "gap")
			u.sample(busy, at)
			for slow.next <= at {
				slow.sample(busy)
			}
		}
		if u.next != slow.next {
			t.Fatalf("the next sample is at %d, want %d", u.next, slow.next)
		}
		var sum, all int64
		for i, b := range slow.samples {
			if all += int64(b); i < slow.n {
				sum += int64(b)
			}
		}
		c := &Cluster{o: DefaultOptions(1), usage: u, out: &Outcome{}}
		out := c.finish()
		if out.SampledMedian != slow.median() || out.SampledMean != float64(sum)/float64(slow.n) ||
			out.SampledAll != float64(all)/float64(len(slow.samples)) {
			t.Fatalf("median %g, mean %g, over all %g; of the list %v, %d up to the last submission", out.SampledMedian,
				out.SampledMean, out.SampledAll, slow.samples, slow.n)
		}
	})
}

// restless are schedulers with heartbeats that never rest, and count them.
type (
	restlessView struct {
		*dlwl
		beats int
	}
	restlessYaqC struct {
		*yaqC
		beats int
	}
	restlessMercury struct {
		*mercury
		beats int
	}
)

func (s *restlessView) Beat(c *Cluster) bool    { s.beats++; s.dlwl.Beat(c); return false }
func (s *restlessYaqC) Beat(c *Cluster) bool    { s.beats++; s.yaqC.Beat(c); return false }
func (s *restlessMercury) Beat(c *Cluster) bool { s.beats++; s.mercury.Beat(c); return false }

func TestHeartbeatsThatAreSkippedWouldDoNothing(t *testing.T) {
	OneGoroutine(t)
	rapid.Check(t, func(t *rapid.T) {
		w, o := drawWorkload(t), drawOptions(t)
		if o.EPFL {
			w = w.EPFL()
		}
		for _, pair := range [][2]Scheduler{{&dlwl{}, &restlessView{dlwl: &dlwl{}}},
			{&yaqC{}, &restlessYaqC{yaqC: &yaqC{}}},
			{&mercury{}, &restlessMercury{mercury: &mercury{}}}} {
			if _, ok := pair[0].(*dlwl); o.EPFL && !ok {
				continue
			}
			rests, err := Run(context.Background(), w, pair[0], o)
			if err != nil {
				t.Fatal(err)
			}
			restless, err := Run(context.Background(), w, pair[1], o)
			if err != nil || !reflect.DeepEqual(nanless(rests), nanless(restless)) {
				t.Fatalf("%T: %+v, with all heartbeats %+v, %v", pair[0], rests, restless, err)
			}
		}
	})
}

// resting counts the heartbeats of a scheduler that rests.
type resting struct {
	*dlwl
	beats int
}

func (s *resting) Beat(c *Cluster) bool { s.beats++; return s.dlwl.Beat(c) }

// TestEmptyYearsAreNotEvents has two jobs 95 years apart, and one whose task takes that long: neither heartbeats nor
// memory may grow with the years.
func TestEmptyYearsAreNotEvents(t *testing.T) {
	OneGoroutine(t)
	const years = 3_000_000_000 * Second
	for _, first := range []int64{2 * Second, years - Second} {
		w := &Workload{}
		w.Add("a", 0, -1, Second, first)
		w.Add("b", years, -1, Second, 2*Second)
		for _, k := range Kinds() {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			out, err := Run(context.Background(), w, k.New(DefaultOptions(10)), DefaultOptions(10))
			if err != nil {
				t.Fatal(err)
			}
			if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > 1<<20 {
				t.Errorf("%s allocates %d bytes for two jobs", k.Name, after.TotalAlloc-before.TotalAlloc)
			}
			if out.Completion[1] > 3*Second || out.SampledMean > 0.2 {
				t.Errorf("%s: the second job takes %d us, %g of the workers are busy on average", k.Name,
					out.Completion[1], out.SampledMean)
			}
		}
		s := &resting{dlwl: &dlwl{}}
		out, err := Run(context.Background(), w, s, DefaultOptions(10))
		if err != nil || int64(s.beats) > 2*out.Events {
			t.Errorf("%d heartbeats in a simulation of %d events, %v", s.beats, out.Events, err)
		}
	}
}
