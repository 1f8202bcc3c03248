package generate

import "math/rand/v2"

// swf writes jobs in the Standard Workload Format, with a header that says that they are synthetic.
//
// Sizes are powers of two or multiples of them and mostly small, run times lognormal over four decades and longer for
// larger jobs, and users ask for more time than they need, in round numbers, as U. Lublin and D. G. Feitelson, "The
// Workload on Parallel Supercomputers: Modeling the Characteristics of Rigid Jobs", JPDC 63(11), 2003, and D. Tsafrir
// et al., "Modeling User Runtime Estimates", JSSPP 2005, found. Waiting times are drawn, not simulated. Of a hundred
// jobs six are cancelled, a third of them before they start, and five fail; one in a hundred lacks its memory, some
// depend on the job before.
func swf(t *traceWriter) {
	const processors = 4096
	rng := source(t.seed, "swf")
	o := t.file("")
	for _, line := range []string{
		"Version: 2.2", "Computer: none", "Installation: none", "Information: synthetic, written by racecard generate",
		"Conversion: none",
		"UnixStartTime: 1767225600", "TimeZoneString: UTC", "MaxNodes: 256", "MaxProcs: 4096", "MaxRuntime: 172800",
		"MaxQueues: 4", "MaxPartitions: 1", "Note: SYNTHETIC: no job of this log was ever run",
	} {
		o.text("; " + line)
		o.end()
	}
	next := arrivals{interval: 60}
	for job := int64(1); t.more(); job++ {
		user := skewed(rng, 300)
		procs := int64(1) << min(rng.IntN(8)+rng.IntN(6), 12)
		if procs > 2 && chance(rng, 0.2) {
			procs -= procs / 4
		}
		run := int64(min(lognormal(rng, 400, 2)*(1+float64(procs)/64), 172_800))
		asked := roundUp(float64(run) * (1 + rng.ExpFloat64()))
		wait, status := waiting(rng, procs, processors), int64(1)
		held, asks, memory := procs, procs, count(rng, 200_000, 1, 4<<20)
		switch x := rng.Float64(); {
		case x < 0.02: // before it started
			held, run, status, memory = 0, 0, 5, -1
		case x < 0.06:
			status = 5
		case x < 0.11:
			status = 0
			run /= 4
		case x < 0.12:
			memory = -1
		}
		before, think := int64(-1), int64(-1)
		if job > 1 && chance(rng, 0.02) {
			before, think = job-1, int64(rng.ExpFloat64()*300)
		}
		for i, n := range [...]int64{
			job, int64(next.next(rng)), wait, run, held, run * 9 / 10, memory, asks, asked, -1, status,
			1 + user, 1 + user%20, 1 + user%7 + skewed(rng, 10)*10, 1 + procs>>6&3, 1, before, think,
		} {
			if i > 0 {
				o.text(" ")
			}
			o.int(n)
		}
		o.endRow()
	}
}

// waiting draws the seconds that a job of so many processors waits: half of the small ones start at once.
func waiting(rng *rand.Rand, procs, of int64) int64 {
	if chance(rng, 0.5-0.4*float64(procs)/float64(of)) {
		return 0
	}
	return count(rng, 300, 2, 1_000_000)
}

// roundUp returns the time that a user requests for a job of some seconds, a round number.
func roundUp(seconds float64) int64 {
	for _, t := range []int64{300, 900, 1800, 3600, 7200, 14_400, 43_200, 86_400} {
		if seconds <= float64(t) {
			return t
		}
	}
	return 172_800
}
