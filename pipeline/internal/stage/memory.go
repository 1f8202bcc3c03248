package stage

import (
	"fmt"
	"math"

	"racecard/datasets/store"
	"racecard/datasets/trace"
	"racecard/models/limit"
)

// Reading is the memory for parts in flight and for structures that do not grow with the runs.
const Reading = 384 << 20

// room returns the part of memory for structures that grow with the runs.
func room(memory int64) int64 { return max(memory/4, memory-Reading) }

// finishing returns the part of memory that an analysis may take while it finishes, when nothing is read any more: all
// but an eighth, for the garbage collector, and 64 MiB.
func finishing(memory int64) int64 { return max(memory/4, memory-memory/8-64<<20) }

// Size is how large a trace is.
type Size struct {
	Runs, Attempts, Accesses int64
	Resources                int64 // that stages or tasks demand
}

// SizeOf returns the size of the trace in a store.
func SizeOf(s *store.Store) Size {
	rows := s.Manifest().Rows
	size := Size{Runs: rows["jobs"], Attempts: rows["tasks"], Accesses: rows["io"]}
	for _, name := range trace.ResourceNames {
		if s.Has("tasks."+name) || s.Has("stages."+name) {
			size.Resources++
		}
	}
	return size
}

// perRun returns how many bytes an analysis takes for each run while it reads a trace, and while it finishes.
func (a *Analysis) perRun(size Size) (reading, finishing int64) {
	more := max(0, size.Resources-1)
	reading = a.PerRun + more*a.Resources.PerRun
	return reading, reading + a.PerFinish + more*a.Resources.PerFinish
}

// Fits returns a [limit.Error] where a trace is larger than an analysis has memory for, each of analyses by itself;
// tables says that their rows are kept until all have finished, and that their tables are made.
func Fits(analyses []Analysis, size Size, memory int64, tables bool) error {
	var kept, table int64
	for i := range analyses {
		a := &analyses[i]
		reading, finishes := a.perRun(size)
		most := min(runs(room(memory), reading), runs(finishing(memory), finishes))
		if size.Runs > most {
			need := max(reading*size.Runs+Reading, (finishes*size.Runs+64<<20)*8/7)
			return fmt.Errorf("%s: %w", a.Name, tooLarge(size.Runs, most, need, ", leave it out with --only"))
		}
		if a.PerRow > 0 {
			kept, table = kept+reading, max(table, a.PerRow)
		}
	}
	if most := runs(finishing(memory), kept+table); tables && size.Runs > most {
		return fmt.Errorf("tables with a row per run: %w", tooLarge(size.Runs, most, ((kept+table)*size.Runs+
			64<<20)*8/7, ", name fewer analyses with --only, leave out --out, which makes the tables"))
	}
	return nil
}

// runs returns how many runs of some bytes fit in memory.
func runs(memory, each int64) int64 {
	if each == 0 {
		return math.MaxInt64
	}
	return memory / each
}

// tooLarge returns the error for a store with more runs than the most that fit into memory.
func tooLarge(runs, most, need int64, instead string) error {
	gib := math.Ceil(float64(max(need, 1<<30))/(1<<30)*10) / 10
	return &limit.Error{
		Of: "the store", Has: runs, Most: most, What: "runs",
		Instead: fmt.Sprintf("raise --memory to %.1fGiB", gib) + instead + ", or import a part of the files",
	}
}

// Passes divides analyses into groups that fit in memory together, to be run one group after the other, in order. What
// Options.Memory bounds counts as up to three quarters of it. No memory is no bound.
func Passes(size Size, analyses []Analysis, memory int64) [][]Analysis {
	if memory == 0 {
		return [][]Analysis{analyses}
	}
	var out [][]Analysis
	left := int64(0)
	for _, a := range analyses {
		reading, _ := a.perRun(size)
		takes := reading*size.Runs + min(a.PerAttempt*size.Attempts+a.PerAccess*size.Accesses, room(memory)/4*3)
		if len(out) == 0 || takes > left {
			out, left = append(out, nil), room(memory)
		}
		out[len(out)-1] = append(out[len(out)-1], a)
		left -= takes
	}
	return out
}
