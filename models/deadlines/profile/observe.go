package profile

import (
	"cmp"
	"math"
	"regexp"
	"slices"

	"racecard/analyses/dag"
	"racecard/datasets/trace"
	"racecard/models/workload"
)

// observed is the kept part of a run. Durations are microseconds; [trace.None] is unknown.
type observed struct {
	id     string
	at     trace.Instant // of its end, or start, or submission
	begun  trace.Instant // of its submission, or at
	input  int64
	tokens int64 // the most it held
	hash   uint64
	data   []trace.Edge // between canonical positions
	driver []trace.Edge
	stages []stage

	completion, work, startUp, firstToken, windDown, idle int64
	replay                                                int64 // where the completion is not known
	path, least                                           int64 // see bounds

	together  []int64 // attempts lost at once
	machines  int64
	machineUS int64 // sum over machines, from first to last attempt
}

// stage is the kept part of a stage of a run.
type stage struct {
	name  string
	tasks int64
	// of attempts that succeeded: first those that were the first of the stage on their machine, or token
	durations              []int64
	first                  int  // how many of them
	onMachines             bool // machines or tokens are known, so that first means something
	latency                []int64
	delay, elapsed, stated int64
	failedAfter            []int64
	shareDone              []float64
	together               []int64 // attempts of this stage lost at once
	redone                 int64
	queued, work, longest  int64     // of all attempts; of those that succeeded
	begin, end             float64   // as shares of the run; NaN where they are not known
	ends                   []float64 // when equal parts of its tasks were done, as shares of the run
}

// digits and their separators differ between the names of the same stage in two runs.
var digits = regexp.MustCompile(`[0-9]+`)

// observe reduces a run with stages to its kept part.
func observe(run *trace.Run) *observed {
	run = timed(run)
	n := len(run.Stages)
	byStage := workload.ByStage(workload.AfterBarriers(run))
	hash, order := dag.Canonical(n, run.Edges, tiebreak(run, byStage))
	position := make([]int32, n)
	for i, v := range order {
		position[v] = int32(i)
	}
	o := &observed{
		id: run.ID, at: run.End, input: run.InputBytes, tokens: trace.None, hash: hash, stages: make([]stage, n),
		completion: known(run.Completion()), work: trace.None, startUp: trace.None, firstToken: trace.None,
		windDown: trace.None, idle: trace.None,
	}
	if !o.at.Known() {
		o.at = run.Start
	}
	if !o.at.Known() {
		o.at = run.Submit
	}
	if o.begun = o.at; o.at.Known() && o.completion != trace.None {
		o.begun -= trace.Instant(o.completion)
	}
	for _, e := range run.Edges {
		at := trace.Edge{Parent: position[e.Parent], Child: position[e.Child], Kind: e.Kind}
		if e.Kind == trace.Driver {
			o.driver = append(o.driver, at)
		} else {
			o.data = append(o.data, at)
		}
	}
	slices.SortFunc(o.data, trace.CompareEdges)
	slices.SortFunc(o.driver, trace.CompareEdges)
	delays, _ := delays(run)
	latency := latencies(run)
	o.times(run)
	base := 0 // number of attempts of the stages before
	for v := range run.Stages {
		to := base + len(byStage[v])
		s := observeStage(&run.Stages[v], byStage[v], latency[base:to], o.tokens)
		s.delay = delays[v]
		s.begin, s.end = share(run, run.Stages[v].Start), share(run, run.Stages[v].End)
		s.ends = ends(run, byStage[v], s.end)
		o.stages[position[v]] = s
		base = to
	}
	o.losses(run, position)
	o.path, o.least = o.bounds(run, byStage, delays)
	if o.replay = trace.None; o.completion == trace.None {
		o.replay = replay(run, byStage, o.tokens)
	}
	return o
}

// tiebreak orders stages with the same place in the graph by the properties that vary least from run to run:
// their level among all edges, their name without digits, their number of tasks, and the median duration of
// their attempts, otherwise of themselves.
func tiebreak(run *trace.Run, byStage [][]trace.Attempt) func(a, b int32) int {
	var g dag.Graph
	g.Set(len(run.Stages), run.Edges, func(trace.EdgeKind) bool { return true })
	level := g.Levels()
	names := make([]string, len(run.Stages))
	medians := make([]int64, len(run.Stages))
	for v := range run.Stages {
		names[v] = digits.ReplaceAllString(run.Stages[v].Name, "#")
		var d []int64
		for i := range byStage[v] {
			if a := &byStage[v][i]; counts(a) {
				d = append(d, int64(a.Duration))
			}
		}
		if medians[v] = int64(run.Stages[v].End.Since(run.Stages[v].Start)); len(d) > 0 {
			slices.Sort(d)
			medians[v] = d[len(d)/2]
		}
	}
	return func(a, b int32) int {
		return cmp.Or(cmp.Compare(level[a], level[b]), cmp.Compare(names[a], names[b]),
			cmp.Compare(run.Stages[a].Tasks, run.Stages[b].Tasks), cmp.Compare(medians[a], medians[b]))
	}
}

// counts reports whether an attempt's duration is a run time of its task.
func counts(a *trace.Attempt) bool {
	return a.Duration.Known() && a.Status.Well()
}

// known returns a duration that is not negative, or None.
func known(d trace.Duration) int64 {
	if d < 0 {
		return trace.None
	}
	return int64(d)
}

// FirstOnMachine reports, for every attempt of a stage, whether no other of the stage started before it on its machine.
// There, caches are cold and code is not loaded: in Spark such an attempt takes several times as long as those after
// it.
func FirstOnMachine(attempts []trace.Attempt) []bool {
	first := make([]bool, len(attempts))
	earliest := map[string]trace.Instant{}
	for i := range attempts {
		a := &attempts[i]
		if t, ok := earliest[a.Machine]; a.Machine != "" && a.Start.Known() && (!ok || a.Start < t) {
			earliest[a.Machine] = a.Start
		}
	}
	for i := range attempts {
		a := &attempts[i]
		t, ok := earliest[a.Machine]
		first[i] = ok && a.Start == t
	}
	return first
}

// share returns when in a run an instant lies: 0 at its submission, or start where that is not known, 1 at its end.
func share(run *trace.Run, at trace.Instant) float64 {
	from := run.Submit
	if !from.Known() {
		from = run.Start
	}
	if d := run.Completion(); d > 0 && at.Known() {
		return min(1, max(0, at.Since(from).Seconds()/d.Seconds()))
	}
	return math.NaN()
}

// firstOnToken reports, for every attempt of a stage, whether it was the first on one of so many tokens: the earliest
// ones, or the first of the trace where it does not tell when they started.
func firstOnToken(attempts []trace.Attempt, tokens int64) []bool {
	order := make([]int, len(attempts))
	for i := range order {
		order[i] = i
	}
	if !slices.ContainsFunc(attempts, func(a trace.Attempt) bool { return !a.Start.Known() }) {
		slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(attempts[i].Start, attempts[k].Start) })
	}
	first := make([]bool, len(attempts))
	for _, i := range order[:min(int64(len(order)), tokens)] {
		first[i] = true
	}
	return first
}

// observeStage reduces a stage and its attempts, each with its latency, of a run on some tokens.
func observeStage(st *trace.Stage, attempts []trace.Attempt, latency []int64, tokens int64) stage {
	s := stage{name: st.Name, tasks: workload.Of(st, attempts, nil).Tasks, delay: trace.None,
		elapsed: known(st.End.Since(st.Start)), stated: trace.None,
		queued: trace.None, work: trace.None, longest: trace.None}
	if d, err := trace.DurationFromSeconds(st.EstimateS); err == nil {
		s.stated = int64(d)
	}
	if len(attempts) == 0 {
		return s
	}
	var later []int64
	first := FirstOnMachine(attempts)
	if tokens > 0 && !slices.ContainsFunc(attempts, func(a trace.Attempt) bool { return a.Machine != "" }) {
		first, s.onMachines = firstOnToken(attempts, tokens), true
	}
	for i := range attempts {
		a := &attempts[i]
		if a.Duration.Known() {
			s.work = max(0, s.work) + int64(a.Duration)
		}
		if q := a.Start.Since(a.Queued); q >= 0 {
			s.queued = max(0, s.queued) + int64(q)
		}
		if counts(a) {
			s.longest = max(s.longest, int64(a.Duration))
		}
		if l := latency[i]; l != trace.None {
			s.latency = append(s.latency, l)
		}
		switch {
		case counts(a) && first[i]:
			s.durations = append(s.durations, int64(a.Duration))
		case counts(a):
			later = append(later, int64(a.Duration))
		case a.Status == trace.Failed && a.Duration.Known():
			s.failedAfter = append(s.failedAfter, int64(a.Duration))
		case a.Status == trace.Failed:
			s.failedAfter = append(s.failedAfter, trace.None)
		}
		s.onMachines = s.onMachines || a.Machine != "" && a.Start.Known()
	}
	s.first = len(s.durations)
	s.durations = append(s.durations, later...)
	if len(s.durations) > 0 {
		sorted := slices.Sorted(slices.Values(s.durations))
		for _, f := range s.failedAfter {
			if median := sorted[len(sorted)/2]; f != trace.None && median > 0 {
				s.shareDone = append(s.shareDone, min(1, float64(f)/float64(median)))
			}
		}
	}
	s.redone = redone(attempts)
	return s
}

// redone counts the tasks that ran again after one of their attempts had succeeded: their output was lost.
func redone(attempts []trace.Attempt) int64 {
	n := int64(0)
	for from := 0; from < len(attempts); {
		to := from + 1
		for to < len(attempts) && attempts[to].Task == attempts[from].Task {
			to++
		}
		done := trace.Instant(trace.None)
		for i := from; i < to; i++ {
			if a := &attempts[i]; a.Status == trace.Succeeded && a.End.Known() && (done == trace.None || a.End < done) {
				done = a.End
			}
		}
		if done != trace.None && slices.ContainsFunc(attempts[from:to], func(a trace.Attempt) bool {
			return a.Start.Known() && a.Start >= done
		}) {
			n++
		}
		from = to
	}
	return n
}
