package waste

import "racecard/datasets/trace"

// Stretch is a period in which the held and used slots of a run did not change. Held is at least Used.
type Stretch struct {
	From, To   trace.Instant
	Held, Used int64
}
