package distributed

// Observer receives all events, in order of time. Times are since the first submission; jobs are by their place in the
// workload.
type Observer interface {
	Queued(Event)       // a probe (Task is -1), or a task, is in the queue of a worker
	Moved(Event, int32) // a probe left the queue of another worker for the end of this one's
	Started(Event)      // a worker begins with a task; where it asked for it, it runs two delays later
	Ended(Event)        // a task has ended; Task is 0

}

// Event is something that happens at a worker.
type Event struct {
	At          int64
	Worker, Job int32
	Task        int32
}
