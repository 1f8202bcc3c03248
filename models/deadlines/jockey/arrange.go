package jockey

import (
	"cmp"
	"context"
	"math"
	"slices"

	"racecard/datasets/lists"
)

// Arrangement is who gets what when.
type Arrangement struct {
	Grants  []Grant // of the contracts, in their order
	Utility float64 // their sum
	// Bound is an upper bound on Utility over all arrangements: the sum of the utilities that jobs could reach
	// alone; Utility itself if Exact.
	Bound   float64
	Exact   bool  // no arrangement of constant allocations, out of those to choose from, has more utility
	GivenUp []int // contracts that end too late, ascending
}

// defaultBudget of a search.
const defaultBudget = 10_000_000

// Arrange grants jobs tokens so that the sum of their utilities is greatest, at no instant more than there are. When
// not all can meet their deadlines it thereby decides whose are given up; those jobs run all the same, later or with
// fewer tokens. The paper leaves such an arbiter to the future.
//
// A job gets one allocation, from one instant until it ends. Utilities do not rise with time, so some best
// arrangement starts every job as early as the jobs before it allow. It is found by putting jobs on the calendar
// one by one, in the order in which they start (the serial schedule generation of R. Kolisch, "Serial and
// parallel resource-constrained project scheduling methods revisited", EJOR 90, 1996, with a choice of
// allocations):
//
//  1. Lists by deadline, by latest start, by work and by release, with the allocation that is worth most for each job
//     in turn, give a first arrangement.
//  2. Moving a job to another place in the list, or to another allocation, improves it until nothing does.
//  3. All lists are searched, depth first, except those that cannot become better: the utility of the placed jobs is
//     too small even if all others reach the most that they could alone.
//
// When the third step ends within the budget, as it does for up to about seven jobs, or for any number that can all be
// in time, the result is exact; else it is the best that was found, never more than Bound less than the best there is.
func (c Cluster) Arrange(ctx context.Context, jobs []Contract) (Arrangement, error) {
	modes, err := c.modes(jobs)
	if err != nil {
		return Arrangement{}, err
	}
	s := &search{c: c, ctx: ctx, jobs: jobs, modes: modes, left: c.Budget, best: math.Inf(-1),
		levels: make([]calendar, len(jobs)+1)}
	if c.Budget == 0 {
		s.left = defaultBudget
	}
	s.levels[0].copyOf(newCalendar(c.Tokens))
	for j := range jobs {
		alone := math.Inf(-1)
		for _, m := range modes[j] {
			alone = max(alone, c.grant(&jobs[j], &s.levels[0], m).Utility)
		}
		s.alone = append(s.alone, alone)
		s.bound += alone
	}
	s.lists()
	s.improve(s.left / 2)
	a := Arrangement{Exact: s.best >= s.bound-tie || s.all(0, 0, s.bound, make([]bool, len(jobs)),
		make([]Grant, len(jobs))), Bound: s.bound}
	if err := ctx.Err(); err != nil {
		return Arrangement{}, err
	}
	a.Grants, a.Utility = s.grants, s.best
	if a.Exact {
		a.Bound = s.best
	}
	for j, g := range a.Grants {
		if g.Late {
			a.GivenUp = append(a.GivenUp, j)
		}
	}
	return a, nil
}

// search is the state of one arrangement.
type search struct {
	c      Cluster
	ctx    context.Context
	jobs   []Contract
	modes  [][]mode
	alone  []float64 // the most that each job can reach
	bound  float64   // their sum
	left   int       // budget
	best   float64
	grants []Grant // of the best
	list   []entry // that gave it; nil when it was found by step 3
	levels []calendar
}

// entry is a place in a list: a job, and its mode or -1 for the one that is worth most there.
type entry struct{ job, mode int }

// serial puts the jobs of a list on the calendar, one by one, and keeps the result if it is better. It fills in modes.
func (s *search) serial(list []entry) bool {
	cal := &s.levels[len(s.jobs)]
	cal.copyOf(&s.levels[0])
	grants := make([]Grant, len(s.jobs))
	sum := 0.0
	for i := range list {
		e := &list[i]
		if e.mode < 0 {
			e.mode = s.choose(e.job, cal)
		}
		s.left--
		g := s.c.grant(&s.jobs[e.job], cal, s.modes[e.job][e.mode])
		cal.take(g.FromS, g.ToS, g.Tokens)
		grants[e.job] = g
		sum += g.Utility
	}
	if !(sum > s.best+tie) {
		return false
	}
	s.best, s.grants, s.list = sum, grants, slices.Clone(list)
	return true
}

// choose returns the mode that is worth most for a job; of equal ones, the one that takes least token-time.
func (s *search) choose(job int, cal *calendar) int {
	best, most, least := 0, math.Inf(-1), math.Inf(1)
	for k, m := range s.modes[job] {
		s.left--
		g, area := s.c.grant(&s.jobs[job], cal, m), float64(m.tokens)*m.forS
		if g.Utility > most+tie || g.Utility > most-tie && area < least {
			best, most, least = k, max(most, g.Utility), area
		}
	}
	return best
}

// lists tries the lists of step 1.
func (s *search) lists() {
	shortest := func(j int) float64 { return s.modes[j][len(s.modes[j])-1].forS }
	for _, key := range []func(j int) float64{
		func(j int) float64 { return s.jobs[j].Utility.Target() },
		func(j int) float64 { return s.jobs[j].Utility.Target() - shortest(j) },
		func(j int) float64 { return float64(s.modes[j][0].tokens) * s.modes[j][0].forS },
		func(j int) float64 { return s.jobs[j].ReleaseS },
	} {
		list := lists.Indexed(len(s.jobs), func(j int) entry { return entry{j, -1} })
		slices.SortStableFunc(list, func(a, b entry) int { return cmp.Compare(key(a.job), key(b.job)) })
		s.serial(list)
	}
}

// improve is step 2: it spends at most so much of the budget.
func (s *search) improve(budget int) {
	until := s.left - budget
	for better := true; better && s.best < s.bound-tie; {
		better = false
		for from := range s.jobs {
			for to := range s.jobs {
				better = s.move(from, to, until) || better
				if s.left < until || s.ctx.Err() != nil {
					return
				}
			}
		}
	}
}

// move moves a job in the list, with the first mode that makes that better, and reports whether there is one.
func (s *search) move(from, to, until int) bool {
	job := s.list[from].job
	others := slices.Delete(slices.Clone(s.list), from, from+1)
	for k := 0; k < len(s.modes[job]) && s.left >= until; k++ {
		if s.serial(slices.Insert(slices.Clone(others), to, entry{job, k})) {
			return true
		}
	}
	return false
}

// all is step 3: it puts every missing job on the calendar next, in every mode, and reports whether the search
// was complete. hope is the utility of the placed jobs plus the utility that the others could reach alone.
func (s *search) all(depth int, last float64, hope float64, there []bool, grants []Grant) bool {
	if depth == len(s.jobs) {
		if hope > s.best+tie {
			s.best, s.grants = hope, slices.Clone(grants)
		}
		return true
	}
	for j := range s.jobs {
		if there[j] {
			continue
		}
		for _, m := range s.modes[j] {
			s.left--
			if s.left < 0 || s.left&1023 == 0 && s.ctx.Err() != nil {
				return false
			}
			g := s.c.grant(&s.jobs[j], &s.levels[depth], m)
			rest := hope - s.alone[j] + g.Utility
			// another list has this one's jobs in the order in which they start
			if g.FromS < last || rest <= s.best+tie {
				continue
			}
			cal := &s.levels[depth+1]
			cal.copyOf(&s.levels[depth])
			cal.take(g.FromS, g.ToS, g.Tokens)
			there[j], grants[j] = true, g
			if !s.all(depth+1, g.FromS, rest, there, grants) {
				return false
			}
			there[j] = false
		}
	}
	return true
}
