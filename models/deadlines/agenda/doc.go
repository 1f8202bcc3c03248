// Package agenda estimates whether scheduled jobs that depend on each other and share tokens meet their deadlines.
//
// A day is simulated many times. Each time the length of every job's run is drawn from its forecast ([Next]), and the
// job takes the tasks, driver times and submission of a past run of about that length. It is submitted at that run's
// time of the day, or when the last of the jobs that it waits for has ended, if that is later. A task holds a token for
// its latency and as long as all of its attempts took; it starts when the stages before it have ended and the driver
// has handed it out. A token that becomes free goes to the job with waiting tasks that has the fewest running, so that
// tokens are shared evenly; no job has more at once than it usually holds. A run that is one program, or whose stages
// are not known, takes all of its tokens at once: if it has the fewest, those that become free are kept for it until
// they are enough, and meanwhile lent to tasks that do not delay it (EASY backfilling). Nothing is preempted.
//
// Runs may last into the next day. Then the days before and after each are simulated with it, up to [MostAround] of
// either, with the jobs that run every day: their runs hold tokens, and answers are about the day in the middle.
package agenda

// Run is a past run of a job in the form in which it is repeated. Times are in microseconds.
type Run struct {
	Submit   float64 // in seconds of the time of the trace; NaN where that is not known
	At       int64   // submission, from midnight
	Tokens   int     // that it holds at most; at least 1
	PerToken float64 // cores of a token; NaN where the trace does not state them
	Stated   bool    // the trace states its tokens
	StartUp  int64   // from its submission to that of its first stages
	WindDown int64   // from the end of the last task to its own
	Stages   []Stage
	Shared   bool // a stage with only a time of its own: its tasks share that time on the run's tokens
	Single   bool // a stage with only a time of its own, in a run of unknown tokens: it is one task
	Unknown  bool // how many tokens it held: Tokens are the most tasks that can run at once
	Together bool // a task takes all tokens of the run at once
}

// Stage is a stage of a run.
type Stage struct {
	Parents []int32 // below its own index
	Delay   int64   // of the driver, once the parents have ended
	Tasks   []int64 // how long each lasts, from when it has a token: its latency and all of its attempts
}

// Job is a job of the day. [NewJob] makes one whose next run is predicted; without it past runs are repeated as they
// were.
type Job struct {
	Name  string
	Runs  []Run // past ones, the newest first
	After []int // jobs that must have ended
	// Off is the days, from the planned one, on which a job that else runs every day does not: -1 is the day before.
	Off []int
	// Several: the day has another Job for each other run of the same job.
	Several bool
	next    spread
}

// NewJob returns a job of past runs, the newest first; at least one.
func NewJob(name string, runs []Run, next Next) Job {
	return Job{Name: name, Runs: runs, next: spreadOf(runs, next)}
}
