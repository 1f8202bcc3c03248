// Package stage is the contract between an analysis and a runner: partition -> partial result, merge, finish.
//
// A runner gives every partition of a store a fresh [Partial], adds the partition's runs to it, merges the partials in
// the order of the partitions, and finishes the last one. Results are the same whatever the runner and its number of
// workers.
package stage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"racecard/analyses/allocation"
	"racecard/analyses/cov"
	"racecard/analyses/dag"
	"racecard/analyses/dependency"
	"racecard/analyses/health"
	"racecard/analyses/leftover"
	"racecard/analyses/recurrence"
	"racecard/analyses/timeline"
	"racecard/analyses/waste"
	"racecard/analyses/workload"
	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/store"
	"racecard/datasets/trace"
)

// Partial is the state of an analysis after some of the runs.
type Partial interface {
	// Add adds one run. The run is not kept.
	Add(run *trace.Run)
	// Merge adds the runs of other, as if they had come after its own. other belongs to the same analysis and is not
	// used afterwards.
	Merge(other Partial)
	// Finish computes the result.
	Finish(ctx context.Context) (result.Document, error)
}

// Columnar is a Partial that can add many runs at once as columns. A runner uses columns if all its partials are
// Columnar; the result is the same.
type Columnar interface {
	Partial
	// AddColumns adds runs as Add does, one after the other. It may keep the columns.
	AddColumns(columns *trace.RunColumns)
}

// Analysis is an analysis that a runner can run.
type Analysis struct {
	Name    string
	Part    bool     // a part of another analysis, which runs only when it is named
	Summary string   // one line, for people
	Needs   []string // required columns; a|b is either of both
	Also    []string // optional columns
	New     func() Partial

	// Bytes of memory, measured: per run of the trace, per row of its table, per attempt and per access to a dataset.
	// PerFinish is added per run while the analysis finishes, after all runs were read. Where attempts and accesses
	// would take more than Options.Memory, the analysis estimates. Few bytes are 0.
	PerRun, PerRow, PerAttempt, PerAccess, PerFinish int64
	// Resources are how many bytes PerRun and PerFinish grow by for each resource that tasks or stages demand, beyond
	// the first one.
	Resources struct{ PerRun, PerFinish int64 }
}

// Missing returns the needed columns that the store has no values for.
func (a *Analysis) Missing(s *store.Store) []string {
	return lists.Kept(a.Needs, func(need string) bool { return !slices.ContainsFunc(strings.Split(need, "|"), s.Has) })
}

// Projection returns the columns the analysis reads.
func (a *Analysis) Projection() store.Projection {
	var p store.Projection
	for _, need := range a.Needs {
		p = append(p, strings.Split(need, "|")...)
	}
	return append(p, a.Also...)
}

// Unavailable returns the result of an analysis that cannot run because columns are missing. If alternatives are
// missing, all of them are listed, each column once.
func (a *Analysis) Unavailable(missing []string) result.Document {
	doc := result.NewDocument(a.Name)
	columns := lists.Union(nil, strings.Split(strings.Join(missing, "|"), "|")...)
	*doc.Head() = result.Header{Missing: columns, Needs: a.Needs}
	return doc
}

// Options are the options of all analyses.
type Options struct {
	Memory     int64 // bytes that an analysis may take for exact numbers; beyond it, it estimates them and says so
	Recurrence recurrence.Options
	Dependency dependency.Options // except its Memory, which is Options.Memory
	Allocation allocation.Options
	DAG        dag.Options
	Workload   workload.Options
	Timeline   timeline.Options
	Waste      waste.Options
	Health     health.Options // see [Options.About]
	Size       Size           // of the trace: what runs take is taken from Memory; see [Options.About]
}

// DefaultOptions returns the defaults of every analysis.
func DefaultOptions() Options {
	d := dependency.DefaultOptions()
	return Options{
		Memory: d.Memory, Recurrence: recurrence.DefaultOptions(), Dependency: d,
		Allocation: allocation.DefaultOptions(), DAG: dag.DefaultOptions(),
		Workload: workload.DefaultOptions(), Waste: waste.DefaultOptions(),
	}
}

// Validate reports the first option that makes no sense.
func (o Options) Validate() error {
	return errors.Join(o.Recurrence.Validate(), leftover.Options{Memory: o.Memory}.Validate())
}

// Analyses returns all analyses in the order of reports.
func Analyses(o Options) []Analysis {
	bound := max(1<<20, room(o.Memory)) // for what an analysis keeps; reading takes the rest
	o.Dependency.Memory = bound
	o.Workload.Memory = max(bound/8, bound-workloadPerRun*o.Size.Runs)
	o.Waste.Memory = max(bound/8, bound-wastePerRun*o.Size.Runs)
	o.Waste.Steps = int(min(1024, max(8, (64<<20)/wastePerRun/max(1, o.Size.Runs))))
	l := leftoverMemory()
	kept, _ := l.perRun(o.Size)
	ofLeftover := leftover.Parts(leftover.Options{Memory: max(1<<20, bound-kept*o.Size.Runs)})
	return []Analysis{
		{
			Name: "recurrence", PerRun: 130, Summary: "how much recurring jobs vary, and why (Jockey, Table 1)",
			Needs: recurrence.Needs(), Also: recurrence.Also(),
			New: func() Partial { return of[*result.Recurrence](recurrence.New(o.Recurrence)) },
		},
		{
			Name: "cov", Part: true, PerRun: 90, Summary: "of recurrence only how much, from names and times of runs " +
				"alone",
			Needs: cov.Needs(),
			New: func() Partial {
				return columnar[*cov.Partial, *result.CoV]{partial[*cov.Partial, *result.CoV]{cov.New(o.Recurrence)}}
			},
		},
		{
			Name: "dependency", PerAccess: 70, Summary: "how jobs depend on each other through datasets (Jockey, " +
				"Figure 1)",
			Needs: dependency.Needs(), Also: dependency.Also(),
			New: func() Partial { return of[*result.Dependency](dependency.New(o.Dependency)) },
		},
		{
			Name: "allocation", PerRun: 75, PerFinish: 70, PerRow: 300, Summary: "tokens guaranteed against tasks run " +
				"at once (Jockey, §3.2)",
			Needs: allocation.Needs(), Also: allocation.Also(),
			New: func() Partial { return of[*result.Allocation](allocation.New(o.Allocation)) },
		},
		{
			Name: "dag", PerRun: 100, PerFinish: 32, PerRow: 250, Summary: "how graphs of stages are shaped (Carbyne, " +
				"Tables 1-2)",
			Needs: dag.Needs(), Also: dag.Also(),
			New: func() Partial { return of[*result.DAG](dag.New(o.DAG)) },
		},
		{
			Name: "leftover", PerRun: l.PerRun, PerFinish: l.PerFinish, PerRow: 300, PerAttempt: 90,
			Resources: l.Resources, Summary: "slack of the resources that jobs hold (Carbyne, section 2.2)",
			Needs: leftover.Needs(), Also: leftover.Also(),
			New: func() Partial { return of[*result.Leftover](ofLeftover()) },
		},
		{
			Name: "workload", PerRun: workloadPerRun, PerAttempt: 30, Summary: "arrivals, durations, concurrency, " +
				"failures; fitted distributions; short and long jobs (Hawk)",
			Needs: workload.Needs(), Also: workload.Also(),
			New: func() Partial { return of[*result.Workload](workload.New(o.Workload)) },
		},
		{
			Name: "timeline", Summary: "one run, attempt by attempt",
			Needs: timeline.Needs(), Also: timeline.Also(),
			New: func() Partial { return of[*result.Timeline](timeline.New(o.Timeline)) },
		},
		{
			Name: "waste", Part: true, PerRun: wastePerRun, PerAttempt: 12, Summary: "core-hours by class; racecard waste adds cost and the " +
				"cores that would have sufficed",
			Needs: waste.Needs(), Also: waste.Also(),
			New: func() Partial { return of[*result.Waste](waste.New(o.Waste)) },
		},
		{
			Name: "health", Summary: "data quality: times, ids, graphs, values, coverage",
			Needs: health.Needs(), Also: health.Also(),
			New: func() Partial { return of[*result.Health](health.New(o.Health)) },
		},
	}
}

// wastePerRun is the memory of waste per run, in bytes, without the changes of the cores that it holds.
const wastePerRun = 60

// workloadPerRun is the memory of workload per run, in bytes.
const workloadPerRun = 85

// leftoverMemory returns the memory that leftover needs.
func leftoverMemory() Analysis {
	a := Analysis{PerRun: 85, PerFinish: 65}
	a.Resources.PerRun, a.Resources.PerFinish = 30, 13
	return a
}

// Select returns the analyses that are named, for no names all but those that are parts of others.
func Select(all []Analysis, names []string) ([]Analysis, error) {
	if len(names) == 0 {
		return slices.DeleteFunc(all, func(a Analysis) bool { return a.Part }), nil
	}
	known := lists.Map(all, func(a Analysis) string { return a.Name })
	for _, n := range names {
		if !slices.Contains(known, n) {
			return nil, fmt.Errorf("there is no analysis %q; there are %s", n, strings.Join(known, ", "))
		}
	}
	return slices.DeleteFunc(all, func(a Analysis) bool { return !slices.Contains(names, a.Name) }), nil
}

// typed is a partial result that knows its own type.
type typed[P any, D result.Document] interface {
	Add(run *trace.Run)
	Merge(other P)
	Finish(ctx context.Context) (D, error)
}

// partial makes a Partial of a typed one.
type partial[P typed[P, D], D result.Document] struct{ p P }

func (a partial[P, D]) Add(run *trace.Run)  { a.p.Add(run) }
func (a partial[P, D]) Merge(other Partial) { a.p.Merge(other.(partial[P, D]).p) }
func (a partial[P, D]) Finish(ctx context.Context) (result.Document, error) {
	return a.p.Finish(ctx)
}

// of makes a Partial of a typed one.
func of[D result.Document, P typed[P, D]](p P) Partial { return partial[P, D]{p} }

// State returns a pointer to the typed partial result behind a Partial, to be encoded for another process.
func State(p Partial) any { return p.(interface{ state() any }).state() }

func (a partial[P, D]) state() any { return a.p }

// columnar makes a Columnar of a typed partial result that takes columns.
type columnar[P interface {
	typed[P, D]
	AddColumns(columns *trace.RunColumns)
}, D result.Document] struct{ partial[P, D] }

func (a columnar[P, D]) Merge(other Partial) { a.p.Merge(other.(columnar[P, D]).p) }

func (a columnar[P, D]) AddColumns(columns *trace.RunColumns) { a.p.AddColumns(columns) }
