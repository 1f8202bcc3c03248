// Package policy holds schedulers for replays, and their building blocks: the share of a job ([Shares]), the order of a
// job's tasks ([Order]), and the order of jobs ([List], [DRF], [Capacity], [Tetris]).
//
// # Adding a scheduler
//
// A scheduler is a value with a method Schedule, which starts tasks. The simplest ones are a key by which a [List]
// serves jobs; this one favours the job that holds the least memory:
//
//	func Frugal() *List {
//		return &List{Order: BreadthFirst, Key: func(_ *replay.State, j *replay.Job) float64 {
//			return float64(j.Held[trace.Mem])
//		}}
//	}
//
// Any other policy decides in Schedule. It reads the events of this instant (s.Changed, s.Ended, s.Freed) and
// starts stages in [replay.Job].Ready, on a machine with room:
//
//	func (p *Pairs) Schedule(s *replay.State) {
//		for _, j := range s.Changed { // only these can have new tasks; others wait for room
//			for len(j.Ready) > 0 && s.Place(j, j.Ready[0], false) {
//			}
//		}
//	}
//
// [Update], [Serve], [Rekey] and [Settle] keep jobs in a queue that finds jobs with a task that may start, without
// visiting most of the others ([Waiting]). Then list it in models/machines/compare, under a name, and run, with package
// replaytest,
//
//	func TestMine(t *testing.T) { replaytest.Check(t, func() replay.Scheduler { return Mine() }, true) }
//
// The checker compares it with schedules computed by hand. It checks that no machine is over capacity, no task
// starts before its parents end, and, for a policy that claims so, that no task waits although it fits.
package policy
