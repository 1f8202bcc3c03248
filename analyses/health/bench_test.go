package health

import "testing"

// BenchmarkAdd measures runs of two stages and three attempts, submitted throughout a month.
func BenchmarkAdd(b *testing.B) {
	runs := clean().runs
	p := New(Options{TimeBase: "unix"})
	n := 0
	for b.Loop() {
		r := runs[n%len(runs)]
		p.Add(r)
		if n++; n%len(runs) == 0 { // the next ones come later
			b.StopTimer()
			for _, r := range runs {
				move(r, later(40*60*sec))
			}
			b.StartTimer()
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "runs/s")
	b.ReportMetric(3*float64(n)/b.Elapsed().Seconds(), "attempts/s")
}

// BenchmarkFinish measures the end of a trace whose bins and names are as many as are kept.
func BenchmarkFinish(b *testing.B) {
	p := New(Options{})
	for _, r := range crowd(12_000) {
		p.Add(r)
	}
	for b.Loop() {
		if _, err := p.Finish(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
