package distributed_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"strconv"
	"testing"

	"racecard/models/distributed"
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

// TestEqualsThePublishedSimulatorJobByJob compares completion times of all jobs, in microseconds, with those of the simulator
// published with Eagle when that draws the random numbers of this package. testdata/exact.csv says how they came about.
func TestEqualsThePublishedSimulatorJobByJob(t *testing.T) {
	w := drawnWorkload().EPFL()
	met := map[string]bool{}
	for _, row := range rowsOf(t, "testdata/exact.csv") {
		var number [3]float64
		for k, cell := range row[1:4] {
			x, err := strconv.ParseFloat(cell, 64)
			if err != nil {
				t.Fatal(err)
			}
			number[k] = x
		}
		o := distributed.DefaultOptions(260)
		o.General, o.EPFL, o.Seed = 90, true, uint64(number[0])
		o.Estimates = distributed.Misestimation{Low: number[1], High: number[2]}
		s, err := distributed.New(row[0], o)
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
		got := []string{strconv.Itoa(len(out.Completion)), strconv.FormatInt(sum, 10), fmt.Sprintf("%016x", hash.Sum64())}
		for k, name := range []string{"jobs", "microseconds in all", "hash"} {
			if want := row[4+k]; got[k] != want {
				t.Errorf("%s, seed %s, estimates off by %s to %s: %s %s, the published simulator has %s", row[0], row[1], row[2], row[3], got[k], name, want)
			}
		}
		met[row[0]] = true
	}
	for _, k := range distributed.Kinds() {
		if k.EPFL && k.Name != "eagle-nosss" && !met[k.Name] { // the published simulator has no eagle-nosss
			t.Errorf("nothing to compare %s with", k.Name)
		}
	}
}
