package health

import (
	"math"
	"slices"
	"strings"

	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// check is one kind of oddity.
type check int

const (
	farInstants check = iota
	implausibleYear
	beforeZero
	beyondRelative
	outOfRange
	coverageGap
	notContinuous
	beginsAtFirst
	endsAtLast
	withoutBegin
	withoutEnd
	coarseClock
	mixedClock
	zoneUnknown

	reversedTimes
	runBeforeSubmit
	stageBeforeParent
	stageOverlapsParent
	stageOutsideRun
	attemptBeforeSubmit
	attemptBeforeStage
	attemptAfterRun
	queuedAfterStart
	durationDiffers
	attemptsOverlap
	outsideMachine
	zeroRuns
	zeroStages
	zeroAttempts
	longRuns
	longAttempts

	duplicateIDs
	cycles
	unknownParents
	runsWithoutStages
	stagesWithoutAttempts
	attemptsWithoutCount
	taskCountDiffers
	ioWithoutStages
	unknownMachine
	withoutName
	withoutUser
	withoutGroup
	uniqueNames
	genericNames

	implausibleCPU
	implausibleMem
	normalised
	constantColumns
	inputZero

	statusUnknown
	stillRunning
	failedRuns
	failedAttempts
	rejectedRecords

	numChecks
)

// The units of values of examples.
const (
	unitSeconds = "s"
	unitInstant = "instant"
)

// rule is the definition of a check: its name, its values, and its severity: level when anything is found,
// raised when the findings are at least a share of the judged cases.
type rule struct {
	id     string
	unit   string
	level  string
	raised string
	share  float64
}

const (
	info = result.HealthInfo
	warn = result.HealthWarn
	bad  = result.HealthBad
)

// rules are indexed by check.
var rules = [numChecks]rule{
	farInstants:     {"far-instants", unitInstant, bad, "", 0},
	implausibleYear: {"implausible-year", unitInstant, bad, "", 0},
	beforeZero:      {"before-zero", unitInstant, info, warn, 0.05},
	beyondRelative:  {"beyond-relative", unitInstant, bad, "", 0},
	outOfRange:      {"out-of-range", "", bad, "", 0},
	coverageGap:     {"coverage-gap", unitSeconds, info, "", 0}, // raised by how much of the span lies in gaps
	notContinuous:   {"not-continuous", "", warn, "", 0},
	beginsAtFirst:   {"begins-at-first-instant", "", info, warn, 0.05},
	endsAtLast:      {"ends-at-last-instant", "", info, warn, 0.05},
	withoutBegin:    {"without-begin", "", info, warn, 0.05},
	withoutEnd:      {"without-end", "", info, warn, 0.05},
	coarseClock:     {"coarse-clock", "", info, "", 0},
	mixedClock:      {"mixed-clock", "", info, "", 0},
	zoneUnknown:     {"zone-unknown", "", info, "", 0},

	reversedTimes:       {"reversed-times", "", info, warn, 0.01},
	runBeforeSubmit:     {"run-before-submit", unitSeconds, warn, "", 0},
	stageBeforeParent:   {"stage-before-parent", unitSeconds, warn, "", 0},
	stageOverlapsParent: {"stage-overlaps-parent", unitSeconds, info, "", 0},
	stageOutsideRun:     {"stage-outside-run", unitSeconds, warn, "", 0},
	attemptBeforeSubmit: {"attempt-before-submit", unitSeconds, warn, "", 0},
	attemptBeforeStage:  {"attempt-before-stage", unitSeconds, warn, "", 0},
	attemptAfterRun:     {"attempt-after-run", unitSeconds, warn, "", 0},
	queuedAfterStart:    {"queued-after-start", unitSeconds, warn, "", 0},
	durationDiffers:     {"duration-differs", unitSeconds, bad, "", 0},
	// raised where the trace marks speculative attempts
	attemptsOverlap: {"attempts-overlap", unitSeconds, info, "", 0},
	outsideMachine:  {"outside-machine-lifetime", unitSeconds, warn, "", 0},
	zeroRuns:        {"zero-runs", "", info, warn, 0.05},
	zeroStages:      {"zero-stages", "", info, warn, 0.05},
	zeroAttempts:    {"zero-attempts", "", info, warn, 0.05},
	longRuns:        {"long-runs", unitSeconds, warn, bad, 0.01},
	longAttempts:    {"long-attempts", unitSeconds, warn, bad, 0.01},

	duplicateIDs:          {"duplicate-ids", "", warn, bad, 0.01},
	cycles:                {"cycles", "", warn, "", 0},
	unknownParents:        {"unknown-parents", "", warn, "", 0},
	runsWithoutStages:     {"runs-without-stages", "", info, "", 0},
	stagesWithoutAttempts: {"stages-without-attempts", "", info, warn, 0.1},
	attemptsWithoutCount:  {"attempts-without-count", "", info, "", 0},
	taskCountDiffers:      {"task-count-differs", "", warn, "", 0},
	ioWithoutStages:       {"io-without-stages", "", info, "", 0},
	unknownMachine:        {"unknown-machine", "", warn, "", 0},
	withoutName:           {"without-name", "", info, warn, 0.5},
	withoutUser:           {"without-user", "", info, "", 0},
	withoutGroup:          {"without-group", "", info, "", 0},
	uniqueNames:           {"unique-names", "", warn, "", 0},
	genericNames:          {"generic-names", "", warn, "", 0},

	implausibleCPU:  {"implausible-cpu", "cores", bad, "", 0},
	implausibleMem:  {"implausible-mem", "bytes", bad, "", 0},
	normalised:      {"normalised", "", bad, "", 0},
	constantColumns: {"constant-columns", "", info, "", 0},
	inputZero:       {"input-zero", "", warn, "", 0},

	statusUnknown:   {"status-unknown", "", info, warn, 0.5},
	stillRunning:    {"still-running", "", info, warn, 0.05},
	failedRuns:      {"failed-runs", "", info, warn, 0.2},
	failedAttempts:  {"failed-attempts", "", info, warn, 0.2},
	rejectedRecords: {"rejected-records", "", info, warn, 0.001},
}

// IDs returns the ids of all checks, in the order of results.
func IDs() []string {
	out := make([]string, numChecks)
	for i := range rules {
		out[i] = rules[i].id
	}
	return out
}

// maxExamples is how many rows are shown of each oddity.
const maxExamples = 3

// nowhere is the place of a finding about a whole run.
var nowhere = place{-1, -1, -1}

// place is the stage, task and attempt of a finding; -1 means none.
type place struct{ stage, task, attempt int32 }

func placeOf(a *trace.Attempt) place { return place{a.Stage, a.Task, a.Attempt} }

// example is a row that is odd. The one with the greater rank is the better example.
type example struct {
	run  string
	at   place
	name string
	rank float64
	// value is the displayed number, NaN for none.
	value float64
}

// tally counts one kind of oddity.
type tally struct {
	of, count, runs int64
	lastRun         int64 // number, in this partial, of the last run that was counted
	largest         float64
	examples        []example
	names           []string
	level           string // overrides the level of the rule unless it is ""
}

// see counts a judged case.
func (p *Partial) see(c check) { p.tallies[c].of++ }

// hit counts an oddity without a value.
func (p *Partial) hit(c check, run *trace.Run, at place) {
	p.found(c, example{run: run.ID, at: at, value: math.NaN()})
}

// late counts an oddity whose value is a duration; the longest are shown.
func (p *Partial) late(c check, run *trace.Run, at place, by trace.Duration) {
	p.found(c, example{run: run.ID, at: at, value: by.Seconds(), rank: by.Seconds()})
}

// found counts an oddity of the present run.
func (p *Partial) found(c check, e example) {
	t := &p.tallies[c]
	t.count++
	if t.lastRun != p.runs { // runs are numbered from 1
		t.lastRun = p.runs
		t.runs++
	}
	if !math.IsNaN(e.value) {
		t.largest = max(t.largest, e.value)
	}
	t.examples = keep(t.examples, e)
}

// keep inserts an example that comes after those in best, and drops all but the first few: by descending rank, the
// earlier of equals first.
func keep(best []example, e example) []example {
	if len(best) == maxExamples && best[maxExamples-1].rank >= e.rank {
		return best
	}
	e.run, e.name = strings.Clone(e.run), strings.Clone(e.name) // the run is not kept
	i := len(best)
	for i > 0 && best[i-1].rank < e.rank {
		i--
	}
	best = slices.Insert(best, i, e)
	return best[:min(len(best), maxExamples)]
}

func (t *tally) merge(u *tally) {
	t.of += u.of
	t.count += u.count
	t.runs += u.runs
	t.largest = max(t.largest, u.largest)
	for _, e := range u.examples {
		t.examples = keep(t.examples, e)
	}
}

// result describes the findings of a check.
func (t *tally) result(c check) result.HealthCheck {
	r := &rules[c]
	out := result.HealthCheck{ID: r.id, Severity: result.HealthUnchecked, Count: t.count, Of: t.of, Runs: t.runs,
		Unit: r.unit, Share: result.Number(math.NaN()), Largest: result.Number(math.NaN()), Names: t.names}
	for _, e := range t.examples {
		out.Examples = append(out.Examples, e.result())
	}
	if t.largest > 0 && r.unit != unitInstant {
		out.Largest = result.Number(t.largest)
	}
	if t.of == 0 {
		return out
	}
	share := float64(t.count) / float64(t.of)
	out.Share = result.Number(share)
	switch {
	case t.count == 0:
		out.Severity = result.HealthOK
	case t.level != "":
		out.Severity = t.level
	case r.raised != "" && share >= r.share:
		out.Severity = r.raised
	default:
		out.Severity = r.level
	}
	return out
}

func (e *example) result() result.HealthExample {
	out := result.HealthExample{JobID: e.run, Name: e.name, Value: result.Number(e.value)}
	for _, f := range []struct {
		into **int32
		from int32
	}{{&out.Stage, e.at.stage}, {&out.Task, e.at.task}, {&out.Attempt, e.at.attempt}} {
		if f.from >= 0 {
			*f.into = &f.from
		}
	}
	return out
}
