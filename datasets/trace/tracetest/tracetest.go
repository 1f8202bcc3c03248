// Package tracetest draws random valid runs for property tests.
package tracetest

import (
	"fmt"
	"math"
	"slices"

	"pgregory.net/rapid"

	"racecard/datasets/trace"
)

// Run draws a valid run with that id, of up to a few stages and attempts, in which any value may be null.
func Run(t *rapid.T, id string) *trace.Run {
	r := trace.NewRun(id)
	r.Seq = rapid.Int64Range(0, 1000).Draw(t, "seq")
	r.Dynamic = trace.Tri(rapid.IntRange(0, 2).Draw(t, "dynamic"))
	r.Name, r.Job, r.User, r.Group, r.Cluster = name(t), name(t), name(t), name(t), name(t)
	r.Submit = instant(t, trace.None)
	r.Start = instant(t, trace.None)
	r.End = instant(t, max(r.Submit, r.Start))
	r.Status = trace.Status(rapid.IntRange(0, int(trace.Running)).Draw(t, "status"))
	r.InputBytes, r.ShuffleBytes, r.OutputBytes, r.Guaranteed = count(t), count(t), count(t), tokens(t)
	r.ExecutorCores, r.ExecutorMem, r.ExecutorPeakMem = tokens(t), count(t), count(t)
	for range rapid.IntRange(0, 6).Draw(t, "stages") {
		r.Stages = append(r.Stages, stage(t))
	}
	n := int32(len(r.Stages))
	for child := int32(1); child < n; child++ {
		for parent := range child {
			if rapid.IntRange(0, 2).Draw(t, "edge") == 0 {
				kind := trace.EdgeKind(rapid.IntRange(0, int(trace.Driver)).Draw(t, "kind"))
				r.Edges = append(r.Edges, trace.Edge{Parent: parent, Child: child, Kind: kind})
			}
		}
	}
	for s := range n {
		for task := range rapid.Int32Range(0, 3).Draw(t, "tasks") {
			for attempt := range rapid.Int32Range(0, 2).Draw(t, "attempts") {
				r.Attempts = append(r.Attempts, attemptOf(t, s, task, attempt))
			}
		}
	}
	for range rapid.IntRange(0, 2).Draw(t, "allocations") {
		r.Allocations = append(r.Allocations, trace.Allocation{At: instant(t, trace.None), Tokens: tokens(t),
			Spare: tokens(t), Machines: tokens(t)})
	}
	slices.SortFunc(r.Allocations, func(a, b trace.Allocation) int {
		if a.At < b.At {
			return -1
		} else if a.At > b.At {
			return 1
		}
		return 0
	})
	for i := range rapid.IntRange(0, 2).Draw(t, "io") {
		r.IO = append(r.IO, trace.Access{Dataset: fmt.Sprint("d", i), Write: rapid.Bool().Draw(t, "write"),
			At: instant(t, trace.None), Bytes: count(t)})
	}
	return r
}

func name(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "a", "job é", "x\ty"}).Draw(t, "name")
}

// instant draws an instant at or after least, or a null.
func instant(t *rapid.T, least trace.Instant) trace.Instant {
	if rapid.IntRange(0, 3).Draw(t, "null") == 0 {
		return trace.None
	}
	return max(least, 0) + trace.Instant(rapid.Int64Range(0, 1e9).Draw(t, "instant"))
}

func count(t *rapid.T) int64 { return upTo(t, math.MaxInt64) }

func tokens(t *rapid.T) int64 { return upTo(t, trace.MaxTokens) }

// upTo draws a count of at most a number, or a null.
func upTo(t *rapid.T, most int64) int64 {
	if rapid.IntRange(0, 3).Draw(t, "null") == 0 {
		return trace.None
	}
	return rapid.Int64Range(0, most).Draw(t, "count")
}

func demand(t *rapid.T) trace.Demand {
	d := trace.NoDemand()
	for i := range d {
		if rapid.Bool().Draw(t, "known") {
			d[i] = rapid.Float64Range(0, 1e12).Draw(t, "demand")
		}
	}
	return d
}

func stage(t *rapid.T) trace.Stage {
	s := trace.NewStage()
	s.Name, s.Description, s.Plan = name(t), name(t), name(t)
	if rapid.Bool().Draw(t, "known") {
		s.Tasks = rapid.Int64Range(1, math.MaxInt32).Draw(t, "count")
		s.EstimateS = rapid.Float64Range(0, 1e6).Draw(t, "estimate")
	}
	s.Submit, s.Start = instant(t, trace.None), instant(t, trace.None)
	s.End = instant(t, s.Start)
	s.Demand = demand(t)
	return s
}

func attemptOf(t *rapid.T, stage, task, attempt int32) trace.Attempt {
	a := trace.NewAttempt(stage, task, attempt)
	a.Status = trace.Status(rapid.IntRange(0, int(trace.Running)).Draw(t, "status"))
	a.Speculative = trace.Tri(rapid.IntRange(0, 2).Draw(t, "speculative"))
	a.Spare = trace.Tri(rapid.IntRange(0, 2).Draw(t, "spare"))
	a.Queued, a.Start = instant(t, trace.None), instant(t, trace.None)
	a.End = instant(t, a.Start)
	if a.Duration = a.End.Since(a.Start); !a.Duration.Known() && rapid.Bool().Draw(t, "known") {
		a.Duration = trace.Duration(rapid.Int64Range(0, 1e9).Draw(t, "duration"))
	}
	a.Machine, a.Reason = name(t), name(t)
	a.InputBytes, a.SpillBytes, a.PeakMem = count(t), count(t), count(t)
	if rapid.Bool().Draw(t, "known") {
		a.GC = trace.Duration(rapid.Int64Range(0, 1e9).Draw(t, "gc"))
	}
	a.Demand = demand(t)
	return a
}

// Equal reports whether two runs hold the same values, a null being equal to a null.
func Equal(a, b *trace.Run) bool { return fmt.Sprintf("%+v", *a) == fmt.Sprintf("%+v", *b) }
