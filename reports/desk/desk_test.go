package desk

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/page/pagetest"
)

// manyJobs is a page of so many jobs, each with as many runs, stages, cores and deadlines as pages of so many have.
func manyJobs(n int) *Data {
	rng := rand.New(rand.NewPCG(1, 2))
	column := func(n int, high float64) Column {
		c := make(Column, n)
		for i := range c {
			c[i] = rng.Float64() * high
		}
		return c
	}
	shares := func(n int) Column { // of 200 simulated runs
		c := make(Column, n)
		for i := range c {
			c[i] = float64(rng.IntN(201)) / 200
		}
		return c
	}
	const buckets, runs, from = 31, 40, 1_788_220_800.0
	d := &Data{Format: Format, Store: "many.store", Path: "many.store", Unix: true, Zone: "UTC", Synthetic: true,
		FromS: from, ToS: from + 60*86400, Runs: n * runs}
	d.Today.Breaches = []Breach{}
	d.Today.Waste = &result.Waste{Header: result.Header{Available: true}}
	d.Today.Waste.HeldCoreH, d.Today.Waste.WastedCoreH, d.Today.Waste.Classes = 1000, 100,
		result.WasteClasses{Useful: 900, Driver: 100}
	for i := range buckets + 1 {
		d.Buckets.Edges = append(d.Buckets.Edges, from+float64(i)*2*86400)
		d.Buckets.Names = append(d.Buckets.Names, fmt.Sprintf("2026-09-%02d", i+1))
	}
	d.Buckets.Held, d.Buckets.Wasted, d.Buckets.Runs, d.Buckets.Bad = column(buckets, 100), column(buckets, 10),
		make([]int, buckets), make([]int, buckets)
	d.Demand = &Demand{FromS: from, BinS: 6 * 3600, Used: column(320, 50)}
	for g := range 6 {
		d.Demand.Held = append(d.Demand.Held, Series{fmt.Sprintf("group-%d", g), column(320, 20)})
	}
	j := &d.Jobs
	for i := range n {
		j.Job, j.Runs, j.OK = append(j.Job, fmt.Sprintf("team-%d/nightly-job-%04d", i%7, i)), append(j.Runs, runs),
			append(j.OK, runs)
		j.Cause, j.Due, j.Changed = append(j.Cause, "stage join: work x2.2"), append(j.Due, ""),
			append(j.Changed, i%2 == 0)
		j.Spark, j.HeldIn, j.WastedIn, j.RunsIn = append(j.Spark, column(buckets, 1000)),
			append(j.HeldIn, column(buckets, 2)), append(j.WastedIn, column(buckets, 1)),
			append(j.RunsIn, make([]int, buckets))
		t := &Detail{Runs: RunTable{At: column(runs, 5e6), Took: column(runs, 1000), Tokens: column(runs, 16),
			Input: column(runs, 1e10)}, DueS: Rounded(math.NaN()), Start: "01:25"}
		for k := range runs {
			t.Runs.ID, t.Runs.Status, t.Runs.At[k], t.Runs.Tokens[k] = append(t.Runs.ID, fmt.Sprintf("job-%04d-%04d", i,
				k)), append(t.Runs.Status, "succeeded"), from+t.Runs.At[k], 8
		}
		t.Stages = &Stages{FromS: from, Then: column(6, 1000), Now: column(6, 1000), LongestThen: column(6, 100),
			LongestNow: column(6, 100), Name: []string{"extract", "clean", "lookup", "join", "aggregate", "write"}}
		t.Forecast = &Forecast{Tokens: []int{2, 4, 6, 8, 10, 12, 16, 24, 32}, Usual: 3, P50: column(9, 1000),
			P90: column(9, 1000), P95: column(9, 1000), CoreH: column(9, 3), Beyond: make([]bool, 9),
			Deadlines: column(10, 1000), Fewest: make([]int, 10), FewestChance: shares(10), Sure: 0.95}
		for range 10 {
			t.Forecast.Chance = append(t.Forecast.Chance, shares(9))
		}
		e := &result.Explanation{Run: t.Runs.ID[0], TookS: 100, UsualS: 90}
		for k := range 9 {
			e.Parts = append(e.Parts, result.CausePart{What: "stage", Stage: "aggregate",
				Seconds: rng.Float64() * float64(k)})
		}
		for range 5 {
			e.Slowest = append(e.Slowest, result.SlowTask{Stage: "aggregate", Status: "succeeded", Machine: "core-12",
				Seconds: rng.Float64(), MedianS: rng.Float64()})
		}
		t.Parts, t.Explained = e.Parts, []*result.Explanation{e}
		d.Details = append(d.Details, t)
	}
	j.Held, j.Wasted, j.P50, j.P95, j.Change, j.Since, j.Risk = column(n, 100), column(n, 50), column(n, 1000),
		column(n, 2000), column(n, 1), column(n, 1e9), column(n, 1)
	return d
}

// A page of 1,000 jobs has at most 3 MB.
func TestThousandJobsFit(t *testing.T) {
	var b bytes.Buffer
	if err := Write(&b, manyJobs(1000)); err != nil {
		t.Fatal(err)
	}
	if b.Len() > 3e6 {
		t.Errorf("%d bytes, want at most 3 MB", b.Len())
	}
	t.Logf("%d bytes", b.Len())
	if file := os.Getenv("RACECARD_PAGE"); file != "" {
		if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestColumnsAreRounded(t *testing.T) {
	got, err := json.Marshal(Column{0, 1, -0.1234567, 1234567.8, math.NaN(), math.Inf(1), 1e-9, 99999.97, 1.5e20})
	if want := "[0,1,-0.123457,1234568,null,null,1e-09,100000,1.5e+20]"; err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}

// opened opens the page of three jobs in a browser.
func opened(t *testing.T) (d *pagetest.Driver, page string) {
	t.Helper()
	return openedOf(t, manyJobs(3))
}

// openedOf opens a page in a browser.
func openedOf(t *testing.T, data *Data) (d *pagetest.Driver, page string) {
	t.Helper()
	d = pagetest.Drive(t)
	file := filepath.Join(t.TempDir(), "page.html")
	var b bytes.Buffer
	if err := Write(&b, data); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	page = (&url.URL{Scheme: "file", Path: file}).String()
	d.Look(1280, "light", "screen")
	d.Open(page)
	d.Await("window.desk")
	return d, page
}

// Scripts write numbers as package style does.
func TestScriptsWriteNumbersAsReports(t *testing.T) {
	d, page := opened(t)
	values := []float64{0, 1, 0.5, 12.345, 59.4, 59.6, 60, 61, 3599.4, 3600, 86369, 86400, 1e6, 0.0004, 1e-7, 999.6,
		1234.5, 0.0951, 0.0996, 0.996, 0.9951, 1.55, -3.25, 1e9, 2.5e12}
	rng := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		values = append(values, math.Pow(10, rng.Float64()*12-5))
	}
	list, err := json.Marshal(values)
	if err != nil {
		t.Fatal(err)
	}
	for name, write := range map[string]func(float64) string{"seconds": words.Seconds[float64], "number": words.Number[float64],
		"percent": words.Percent[float64], "bytes": words.Bytes[float64]} {
		var got []string
		d.Eval(fmt.Sprintf("%s.map(desk.%s)", list, name), &got)
		for i, x := range values {
			if want := write(x); got[i] != want {
				t.Errorf("%s(%v): %q, reports write %q", name, x, got[i], want)
			}
		}
	}
	if others := d.Quiet(page); len(others) > 0 {
		t.Errorf("the page asks for %q", others)
	}
}

// The plan counts in one unit: the slider, the field of another day and the table say tokens or all say cores.
func TestPlanCountsInOneUnit(t *testing.T) {
	for unit, other := range map[string]string{"core": "token", "token": "core"} {
		data := manyJobs(3)
		data.Plan = &Plan{Args: []string{"a"}, Unit: unit}
		for _, tokens := range []int{4, 8} {
			data.Plan.Days = append(data.Plan.Days, &result.Agenda{Tokens: tokens, Jobs: []result.AgendaJob{{Job: "a",
				Start: "01:00", StartS: 3600, P50EndS: 4000, P95EndS: 4100}}})
		}
		d, page := openedOf(t, data)
		d.Open(page + "#show=plan")
		d.Await("document.querySelector('.other label')")
		var text string
		d.Eval("[...document.querySelectorAll('#plan-panel label, #plan-panel p.verdict, #plan-panel caption')]"+
			".map((e) => e.textContent).join('; ').toLowerCase()", &text)
		if strings.Contains(text, other) || strings.Count(text, unit+"s") < 3 {
			t.Errorf("a plan on %ss says %q", unit, text)
		}
	}
}

// Notes below a plan and below the comparison of schedulers are sentences; the name of a job keeps its letters.
func TestNotesAreSentences(t *testing.T) {
	data := manyJobs(3)
	data.Plan = &Plan{Args: []string{"a"}, Days: []*result.Agenda{{Tokens: 4, Jobs: []result.AgendaJob{{Job: "a",
		Start: "01:00", StartS: 3600, P50EndS: 4000, P95EndS: 4100}}, Header: result.Header{Warnings: []string{
		"a: its tasks are one", "the day has fewer runs"}}}}}
	row := []Column{{1, 1}}
	data.Machines = &Machines{Names: []string{"eagle"}, Sizes: []int{1, 2}, P50: row, P95: row, LongP95: row, Busy: row,
		Notes: []string{"submissions were drawn"}}
	d, page := openedOf(t, data)
	for panel, want := range map[string]string{"plan": "a: its tasks are one.|The day has fewer runs.",
		"machines": "Submissions were drawn."} {
		d.Open(page + "#show=" + panel)
		d.Await("document.querySelector('#" + panel + "-panel .note')")
		var text string
		d.Eval("[...document.querySelectorAll('#"+panel+"-panel .note')].map((e) => e.textContent).join('|')", &text)
		if !strings.Contains(text, want) {
			t.Errorf("%s: notes %q, want %q", panel, text, want)
		}
	}
}

// The remaining times of a job whose runs end at once say from which progress on, and name the day of a deadline.
func TestRemainingTimesOfRunsThatEndAtOnce(t *testing.T) {
	data := manyJobs(3)
	for i, ended := range []int{1, 10, 20} { // in twentieths
		times, progress := make(Column, 21), make(Column, 21)
		for k := range times {
			progress[k] = float64(k) / 20
			if times[k] = 0.001; k < ended {
				times[k] = float64(1000 - k)
			}
		}
		data.Details[i].Fan = &Fan{Progress: progress, Tokens: []int{8}, P50: []Column{times}, P90: []Column{times},
			P95: []Column{times}}
	}
	data.Details[0].Start, data.Details[0].Forecast.Deadlines = "23:59", Column{60, 60, 60, 60, 60, 60, 60, 60, 60, 60}
	d, page := openedOf(t, data)
	const rest = "On 8 cores, simulated runs never rest at %s or more: they end at once."
	for i, want := range []string{fmt.Sprintf(rest, "5%"), fmt.Sprintf(rest, "50%"), ""} {
		d.Open(page + "#job=" + data.Jobs.Job[i])
		d.Await("document.querySelector('#job-panel h3')")
		var text string
		d.Eval("document.querySelector('#job-panel').textContent", &text)
		if want != "" && !strings.Contains(text, want) || want == "" && strings.Contains(text, "never rest") {
			t.Errorf("job %d: want %q in %q", i, want, text)
		}
		if i == 0 && !strings.Contains(text, "by 00:00 on the next day if submitted at 23:59") {
			t.Errorf("no end of the deadline in %q", text)
		}
	}
}

// A link can fill in the jobs of a plan, whose command the reader copies: it holds no command of the link's.
func TestWordsOfALinkAreQuoted(t *testing.T) {
	d, _ := opened(t)
	for text, want := range map[string]string{
		"a@01:30; rm -rf /":    `'a@01:30;' rm -rf /`,
		"$(id) `id` a|b":       "'$(id)' '`id`' 'a|b'",
		"'my job'@07:00 b":     `'my job@07:00' b`,
		`'it'\''s'@07:00`:      `'it'\''s@07:00'`,
		"  nightly,after=a  ":  "nightly,after=a",
		"":                     "",
		"'unfinished quote; x": "unfinished 'quote;' x",
	} {
		var got string
		if d.Eval(fmt.Sprintf("desk.words(%q).join(' ')", text), &got); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// Commands below the panels have the prices and the deadlines that the numbers above them have; inspect knows no time
// zone.
func TestCommandsOfPanels(t *testing.T) {
	d := manyJobs(2)
	d.Path, d.Flags, d.Price = "a store", "--timezone Europe/Berlin", "cpu=0.04/h"
	d.Jobs.Due = []string{"", "07:00"}
	d.Jobs.Job[1] = "it's  late"
	got := strings.Join(sections(d)[0].Commands, "\n")
	want := "racecard waste 'a store' --price cpu=0.04/h --timezone Europe/Berlin\n" +
		`racecard check 'a store' --now end --deadline 'it'\''s  late=07:00' --timezone Europe/Berlin` +
		"\nracecard inspect 'a store'"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The page has the title that it is given, and its dates are in its time zone, also without scripts.
func TestTitleAndZone(t *testing.T) {
	d := manyJobs(2)
	d.Title, d.Unix, d.Zone, d.FromS, d.ToS = "Our <nights>", true, "Europe/Berlin", 1_788_220_800, 1_788_224_400
	var b strings.Builder
	if err := Write(&b, d); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<title>Our &lt;nights&gt;</title>", "<bdi>Our &lt;nights&gt;</bdi></h1>",
		"2026-09-01 02:00 to 03:00 CEST"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if got := d.when(1_788_220_800); got != "2026-09-01 02:00 CEST" {
		t.Errorf("an instant is %s", got)
	}
}
