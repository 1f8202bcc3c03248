package cli

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/page"
)

// wasted prints the resources by class.
func (e *env) wasted(w *result.Waste, jobs int) {
	share := func(x float64) string {
		if w.HeldCoreH == 0 {
			return ""
		}
		return words.Percent(x / w.HeldCoreH)
	}
	e.printf("waste: %s; %s", page.WasteAnswer(w), words.Of(w.Runs, "run", "runs"))
	if n := int64(len(w.Jobs) + w.More); n > 0 {
		e.printf(" of %s", words.Of(n, "job", "jobs"))
	}
	if w.PeriodS > 0 {
		e.printf(" over %s", words.Seconds(w.PeriodS))
	}
	e.printf("%s\n", marked(w.Synthetic))
	if len(w.LeftOut) > 0 {
		e.printf("runs left out: %s\n", counted(w.LeftOut))
	}
	if w.Runs == 0 {
		return
	}
	head := []string{"  WHERE", "CORE-HOURS", "SHARE", "MEANING"}
	e.rows(head, lists.Map(w.KnownClasses(), func(c result.WasteClass) []string {
		return []string{"  " + strings.ReplaceAll(c.Name, "_", " "), words.Number(c.CoreH), share(c.CoreH),
			page.ClassMeaning(c.Name)}
	}))
	if !math.IsNaN(float64(w.HeldMemGBh)) {
		e.printf("memory: %s GB-hours held, %s of them without useful work\n", words.Number(w.HeldMemGBh),
			words.Number(w.WastedMemGBh))
	}
	if w.Fleet != nil {
		e.printf("%s\n", page.FleetAnswer(w.Fleet))
	}
	e.wastedJobs(w, jobs)
	for _, by := range []struct {
		name   string
		groups []result.WasteGroup
	}{{"USER", w.Users}, {"GROUP", w.Groups}} {
		if len(by.groups) < 2 {
			continue
		}
		head := []string{by.name, "RUNS", "HELD", "WASTED", "SHARE"}
		if !(w.WastedCoreH > 0) {
			head = []string{by.name, "RUNS", "CORE-HOURS", "SHARE OF ALL"}
		}
		var rows [][]string
		for _, g := range by.groups[:min(jobs, len(by.groups))] {
			if !(w.WastedCoreH > 0) {
				rows = append(rows, []string{words.Printable(g.Who), words.Count(g.Runs),
					words.Number(g.HeldCoreH), shareOf(g.HeldCoreH, w.HeldCoreH)})
				continue
			}
			rows = append(rows, []string{words.Printable(g.Who), words.Count(g.Runs), words.Number(g.HeldCoreH),
				words.Number(g.WastedCoreH), shareOf(g.WastedCoreH, g.HeldCoreH)})
		}
		e.printf("\n")
		e.rows(head, rows)
	}
	e.notes("note", w.Warnings)
}

func shareOf(part, whole float64) string {
	if whole == 0 {
		return ""
	}
	if part > whole*(1-1e-9) {
		part = whole // rounding of sums in another order
	}
	return words.Percent(part / whole)
}

// wastedJobs prints the jobs that waste most, and their possible savings.
func (e *env) wastedJobs(w *result.Waste, most int) {
	shown := w.Jobs[:min(most, len(w.Jobs))]
	if len(shown) == 0 {
		return
	}
	if !(w.WastedCoreH > 0) {
		e.heldMost(w, shown)
		return
	}
	if first := slices.IndexFunc(shown, func(j result.WasteJob) bool { return !(j.WastedCoreH > 0) }); first >= 0 {
		shown = shown[:first]
	}
	defer e.wastedWithoutName(w)
	if len(shown) == 0 {
		return
	}
	unit := "core-h"
	if w.Priced {
		unit = "cost"
	}
	head := []string{"JOB", "RUNS", "HELD", "WASTED", "SHARE", "MOST OF IT", "CORES", "ENOUGH", "SAVES A MONTH (" +
		unit + ")"}
	var rows [][]string
	saving, low, high, wasted, simulated := 0.0, 0.0, 0.0, 0.0, 0
	for i := range shown {
		j := &shown[i]
		wasted += j.WastedCoreH
		row := []string{words.Printable(j.Job), words.Count(j.Runs), words.Number(j.HeldCoreH),
			words.Number(j.WastedCoreH), shareOf(j.WastedCoreH, j.HeldCoreH), worst(&j.Classes),
			number0(j.CurrentCores), number0(j.RecommendedCores), ""}
		if s := float64(j.SavingPerMonth); !math.IsNaN(s) {
			row[8] = words.Number(s)
			if v := j.SavingInterval; v != nil {
				row[8] += savingRange(v[0], v[1], j.Simulated)
				saving, low, high, simulated = saving+s, low+v[0], high+v[1], simulated+j.Simulated
			}
		} else if j.Why != "" {
			row[8] = j.Why
		}
		rows = append(rows, row)
	}
	e.printf("\n")
	e.rows(head, rows)
	if wasted > 0 {
		e.printf("These waste %s core-hours (%s of all that is wasted).", words.Number(wasted),
			shareOf(wasted, w.WastedCoreH))
		if saving > 0 {
			e.printf(" On ENOUGH cores they would take at most %s longer and save %s %s a month%s, at the rate of "+
				"the trace.", words.Percent(w.Within), words.Number(saving), map[bool]string{true: "(cost)",
				false: "core-hours"}[w.Priced], savingRange(low, high, simulated))
		}
		e.printf("\n")
	}
	for i := range shown {
		if j := &shown[i]; j.Dynamic && j.RecommendedCores < j.CurrentCores {
			e.printf("dynamic allocation gives %s up to %s cores; spark.dynamicAllocation.maxExecutors for %s "+
				"would do\n", words.Printable(j.Job), number0(j.CurrentCores), number0(j.RecommendedCores))
		}
	}
	for i := range shown {
		if j := &shown[i]; j.RecommendedMem > 0 {
			text := fmt.Sprintf("memory: executors of %s used at most %s of %s; %s would do", words.Printable(j.Job),
				words.Bytes(j.ExecutorPeakMem), words.Bytes(j.ExecutorMem), words.Bytes(j.RecommendedMem))
			if s := float64(j.MemSavingPerMon); s > 0 {
				text += fmt.Sprintf(" and save %s GB-hours a month", words.Number(s))
			}
			e.printf("%s\n", text)
		} else if j.SpillBytes > 0 {
			e.printf("memory: %s spilled %s to disk; more memory per task would spare that\n", words.Printable(j.Job),
				words.Bytes(j.SpillBytes))
		}
	}
}

// wastedWithoutName prints the waste of runs that belong to no job, unless it is small.
func (e *env) wastedWithoutName(w *result.Waste) {
	rest := w.WastedCoreH
	for i := range w.Jobs {
		rest -= w.Jobs[i].WastedCoreH
	}
	if w.More == 0 && rest > 0.01*w.WastedCoreH {
		e.printf("Runs without a name waste %s core-hours (%s of all that is wasted).\n", words.Number(rest),
			shareOf(rest, w.WastedCoreH))
	}
}

// heldMost lists the jobs that held most, where nothing is known to be wasted.
func (e *env) heldMost(w *result.Waste, shown []result.WasteJob) {
	e.printf("\n")
	e.rows([]string{"JOB", "RUNS", "CORE-HOURS", "SHARE OF ALL"}, lists.Map(shown, func(j result.WasteJob) []string {
		return []string{words.Printable(j.Job), words.Count(j.Runs), words.Number(j.HeldCoreH),
			shareOf(j.HeldCoreH, w.HeldCoreH)}
	}))
}

// savingRange writes the least and the largest saving over the simulated runs of a job; of one run there is no range.
func savingRange(low, high float64, runs int) string {
	if runs < 2 {
		return " (from one run)"
	}
	if words.Number(low) == words.Number(high) {
		return ""
	}
	return " [" + words.Range(low, high, words.Number) + "]"
}

// worst names the largest class of waste.
func worst(c *result.WasteClasses) string {
	name, _ := page.WorstClass(c)
	return strings.ReplaceAll(name, "_", " ")
}

func number0(x result.Number) string {
	if math.IsNaN(float64(x)) {
		return ""
	}
	return words.Number(x)
}
