// Package agenda estimates whether scheduled jobs that depend on each other and share cores meet their deadlines.
//
// A day is simulated many times. Each time every job takes the tasks, driver times and submission of one of its past
// runs, drawn at random, so that days vary as past runs did: a little more, as the next run differs from the mean of n
// more than they do, and at the level of the newest runs where a job has changed or grows. It is submitted at that
// run's time of the day, or when the last of the jobs that it waits for has ended, if that is later. A task is a core
// for as long as all of its attempts took; it starts when the stages before it have ended and the driver has handed it
// out. A core that becomes free goes to the job with waiting tasks that has the fewest running, so that cores are
// shared evenly; no job has more at once than its past run held. Nothing is preempted.
package agenda

// Run is a past run of a job in the form in which it is repeated. Times are in microseconds.
type Run struct {
	At       int64 // submission, from midnight
	Cores    int   // that it holds at most; at least 1
	StartUp  int64 // from its submission to that of its first stages
	WindDown int64 // from the end of the last task to its own
	Stages   []Stage
	Shared   bool // a stage with only a time of its own: its tasks share that time on the run's cores
	Single   bool // a stage with only a time of its own, in a run of unknown cores: it is one task
}

// Stage is a stage of a run.
type Stage struct {
	Parents []int32 // below its own index
	Delay   int64   // of the driver, once the parents have ended
	Tasks   []int64 // how long each lasts
}

// Job is a job of the day.
type Job struct {
	Name  string
	Runs  []Run // past ones, the newest first: at least one
	After []int // jobs that must have ended
}
