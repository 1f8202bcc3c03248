package carbyne

// AtOnce returns how many plans were made at once.
func (c *Scheduler) AtOnce() int { return len(c.drafters) }
