package periods

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// add adds runs of one stage that take so many seconds, an hour apart.
func add(c *Comparison, p Period, name string, from int, seconds ...float64) (runs []*trace.Run) {
	for i, s := range seconds {
		r := trace.NewRun(fmt.Sprintf("%s-%d", name, from+i))
		r.Submit = trace.Instant((from + i) * 3600e6)
		r.Start, r.End, r.Status = r.Submit, r.Submit+trace.Instant(s*1e6), trace.Succeeded
		c.Add(p, name, r)
		runs = append(runs, r)
	}
	return runs
}

// Two periods by hand: a job twice as slow, one that stays, one that is new, one that is gone, and one with too few
// runs.
func TestTwoPeriods(t *testing.T) {
	c := New(Options{MinRuns: 4, Level: GivenLevel})
	slow := add(c, Before, "slow", 0, 10, 11, 12, 13, 14, 15, 10.5, 11.5)
	add(c, Before, "same", 0, 10, 11, 12, 13, 14, 15, 10.5, 11.5)
	add(c, Before, "gone", 0, 10, 10)
	add(c, Before, "few", 0, 10, 10)
	later := add(c, After, "slow", 100, 20, 22, 24, 26, 28, 30, 21, 23)
	add(c, After, "same", 100, 10.1, 11.1, 12.1, 13.1, 13.9, 14.9, 10.4, 11.4)
	add(c, After, "few", 100, 30, 30, 30, 30)
	add(c, After, "new", 100, 1, 2, 3)
	changed, err := c.Changed(context.Background())
	if err != nil || len(changed) != 1 || changed[0] != "slow" {
		t.Fatalf("changed: %v, %v", changed, err)
	}
	for _, r := range slow {
		c.Measure(t.Context(), Before, "slow", r)
	}
	for _, r := range later {
		c.Measure(t.Context(), After, "slow", r)
	}
	d, err := c.Finish(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if d.Compared != 2 || len(d.Jobs) != 3 || len(d.Appeared) != 1 || d.Appeared[0].Job != "new" ||
		d.Appeared[0].Runs != 3 || d.Disappeared[0].Job != "gone" {
		t.Errorf("compared %d, jobs %d, appeared %v, disappeared %v", d.Compared, len(d.Jobs), d.Appeared,
			d.Disappeared)
	}
	j := d.Jobs[0]
	if j.Job != "slow" || !j.Changed || math.Abs(float64(j.Change)-(23.5/11.75-1)) > 1e-9 || !(j.Interval[0] > 0) {
		t.Errorf("%+v", j)
	}
	if j.Cause.Kind != "none" || j.Cause.Run != "slow-100" || j.Cause.SinceS != 360_000 {
		t.Errorf("cause %+v", j.Cause) // no stages are known
	}
	perDay := 86400 * (16./(8*3600) + 4/(7*3600+11.5)) // 2 x 8 runs an hour apart stand for 8 hours
	if d.Before.Runs != 20 || d.Before.PeakAtOnce != 4 || math.Abs(float64(d.Before.RunsPerDay)-perDay) > 1e-6 {
		t.Errorf("before: %+v", d.Before)
	}
}

// A job is divided at its own change, whatever periods its runs are given.
func TestOwnPeriods(t *testing.T) {
	c := New(Options{MinRuns: 4, Own: true, Level: OwnLevel})
	var seconds []float64
	for i := range 60 {
		s := 10 + float64(i*7%5)/10
		if i >= 44 {
			s *= 1.5
		}
		seconds = append(seconds, s)
	}
	runs := add(c, Before, "job", 0, seconds...)
	if changed, err := c.Changed(context.Background()); err != nil || len(changed) != 1 {
		t.Fatalf("changed: %v, %v", changed, err)
	}
	d, err := c.Finish(context.Background())
	if err != nil || d.Jobs[0].Before.N != 44 || d.Jobs[0].After.N != 16 ||
		float64(d.Jobs[0].DividedS) != trace.Duration(runs[44].Submit).Seconds() {
		t.Errorf("%+v, %v", d, err)
	}
}

// A run of one task is one series of times: its stage has the date of the change and its times, although seconds differ
// more from the 22nd run on.
func TestTheOnlyCauseHasTheDateOfTheChange(t *testing.T) {
	c := New(Options{MinRuns: 4, Own: true, Level: OwnLevel})
	var seconds []float64
	for i := range 36 {
		switch s := 1 + float64(i*7%5)/50; {
		case i < 14:
			seconds = append(seconds, 8*s)
		case i < 22:
			seconds = append(seconds, 100*s)
		default:
			seconds = append(seconds, 400*s)
		}
	}
	runs := add(c, Before, "job", 0, seconds...)
	for _, r := range runs {
		st := trace.NewStage()
		st.Name, st.Tasks = "all", 1
		a := trace.NewAttempt(0, 0, 0)
		a.Start, a.End, a.Duration, a.Status = r.Start, r.End, r.End.Since(r.Start), trace.Succeeded
		r.Stages, r.Attempts, r.Guaranteed = []trace.Stage{st}, []trace.Attempt{a}, 1
	}
	if changed, err := c.Changed(context.Background()); err != nil || len(changed) != 1 {
		t.Fatalf("changed: %v, %v", changed, err)
	}
	for _, r := range runs {
		c.Measure(t.Context(), Before, "job", r)
	}
	d, err := c.Finish(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	j := d.Jobs[0]
	if j.DividedS != 14*3600 || j.Cause.SinceS != j.DividedS || float64(j.Cause.From) != j.Before.P50 ||
		float64(j.Cause.To) != j.After.P50 {
		t.Errorf("divided at %v, from %v to %v; cause since %v, from %v to %v", j.DividedS, j.Before.P50, j.After.P50,
			j.Cause.SinceS, j.Cause.From, j.Cause.To)
	}
}

// Every third run reads three times as much, which hides a stage that became half slower until input is accounted for.
func TestChangeUnderInput(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	c := New(Options{MinRuns: 4, Own: true, Level: OwnLevel, MinChange: MinChange})
	for _, name := range []string{"slower", "steady"} {
		for i := range 60 {
			r := trace.NewRun(fmt.Sprint(name, i))
			size := 1 + 2*int64(max(0, 1-rng.IntN(3)))
			seconds := 100 * float64(size) * math.Exp(0.1*rng.NormFloat64())
			if name == "slower" && i >= 40 {
				seconds *= 1.5
			}
			r.Submit, r.Status, r.InputBytes = trace.Instant(i*86400e6), trace.Succeeded, size*1e9
			r.End = r.Submit + trace.Instant(seconds*1e6)
			c.Add(Before, name, r)
		}
	}
	if changed, err := c.Changed(context.Background()); err != nil || !slices.Equal(changed, []string{"slower"}) {
		t.Fatalf("changed: %v, %v", changed, err)
	}
	if at := c.jobs["slower"].split; at != trace.Instant(40*86400e6) {
		t.Errorf("it changed at run %d, want 40", at/86400e6)
	}
}

// The last nights of a year and a half are a fifth slower, among 100 jobs of which no other changed.
func TestLateChangeOfLongHistory(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	c := New(Options{MinRuns: 4, Own: true, Level: OwnLevel, MinChange: MinChange})
	for j := range 100 {
		seconds := make([]float64, 500)
		for i := range seconds {
			seconds[i] = 1000 * math.Exp(0.08*rng.NormFloat64())
			if j == 7 && i >= 485 {
				seconds[i] *= 1.2
			}
		}
		add(c, Before, fmt.Sprint("job-", j), 0, seconds...)
	}
	if changed, err := c.Changed(context.Background()); err != nil || !slices.Equal(changed, []string{"job-7"}) {
		t.Fatalf("changed: %v, %v", changed, err)
	}
}

// Jobs appear and disappear by the periods that are given, whether their runs differ or are alike, were submitted at one
// instant or apart; also those that have periods of their own, unless they changed.
func TestAppearedAndDisappeared(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	c := New(Options{MinRuns: 4, Own: true, Level: OwnLevel, MinChange: MinChange})
	add := func(p Period, name string, day int, seconds float64) {
		at := trace.Instant(day) * 86400e6
		c.Add(p, name, &trace.Run{ID: fmt.Sprint(name, day), Name: name, Status: trace.Succeeded, Submit: at, Start: at,
			End: at + trace.Instant(seconds*1e6)})
	}
	for day := range 20 {
		noisy := 100 * math.Exp(0.2*rng.NormFloat64())
		add(Before, "gone-noisy", day, noisy)
		add(Before, "gone-alike", day, 100)
		add(Before, "gone-at-once", 3, noisy)
		add(After, "new-noisy", 40+day, noisy)
		add(After, "new-alike", 40+day, 100)
		slower := 1.0 // from the eleventh run on three times as long
		if day >= 10 {
			slower = 3
		}
		add(After, "new-slower", 40+day, noisy*slower)
		add(Before, "gone-slower", day, noisy*slower)
		add(Before, "stays", day, noisy)
		add(After, "stays", 40+day, noisy)
	}
	if _, err := c.Changed(context.Background()); err != nil {
		t.Fatal(err)
	}
	d, err := c.Finish(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if got := d.Changed(); got != 2 {
		t.Errorf("%d jobs changed, want 2: each is told once", got)
	}
	names := func(all []result.ComparedNames) (names []string) {
		for _, x := range all {
			names = append(names, x.Job)
		}
		return names
	}
	if got, want := names(d.Appeared), []string{"new-alike", "new-noisy"}; !slices.Equal(got, want) {
		t.Errorf("appeared: %q, want %q", got, want)
	}
	if got, want := names(d.Disappeared), []string{"gone-alike", "gone-at-once", "gone-noisy"}; !slices.Equal(got, want) {
		t.Errorf("disappeared: %q, want %q", got, want)
	}
}

// A burst of ten runs each night stands for whole days; a pause that does not recur is no usual interval.
func TestLengthOfBursts(t *testing.T) {
	const day, minute = 86400, 60
	for _, test := range []struct {
		name string
		at   []int64 // seconds
		want float64
	}{
		{"ten a night, for seven nights", bursts(7, 10), 7 * day},
		{"one a night", bursts(7, 1), 7 * day},
		{"a pause of a hundred nights", append(bursts(10, 1), 110*day, 111*day, 112*day), 113 * day},
		{"two", []int64{0, day}, 2 * day},
		{"one", []int64{0}, minute},
	} {
		var at []trace.Instant
		for _, s := range test.at {
			at = append(at, trace.Instant(s*1e6))
		}
		if got := Length(at, minute); got != test.want {
			t.Errorf("%s: %v days, want %v", test.name, got/day, test.want/day)
		}
	}
}

// bursts returns the submissions of some runs each night, five minutes apart, in seconds.
func bursts(nights, each int) (at []int64) {
	for i := range nights {
		for k := range each {
			at = append(at, int64(86400*i+300*k))
		}
	}
	return at
}

// Nightly runs come once a day, however few the nights: n of them span n-1 days and stand for n. A weekly job among
// them comes once a week.
func TestRunsADay(t *testing.T) {
	for _, nights := range []int{2, 3, 10} {
		c := New(Options{MinRuns: 3, Level: 0.05, Unix: true})
		add := func(p Period, day int, name string) {
			at := trace.Instant(day) * 86400e6
			c.Add(p, name, &trace.Run{ID: fmt.Sprint(name, day), Name: name, Status: trace.Succeeded, Submit: at,
				Start: at + 1800e6, End: at + 3600e6})
		}
		for day := range nights {
			add(Before, day, "nightly")
			add(After, 10+day, "nightly")
			if day%7 == 0 {
				add(After, 10+day, "weekly")
			}
		}
		if _, err := c.Changed(context.Background()); err != nil {
			t.Fatal(err)
		}
		d, err := c.Finish(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if got := float64(d.Before.RunsPerDay); math.Abs(got-1) > 1e-12 {
			t.Errorf("%d nights: %v runs a day, want 1", nights, got)
		}
		if got, want := float64(d.After.RunsPerDay), 1+1./7; nights == 10 && math.Abs(got-want) > 1e-12 {
			t.Errorf("with a weekly job: %v runs a day, want %v", got, want)
		}
		if got := float64(d.Before.AtOnce); math.Abs(got-1./24) > 1e-12 {
			t.Errorf("%d nights: %v runs at once on average, want 1/24", nights, got)
		}
	}
}

// One run tells not how often runs come, nor how many run at once on average: an amount a day is not known.
func TestOneRunHasNoRate(t *testing.T) {
	c := New(Options{MinRuns: 3, Level: 0.05, Unix: true})
	c.Add(Before, "once", &trace.Run{ID: "r", Name: "once", Status: trace.Succeeded, Submit: 0, Start: 0, End: 150e6})
	if _, err := c.Changed(context.Background()); err != nil {
		t.Fatal(err)
	}
	d, err := c.Finish(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if of := d.Before; !math.IsNaN(float64(of.RunsPerDay)) || !math.IsNaN(float64(of.LengthS)) ||
		!math.IsNaN(float64(of.AtOnce)) || of.PeakAtOnce != 1 || of.ToS != 150 {
		t.Errorf("%+v", of)
	}
}

// A service of twenty days goes on in the later period. The earlier one ends where the later begins: its ten nightly
// runs and the service are 1.1 runs a day, not half as many, and what the service held is said to count there.
func TestPeriodEndsWhereTheNextBegins(t *testing.T) {
	c := New(Options{MinRuns: 3, Level: 0.05, Unix: true})
	run := func(p Period, name string, from, to float64) { // days
		at := func(d float64) trace.Instant { return trace.Instant(86400e6 * d) }
		c.Add(p, name, &trace.Run{ID: fmt.Sprint(name, from), Name: name, Status: trace.Succeeded, Submit: at(from),
			Start: at(from), End: at(to)})
	}
	run(Before, "service", 0, 20)
	for day := range 10 {
		run(Before, "nightly", float64(day), float64(day)+0.1)
		run(After, "nightly", 10+float64(day), 10.1+float64(day))
	}
	if _, err := c.Changed(context.Background()); err != nil {
		t.Fatal(err)
	}
	d, err := c.Finish(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if got := float64(d.Before.RunsPerDay); math.Abs(got-1.1) > 1e-9 || d.Before.ToS != 10*86400 || len(d.Warnings) != 1 {
		t.Errorf("%v runs a day to %v s, want 1.1 to day 10; warnings %q", got, d.Before.ToS, d.Warnings)
	}
	// The service runs through both; each night another run is beside it for 2.4 hours.
	for _, of := range []*result.Period{&d.Before, &d.After} {
		if got := float64(of.AtOnce); math.Abs(got-1.1) > 0.02 || of.PeakAtOnce != 2 {
			t.Errorf("%v runs at once, at most %d; want 1.1 and 2", got, of.PeakAtOnce)
		}
	}
}
