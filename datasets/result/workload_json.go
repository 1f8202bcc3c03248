package result

import "encoding/json"

// part writes a part of a document: its header alone when it is not available.
func part(h *Header, whole any) ([]byte, error) {
	if !h.Available {
		return json.Marshal(h)
	}
	return json.Marshal(whole)
}

// MarshalJSON writes the header alone when the part is not available.
func (a *Arrivals) MarshalJSON() ([]byte, error) {
	type whole Arrivals
	return part(&a.Header, (*whole)(a))
}

// MarshalJSON writes the header alone when the part is not available.
func (d *Durations) MarshalJSON() ([]byte, error) {
	type whole Durations
	return part(&d.Header, (*whole)(d))
}

// MarshalJSON writes the header alone when the part is not available.
func (j *TasksPerJob) MarshalJSON() ([]byte, error) {
	type whole TasksPerJob
	return part(&j.Header, (*whole)(j))
}

// MarshalJSON writes the header alone when the part is not available.
func (d *TaskDurations) MarshalJSON() ([]byte, error) {
	type whole TaskDurations
	return part(&d.Header, (*whole)(d))
}

// MarshalJSON writes the header alone when the part is not available.
func (c *Concurrency) MarshalJSON() ([]byte, error) {
	type whole Concurrency
	return part(&c.Header, (*whole)(c))
}

// MarshalJSON writes the header alone when the part is not available.
func (f *Failures) MarshalJSON() ([]byte, error) {
	type whole Failures
	return part(&f.Header, (*whole)(f))
}

// MarshalJSON writes the header alone when the part is not available.
func (c *Cutoff) MarshalJSON() ([]byte, error) {
	type whole Cutoff
	return part(&c.Header, (*whole)(c))
}
