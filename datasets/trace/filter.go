package trace

import (
	"slices"
	"time"
)

// Filter selects runs. A nil filter selects all of them; the zero value is not useful, start from [NewFilter].
type Filter struct {
	// Since and Until bound the instant at which a run was submitted, or started where that is unknown: Since is
	// included, Until is not. [None] is no bound. With a bound, a run without either instant is not selected.
	Since, Until Instant
	// Jobs, Users and Groups select runs that have one of them; an empty list selects all. A job is given by its name
	// ([Run.JobName]) or by the name of a run as read.
	Jobs, Users, Groups []string
	// Zone is the time zone of clock times; nil is UTC. It selects nothing.
	Zone *time.Location
}

// NewFilter returns the filter that selects all runs.
func NewFilter() Filter { return Filter{Since: None, Until: None} }

// IsAll reports whether the filter selects all runs.
func (f *Filter) IsAll() bool {
	return f == nil || !f.Since.Known() && !f.Until.Known() && len(f.Jobs) == 0 && len(f.Users) == 0 &&
		len(f.Groups) == 0
}

// Location returns the time zone of clock times.
func (f *Filter) Location() *time.Location {
	if f == nil || f.Zone == nil {
		return time.UTC
	}
	return f.Zone
}

// Match reports whether the filter selects a run.
func (f *Filter) Match(run *Run) bool {
	return f.IsAll() || f.InPeriod(run.Submit, run.Start) && f.HasJob(run.JobName(false), run.Name) &&
		f.HasUser(run.User) && f.HasGroup(run.Group)
}

// InPeriod reports whether a run that was submitted and started then is between the bounds.
func (f *Filter) InPeriod(submit, start Instant) bool {
	at := submit
	if !at.Known() {
		at = start
	}
	if !at.Known() {
		return !f.Since.Known() && !f.Until.Known()
	}
	return (!f.Since.Known() || at >= f.Since) && (!f.Until.Known() || at < f.Until)
}

// HasJob reports whether runs of a job, of a name as read, are selected.
func (f *Filter) HasJob(job, name string) bool {
	return len(f.Jobs) == 0 || slices.Contains(f.Jobs, job) || slices.Contains(f.Jobs, name)
}

// HasUser reports whether runs of a user are selected.
func (f *Filter) HasUser(user string) bool {
	return len(f.Users) == 0 || slices.Contains(f.Users, user)
}

// HasGroup reports whether runs of a group are selected.
func (f *Filter) HasGroup(group string) bool {
	return len(f.Groups) == 0 || slices.Contains(f.Groups, group)
}
