package distributed_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"racecard/models/queues/distributed"
)

// poisson makes jobs of one task each: arrivals are a Poisson process, durations exponential with a mean of a second,
// of which schedulers know that mean alone. load is the arrivals per second.
func poisson(jobs int, load float64, seed uint64) *distributed.Workload {
	r := rand.New(rand.NewPCG(seed, 1))
	w, at := &distributed.Workload{}, 0.0
	for i := range jobs {
		at += r.ExpFloat64() / load
		w.Add(fmt.Sprint(i), int64(at*second), second, int64(r.ExpFloat64()*second))
	}
	return w
}

// exact are options under which messages take no time.
func exact(workers, slots int) distributed.Options {
	o := distributed.DefaultOptions(workers)
	o.Slots, o.Delay, o.General, o.Heartbeat = slots, 0, 100, 0
	return o
}

// waits returns how long each job waited, in seconds.
func waits(t *testing.T, w *distributed.Workload, s distributed.Scheduler, o distributed.Options) []float64 {
	t.Helper()
	out, err := distributed.Run(context.Background(), w, s, o)
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float64, len(w.Jobs))
	for i := range x {
		x[i] = float64(out.Completion[i]-w.Durations[i]) / second
	}
	return x
}

// mean returns the mean of x without its first tenth, in which queues fill, and its standard error by the means of 30
// batches.
func mean(x []float64) (m, se float64) {
	x = x[len(x)/10:]
	const batches = 30
	size := len(x) / batches
	var sum, squares float64
	for b := range batches {
		s := 0.0
		for _, v := range x[b*size : (b+1)*size] {
			s += v
		}
		s /= float64(size)
		sum += s
		squares += s * s
	}
	m = sum / batches
	return m, math.Sqrt((squares/batches - m*m) / (batches - 1))
}

// within reports a mean that is not what theory says. The 99.9% point of Student's t with 29 degrees of freedom is
// 3.66.
func within(t *testing.T, what string, x []float64, want float64) {
	t.Helper()
	m, se := mean(x)
	t.Logf("%s: %.4f +- %.4f (standard error), theory %.4f", what, m, se, want)
	if math.Abs(m-want) > 3.66*se || se > want/10 {
		t.Errorf("%s is %.4f with a standard error of %.4f, want %.4f", what, m, se, want)
	}
}

// waited is 1 for each job that waited, else 0.
func waited(x []float64) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		if v > 0 {
			y[i] = 1
		}
	}
	return y
}

// erlangC returns the share of jobs that wait, and their mean wait, in M/M/n with a mean service of a second and so
// many arrivals per second (A. K. Erlang 1917; D. Gross and C. M. Harris, Fundamentals of Queueing Theory, 2.3).
func erlangC(n int, arrivals float64) (share, wait float64) {
	b := 1.0 // Erlang B, by its recursion
	for k := 1; k <= n; k++ {
		b = arrivals * b / (float64(k) + arrivals*b)
	}
	rho := arrivals / float64(n)
	share = b / (1 - rho*(1-b))
	return share, share / (float64(n) - arrivals)
}

func TestOneWorkerIsMM1(t *testing.T) {
	distributed.OneGoroutine(t)
	for _, load := range []float64{0.5, 0.8} {
		x := waits(t, poisson(150_000, load, 1), scheduler(t, "lwl", exact(1, 1)), exact(1, 1))
		within(t, fmt.Sprintf("mean wait at load %g", load), x, load/(1-load))
		within(t, fmt.Sprintf("share that waits at load %g", load), waited(x), load)
	}
}

func TestOneQueueIsErlangC(t *testing.T) {
	distributed.OneGoroutine(t)
	const n = 10
	w := poisson(150_000, 8, 2)
	share, wait := erlangC(n, 8)
	one, many := exact(1, n), exact(n, 1)
	x := waits(t, w, scheduler(t, "lwl", one), one)
	within(t, "mean wait in one queue of ten slots", x, wait)
	within(t, "share that waits", waited(x), share)
	if y := waits(t, w, scheduler(t, "srpt", many), many); !slices.Equal(x, y) {
		t.Error("one queue for ten workers is not the same as one worker of ten slots")
	}
}

func TestTwoProbesAreBetterThanOneAndWorseThanOneQueue(t *testing.T) {
	distributed.OneGoroutine(t)
	const n, load = 20, 0.8
	w, o := poisson(150_000, load*n, 3), exact(n, 1)
	one := waits(t, w, anywhere{}, o) // which makes n queues M/M/1
	within(t, "mean wait at random workers", one, load/(1-load))
	a, aSE := mean(one)
	b, bSE := mean(waits(t, w, scheduler(t, "sparrow", o), o))
	_, bound := erlangC(n, load*n)
	t.Logf("with two probes %.3f +- %.3f, in one queue %.3f", b, bSE, bound)
	if b+3.66*bSE > a/2-3.66*aSE || b < bound-3.66*bSE {
		t.Errorf("jobs wait %.3f s with two probes, %.3f with one, %.3f in one queue", b, a, bound)
	}
}

func scheduler(t *testing.T, name string, o distributed.Options) distributed.Scheduler {
	t.Helper()
	s, err := distributed.New(name, o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
