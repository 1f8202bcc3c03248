// Package limit bounds the runs that are modelled and simulated.
//
// What that costs grows with the stages of a run, or faster: a run of a million stages would take hours and many
// gigabytes. It is refused, or left out and counted, before the memory is spent. At each limit here a command takes
// less than 1 GB and about a minute of two cores; commands without one take any number of stages.
package limit

import (
	"fmt"

	"racecard/datasets/words"
)

// The most stages of a run.
const (
	Profile = 20_000 // that a profile is fitted to: 15 kB of memory a stage
	Table   = 3_000  // of which remaining times are simulated, thousands of times
	// that schedulers run side by side: their time grows with the square of the stages that are ready at once.
	Replay = 10_000
	WhatIf = 200_000 // that is simulated once for each number of tokens
)

// Jobs is how many jobs schedulers replay: 4 kB of memory each, or more. Of a trace of more, simulations that draw
// their jobs draw them from Pool.
const (
	Jobs = 200_000
	Pool = 50_000
)

// Bags is how many bags of tasks distributed schedulers run, if a bag is a run, and StageBags if it is a stage. A run
// of three tasks takes 0.7 kB; a stage that waits, with twenty probes in queues, takes 4 kB, as two schedulers run at a
// time.
const (
	Bags      = 1_000_000
	StageBags = 200_000
)

// Looks is how many entries of queues workers look at in one simulation, where they choose among all that wait: a
// minute's work. A hundred thousand tasks in one queue come to nearly as many.
const Looks = 6_000_000_000

// Models is how many jobs models are made of at once, Runs of how many runs of them: 25 kB of memory each, or 1 kB.
const (
	Models = 30_000
	Runs   = 500_000
)

// Error says that something is larger than a limit.
type Error struct {
	Of        string // what is too large, such as run "a"
	Has, Most int64
	What      string // that it has too many of
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
