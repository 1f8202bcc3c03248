package sim

import (
	"errors"
	"fmt"
)

// Step sets the number of tokens to Tokens at the instant At and after it.
type Step struct {
	At     int64
	Tokens int32
}

// Options says on what a plan runs. A Runner only reads it.
type Options struct {
	// Allocation holds the guaranteed tokens over time: ascending instants, the first 0. It grows at once, and shrinks
	// as attempts end unless Evict is set.
	Allocation []Step
	// Control, unless nil, is asked for the guaranteed tokens every Period microseconds, first at Period. Its
	// argument is valid during the call.
	Control func(now int64, p Progress) int32
	Period  int64
	// Evict ends attempts at once when the allocation shrinks, highest slots first; their tasks are queued again.
	Evict bool
	// Spare, unless nil, adds tokens that come and go to the guaranteed ones.
	Spare *Spare
	// StageOrder starts ready tasks by stage, then by index, as Spark's first-in-first-out scheduler does within a
	// job. Otherwise tasks start in the order in which they became ready.
	StageOrder bool
	// Machine is the number of slots of one machine, on which the first attempt of a stage may take longer
	// (Stage.First): machine m has slots [m·Machine, (m+1)·Machine). 0 is 1.
	Machine int32
	// Loss, unless nil, is how machines are lost.
	Loss *Loss
	// Slow, unless nil, is how slow machines are.
	Slow *Slow
	// Speculate, unless nil, is when slow attempts are copied.
	Speculate *Speculation
	// Scale multiplies run times (not latencies, nor what the driver takes): input scale. 0 and 1 are none.
	Scale float64
	// Inflation multiplies run times by a factor for the guaranteed tokens at the start of an attempt, as tasks that
	// share machines slow each other down. The i-th factor is for i+1 tokens, and the last for more. Empty is none.
	Inflation []float64
	// Antithetic takes 1 - u for every uniform number u: long draws of a run are short in the antithetic run of the
	// same random number.
	Antithetic bool
	// Observe, unless nil, is told of all that happens to attempts.
	Observe func(Event, Progress)
	// Done, unless nil, is told of every change of the number of distinct tasks of a stage that are done: all that
	// progress is made of. It costs a fraction of what Observe does.
	Done func(now int64, stage, done int32)
}

// Spare tokens are lent: an attempt takes one if all guaranteed ones are held. When their number falls, attempts
// in excess move to free guaranteed tokens; the rest are evicted, highest slots first, and queued again.
type Spare struct {
	Steps    []Step    // spare tokens over time: ascending instants, the first 0
	Between  Dist      // time from the last step to a change, and from one change to the next; the zero Dist: none come
	Tokens   []int32   // their number after a change, drawn alike
	Slowdown []float64 // factors on run times on spare tokens, drawn alike, each above 0; empty is 1
}

// Loss describes when machines are lost, with all attempts that run on them and the outputs of tasks that ended
// there, if a stage with tasks still to start reads them. Attempts that have started have read their input and
// go on, but are not copied if it is lost.
type Loss struct {
	Between Dist  // time from one loss to the next
	Tokens  int32 // slots of one machine: machine m has slots [m·Tokens, (m+1)·Tokens)
}

// Slow says how slow machines are, for as long as the run takes.
type Slow struct {
	Tokens  int32     // slots of one machine, as of Loss
	Factors []float64 // on run times on each machine, each above 0; after the last comes the first again
}

// Speculation describes when a task gets a second attempt: when a token is free, no task is ready, and its
// attempt has run for longer than Multiple times the median run time of its stage (of the plan's distribution,
// at the input scale), without latency. The attempt that became late first comes first; a task has at most two
// attempts at once. The first to end wins and the other is killed. An attempt that fails, is lost or evicted
// leaves its task to the other.
type Speculation struct {
	Multiple float64 // at least 0; Spark's default is 1.5
}

// Kind is the kind of an attempt's event.
type Kind uint8

// What may happen to an attempt, or to the output of one.
const (
	Started    Kind = iota
	Completed       // its task is done
	Failed          // by itself
	Evicted         // there are fewer tokens
	Lost            // its machine was lost, or several attempts were
	OutputLost      // a done task must be computed again
	Killed          // the other attempt of its task was faster
)

// Event is one thing that happened to a task, numbered within its stage.
type Event struct {
	Now         int64
	Kind        Kind
	Spare, Copy bool // the attempt began on a spare token, or beside another one of its task
	Stage, Task int32
	Slot        int32
}

// Progress is the state of a run. Done is the number of distinct tasks done of every stage; it is the Runner's own and
// must not be modified or kept.
type Progress struct {
	Done            []int32
	Running, Tokens int32 // attempts, on guaranteed and on spare tokens; guaranteed tokens
	Spare           int32 // spare tokens
}

// Result is the outcome of one run. The number of attempts is the sum of tasks, lost outputs, failures,
// evictions, losses and kills.
type Result struct {
	End                         int64 // microseconds from the start of the job
	TokenTime                   int64 // microseconds of tokens held, of every attempt
	SpareTime                   int64 // of these, by attempts that began on spare tokens
	Attempts                    int64
	Failures, Evictions, Losses int64 // attempts that ended so
	// attempts that began as a copy of a running one; attempts that were slower than the other
	Copies, Killed int64
	OutputsLost    int64 // done tasks computed again
	PeakRunning    int32
}

// ErrStarved says that tasks are left and no token will ever come.
var ErrStarved = errors.New("simulation: tasks are left, but there are no tokens for good")

func (o *Options) validate() error {
	if err := ascending("allocation", o.Allocation); err != nil {
		return err
	}
	if o.Control != nil && o.Period < 1 {
		return fmt.Errorf("simulation: control period of %d µs; want at least 1", o.Period)
	}
	if !(o.Scale >= 0 && o.Scale <= 1e6) {
		return fmt.Errorf("simulation: input scale %v; want 0 to 1e6", o.Scale)
	}
	for i, x := range o.Inflation {
		if !(x > 0 && x <= 1e6) {
			return fmt.Errorf("simulation: run times on %d tokens times %v; want above 0, at most 1e6", i+1, x)
		}
	}
	if o.Machine < 0 {
		return fmt.Errorf("simulation: machines of %d slots; want at least 1, or 0 for 1", o.Machine)
	}
	if l := o.Loss; l != nil && (l.Tokens < 1 || l.Between.none() || l.Between.least < 1) {
		return fmt.Errorf("simulation: machine loss: want tokens of a machine and times between losses of at least 1")
	}
	if s := o.Slow; s != nil {
		if s.Tokens < 1 || len(s.Factors) == 0 {
			return fmt.Errorf("simulation: slow machines: want tokens of a machine of at least 1, and factors")
		}
		for _, x := range s.Factors {
			if !(x > 0 && x <= 1e6) {
				return fmt.Errorf("simulation: machine slower by a factor of %v; want above 0, at most 1e6", x)
			}
		}
	}
	if s := o.Speculate; s != nil && !(s.Multiple >= 0) {
		return fmt.Errorf("simulation: attempts late after %v medians; want at least 0", s.Multiple)
	}
	if o.Spare != nil {
		return o.Spare.validate()
	}
	return nil
}

func (s *Spare) validate() error {
	if err := ascending("spare tokens", s.Steps); err != nil {
		return err
	}
	if !s.Between.none() && (s.Between.least < 1 || len(s.Tokens) == 0) {
		return fmt.Errorf("simulation: spare tokens: want numbers to change to, and times between changes of at least 1")
	}
	for _, n := range s.Tokens {
		if n < 0 {
			return fmt.Errorf("simulation: %d spare tokens; want at least 0", n)
		}
	}
	for _, x := range s.Slowdown {
		if !(x > 0 && x <= 1e6) {
			return fmt.Errorf("simulation: slowdown of %v on spare tokens; want above 0, at most 1e6", x)
		}
	}
	return nil
}

func ascending(what string, steps []Step) error {
	if len(steps) == 0 || steps[0].At != 0 {
		return fmt.Errorf("simulation: %s: want a first step at instant 0", what)
	}
	for i, s := range steps {
		if s.Tokens < 0 || i > 0 && s.At <= steps[i-1].At || s.At > MaxDuration {
			return fmt.Errorf("simulation: %s: step %d: %d tokens at %d µs; want at least 0, at ascending instants",
				what, i, s.Tokens, s.At)
		}
	}
	return nil
}
