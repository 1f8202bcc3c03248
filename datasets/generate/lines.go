package generate

// swim writes jobs; three quarters of them have map tasks only.
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
		for _, n := range []float64{float64(at), float64(gap), lognormal(rng, 2e4, 4), shuffle,
			lognormal(rng, 1e5, 4)} {
			o.text("\t")
			o.int(int64(min(n, 1e15)))
		}
		o.endRow()
	}
}
