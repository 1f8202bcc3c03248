package distributed_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"testing"

	"racecard/analyses/quantile"
	"racecard/datasets/source/sourcetest"
	"racecard/models/queues/distributed"
)

// published is what the simulator published with Eagle makes of a scheduler on a trace: percentiles of completion times
// in seconds, over runs. testdata/published.csv says how they came about.
type published struct {
	load            float64
	workers         int
	scheduler       string
	class           string // short or long
	percentile      float64
	median          float64
	least, greatest float64
	runs            int
}

// rowsOf reads a table with comments, but for its heading.
func rowsOf(t *testing.T, path string) [][]string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows[1:]
}

// readPublished reads testdata/published.csv, by trace.
func readPublished(t *testing.T) map[string][]published {
	t.Helper()
	all := map[string][]published{}
	for i, row := range rowsOf(t, "testdata/published.csv") {
		number := func(k int) float64 {
			x, err := strconv.ParseFloat(row[k], 64)
			if err != nil {
				t.Fatalf("row %d: %v", i+1, err)
			}
			return x
		}
		all[row[0]] = append(all[row[0]], published{load: number(1), workers: int(number(2)), scheduler: row[3],
			class:      row[4],
			percentile: number(5), median: number(6), least: number(7), greatest: number(8), runs: int(number(9))})
	}
	return all
}

// agrees tells whether a median lies within the spread over runs of the published simulator, or within 5% of its
// median.
func (p *published) agrees(x float64) bool {
	return x >= p.least && x <= p.greatest || math.Abs(x-p.median) <= 0.05*p.median
}

// publishedTraces are those that were given to the published simulator, with the settings that its authors give for
// such workloads; 94% for the synthetic one, as its README says.
var publishedTraces = []struct {
	file            string
	cutoff, general float64
}{
	{"hawk-eagle-tr/YH1_sub.tr.gz", 90.5811, 98},
	{"tr-synthetic/SYN_yahoo_like.tr.gz", 90.5811, 94},
	{"hawk-eagle-tr/GOOG_subtrace.tr.gz", 1129.532, 83},
}

// differing are the numbers that are known to differ. Three are few seeds: over twenty, Sparrow's p99 of long jobs on
// YH1_sub is 10 769 s to 16 634 s (median 12 957 s) here and 10 997 s to 18 072 s (14 250 s) there, a rank-sum test
// giving p = 0.11; over ten here, its p99 on GOOG_subtrace is 86 156 s to 113 653 s; over ten each, dlwl's p50 is 4 108
// s to 4 462 s (4 258 s) here and 4 006 s to 4 333 s (4 159 s) there. The fourth is the order in which tasks end that
// end at once, of which GOOG_subtrace, submitted at whole seconds, has many: in the order of workers, as here, it is 65
// 571 s there too (seed 1).
var differing = []string{
	"hawk-eagle-tr/YH1_sub.tr.gz 0.9 sparrow long p99",
	"tr-synthetic/SYN_yahoo_like.tr.gz 0.9 dlwl long p50",
	"hawk-eagle-tr/GOOG_subtrace.tr.gz 0.7 sparrow long p99",
	"hawk-eagle-tr/GOOG_subtrace.tr.gz 0.9 eagle-nosbp long p99",
}

// TestAgreesWithThePublishedSimulator compares medians over seeds 1 to 5 of p50, p90 and p99 of short and of long jobs,
// by trace, load and scheduler, with those of the published simulator. Without RACECARD_LONG=1 it is Hawk and Eagle on
// one trace at one load.
func TestAgreesWithThePublishedSimulator(t *testing.T) {
	all, whole := readPublished(t), os.Getenv("RACECARD_LONG") != ""
	for _, trace := range publishedTraces {
		if !whole && trace.general != 98 {
			t.Logf("%s only with RACECARD_LONG=1", trace.file)
			continue
		}
		t.Run(trace.file, func(t *testing.T) {
			raw := read(t, sourcetest.SharedFile(t, trace.file))
			w := raw.EPFL()
			var names []string
			table := map[string]string{} // by scheduler, a cell for each load
			met, of := 0, 0
			for cells := all[trace.file]; len(cells) > 0; {
				first, n := cells[0], 1
				for n < len(cells) && cells[n].load == first.load && cells[n].scheduler == first.scheduler {
					n++
				}
				group := cells[:n]
				cells = cells[n:]
				if !whole && (first.load != 0.9 || first.scheduler != "hawk" && first.scheduler != "eagle") {
					continue
				}
				if workers := raw.WorkersFor(first.load, true); workers != first.workers {
					t.Errorf("load %g: %d workers, the published simulator had %d", first.load, workers, first.workers)
				}
				o := distributed.DefaultOptions(first.workers)
				o.Cutoff, o.General, o.EPFL = int64(math.Round(trace.cutoff*distributed.Second)), trace.general, true
				agree := compareGroup(t, trace.file, group, overSeeds(t, w, first.scheduler, o))
				if table[first.scheduler] == "" {
					names = append(names, first.scheduler)
				}
				table[first.scheduler] += fmt.Sprintf("   %.1f: %d/%d (%d)", first.load, agree, n, first.runs)
				met, of = met+agree, of+n
			}
			summary := ""
			for _, name := range names {
				summary += fmt.Sprintf("\n%-11s%s", name, table[name])
			}
			t.Logf("%d of %d numbers within the spread over runs of the published simulator, or 5%% of its median; "+
				"by load, and of how many runs:%s",
				met, of, summary)
		})
	}
}

// compareGroup compares the numbers of one scheduler at one load, and returns how many agree.
func compareGroup(t *testing.T, file string, group []published, median func(class string, p float64) float64) int {
	t.Helper()
	line, met := fmt.Sprintf("load %.1f %-11s", group[0].load, group[0].scheduler), 0
	for k := range group {
		p := &group[k]
		x := median(p.class, p.percentile)
		line += fmt.Sprintf("  %s p%g %.1f, %.1f [%.1f, %.1f]", p.class, 100*p.percentile, x, p.median, p.least,
			p.greatest)
		key := fmt.Sprintf("%s %g %s %s p%g", file, p.load, p.scheduler, p.class, 100*p.percentile)
		known := slices.Contains(differing, key)
		if p.agrees(x) {
			met++
			if known {
				t.Errorf("%s differs no more: take it from the list", key)
			}
			continue
		}
		line += fmt.Sprintf(" (differs by %+.1f%%)", 100*(x/p.median-1))
		if !known {
			t.Errorf("%s: %.2f s, the published simulator has %.2f, %.2f to %.2f over %d runs", key, x, p.median,
				p.least, p.greatest, p.runs)
		}
	}
	t.Log(line)
	return met
}

// overSeeds simulates a workload with seeds 1 to 5, and returns the medians of percentiles of a class.
func overSeeds(t testing.TB, w *distributed.Workload, name string, o distributed.Options) func(class string,
	p float64) float64 {
	t.Helper()
	sorted := map[string][]quantile.Sorted{}
	for seed := range uint64(5) {
		o.Seed = seed + 1
		s, err := distributed.New(name, o)
		if err != nil {
			t.Fatal(err)
		}
		out, err := distributed.Run(context.Background(), w, s, o)
		if err != nil {
			t.Fatal(err)
		}
		classes := map[bool][]float64{}
		for i, x := range out.Completion {
			classes[out.Long[i]] = append(classes[out.Long[i]], float64(x)/distributed.Second)
		}
		for long, class := range map[bool]string{false: "short", true: "long"} {
			sorted[class] = append(sorted[class], quantile.Sort(classes[long]))
		}
	}
	return func(class string, p float64) float64 {
		var x []float64
		for _, times := range sorted[class] {
			x = append(x, quantile.Quantile(times, p))
		}
		return quantile.Quantile(quantile.Sort(x), 0.5)
	}
}
