package trace

// RunColumns holds the times and statuses of runs, column by column, for analyses of many runs that need nothing
// else. All columns but Texts and JobTexts have one entry per run, in the order of the table.
type RunColumns struct {
	IDs      []string
	Texts    []string // names, not necessarily distinct
	Names    []int32  // which of Texts is the name of a run; -1 when it has none
	JobTexts []string // recurring jobs, not necessarily distinct
	// which of JobTexts is the job of a run; -1 when it has none; nil where jobs are not known
	Jobs               []int32
	Status             []Status
	Submit, Start, End []Instant
}

// Len returns the number of runs.
func (c *RunColumns) Len() int { return len(c.IDs) }

// Completion returns the completion time of run i, as [Run.Completion] does.
func (c *RunColumns) Completion(i int) Duration {
	return c.End[i].Since(submitted(c.Submit[i], c.Start[i]))
}
