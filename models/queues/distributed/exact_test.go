package distributed_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"os"
	"strconv"
	"testing"

	"racecard/datasets/source/sourcetest"
	"racecard/models/queues/distributed"
)

// drawnWorkload is 600 jobs of up to 40 tasks, a tenth of them long, some submitted at once, all drawn by a linear
// congruential generator (Knuth's MMIX): SYNTHETIC, and easily drawn anew elsewhere.
func drawnWorkload() *distributed.Workload {
	const ms = distributed.Second / 1000
	state := uint64(1)
	draw := func(n int64) int64 {
		state = state*6364136223846793005 + 1442695040888963407
		return int64(state>>33) % n
	}
	w := &distributed.Workload{}
	submit := int64(0)
	for i := range 600 {
		if draw(10) > 0 {
			submit += 100 + draw(7000)
		}
		base := draw(40_000)
		d := make([]int64, 1+draw(20), 40)
		if draw(10) == 0 {
			base += 100_000 + draw(400_000)
			d = d[:int64(len(d))+draw(20)]
		}
		for k := range d {
			d[k] = (base/2 + draw(base+1)) * ms
		}
		w.Add(fmt.Sprint(i+1), submit*ms, -1, d...)
	}
	return w
}

// TestEqualsThePublishedSimulatorJobByJob compares completion times of all jobs, in microseconds, with those of the
// simulator published with Eagle when that draws the random numbers of this package. testdata/exact.csv says how they
// came about. Whole traces are only compared with RACECARD_LONG=1.
func TestEqualsThePublishedSimulatorJobByJob(t *testing.T) {
	rows := map[string][][]string{} // by trace
	for _, row := range rowsOf(t, "testdata/exact.csv") {
		rows[row[0]] = append(rows[row[0]], row[1:])
	}
	t.Run("drawn", func(t *testing.T) { equalsJobByJob(t, drawnWorkload(), 90.5811, 90, rows["drawn"]) })
	for _, trace := range publishedTraces {
		t.Run(trace.file, func(t *testing.T) {
			if os.Getenv("RACECARD_LONG") == "" {
				t.Skip("whole traces only with RACECARD_LONG=1")
			}
			equalsJobByJob(t, read(t, sourcetest.SharedFile(t, trace.file)), trace.cutoff, trace.general,
				rows[trace.file])
		})
	}
}

// equalsJobByJob compares rows of testdata/exact.csv, of one trace, with what becomes of it here.
func equalsJobByJob(t *testing.T, raw *distributed.Workload, cutoff, general float64, rows [][]string) {
	t.Helper()
	w := raw.EPFL()
	met := map[string]bool{}
	for _, row := range rows {
		name := row[1]
		number := map[int]float64{}
		for _, k := range []int{0, 2, 3, 4} {
			x, err := strconv.ParseFloat(row[k], 64)
			if err != nil {
				t.Fatal(err)
			}
			number[k] = x
		}
		o := distributed.DefaultOptions(int(number[0]))
		o.Cutoff, o.General, o.EPFL, o.Seed = int64(math.Round(cutoff*distributed.Second)), general, true,
			uint64(number[2])
		o.Estimates = distributed.Misestimation{Low: number[3], High: number[4]}
		s, err := distributed.New(name, o)
		if err != nil {
			t.Fatal(err)
		}
		out, err := distributed.Run(context.Background(), w, s, o)
		if err != nil {
			t.Fatal(err)
		}
		sum, hash := int64(0), fnv.New64a()
		for _, x := range out.Completion {
			sum += x
			binary.Write(hash, binary.LittleEndian, x)
		}
		got := []string{strconv.Itoa(len(out.Completion)), strconv.FormatInt(sum, 10),
			fmt.Sprintf("%016x", hash.Sum64())}
		for k, what := range []string{"jobs", "microseconds in all", "hash"} {
			if want := row[5+k]; got[k] != want {
				t.Errorf("%s, seed %s, estimates off by %s to %s: %s %s, the published simulator has %s", name, row[2],
					row[3], row[4], got[k], what, want)
			}
		}
		met[name] = true
	}
	for _, k := range distributed.Kinds() {
		if k.EPFL && k.Name != "eagle-nosss" && !met[k.Name] { // the published simulator has no eagle-nosss
			t.Errorf("nothing to compare %s with", k.Name)
		}
	}
}
