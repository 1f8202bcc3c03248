package borg

import (
	"cmp"
	"math"
	"slices"
)

// state is where a job or a task is in its life.
type state uint8

const (
	fresh   state = iota // nothing is known yet
	pending              // submitted, and waits
	running
	dead
)

func (s state) after(e Event) state {
	switch _, ends := e.status(); {
	case ends:
		return dead
	case e == Submit || e == Queue || e == Enable:
		return pending
	case e == Schedule:
		return running
	case s == dead: // nothing to update
		return s
	case e == UpdateRunning:
		return running
	case s == fresh:
		return pending
	default:
		return s
	}
}

// maxTies bounds how many events of one time are put into the likeliest order; more stay as they are numbered.
const maxTies = 64

// arrange puts the events of each task together, in the order of their times, whatever order they are in. Events of one
// time, which exports hold in any order, come in the order that the life of a task makes likeliest. An event that
// occurs twice is one: a counted repair. The result lies in the slice that was given.
func (j *Job) arrange(events []Happening) []Happening {
	slices.SortFunc(events, func(x, y Happening) int {
		return cmp.Or(cmp.Compare(x.Task, y.Task), cmp.Compare(x.Time, y.Time), cmp.Compare(x.Event, y.Event),
			cmp.Compare(x.Machine, y.Machine), cmp.Compare(x.CPU, y.CPU), cmp.Compare(x.Mem, y.Mem))
	})
	events = j.distinct(events)
	s := fresh
	for from := 0; from < len(events); {
		if from > 0 && events[from].Task != events[from-1].Task {
			s = fresh
		}
		to := from + 1
		for to < len(events) && events[to].Task == events[from].Task && events[to].Time == events[from].Time {
			to++
		}
		for at := from; at < to; at++ {
			if to-from <= maxTies {
				s.first(events[at:to])
			}
			s = s.after(events[at].Event)
		}
		from = to
	}
	return events
}

// distinct joins rows of one event: exports that were joined with usage hold it once per window. What one row leaves
// out is taken from another.
func (j *Job) distinct(events []Happening) []Happening {
	kept := events[:min(1, len(events))]
	for i := 1; i < len(events); i++ {
		h, last := &events[i], &kept[len(kept)-1]
		if h.Task != last.Task || h.Time != last.Time || h.Event != last.Event {
			kept = append(kept, *h)
			continue
		}
		j.tally.Repair(RepairTwice)
		if last.Machine == "" {
			last.Machine = h.Machine
		}
		if math.IsNaN(last.CPU) {
			last.CPU = h.CPU
		}
		if math.IsNaN(last.Mem) {
			last.Mem = h.Mem
		}
	}
	return kept
}

// first moves the likeliest next of events of one time to their front.
func (s state) first(events []Happening) {
	if len(events) < 2 {
		return
	}
	ends, schedules := false, false
	for i := range events {
		_, end := events[i].Event.status()
		ends = ends || end
		schedules = schedules || events[i].Event == Schedule
	}
	best, least := 0, s.rank(&events[0], ends, schedules)
	for i := range events {
		if r := s.rank(&events[i], ends, schedules); r < least {
			best, least = i, r
		}
	}
	h := events[best]
	copy(events[1:best+1], events[:best])
	events[0] = h
}

// rankLast is the rank of events that would be out of place.
const rankLast = 9

// course numbers the events as they follow each other in a life.
func course(e Event) int {
	switch e {
	case Submit, Queue, Enable:
		return 1 + int(e)
	case UpdatePending:
		return 4
	case Schedule:
		return 5
	case UpdateRunning:
		return 6
	default:
		return 7
	}
}

// rank orders events of equal time by the life cycle. It depends on whether ends and schedules are among them.
func (s state) rank(h *Happening, ends, schedules bool) int {
	_, end := h.Event.status()
	switch {
	case s == running && end:
		return 1
	case s == running && h.Event != UpdateRunning:
		return course(h.Event) + 1
	case s == running:
		return 0
	case s == pending && h.Event == Submit && ends: // submitted again, after that end
		return rankLast
	case s == dead && end:
		return rankLast
	// of what began before the first event known
	case s == fresh && end && !schedules && (h.Machine != "" || h.Event == Evict):
		return 0
	default:
		return course(h.Event)
	}
}
