package result

// ExtremeRun is a run that lies at the end of a scale, so that a reader can go and look at it.
type ExtremeRun struct {
	What  string  `json:"what"`   // in words, such as "most tasks at once"
	JobID string  `json:"job_id"` // of equals the first in the order of the store
	Name  string  `json:"name,omitempty"`
	Value float64 `json:"value"`
}
