// Package limit bounds the runs that are modelled and simulated.
//
// The cost of a model or a simulation grows at least linearly with the stages of a run: a run of a million stages would
// take hours and many gigabytes. Such a run is refused, or left out and counted, before the memory is spent. At each
// limit here a command takes less than 1 GB and about a minute of two cores; commands without one take any number of
// stages.
package limit

import (
	"fmt"

	"racecard/datasets/words"
)

// The most stages of a run.
const (
	Profile = 20_000 // that a profile is fitted to: 15 kB of memory a stage
	Table   = 3_000  // of which remaining times are simulated, thousands of times
	// of runs that schedulers replay at the same time: their time grows with the square of the stages that are ready at
	// once.
	Replay = 10_000
	WhatIf = 200_000 // that is simulated once for each number of tokens
)

// Jobs bounds the jobs that schedulers replay, with 4 kB of memory each, or more. From a larger trace, simulations that
// draw their jobs draw them from Pool jobs.
const (
	Jobs = 200_000
	Pool = 50_000
)

// Bags bounds the bags of tasks that distributed schedulers run, if a bag is a run, and StageBags if it is a stage. A
// run of three tasks takes 0.7 kB; a stage that waits, with twenty probes in queues, takes 4 kB, as two schedulers run
// at a time.
const (
	Bags      = 1_000_000
	StageBags = 200_000
)

// Looks bounds the queue entries that workers inspect in one simulation, for policies that choose among all waiting
// tasks: a minute's work. A hundred thousand tasks in one queue need nearly as many.
const Looks = 6_000_000_000

// Models bounds the jobs that are modelled at once, Runs the runs of one of them, and Predicted the runs of all jobs
// that a backtest keeps, with 12 kB of memory each.
const (
	Models    = 30_000
	Runs      = 500_000
	Predicted = 80_000
)

// Error says that something is larger than a limit.
type Error struct {
	Of        string // what is too large, such as run "a"
	Has, Most int64
	What      string // the things that it has too many of, such as stages
	Instead   string // what helps
}

// Error names the excess, the limit and the remedy.
func (e *Error) Error() string {
	return fmt.Sprintf("%s has %s %s; at most %s can be taken: %s", e.Of, words.Count(e.Has), e.What,
		words.Count(e.Most), e.Instead)
}

// Stages returns an [*Error] if a run or a model has more stages than most; instead is the remedy.
func Stages(of string, has, most int, instead string) error {
	if has <= most {
		return nil
	}
	return &Error{Of: of, Has: int64(has), Most: int64(most), What: "stages", Instead: instead}
}
