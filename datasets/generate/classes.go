package generate

import (
	"math"
	"math/rand/v2"

	"racecard/datasets/lists"
)

// jobClass is a cluster of the jobs of a MapReduce trace.
type jobClass struct {
	jobs     float64 // in the trace
	duration float64 // seconds of a job
	mapTime  float64 // task-seconds of its maps
}

// classes are those that k-means found in a production trace. Y. Chen, A. Ganapathi, R. Griffith and R. Katz, "The Case
// for Evaluating MapReduce Performance Using Workload Suites", MASCOTS 2011 (Yahoo); Y. Chen, S. Alspaugh and R. Katz,
// "Interactive Analytical Processing in Big Data Systems", VLDB 2012 (Cloudera's customers, Facebook).
type classes struct {
	of   []jobClass
	days float64 // that the trace spans
	// The mean duration of a task is the mean of its job, drawn for its class, divided by this number.
	waves float64
}

const (
	minute = 60.0
	hour   = 3600.0
)

// The cutoffs and shares of long jobs that Hawk (ATC 2015) and Eagle (SoCC 2016) print hold together with the waves of
// Yahoo, Cloudera-c and Facebook; a fit to jobs of the authors' own trace says 3.
var (
	yahooClasses = classes{[]jobClass{
		{21_981, minute, 412}, {838, 35 * minute, 270_376}, {91, 40 * minute, 983_998},
		{7, 2*hour + 35*minute, 257_567},
		{35, 3*hour + 45*minute, 4_481_926}, {5, 8*hour + 35*minute, 33_606_055}, {1303, hour, 15_021},
		{2, 4*hour + 40*minute, 7_729_409},
	}, 21, 3.07}
	clouderaBClasses = classes{[]jobClass{
		{21_210, 23, 11}, {1565, 4 * minute, 15_837}, {165, 6 * minute, 36_265}, {31, 9 * minute, 876_786},
		{3, 6*hour + 45*minute, 3_092_977},
	}, 9, 3}
	clouderaCClasses = classes{[]jobClass{
		{19_975, 4 * minute, 10_933}, {477, 47 * minute, 1_927_432}, {246, 4*hour + 14*minute, 569_391},
		{197, 53 * minute, 1_895_403},
		{105, 2*hour + 11*minute, 14_865_972}, {23, 17 * hour, 9_779_062}, {7, 5*hour + 15*minute, 66_839_710},
	}, 30, 3.90}
	clouderaDClasses = classes{[]jobClass{
		{12_736, 67, 7376}, {214, 11 * minute, 544_433}, {162, 23 * minute, 2_011_911}, {128, 20 * minute, 847_286},
		{43, 36 * minute, 6_259_747},
	}, 60, 3}
	facebookClasses = classes{[]jobClass{
		{1_145_663, minute, 48}, {7911, 8 * hour, 60_664}, {779, 45 * minute, 3_081_710},
		{670, hour + 20*minute, 9_457_592},
		{104, 72 * hour, 198_436}, {11_491, 30 * minute, 1_112_765}, {1876, 2 * hour, 1_618_792},
		{454, hour, 1_795_682},
		{169, 2*hour + 7*minute, 2_862_726}, {67, 18 * hour, 1_545_220},
	}, 45, 4.80}
)

// pick draws a class, with probabilities by the numbers of jobs.
func (c *classes) pick(rng *rand.Rand) *jobClass {
	x := rng.Float64() * c.total()
	for i := range c.of {
		if x -= c.of[i].jobs; x < 0 {
			return &c.of[i]
		}
	}
	return &c.of[0]
}

func (c *classes) total() float64 {
	var jobs float64
	for i := range c.of {
		jobs += c.of[i].jobs
	}
	return jobs
}

// write writes jobs of these classes as the authors of Hawk made theirs: the number of tasks and their mean duration
// are exponential about the class's; within a job durations are normal with a variance of twice their mean, and
// positive. Only maps count. Jobs arrive almost evenly spaced, ten times faster than in the trace.
func (c *classes) write(t *traceWriter) {
	rng := source(t.seed, t.kind.Name)
	o := t.file("")
	gap := c.days * day / 10 / c.total()
	var durations []float64
	for at := 0.0; t.more(); at += gap * (1 + 0.01*rng.NormFloat64()) {
		class := c.pick(rng)
		seconds := class.duration / c.waves
		n, mean := 1+int(rng.ExpFloat64()*class.mapTime/seconds), rng.ExpFloat64()*seconds
		durations = durations[:0]
		for len(durations) < n {
			if d := mean + math.Sqrt(2*mean)*rng.NormFloat64(); d > 0 {
				durations = append(durations, d)
			}
		}
		o.bag(at, durations)
	}
}

// googleCutoff divides the short jobs of Google's trace from its long ones, by the mean seconds of their tasks (Eagle's
// simulator).
const googleCutoff = 1129.532

// googleBags writes jobs of two classes with the shares that Hawk prints of Google's trace of 2011, Table 1: 10% of the
// jobs are long, they have 28% of the tasks and 84% of the task-seconds. 506,460 jobs with 19 million tasks in 29 days
// keep some 15,000 nodes busy, the smallest cluster of Hawk's figures. Numbers of tasks are lognormal, most jobs having
// a few; so are the mean durations of a job's tasks, and, narrower, durations within a job. Arrivals are a Poisson
// process.
func googleBags(t *traceWriter) {
	rng := source(t.seed, t.kind.Name)
	o := t.file("")
	var durations []float64
	for at := 0.0; t.more(); at += rng.ExpFloat64() * 29 * day / 506_460 {
		var n int64
		var mean float64
		if chance(rng, 0.1) {
			n = count(rng, 14.7, 2, 20_000)
			for mean <= googleCutoff {
				mean = lognormal(rng, 2582, 1.1)
			}
		} else {
			n = count(rng, 10.7, 1.5, 20_000)
			for mean = math.Inf(1); mean > googleCutoff; {
				mean = lognormal(rng, 487, 0.93)
			}
		}
		durations = durations[:0]
		var sum float64
		for range n {
			d := lognormal(rng, 1, 0.2)
			durations, sum = append(durations, d), sum+d
		}
		for i := range durations { // the mean of the job is to be the one drawn: it says what class the job is of
			durations[i] *= mean * float64(n) / sum
		}
		o.bag(at, durations)
	}
}

// bag writes a job of a .tr trace.
func (o *output) bag(at float64, durations []float64) {
	sum := lists.Sum(durations)
	o.float(at)
	o.text(" ")
	o.int(int64(len(durations)))
	o.text(" ")
	o.float(sum / float64(len(durations)))
	for _, d := range durations {
		o.text(" ")
		o.round(d, 6)
	}
	o.endRow()
}
