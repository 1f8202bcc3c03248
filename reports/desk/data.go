package desk

import (
	"math"
	"strconv"

	"racecard/datasets/result"
)

// Format is the version of [Data], in its key "format".
const Format = 1

// Data is everything that a page shows. Times are seconds of the trace's time base, durations seconds, cores are task
// slots if the trace does not count CPU in cores. Columns of a table lie side by side and are equally long.
type Data struct {
	Format    int    `json:"format"`
	Racecard  string `json:"racecard"` // version of the program
	Store     string `json:"store"`    // base name, for people
	Path      string `json:"path"`     // as given, for commands
	Flags     string `json:"flags"`    // that chose runs, as a shell reads them; "" for none
	Price     string `json:"price"`    // as given; "" for none
	Synthetic bool   `json:"synthetic"`
	Note      string `json:"note"`
	Unix      bool   `json:"unix"` // times are Unix times; otherwise they count from the start of the trace
	Zone      string `json:"zone"` // of clock times, such as Europe/Berlin
	Served    bool   `json:"served"`
	// Pending is whether the page has only the times of runs so far. Cores held, rules, warnings and causes follow on
	// request.
	Pending bool   `json:"pending"`
	Title   string `json:"-"`     // of the page; made from the store when ""
	Paper   string `json:"paper"` // file beside the page with the long form of the report; "" for none

	FromS result.Number `json:"from_s"` // first submission or start
	ToS   result.Number `json:"to_s"`   // last end
	Runs  int           `json:"runs"`
	Bad   int           `json:"not_succeeded"`
	// Unknown counts runs whose outcome the trace does not state.
	Unknown int `json:"status_unknown"`

	Buckets Buckets `json:"buckets"`
	Today   Today   `json:"today"`
	Demand  *Demand `json:"demand"` // null where no attempt has a known time
	Jobs    Jobs    `json:"jobs"`
	// By row of Jobs; null if a served page requests it, or nothing is known.
	Details []*Detail `json:"details"`
	Plan    *Plan     `json:"plan"`
	// Machines is the comparison of schedulers; null if there is none.
	Machines *Machines `json:"machines"`
}

// Buckets divide the period of the trace into at most 40 parts. A run belongs to the one in which it was submitted.
type Buckets struct {
	Edges Column   `json:"edges"` // one more than buckets
	Names []string `json:"names"` // of the edges, as --since and --until take them
	Held  Column   `json:"held_core_h"`
	// Wasted is everything but useful work.
	Wasted Column `json:"wasted_core_h"`
	Cost   Column `json:"cost"` // none without prices
	Runs   []int  `json:"runs"`
	Bad    []int  `json:"not_succeeded"`
}

// Today is the state of the whole store.
type Today struct {
	Waste    *result.Waste `json:"waste"` // without its jobs, users and groups
	Breaches []Breach      `json:"breaches"`
	Warnings []Warning     `json:"warnings"` // about the data, the worst first
	Changed  int           `json:"changed"`  // jobs whose median changed
	Compared int           `json:"compared"`
}

// Breach is a breach of a rule of racecard check. Row is the job's row of [Jobs], -1 for none.
type Breach struct {
	result.Breach
	Row int `json:"row"`
}

// Warning is an oddity of the trace.
type Warning struct {
	Severity string `json:"severity"` // bad or warn
	What     string `json:"what"`
	Text     string `json:"text"`
}

// Demand is the cores and memory that runs held and used, averaged over bins of equal length. A bucket has Per bins.
type Demand struct {
	FromS    float64   `json:"from_s"`
	BinS     float64   `json:"bin_s"`
	Used     Column    `json:"used"`  // cores
	Held     []Series  `json:"held"`  // by group, the largest first
	MemUsed  Column    `json:"mem"`   // bytes that runs held; none where not known
	Capacity Series    `json:"total"` // of the machines; no values where not known
	By       string    `json:"by"`    // group or user, one series of Held for each; "" for one series
	Unplaced int       `json:"runs_without_times"`
	Peak     [2]Number `json:"peak"` // cores held and used, at any instant
}

// Number is a number that may be unknown.
type Number = result.Number

// Series is a named series.
type Series struct {
	Name   string `json:"name"`
	Values Column `json:"values"`
}

// Jobs is a table with one row per job, the ones that waste most first.
type Jobs struct {
	Job     []string `json:"job"`
	Runs    []int    `json:"runs"`
	OK      []int    `json:"succeeded"`
	Held    Column   `json:"held_core_h"`
	Wasted  Column   `json:"wasted_core_h"`
	Cost    Column   `json:"cost"` // none without prices
	P50     Column   `json:"p50_s"`
	P95     Column   `json:"p95_s"`
	Change  Column   `json:"change"` // of the median, as a share; unknown where too few runs
	Changed []bool   `json:"changed"`
	Cause   []string `json:"cause"`
	Since   Column   `json:"since_s"`
	Due     []string `json:"deadline"`         // as stated, "" for none
	Risk    Column   `json:"chance_of_a_miss"` // on the cores of past runs
	Spark   []Column `json:"p50_by_bucket_s"`
	// By bucket, for the sums of a period.
	RunsIn   [][]int  `json:"runs_by_bucket"`
	HeldIn   []Column `json:"held_by_bucket"`
	WastedIn []Column `json:"wasted_by_bucket"`
	CostIn   []Column `json:"cost_by_bucket"`
	More     int      `json:"more"` // jobs that waste less and are left out
}

// Detail is a job.
type Detail struct {
	Runs      RunTable              `json:"runs"`
	Parts     []result.CausePart    `json:"parts"`  // of its change, largest first
	Stages    *Stages               `json:"stages"` // null where nothing is known about them
	Forecast  *Forecast             `json:"forecast"`
	Why       string                `json:"why"` // there is no forecast
	Fan       *Fan                  `json:"fan"`
	Explained []*result.Explanation `json:"explained"` // runs against their usual, latest first
	DueS      Rounded               `json:"due_s"`     // stated deadline, after submission; null without one
	// Start is the usual clock time of submission, "" where times have no calendar. Of several runs a day it is the one of
	// the run that is forecast.
	Start string `json:"start"`
	// Times are the clock times of the runs of a usual day, where there are several.
	Times []string `json:"times,omitempty"`
}

// RunTable is the newest runs of a job, oldest first.
type RunTable struct {
	ID     []string `json:"id"`
	At     Column   `json:"at_s"`
	Took   Column   `json:"took_s"`
	Tokens Column   `json:"tokens"`
	Input  Column   `json:"input_bytes"`
	Status []string `json:"status"`
	More   int      `json:"more"` // older ones that are left out
}

// Stages compares the stages of a usual run, in core-seconds, before and after an instant.
type Stages struct {
	FromS Number   `json:"from_s"` // when "now" begins
	Name  []string `json:"stage"`
	Then  Column   `json:"then_core_s"`
	Now   Column   `json:"now_core_s"`
	// Longest is the median of the longest task, in seconds.
	LongestThen Column `json:"longest_then_s"`
	LongestNow  Column `json:"longest_now_s"`
	RunsThen    int    `json:"runs_then"`
	RunsNow     int    `json:"runs_now"`
}

// Forecast is the next run on a grid of tokens, for a grid of deadlines.
type Forecast struct {
	Runs   int       `json:"runs"` // past runs that it was learned from
	UsualS Number    `json:"usual_s"`
	Seen   [2]Number `json:"tokens_seen"`
	Unit   string    `json:"unit"`  // of Tokens: core or token
	Notes  []string  `json:"notes"` // on its tokens, and why its times differ from past runs
	Tokens []int     `json:"tokens"`
	Usual  int       `json:"usual"` // position in Tokens of what past runs held
	Knee   int       `json:"knee"`  // position in Tokens beyond which more of them help little; -1: not known
	P50    Column    `json:"p50_s"`
	P90    Column    `json:"p90_s"`
	P95    Column    `json:"p95_s"`
	CoreH  Column    `json:"core_h"`
	Beyond []bool    `json:"extrapolated"`

	Deadlines    Column   `json:"deadline_s"`
	Chance       []Column `json:"chance"` // by deadline, by tokens
	Fewest       []int    `json:"fewest"` // tokens, by deadline; 0: none suffice; -1: not known
	FewestChance Column   `json:"fewest_chance"`
	Sure         float64  `json:"sure"`
	Warnings     []string `json:"warnings"`
	// Start is the clock time of the run, to the second, where it is one of several a day that differ.
	Start string `json:"start,omitempty"`
}

// Fan is the remaining time of a run, C(p,a), in quantiles, by progress, for some numbers of cores.
type Fan struct {
	Progress Column    `json:"progress"`
	Tokens   []int     `json:"tokens"`
	P50      []Column  `json:"p50_s"` // by tokens
	P90      []Column  `json:"p90_s"`
	P95      []Column  `json:"p95_s"`
	Seen     [2]Number `json:"tokens_seen"`
	Notes    []string  `json:"notes,omitempty"` // warnings of the table
	// Newest is the number of runs that it was made from, if these are not all.
	Newest int `json:"newest,omitempty"`
}

// Plan is a day of several jobs, on some numbers of tokens.
type Plan struct {
	Args []string         `json:"args"` // of racecard plan
	Unit string           `json:"unit"` // of the tokens of its days: core or token
	Days []*result.Agenda `json:"days"` // by tokens
}

// Machines compares schedulers on clusters of several sizes.
type Machines struct {
	Command string   `json:"command"`
	Title   string   `json:"title"`
	Sizes   []int    `json:"workers"`
	Names   []string `json:"schedulers"`
	P50     []Column `json:"short_p50_s"` // by scheduler, by size
	P95     []Column `json:"short_p95_s"`
	LongP95 []Column `json:"long_p95_s"`
	Busy    []Column `json:"utilization"`
	Jobs    int      `json:"jobs"`
	Notes   []string `json:"notes"`
	Why     string   `json:"why"` // there are no sizes
}

// Column is numbers with six significant digits in JSON; NaN is null.
type Column []float64

// Rounded is a number as a [Column] writes it.
type Rounded float64

// MarshalJSON implements [json.Marshaler].
func (x Rounded) MarshalJSON() ([]byte, error) { return appendRounded(nil, float64(x)), nil }

// MarshalJSON implements [json.Marshaler].
func (c Column) MarshalJSON() ([]byte, error) {
	out := []byte{'['}
	for i, x := range c {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendRounded(out, x)
	}
	return append(out, ']'), nil
}

// appendRounded writes a number with six significant digits, whole digits never dropped.
func appendRounded(out []byte, x float64) []byte {
	switch {
	case math.IsNaN(x) || math.IsInf(x, 0):
		return append(out, "null"...)
	case math.Abs(x) >= 1e5 && math.Abs(x) < 1e15:
		return strconv.AppendFloat(out, math.Round(x), 'f', -1, 64)
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 5, 64), 64)
	if err != nil {
		panic("desk: strconv wrote a number that it cannot read: " + err.Error())
	}
	return strconv.AppendFloat(out, rounded, 'g', -1, 64)
}
