package result

// Check is the result of racecard check. It is printed, never kept among results.
type Check struct {
	Store    string   `json:"store"`
	Rules    []string `json:"rules"`    // that were applied
	Breaches []Breach `json:"breaches"` // new ones, by rule and job
	Known    []Breach `json:"known"`    // breaches that an earlier check has told of
	Ended    []Breach `json:"ended"`    // breaches of an earlier check that are none any more
}

// Breach of a rule by a job, or by the store for no job.
type Breach struct {
	Rule string `json:"rule"`
	Job  string `json:"job"`
	What string `json:"what"`
}
