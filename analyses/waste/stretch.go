package waste

import "racecard/datasets/trace"

// Stretch is a period in which the held and used slots of a run did not change. Held is at least Used.
type Stretch struct {
	From, To   trace.Instant
	Held, Used int64
}

// Stretches calls visit with every stretch of a run, in time order. By the rule of the package, the sum of held slots x
// time is the total of the run's classes, without attempts that have a duration only and no place in time. It returns
// false if no attempt has a known time.
func Stretches(run *trace.Run, visit func(Stretch)) bool {
	s := sweeper{visit: visit}
	_, ok := s.classify(run)
	return ok
}
