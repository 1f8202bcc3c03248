package generate

import (
	"math"
)

// yahoo writes jobs whose number of tasks and mean duration are exponential, of two kinds: 90% short, 10% long. Within a
// job durations vary with a variance of twice the mean, as in the trace that the authors of Hawk and Eagle used.
func yahoo(t *traceWriter) {
	rng := source(t.seed, "tr")
	o := t.file("")
	var durations []float64
	for at := 0.0; t.more(); at += 7.48 * (1 + 0.01*rng.NormFloat64()) {
		tasks, mean := 20.6, 20.0
		if rng.IntN(10) == 0 {
			tasks, mean = 200, 1200
		}
		n, m := 1+int(rng.ExpFloat64()*tasks), rng.ExpFloat64()*mean
		durations = durations[:0]
		var sum float64
		for len(durations) < n {
			if d := m + math.Sqrt(2*m)*rng.NormFloat64(); d > 0 {
				durations = append(durations, d)
				sum += d
			}
		}
		o.float(at)
		o.text(" ")
		o.int(int64(n))
		o.text(" ")
		o.float(sum / float64(n))
		for _, d := range durations {
			o.text(" ")
			o.float(d)
		}
		o.endRow()
	}
}

// swim writes jobs of which three quarters only map.
func swim(t *traceWriter) {
	rng := source(t.seed, "swim")
	o := t.file("")
	for at := int64(0); t.more(); {
		gap := int64(rng.ExpFloat64() * 14)
		at += gap
		o.text("job")
		o.int(t.rows)
		shuffle := 0.0
		if rng.IntN(4) == 0 {
			shuffle = lognormal(rng, 1e8, 3)
		}
		for _, n := range []float64{float64(at), float64(gap), lognormal(rng, 2e4, 4), shuffle, lognormal(rng, 1e5, 4)} {
			o.text("\t")
			o.int(int64(min(n, 1e15)))
		}
		o.endRow()
	}
}
