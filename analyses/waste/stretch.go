package waste

import "racecard/datasets/trace"

// Stretch is a time in which the slots that a run held and used did not change. Held is at least Used.
type Stretch struct {
	From, To   trace.Instant
	Held, Used int64
}

// Stretches calls visit with every stretch of a run, in time order, by the rule of the package: the sum of held slots x
// time is the total of the run's classes, but for attempts with a duration alone, which have no place in time. It
// returns false where no attempt has a known time.
func Stretches(run *trace.Run, visit func(Stretch)) bool {
	s := sweeper{visit: visit}
	_, ok := s.classify(run)
	return ok
}
