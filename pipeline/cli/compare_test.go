package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"racecard/analyses/periods"
	"racecard/datasets/generate"
	"racecard/datasets/result"
	"racecard/datasets/words"
)

// noisy returns the nights with so much noise of whole runs.
func noisy(n generate.Nights, sd float64) generate.Nights {
	n.Jobs = slices.Clone(n.Jobs)
	for i := range n.Jobs {
		n.Jobs[i].Noise = sd
	}
	return n
}

// plant writes the runs of planted jobs and imports them.
func plant(t *testing.T, n generate.Nights, seed uint64) (store string) {
	t.Helper()
	dir := t.TempDir()
	name := filepath.Join(dir, generate.Prefix+"planted.jsonl")
	create := func(string) (io.WriteCloser, error) { return os.Create(name) }
	if _, err := n.Kind("planted", "planted jobs").Write(context.Background(), create, int64(len(n.Jobs)*n.Nights),
		seed, nil); err != nil {
		t.Fatal(err)
	}
	store = filepath.Join(dir, "store")
	if status, _, stderr := call(t, "import", "-q", "--out", store, name); status != ExitDone {
		t.Fatalf("import: status %d, %s", status, stderr)
	}
	return store
}

// score counts what a comparison says of planted jobs.
type score struct {
	planted, found, wrong, steady, named, dated, misdated int
	seconds, also                                         int // second causes, and those that are named after the first
	// plantings that can be known, and those of them that were found
	possible, did int
}

func (s *score) String() string {
	return fmt.Sprintf("%d plantings: %d found (%.1f%%), %d put down to another cause (%.1f%%); %d dated, %d to "+
		"another night; %d steady jobs, %d named; %d of %d second causes named; %d of %d found that can "+
		"be known",
		s.planted, s.found, 100*float64(s.found)/float64(max(1, s.planted)), s.wrong,
		100*float64(s.wrong)/float64(max(1, s.planted)), s.dated, s.misdated, s.steady, s.named, s.also, s.seconds,
		s.did, s.possible)
}

// powerful is how many standard errors the logarithm of a job's median must change by, for a test that knows the night
// of the change to find it with a chance of 95% at the level of 0.001: 3.29 + 1.645.
const powerful = 4.94

// byDate returns the jobs whose change a test with the date finds where they are divided at their own dates. effects are
// the changes of the logarithms of their medians without noise.
func byDate(n generate.Nights, effects map[string]float64) map[string]bool {
	found := map[string]bool{}
	for i := range n.Jobs {
		p := &n.Jobs[i]
		a, b := float64(p.Night), float64(n.Nights-p.Night)
		if p.Night == 0 { // a slope: its halves
			a, b = b/2, b/2
		}
		found[p.Job] = math.Abs(effects[p.Job])/p.Noise/math.Sqrt(1/a+1/b) > powerful
	}
	return found
}

// knowable returns the jobs of which a comparison of the last nights with those before can know that they changed: the
// median moves without noise, and a test that sees of every night, without noise, whether it is one of those with the
// change, rejects at the level of compare. Where a job changed long before, most earlier nights have the change, too.
func knowable(n generate.Nights, last int, effects map[string]float64) map[string]bool {
	var jobs []string
	var p []float64
	for i := range n.Jobs {
		j := &n.Jobs[i]
		x := 1.0
		switch changed := n.Nights - j.Night; {
		case j.Cause == generate.Steady:
		case j.Night == 0: // a slope
			x = 0
		default: // all of the last nights are among those with the change
			for k := range last {
				x *= max(0, float64(changed-k)) / float64(n.Nights-k)
			}
		}
		jobs, p = append(jobs, j.Job), append(p, x)
	}
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(p[a], p[b]) })
	rejected := 0 // Benjamini and Hochberg
	for rank, i := range order {
		if p[i]*float64(len(p)) < periods.GivenLevel*float64(rank+1) {
			rejected = rank + 1
		}
	}
	found := map[string]bool{}
	for _, i := range order[:rejected] {
		found[jobs[i]] = math.Abs(effects[jobs[i]]) >= periods.MinChange
	}
	return found
}

// compared compares the runs of planted jobs and scores the answer. possible are the jobs whose change can be found at
// all; nil where that does not matter.
func compared(t *testing.T, n generate.Nights, seed uint64, possible map[string]bool, flags ...string) (s score) {
	t.Helper()
	store := plant(t, n, seed)
	var doc result.Comparison
	ask(t, &doc, append([]string{"compare", store}, flags...)...)
	of := map[string]*result.ComparedJob{}
	for i := range doc.Jobs {
		of[doc.Jobs[i].Job] = &doc.Jobs[i]
	}
	want := map[generate.Cause]string{generate.StageSlower: "stage", generate.InputGrows: "input",
		generate.CoresLost:    "cores",
		generate.MoreFailures: "failures", generate.Queueing: "queueing", generate.Skew: "skew",
		generate.Steady: "none"}
	is := func(c *generate.Change, kind, stage string) bool { return kind == want[c.Cause] && stage == c.Stage }
	for i := range n.Jobs {
		p := &n.Jobs[i]
		j := of[p.Job]
		if j == nil {
			t.Fatalf("%s is not compared", p.Job)
		}
		c := &j.Cause
		right, second := is(&p.Change, c.Kind, c.Stage), is(&p.Second, c.Kind, c.Stage)
		if possible[p.Job] {
			s.possible++
		}
		switch {
		case p.Cause == generate.Steady:
			s.steady++
			if j.Changed {
				s.named++
				t.Logf("%s is steady: %v, p %v", p.Job, j.Change, j.PValue)
			}
			continue
		case j.Changed && (right || second):
			s.found++
			if possible[p.Job] {
				s.did++
			}
		case j.Changed && c.Kind != "none":
			s.wrong++
			fallthrough
		default:
			t.Logf("%+v: changed by %.3f, p %v, put down to %s %q", p, j.Change, j.PValue, c.Kind, c.Stage)
		}
		s.planted++
		if p.Second.Cause != "" {
			s.seconds++
			for k := range c.Also {
				if a := &c.Also[k]; is(&p.Change, a.Kind, a.Stage) || is(&p.Second, a.Kind, a.Stage) {
					s.also++
				}
			}
		}
		if j.Changed && right && p.Cause != generate.InputGrows && c.Since != "" {
			s.dated++
			if night := int((c.SinceS - 1_788_220_800) / 86_400); night != p.Night {
				s.misdated++
				t.Logf("%+v: dated to night %d", p, night)
			}
		}
	}
	t.Log(s.String())
	return s
}

// Random plantings of every cause: compare finds the job, names the cause and its stage, and dates it. README.md states
// the sums of four seeds, which RACECARD_LONG=1 compares with it.
func TestComparePlantings(t *testing.T) {
	t.Parallel()
	const jobs = 200
	long, last := os.Getenv("RACECARD_LONG") != "", uint64(5)
	if long {
		last = 8
	}
	var all score
	for seed := uint64(5); seed <= last; seed++ {
		s := compared(t, generate.RandomNights(jobs, 60, seed), seed, nil)
		if s.found*100 < 95*s.planted || s.wrong*100 > 5*s.planted || s.named*100 > 2*s.steady ||
			s.misdated*20 > s.dated || s.steady < jobs/20 {
			t.Errorf("seed %d: want at least 95%% found, at most 5%% put down to another cause, at most 2%% of steady jobs "+
				"named, at most 5%% misdated", seed)
		}
		all.found, all.planted, all.misdated, all.wrong = all.found+s.found, all.planted+s.planted,
			all.misdated+s.misdated, all.wrong+s.wrong
		all.named, all.steady = all.named+s.named, all.steady+s.steady
	}
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	none := func(n int) string { return words.Either(n == 0, "none", strconv.Itoa(n)) }
	want := fmt.Sprintf("`compare` finds %d of %d changes with their cause, dates %s to another night, and attributes %s to "+
		"another cause. It names %s of %d steady jobs.", all.found, all.planted, none(all.misdated), none(all.wrong),
		none(all.named), all.steady)
	if long && !strings.Contains(strings.Join(strings.Fields(string(readme)), " "), want) {
		t.Errorf("README.md does not say: %s", want)
	}
}

// The same with more noise, two causes at once, and given periods.
func TestComparePlantingsLong(t *testing.T) {
	if os.Getenv("RACECARD_LONG") == "" {
		t.Skip("RACECARD_LONG is not set")
	}
	for _, seed := range []uint64{5, 8} {
		random := generate.RandomNights(200, 60, seed)
		effects := func(flags ...string) map[string]float64 {
			of := map[string]float64{}
			var doc result.Comparison
			ask(t, &doc, append([]string{"compare", plant(t, noisy(random, 0), seed)}, flags...)...)
			for i := range doc.Jobs {
				if j := &doc.Jobs[i]; j.Changed || len(flags) > 0 {
					of[j.Job] = math.Log1p(float64(j.Change))
				}
			}
			return of
		}
		own := effects()
		known := map[string]map[string]bool{}
		for flags, nights := range map[string]int{"--split 14d": 14, "--split 7d": 7} {
			known[flags] = knowable(random, nights, effects(strings.Fields(flags)...))
		}
		for _, tc := range []struct {
			name  string
			of    generate.Nights
			flags string
		}{
			{"as drawn", random, ""},
			{"noise 10%", noisy(random, 0.1), ""},
			{"noise 15%", noisy(random, 0.15), ""},
			{"two causes", random.Twice(seed), ""},
			{"two causes, noise 10%", noisy(random.Twice(seed), 0.1), ""},
			{"two weeks", random, "--split 14d"},
			{"two weeks, noise 10%", noisy(random, 0.1), "--split 14d"},
			{"one week", random, "--split 7d"},
		} {
			t.Run(fmt.Sprintf("%s, seed %d", tc.name, seed), func(t *testing.T) {
				possible := known[tc.flags]
				if tc.flags == "" {
					possible = byDate(tc.of, own)
				}
				s := compared(t, tc.of, seed, possible, strings.Fields(tc.flags)...)
				if s.wrong*100 > 5*s.planted {
					t.Error("want at most 5% put down to another cause")
				}
				if tc.flags == "" && (s.did*100 < 95*s.possible || s.named*100 > 2*s.steady) {
					t.Error("want at least 95% of those found that a test with the date finds, and at most 2% of " +
						"steady jobs named")
				}
			})
		}
	}
}

// Where one period has no runs, no job appeared or disappeared.
func TestCompareWithNothing(t *testing.T) {
	for split, want := range map[string]string{"1000d": "no runs before the split",
		"2126-01-01": "no runs after the split"} {
		got := must(t, "compare", sampleStore(t), "--split", split)
		if !strings.Contains(got, want) || strings.Contains(got, "appeared") {
			t.Errorf("--split %s: %s, want %q", split, got, want)
		}
	}
	one := importJSONL(t, `{"id":"r","name":"a","submit_s":0,"end_s":9}`+"\n")
	if got := must(t, "compare", one); !strings.Contains(got, "the store has 1 run: there is nothing to compare") ||
		strings.Contains(got, "--split") {
		t.Errorf("one run: %s", got)
	}
}

// Where no job can be compared, the answer says how many runs are wanted and how many the nearest job has.
func TestCompareTooFewRuns(t *testing.T) {
	var lines strings.Builder
	for i, name := range []string{"a", "b", "b", "b", "b", "c", "b", "b", "a"} {
		fmt.Fprintf(&lines, `{"id":"r%d","name":%q,"submit_s":%d,"end_s":%d,"stages":[{"durations_s":[9]}]}`+"\n", i, name,
			100*i, 100*i+10)
	}
	store := importJSONL(t, lines.String())
	if got := must(t, "compare", store); !strings.Contains(got, "8 are needed (twice --min-runs), and b comes nearest "+
		"with 6\n") {
		t.Errorf("without --split: %s", got)
	}
	got := must(t, "compare", store, "--split", "+550s")
	if !strings.Contains(got, "4 in either are needed (--min-runs), and b comes nearest with 4 before and 2 after") {
		t.Errorf("%s", got)
	}
	if !strings.Contains(got, "ran     ") || !strings.Contains(got, "what was held and idle is not known") {
		t.Errorf("what no run states was held: %s", got)
	}
}

// Instants are in the time zone that is asked for.
func TestCompareInAZone(t *testing.T) {
	t.Parallel()
	got := must(t, "compare", sampleStore(t), "--timezone", "Europe/Berlin")
	if !strings.Contains(got, "2026-11-21 02:03 to ") || !strings.Contains(got, " CET: ") || strings.Contains(got, "UTC") {
		t.Errorf("%s", got)
	}
}
