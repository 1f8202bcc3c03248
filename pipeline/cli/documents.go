package cli

import "racecard/datasets/remaining"

// JSON documents of commands that no other package defines.
type (
	// build is the answer of `racecard version`.
	build struct {
		Version  string `json:"version"`  // of racecard, with the commit where it was built from a checkout
		Go       string `json:"go"`       // version of the compiler
		Platform string `json:"platform"` // such as linux/amd64
	}
	// drawnReport is the answer of `racecard report` and of `racecard demo`.
	drawnReport struct {
		Report string `json:"report"` // path of index.html
	}
	// drawnDesk is the answer of `racecard desk`.
	drawnDesk struct {
		Page string `json:"page"` // path of the page
	}
	// servedDesk is the first line of `racecard desk STORE` without --out.
	servedDesk struct {
		URL string `json:"url"` // of the page, on this machine
	}
	// unitedTables is the answer of `racecard unite` for tables.
	unitedTables struct {
		Out    string `json:"out"`    // folder of the tables
		Tables int    `json:"tables"` // how many it holds
	}
	// begunRecipe is the answer of `racecard init`.
	begunRecipe struct {
		Recipe string `json:"recipe"` // path of the recipe
	}
	// generated is the answer of `racecard generate`.
	generated struct {
		Path string `json:"path"` // of the trace: a file or a folder
	}
	// serving is printed by `racecard serve` when it is ready for requests.
	serving struct {
		URL    string `json:"url"`              // base of all requests
		Flight string `json:"flight,omitempty"` // address of Arrow Flight, if it is served
	}
	// collected is the answer of `racecard gc`.
	collected struct {
		FreedBytes int64    `json:"freed_bytes"` // bytes of the results that were removed
		Runs       []string `json:"runs"`        // numbers of the runs that were removed, from the oldest
		Results    int      `json:"results"`     // results that were removed
		DryRun     bool     `json:"dry_run"`     // nothing was removed
	}
	// doneWork is the answer of `racecard work do`.
	doneWork struct {
		Done   int `json:"done"`   // units done now
		Found  int `json:"found"`  // units that were done before
		Failed int `json:"failed"` // units that failed
		// units of the second wave, which need all of the first
		Waiting int `json:"waiting"`
	}
	// mergedWork is the answer of `racecard work merge`.
	mergedWork struct {
		Out   string `json:"out"`   // folder of the merged results
		Units int    `json:"units"` // units merged
	}
	// sweep is the list of the results of a sweep.
	sweep struct {
		Command string      `json:"command"` // such as simulate eagle
		Inputs  []string    `json:"inputs"`  // names of the store, models or trace files; none for made-up jobs
		Options []string    `json:"options"` // that all units share
		Units   []sweptUnit `json:"units"`   // in the order of settings, then seeds
	}
	// sweptUnit is one setting and seed of a sweep.
	sweptUnit struct {
		Args  []string `json:"args"`  // its own options
		Files []string `json:"files"` // its results, below the folder of the sweep
	}
	// engineText is the answer of `racecard work engine`.
	engineText struct {
		Engine string `json:"engine"` // spark, kubernetes or slurm
		Text   string `json:"text"`   // driver or manifest
	}
	// replay is the answer of `racecard steer replay`.
	replay struct {
		App              string     `json:"app"`                // id of the application
		Job              string     `json:"job"`                // of the table of remaining times
		Decisions        []replayed `json:"decisions"`          // in the order of time
		DecidedExecutorS float64    `json:"decided_executor_s"` // executor-seconds requested in the run
		// executor-seconds that the other policy would have requested
		WouldExecutorS float64 `json:"would_executor_s"`
	}
	// fittedJobs is the answer of `racecard fit`.
	fittedJobs struct {
		Models string      `json:"models"` // folder of the profiles
		Jobs   []fittedJob `json:"jobs"`
	}
	// builtTables is the answer of `racecard table build`.
	builtTables struct {
		Tables string        `json:"tables"` // folder of the tables
		Built  []builtTable  `json:"built"`
		Failed []failedTable `json:"failed"`
	}
	// shownTables is the answer of `racecard table show` for a folder.
	shownTables struct {
		Tables []listedTable `json:"tables"`
	}
	// listedTable describes one table of a folder.
	listedTable struct {
		remaining.About
		Allocations []int32 `json:"allocations"` // tokens, ascending
		File        string  `json:"file"`
	}
	// shownTable is the answer of `racecard table show` for one table.
	shownTable struct {
		About       remaining.About `json:"about"`
		Allocations []int32         `json:"allocations"` // tokens, ascending
		Quantile    float64         `json:"quantile"`    // of the times below
		RemainingS  [][]float64     `json:"remaining_s"` // per allocation, then per step of progress from 0
	}
	// verifiedTables is the answer of `racecard table verify`.
	verifiedTables struct {
		Tables []verified `json:"tables"`
		Failed int        `json:"failed"` // tables that are damaged or break a law
	}
	// tableDiff is the answer of `racecard table diff`.
	tableDiff struct {
		A        string        `json:"a"`        // first folder
		B        string        `json:"b"`        // second folder
		Quantile float64       `json:"quantile"` // of the times compared
		Tables   []tableChange `json:"tables"`
	}
)
