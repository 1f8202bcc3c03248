package desk

import (
	"iter"
	"math"
	"net/url"
	"slices"
	"strings"
	"time"

	"racecard/datasets/words"
)

// section is a panel of the page, with tables for readers without scripts.
type section struct {
	ID, Title, About string
	Tables           []plainTable
	Commands         []string
}

// plainTable is a table of texts.
type plainTable struct {
	Title string
	Head  []string
	Rows  [][]string
	Links []string // of the first cells of rows; none where nil
}

// row adds a row.
func (t *plainTable) row(texts ...string) { t.Rows = append(t.Rows, texts) }

// Link returns where the first cell of a row leads to; "" for nowhere.
func (t plainTable) Link(row, cell int) string {
	if cell > 0 || row >= len(t.Links) {
		return ""
	}
	return t.Links[row]
}

// mostCell bounds the characters of a cell in a plain table.
const mostCell = 200

// sections returns the panels in their order.
func sections(d *Data) []section {
	return []section{
		{"today", "Today", "Cost and use, late and slower jobs, warnings about the data.", todayTables(d),
			[]string{d.command("waste", d.priced()...), d.command("check", d.due()...),
				"racecard inspect " + words.Shell(d.Path)}},
		{"demand", "Demand", "Cores that runs held and used over time.", demandTables(d), []string{d.command("waste")}},
		{"jobs", "Jobs", "", []plainTable{jobsTable(d)},
			[]string{d.command("waste", d.priced()...), d.command("compare", "--all")}},
		{"job", "One job", "Its runs and their changes; forecasts on other numbers of tokens and for other deadlines.",
			slices.Concat(forecastTables(d), jobTables(d)), []string{d.command("forecast", "--job NAME")}},
		{"plan", "Plan", "Several jobs on one day, on tokens that they share.", planTables(d),
			[]string{d.command("plan", "--tokens N JOB@TIME")}},
		{"run", "One run", "Against usual runs of its job, in seconds that sum to the difference.", runTables(d),
			[]string{d.command("explain", "--run ID")}},
		{"machines", "Schedulers", "The same runs on clusters of several sizes.", machineTables(d), nil},
	}
}

// command returns a command about the store. Its flags are the given ones, and then the flags that chose runs.
func (d *Data) command(verb string, flags ...string) string {
	parts := append([]string{"racecard", verb, words.Shell(d.Path)}, flags...)
	if d.Flags != "" {
		parts = append(parts, d.Flags)
	}
	return strings.Join(parts, " ")
}

// priced returns the flag of the prices.
func (d *Data) priced() []string {
	if d.Price == "" {
		return nil
	}
	return []string{"--price", words.Shell(d.Price)}
}

// due returns the flags of racecard check for the deadlines.
func (d *Data) due() []string {
	flags := []string{"--now end"}
	for i, at := range d.Jobs.Due {
		if at != "" {
			flags = append(flags, "--deadline", words.Shell(d.Jobs.Job[i]+"="+at))
		}
	}
	return flags
}

// period writes the time that the trace covers, and its runs.
func period(d *Data) string {
	text := words.Of(d.Runs, "run", "runs") + " of " + words.Of(len(d.Jobs.Job)+d.Jobs.More, "job", "jobs")
	from, to := float64(d.FromS), float64(d.ToS)
	if d.Unix {
		return text + ", " + words.SpanIn(from, to, d.zone())
	}
	return text + " in " + words.Seconds(to-from)
}

// zone is the time zone of the page; UTC where its name is not known.
func (d *Data) zone() *time.Location {
	if zone, err := time.LoadLocation(d.Zone); err == nil {
		return zone
	}
	return time.UTC
}

// when writes an instant.
func (d *Data) when(s float64) string {
	if d.Unix {
		return words.InstantIn(s, d.zone())
	}
	if math.IsNaN(s) {
		return words.None
	}
	return "+" + words.Seconds(s-float64(d.FromS))
}

// change writes a change as a share, with its sign.
func change(x float64) string {
	if x > 0 {
		return "+" + words.Percent(x)
	}
	return words.Percent(x)
}

func todayTables(d *Data) []plainTable {
	var out []plainTable
	if w := d.Today.Waste; w != nil && w.Available {
		t := plainTable{Title: "Core-hours " + words.Either(w.HeldKnown(), "held", "of tasks") + ", by use",
			Head: []string{"Use", "Core-hours", "Share"}}
		for _, c := range w.KnownClasses() {
			t.row(strings.ReplaceAll(c.Name, "_", " "), words.Number(c.CoreH), words.Percent(c.CoreH/w.HeldCoreH))
		}
		out = append(out, t)
	}
	rules := plainTable{Title: "Late, slower, failing", Head: []string{"Rule", "Job", "Finding"}}
	for _, b := range d.Today.Breaches {
		rules.row(b.Rule, words.Shorten(b.Job, mostCell), words.Shorten(b.What, 2*mostCell))
	}
	data := plainTable{Title: "Warnings about the data", Head: []string{"Severity", "Warning", "Effect"}}
	for _, w := range d.Today.Warnings {
		data.row(w.Severity, words.Shorten(w.What, 2*mostCell), w.Text)
	}
	if w := d.Today.Waste; w != nil {
		for _, text := range w.Warnings {
			data.row("warn", text, "")
		}
	}
	return append(out, rules, data)
}

func demandTables(d *Data) []plainTable {
	t := plainTable{Title: "Runs by the time of their submission",
		Head: []string{"From", "Runs", "Not succeeded", "Core-hours held", "Wasted"}}
	b := &d.Buckets
	for i := range b.Runs {
		t.row(d.when(b.Edges[i]), words.Count(b.Runs[i]), words.Count(b.Bad[i]), words.Number(b.Held[i]),
			words.Number(b.Wasted[i]))
	}
	return []plainTable{t}
}

func jobsTable(d *Data) plainTable {
	title := "Jobs, those that waste most first"
	if d.Pending {
		title = "Jobs, those whose runs took longest together first"
	}
	t := plainTable{Title: title, Head: []string{"Job", "Runs", "Core-hours", "Wasted",
		"Cost", "Median", "P95", "Change", "Cause", "Deadline", "Chance of a miss"}}
	j := &d.Jobs
	for i := range j.Job {
		cost, moved := math.NaN(), "~"
		if len(j.Cost) > 0 {
			cost = j.Cost[i]
		}
		if j.Changed[i] || math.IsNaN(j.Change[i]) {
			moved = change(j.Change[i])
		}
		t.row(words.Shorten(j.Job[i], mostCell), words.Count(j.Runs[i]), words.Number(j.Held[i]),
			words.Number(j.Wasted[i]), words.Number(cost), words.Seconds(j.P50[i]), words.Seconds(j.P95[i]), moved,
			words.Shorten(j.Cause[i], mostCell), j.Due[i], words.Percent(j.Risk[i]))
		if d.Served && len(j.Job[i]) <= longestLink {
			t.Links = append(t.Links, "plain?job="+url.QueryEscape(j.Job[i])+"#job")
		} else if d.Served {
			t.Links = append(t.Links, "")
		}
	}
	return t
}

// For readers without scripts: at most mostRead jobs have details, with mostReadRuns runs each, of all if there is one
// job only. Longer names than longestLink do not lead to their jobs: an address cannot hold them.
const (
	mostRead     = 30
	mostReadRuns = 10
	longestLink  = 2000
)

// read yields the details that are listed for readers without scripts, by row.
func (d *Data) read() iter.Seq2[int, *Detail] {
	return func(yield func(int, *Detail) bool) {
		n := 0
		for i, x := range d.Details {
			if x == nil {
				continue
			}
			if n++; n > mostRead || !yield(i, x) {
				return
			}
		}
	}
}

// jobTables lists the deadlines, stages, remaining times and newest runs of jobs.
func jobTables(d *Data) []plainTable {
	dues := plainTable{Title: "Deadlines", Head: []string{"Job", "Within", "On tokens", "Chance of a miss",
		"Fewest tokens", "Chance on these"}}
	stages := plainTable{Title: "Stages, core time of a usual run, then and now", Head: []string{"Job", "Stage", "Then",
		"Now", "Now from"}}
	fans := plainTable{Title: "Remaining time", Head: []string{"Job", "Tokens", "Progress", "Half end in", "90% in",
		"95% in"}}
	runs := plainTable{Title: "The newest runs", Head: []string{"Job", "Run", "Submitted", "Took", "Tokens", "Status"}}
	only := 0
	for range d.read() {
		only++
	}
	for i, x := range d.read() {
		job := words.Shorten(d.Jobs.Job[i], mostCell)
		if f := x.Forecast; f != nil {
			for k, due := range f.Deadlines {
				fewest := "none suffice"
				switch n := f.Fewest[k]; {
				case n > 0:
					fewest = words.Count(n)
				case n < 0:
					fewest = "not known"
				}
				dues.row(job, words.Seconds(due), words.Count(f.Tokens[f.Usual]),
					words.Percent(1-f.Chance[k][f.Usual]), fewest, words.Percent(f.FewestChance[k]))
			}
		}
		if s := x.Stages; s != nil {
			for k, name := range s.Name {
				stages.row(job, words.Shorten(name, mostCell), words.Seconds(s.Then[k]), words.Seconds(s.Now[k]),
					d.when(float64(s.FromS)))
			}
		}
		if f := x.Fan; f != nil {
			for k, n := range f.Tokens {
				for p := 0; p < len(f.Progress); p += 5 {
					fans.row(job, words.Count(n), words.Percent(f.Progress[p]), words.Seconds(f.P50[k][p]),
						words.Seconds(f.P90[k][p]), words.Seconds(f.P95[k][p]))
				}
			}
		}
		r, most := &x.Runs, mostReadRuns
		if only == 1 {
			most = len(r.ID)
		}
		for k := len(r.ID) - 1; k >= max(0, len(r.ID)-most); k-- {
			runs.row(job, words.Shorten(r.ID[k], 80), d.when(r.At[k]), words.Seconds(r.Took[k]),
				words.Number(r.Tokens[k]), r.Status[k])
		}
	}
	return []plainTable{dues, stages, fans, runs}
}

func forecastTables(d *Data) []plainTable {
	t := plainTable{Title: "The next run on other numbers of tokens", Head: []string{"Job", "Tokens", "Half end in", "90% in",
		"95% in", "Core-hours", ""}}
	for i, x := range d.read() {
		f := x.Forecast
		if f == nil {
			continue
		}
		for k, n := range f.Tokens {
			note := ""
			if f.Beyond[k] {
				note = "extrapolated"
			}
			t.row(words.Shorten(d.Jobs.Job[i], mostCell), words.Count(n), words.Seconds(f.P50[k]),
				words.Seconds(f.P90[k]), words.Seconds(f.P95[k]), words.Number(f.CoreH[k]), note)
		}
	}
	return []plainTable{t}
}

func runTables(d *Data) []plainTable {
	t := plainTable{Title: "Runs against their usual", Head: []string{"Run", "Job", "Submitted", "Took", "Usual",
		"Largest parts"}}
	for i, x := range d.read() {
		for _, e := range x.Explained[:min(1, len(x.Explained))] {
			var parts []string
			for _, p := range e.Parts[:min(3, len(e.Parts))] {
				parts = append(parts, strings.TrimSpace(p.What+" "+words.Shorten(p.Stage, 40))+" "+
					words.Seconds(p.Seconds))
			}
			t.row(words.Shorten(e.Run, 80), words.Shorten(d.Jobs.Job[i], mostCell), d.when(float64(e.Submitted)),
				words.Seconds(e.TookS), words.Seconds(e.UsualS), strings.Join(parts, ", "))
		}
	}
	return []plainTable{t}
}

func planTables(d *Data) (out []plainTable) {
	if d.Plan == nil {
		return nil
	}
	for _, day := range d.Plan.Days {
		t := plainTable{Title: "On " + words.Of(day.Tokens, day.Unit(), day.Unit()+"s"),
			Head: []string{"Job", "Start", "Half end by", "95% end by", "Deadline", "Chance"}}
		for _, j := range day.Jobs {
			t.row(words.Shorten(j.Job, mostCell), j.Start, j.P50End, j.P95End, j.Deadline, words.Percent(j.Chance))
		}
		out = append(out, t)
	}
	return out
}

func machineTables(d *Data) []plainTable {
	if d.Machines == nil {
		return nil
	}
	m := d.Machines
	t := plainTable{Title: m.Title,
		Head: []string{"Scheduler", "Machines", "Short jobs, median", "Short jobs, P95", "Long jobs, P95", "Busy"}}
	for i, name := range m.Names {
		for k, n := range m.Sizes {
			t.row(name, words.Count(n), words.Seconds(m.P50[i][k]), words.Seconds(m.P95[i][k]),
				words.Seconds(m.LongP95[i][k]), words.Percent(m.Busy[i][k]))
		}
	}
	return []plainTable{t}
}
