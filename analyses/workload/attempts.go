package workload

import (
	"math"
	"strings"

	"racecard/datasets/trace"
)

// The machine resources with a usage series, and its unit: millionths of a core or GPU.
const (
	cpu = iota
	gpu
	numResources
	millionths = 1e6
)

// resources are the kinds of [trace.Resource] behind them.
var resources = [numResources]trace.Resource{cpu: trace.CPU, gpu: trace.GPU}

// addAttempts adds the run's attempts.
func (p *Partial) addAttempts(run *trace.Run) {
	var j, all job // of attempts that ended well; of all
	tries, after := int64(0), int64(0)
	for i := range run.Attempts {
		a := &run.Attempts[i]
		if i > 0 && (a.Stage != run.Attempts[i-1].Stage || a.Task != run.Attempts[i-1].Task) {
			after += p.addTries(tries)
			tries = 0
		}
		if a.Speculative == trace.Yes {
			p.speculative++
		} else {
			tries++
		}
		p.attempts[a.Status]++
		p.addUse(run, a)
		if a.Duration.Known() && a.Duration >= 0 && a.Status != trace.Running {
			d := int64(a.Duration)
			p.time[a.Status].Add(uint64(d))
			all.add(d)
			at := place{run.ID, a.Stage, a.Task, a.Attempt}
			if a.Status.Well() {
				j.add(d)
				p.duration.Add(d)
				p.longestTask.add(d, at, run.Name)
			} else {
				p.lost.Add(d)
				p.longestWaste.add(d, at, run.Name)
			}
		} else if a.Status == trace.Running {
			seen(p.openTasks, a.Start, p.until(run))
		} else {
			p.untimed++
		}
		if badly(a.Status) {
			p.reasons.add(run, a)
		}
		p.addMachine(a)
	}
	if len(run.Attempts) > 0 {
		if after += p.addTries(tries); after > 0 {
			p.retries.add(after, place{run: run.ID}, run.Name)
		}
	}
	if j.tasks == 0 {
		p.parts[partCutoff]["runs without an attempt that ended well in a known time"]++
		return
	}
	j.all = all.time
	p.jobs = append(p.jobs, j)
}

func (j *job) add(d int64) {
	j.time += min(d, math.MaxInt64-j.time)
	j.tasks++
}

// addTries counts a task with a number of attempts, without speculative copies, and returns the number of retries.
func (p *Partial) addTries(tries int64) int64 {
	if tries == 0 {
		return 0 // a speculative copy alone
	}
	p.perTask[min(tries, maxTries)-1]++
	if tries > 1 {
		p.retried++
	}
	return tries - 1
}

// addUse adds the time and the demand of an attempt.
func (p *Partial) addUse(run *trace.Run, a *trace.Attempt) {
	if !a.Start.Known() || !a.End.Known() {
		p.taskLoad.without++
		return
	}
	from, to := int64(a.Start), int64(a.End)
	p.taskLoad.add(from, to)
	for r, kind := range resources {
		held := a.Demand[kind]
		if math.IsNaN(held) {
			held = run.Stages[a.Stage].Demand[kind]
		}
		if held >= 0 && held <= 1e6 { // also rejects NaN
			p.used[r].add(from, to, int64(math.Round(held*millionths)))
		}
	}
}

// addMachine counts the outcome of the attempt for its machine.
func (p *Partial) addMachine(a *trace.Attempt) {
	if a.Machine == "" || a.Status == trace.Running || a.Status == trace.StatusUnknown {
		return
	}
	m := p.machines[a.Machine]
	if m == nil {
		m = &machine{}
		p.machines[strings.Clone(a.Machine)] = m
	}
	m.ended++
	if a.Status == trace.Failed || a.Status == trace.Lost {
		m.failed++
	}
	if a.Duration.Known() && a.Duration >= 0 {
		m.time.Add(uint64(a.Duration))
	}
}

// addTokens adds the tokens that the trace says the run held, each number until the next change or the run's end, and
// the times of its attempts.
func (p *Partial) addTokens(run *trace.Run) {
	if run.Guaranteed <= 0 && len(run.Allocations) == 0 {
		return
	}
	held := run.Held()
	if !held.Stated() {
		return
	}
	known, begin, end := false, run.Start, run.End
	for i := range run.Attempts {
		a := &run.Attempts[i]
		begin = begin.Earlier(a.Start)
		if !run.End.Known() && a.End.Known() {
			end = max(end, a.End)
		}
	}
	for i, s := range held.Steps {
		if i == 0 { // from the beginning
			s.At = begin
		}
		if !s.At.Known() || s.Tokens == 0 {
			continue
		}
		until := end
		if i+1 < len(held.Steps) {
			if until = held.Steps[i+1].At; end.Known() {
				until = min(until, end)
			}
		}
		if until.Known() {
			p.tokens.add(int64(s.At), int64(until), min(s.Tokens, 1e9))
			known = true
		}
	}
	if !known {
		return
	}
	tokens := min(run.TokensPerAttempt(), 1e9)
	for i := range run.Attempts {
		if a := &run.Attempts[i]; a.Start.Known() && a.End.Known() {
			p.holding.add(int64(a.Start), int64(a.End), tokens)
		}
	}
}
