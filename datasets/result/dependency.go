package result

// Dependency describes how runs depend on each other through the datasets that they write and read (Jockey,
// Figure 1). A pair is a run and a run it depends on directly; the runs downstream of a run depend on it,
// directly or not.
type Dependency struct {
	Header
	Jobs int `json:"jobs"` // runs, but for those left out
	// ShareWithDependency is the share of Jobs that depend on a run, or on which one depends; null without jobs.
	ShareWithDependency Number `json:"share_with_dependency"`
	// GapMin summarises, over pairs, the dependent's start less the producer's end, in minutes. Pairs that overlap have
	// none.
	GapMin Summary `json:"gap_min"`
	// ChainLength summarises, as the next two do over runs on which another depends, the edges on the longest chain
	// that begins with the run.
	ChainLength        Summary `json:"chain_length"`
	IndirectDependents Summary `json:"indirect_dependents"` // runs downstream
	// distinct groups of those; runs without any known one left out
	DependentGroups Summary `json:"dependent_groups"`
	Overlapping     int     `json:"overlapping"` // pairs whose dependent started before the producer had ended

	// Estimated is set if a number of indirect dependents or of dependent groups is an estimate, because exact sets did
	// not fit in memory; StandardError then holds the relative standard error per summary.
	Estimated     bool               `json:"estimated"`
	StandardError map[string]float64 `json:"standard_error,omitempty"`
	Memory        int64              `json:"memory_bytes"` // that exact sets were allowed

	Pairs              int       `json:"pairs"`
	Dependents         int       `json:"dependents"` // runs that depend on another
	Producers          int       `json:"producers"`  // runs on which another depends
	Datasets           int       `json:"datasets"`
	Reads              int       `json:"reads"`
	ReadsWithoutWriter int       `json:"reads_without_writer"` // of what no run had written or was writing
	Intervals          Intervals `json:"intervals"`
	// GapQuantiles are the gaps, in minutes and ascending; of more than 201 their quantiles 0, 0.005, ..., 1.
	GapQuantiles []float64 `json:"gap_min_quantiles"`

	MostDependents []Producer      `json:"most_dependents"`       // by indirect dependents, the most first; at most ten
	MostGroups     *Producer       `json:"most_groups,omitempty"` // the one with most dependent groups
	LongestChain   []ChainLink     `json:"longest_chain"`         // its first 50 runs
	LongestGap     *DependencyPair `json:"longest_gap,omitempty"`
	Runs           []Producer      `json:"-"` // all producers, by start; in the table only
}

// Producer is a run on which another depends.
type Producer struct {
	JobID              string `json:"job_id"`
	Name               string `json:"name"`
	Group              string `json:"group"`      // "" when unknown
	DependsOn          int    `json:"depends_on"` // runs, directly
	Dependents         int    `json:"dependents"` // runs, directly
	ChainLength        int    `json:"chain_length"`
	IndirectDependents int    `json:"indirect_dependents"`
	DependentGroups    int    `json:"dependent_groups"` // 0 when no group downstream is known
}

// ChainLink is a run of a chain.
type ChainLink struct {
	JobID string `json:"job_id"`
	Name  string `json:"name"`
	Group string `json:"group"`
	// GapMin is its start less the end of the run before it, in minutes; null for the first, and where the two overlap.
	GapMin Number `json:"gap_min"`
}

// DependencyPair is a run and one that depends on it.
type DependencyPair struct {
	Producer      string  `json:"producer"` // ids
	Dependent     string  `json:"dependent"`
	ProducerName  string  `json:"producer_name"`
	DependentName string  `json:"dependent_name"`
	Dataset       string  `json:"dataset"`
	GapMin        float64 `json:"gap_min"`
}

// Analysis implements [Document].
func (*Dependency) Analysis() string { return "dependency" }

// Table implements [Document]: one row per run on which another depends.
func (d *Dependency) Table() *Table {
	return tableOf("dependency", d.Runs, func(row *Row, r *Producer) {
		groups := nan(nil)
		if r.DependentGroups > 0 {
			groups = float64(r.DependentGroups)
		}
		row.ID("job_id", r.JobID).Text("name", r.Name).Text("group", r.Group).Int("depends_on", r.DependsOn).
			Int("dependents", r.Dependents).Int("chain_length", r.ChainLength).
			Int("indirect_dependents", r.IndirectDependents).Float("dependent_groups", groups)
	})
}
