package carbyne

import "racecard/models/machines/replay"

// AtOnce returns how many plans were made at once.
func (c *Scheduler) AtOnce() int { return len(c.drafters) }

// Startable returns with how many stages a job is among the due ones, and how many are startable. It reports false if
// the scheduler is to look for them before it asks again.
func (c *Scheduler) Startable(s *replay.State, j *replay.Job) (kept, want int, current bool) {
	if int(j.Index) >= len(c.jobs) || c.jobs[j.Index] == nil || !c.current(j, c.jobs[j.Index]) {
		return 0, 0, false
	}
	return c.jobs[j.Index].startable, len(c.startable(s, j)), true
}
