package workload

import "racecard/datasets/result"

// partNumber numbers the parts of the result; each part has required columns.
type partNumber int

const (
	partArrivals partNumber = iota
	partDurations
	partTasks
	partTaskDurations
	partConcurrency
	partFailures
	partCutoff
	numParts
)

var partNeeds = [numParts][]string{
	partArrivals:      {"jobs.submit|jobs.start"},
	partDurations:     {"jobs.submit|jobs.start", "jobs.end"},
	partTasks:         {"stages.tasks|tasks.task"},
	partTaskDurations: {"tasks.duration"},
	partConcurrency:   {"tasks.start|jobs.submit|jobs.start", "tasks.end|jobs.end"},
	partFailures:      {"tasks.status"},
	partCutoff:        {"tasks.duration"},
}

// header returns the header of a part: available if the runs held its columns.
func (p *Partial) header(n partNumber) result.Header {
	h := result.Header{Needs: partNeeds[n], LeftOut: p.parts[n]}
	switch n {
	case partArrivals:
		h.Available = len(p.arrivals) > 0
	case partDurations:
		h.Available = p.completion.N()+p.unsuccessful.N()+p.wait.N() > 0
	case partTasks:
		h.Available = p.tasks.N() > 0
	case partTaskDurations:
		h.Available = p.duration.N()+p.lost.N() > 0
	case partConcurrency:
		h.Available = p.taskLoad.series.n+p.runLoad.series.n > 0
	case partFailures:
		h.Available = p.ended() > 0
	case partCutoff:
		h.Available = len(p.jobs) > 0
	}
	if h.Available {
		return h
	}
	h.LeftOut = nil
	there := map[string]bool{"jobs.end": p.ends > 0, "jobs.submit|jobs.start": len(p.arrivals) > 0}
	for _, need := range h.Needs {
		if !there[need] {
			h.Missing = append(h.Missing, need)
		}
	}
	if len(h.Missing) == 0 { // all columns exist, but never in the same run
		h.Missing = h.Needs
	}
	return h
}
