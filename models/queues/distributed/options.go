package distributed

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"racecard/datasets/gcd"
	"racecard/datasets/lists"
)

// Options describe the cluster and the settings of its schedulers. The zero value is invalid: begin with
// [DefaultOptions].
type Options struct {
	Workers int // at least 1
	Slots   int // of each worker, which runs so many tasks at a time from one queue; 1 to 64
	// Capacity, if set, replaces Slots for workers that differ: worker w has Capacity[w % len(Capacity)] slots.
	Capacity []int
	Cutoff   int64 // a job is long for the scheduler if the estimate of its tasks is above this
	// ReportCutoff is the cutoff for long jobs in results, by their true mean; below 0 it is Cutoff.
	ReportCutoff int64
	// General is the share, in percent, of the workers that may run tasks of long jobs: those with the highest numbers.
	// The other ones, (100 - General)% rounded down, are for short jobs alone.
	General float64
	// Delay is how long a message takes from scheduler to worker or back.
	Delay int64
	// ProbeRatio is the number of probes that a short job sends per task, rounded up.
	ProbeRatio float64
	// MinProbes is the least number of probes of a short job under Eagle; Sparrow and Hawk send at least 2.
	MinProbes int
	// Rounds is the number of rounds of probes under Eagle, before rejected ones go to workers for short jobs alone.
	Rounds int
	// Bypass bounds the work that may pass a waiting task, as a multiple of the task's estimate; 0 lets none pass.
	Bypass float64
	// KnownClasses tells schedulers whether a job is long by its true mean, even if its estimate is wrong. Following
	// EPFL, it is always so.
	KnownClasses bool
	// Steals is how many workers an idle worker of Hawk asks for work.
	Steals int
	// Heartbeat is the period at which distributed schedulers learn the workers' load (dlwl, yaq-d, mercury).
	Heartbeat int64
	// SampleEvery is how often the busy workers are counted.
	SampleEvery int64
	// MostLooks bounds the queue entries that workers inspect before the simulation ends with an error; 0 is
	// [limit.Looks].
	MostLooks int64
	Seed      uint64
	// EPFL follows the simulator that was published with Eagle where it decides otherwise than the paper: see the
	// package comment. The workload must be the result of [Workload.EPFL].
	EPFL bool
	// Estimates sets the error of estimates.
	Estimates Misestimation
	// Detail keeps the causes of every job's delay ([Outcome.Jobs]).
	Detail bool
	// Observe, if set, receives all events.
	Observe Observer
}

// Misestimation scales the estimates given to schedulers. A job is scheduled by the class of its estimate,
// unless Options.KnownClasses is set, and reported by its true class.
type Misestimation struct {
	// Low and High bound the factor of a job, drawn uniformly; both 1 are exact estimates, both 2 double all of them.
	Low, High float64
}

// DefaultOptions returns the settings of the Eagle paper for a number of workers; the class limits of its Yahoo trace.
func DefaultOptions(workers int) Options {
	return Options{Workers: workers, Slots: 1, Cutoff: 90_581_100, ReportCutoff: -1, General: 98, Delay: 500,
		ProbeRatio: 2, MinProbes: 20, Rounds: 2, Bypass: 5,
		Steals: 10, Heartbeat: 8 * Second, SampleEvery: 5 * Second, Seed: 1, Estimates: Misestimation{1, 1}}
}

// maxWorkers bounds the workers: their numbers and times share 64 bits.
const maxWorkers = 1 << 20

// maxSlots bounds the slots of a worker.
const maxSlots = 64

// Validate returns an error that describes the first fault of the options, or nil.
func (o *Options) Validate() error {
	if o.EPFL && (o.Slots != 1 || len(o.Capacity) > 0) {
		return errors.New("several slots per worker: the simulator that is to be followed has 1")
	}
	if o.Workers < 1 || o.Workers > maxWorkers {
		return fmt.Errorf("%d workers: want 1 to %d", o.Workers, maxWorkers)
	}
	if err := o.validSlots(); err != nil {
		return err
	}
	switch {
	case o.Cutoff < 0:
		return errors.New("the cutoff between short and long jobs is below 0")
	case !(o.General > 0 && o.General <= 100):
		return fmt.Errorf("a general partition of %g%%: want more than 0 and at most 100", o.General)
	case o.Delay < 0 || o.Delay > 3600*Second:
		return fmt.Errorf("a network delay of %d microseconds: want 0 to an hour", o.Delay)
	case !(o.ProbeRatio >= 1 && o.ProbeRatio <= 1000):
		return fmt.Errorf("%g probes per task: want 1 to 1000", o.ProbeRatio)
	case o.MinProbes < 1 || o.MinProbes > 1_000_000:
		return fmt.Errorf("at least %d probes: want 1 to 1000000", o.MinProbes)
	case o.Rounds < 1 || o.Rounds > 100:
		return fmt.Errorf("%d rounds of probes: want 1 to 100", o.Rounds)
	case o.EPFL && o.Rounds != 2:
		return fmt.Errorf("%d rounds of probes: the simulator that is to be followed has 2", o.Rounds)
	case !(o.Bypass >= 0) || math.IsInf(o.Bypass, 1):
		return fmt.Errorf("a bypass limit of %g estimates: want at least 0", o.Bypass)
	case o.Steals < 0:
		return fmt.Errorf("%d workers to steal from: want at least 0", o.Steals)
	case o.Heartbeat < 0:
		return errors.New("heartbeats less than 0 apart")
	case o.SampleEvery < 1:
		return errors.New("busy workers are counted at most once per microsecond")
	case !(o.Estimates.Low >= 0 && o.Estimates.High >= o.Estimates.Low) || o.Estimates.High > 1e6:
		return fmt.Errorf("estimates off by factors from %g to %g: want 0 <= low <= high <= 1e6", o.Estimates.Low,
			o.Estimates.High)
	}
	return nil
}

// maxScale bounds the least common multiple of the slots of different workers, in which waits are counted.
const maxScale = 960

// validSlots returns an error that describes the fault of the workers' slots, or nil.
func (o *Options) validSlots() error {
	if len(o.Capacity) == 0 {
		if o.Slots < 1 || o.Slots > maxSlots || o.Workers*o.Slots > maxWorkers {
			return fmt.Errorf("%d slots on each of %d workers: want 1 to %d, and at most %d in all", o.Slots, o.Workers,
				maxSlots, maxWorkers)
		}
		return nil
	}
	for _, n := range o.Capacity {
		if n < 1 || n > maxSlots {
			return fmt.Errorf("a worker with %d slots: want 1 to %d; of machines with more cores, slots may have "+
				"several", n, maxSlots)
		}
		if o.scale() > maxScale {
			return fmt.Errorf("workers have slots whose least common multiple is more than %d: want fewer kinds of "+
				"workers; of machines, slots may have several cores", maxScale)
		}
	}
	if n := o.SlotsInAll(); n > maxWorkers {
		return fmt.Errorf("%d slots on %d workers: want at most %d", n, o.Workers, maxWorkers)
	}
	return nil
}

// SlotsOf returns the slots of a worker.
func (o *Options) SlotsOf(w int) int {
	if len(o.Capacity) == 0 {
		return o.Slots
	}
	return o.Capacity[w%len(o.Capacity)]
}

// SlotsInAll returns the slots of all workers.
func (o *Options) SlotsInAll() int {
	if len(o.Capacity) == 0 {
		return o.Workers * o.Slots
	}
	all := 0
	for w := range o.Workers {
		all += o.SlotsOf(w)
	}
	return all
}

// MeanSlots returns the mean number of slots of a worker, over one round of Capacity, so that it does not depend on the
// number of workers.
func (o *Options) MeanSlots() float64 {
	if len(o.Capacity) == 0 {
		return float64(o.Slots)
	}
	return float64(lists.Sum(o.Capacity)) / float64(len(o.Capacity))
}

// MostSlots returns the slots of the workers that have most.
func (o *Options) MostSlots() int {
	if len(o.Capacity) == 0 {
		return o.Slots
	}
	return slices.Max(o.Capacity)
}

// LeastSlots returns the slots of the workers that have least.
func (o *Options) LeastSlots() int {
	if len(o.Capacity) == 0 {
		return o.Slots
	}
	return slices.Min(o.Capacity)
}

// scale is the least common multiple of the slots of workers: waits (work divided by slots) times scale are whole
// numbers. The computation stops above maxScale.
func (o *Options) scale() int {
	if len(o.Capacity) == 0 {
		return o.Slots
	}
	all := 1
	for _, n := range o.Capacity {
		if all = all / int(gcd.Of(uint64(all), int64(n))) * n; all > maxScale {
			break
		}
	}
	return all
}

// Reported returns the limit between short and long jobs in results.
func (o *Options) Reported() int64 {
	if o.ReportCutoff < 0 {
		return o.Cutoff
	}
	return o.ReportCutoff
}

// ShortOnly returns how many workers are for short jobs alone; they have the lowest numbers.
func (o *Options) ShortOnly() int {
	return min(o.Workers-1, int(math.Floor((100-o.General)*float64(o.Workers)/100)))
}

// firstBeat returns the time of the first heartbeat since the first submission: 0, or, following EPFL, such that
// heartbeats are at multiples of the period from instant 0.
func (o *Options) firstBeat(submit int64) int64 {
	if !o.EPFL {
		return 0
	}
	return (o.Heartbeat - submit%o.Heartbeat) % o.Heartbeat
}
