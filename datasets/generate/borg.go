package generate

// The traces of Borg cells begin at 600 s. Earlier events have time 0, and later ones 2^63-1.
const (
	traceBegins = 600 * second
	afterTrace  = 1<<63 - 1
	second      = 1_000_000
)

// borgEvent is an event of a job or a task. The traces use different codes: see borgLog.
type borgEvent uint8

const (
	borgSubmit borgEvent = iota
	borgSchedule
	borgEvict
	borgFail
	borgFinish
	borgKill
	borgLost
	borgUpdate // of what runs
)

// borgLog writes the tables of a cell. Each call but progress writes a row, several, or none, as the trace has them.
type borgLog interface {
	// progress is told, before each step, which share of the rows is written.
	progress(share float64)
	job(at int64, j *borgJob, e borgEvent)
	task(at int64, k *borgTask, e borgEvent)
	usage(from, to int64, k *borgTask)
	machine(at int64, m int64, e machineEvent)
}

type machineEvent uint8

const (
	machineAdd machineEvent = iota
	machineRemove
	machineUpdate
)

// borgJob is a job while tasks of it are left.
type borgJob struct {
	id, user, name  int64
	class, priority int64
	of              int64 // tasks
	left            int64 // tasks that have not ended for good
	started, failed bool
	again           bool  // it is submitted once more after it fails
	killed          int64 // when; afterTrace if it is not
	parent, after   int64 // jobs; 0 is none
}

// borgTask is a task that waits or runs.
type borgTask struct {
	job      *borgJob
	index    int64
	machine  int64   // 0 before it was scheduled
	cpu, mem float64 // requests, shares of the largest machine
	at       int64   // of its next event, or of the end of a window of usage
	order    int64   // breaks ties
	what     borgEvent
	since    int64 // start of the window of usage
	ends     int64 // when what happens
	tries    int64
	early    bool // it ran before the trace
}

// sooner orders tasks by their next event.
func sooner(a, b *borgTask) bool { return a.at < b.at || a.at == b.at && a.order < b.order }
