package stage

import (
	"fmt"
	"math"

	"racecard/models/limit"
)

// Reading is the memory for parts in flight and for structures that do not grow with the runs.
const Reading = 384 << 20

// room returns the part of memory for structures that grow with the runs.
func room(memory int64) int64 { return max(memory/4, memory-Reading) }

// Fits returns a [limit.Error] if an analysis of a store with some runs needs more than the memory; tables tells
// whether its table is made, too.
func (a *Analysis) Fits(runs, memory int64, tables bool) error {
	each := a.PerRun
	if tables {
		each += a.PerRow
	}
	if each == 0 || runs <= room(memory)/each {
		return nil
	}
	need := max(each*runs+Reading, 1<<30)
	instead := fmt.Sprintf("raise --memory to %.1fGiB", math.Ceil(float64(need)/(1<<30)*10)/10) +
		", leave it out with --only"
	if tables && a.PerRow > 0 && runs <= room(memory)/a.PerRun {
		instead += ", leave out --out, which makes its table"
	}
	return fmt.Errorf("%s: %w", a.Name, &limit.Error{
		Of: "the store", Has: runs, Most: room(memory) / each, What: "runs", Instead: instead +
			", or import a part of the files",
	})
}

// Passes divides analyses into groups that fit in memory together, to be run one group after the other, in order. rows
// holds the numbers of rows of the store's tables. Structures bounded by Options.Memory count as up to three quarters
// of it. A memory of 0 is no bound.
func Passes(rows map[string]int64, analyses []Analysis, memory int64) [][]Analysis {
	if memory == 0 {
		return [][]Analysis{analyses}
	}
	var out [][]Analysis
	left := int64(0)
	for _, a := range analyses {
		takes := a.PerRun*rows["jobs"] + min(a.PerAttempt*rows["tasks"]+a.PerAccess*rows["io"], room(memory)/4*3)
		if len(out) == 0 || takes > left {
			out, left = append(out, nil), room(memory)
		}
		out[len(out)-1] = append(out[len(out)-1], a)
		left -= takes
	}
	return out
}
