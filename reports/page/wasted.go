package page

import (
	"strings"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/figure"
)

// mostWasteful bounds the jobs in the table of waste.
const mostWasteful = 25

// aboutWaste reports core-hours by class, and recommended allocations.
func (s *section) aboutWaste(w *result.Waste, source figure.Source) {
	f := Finding{ID: "waste", See: "fig-waste", N: w.Runs, Numbers: map[string]float64{"held_core_h": w.HeldCoreH,
		"wasted_core_h": w.WastedCoreH, "cost": float64(w.Cost), "wasted_cost": float64(w.WastedCost)}}
	f.Text = WasteAnswer(w) + "."
	if w.HeldCoreH > 0 {
		f.Stake = w.WastedCoreH / w.HeldCoreH
	}
	if name, coreH := WorstClass(&w.Classes); coreH > 0 {
		f.Detail = "The largest part, " + words.Number(coreH) + " core-hours, is " + ClassMeaning(name) + "."
	}
	if len(w.Jobs) > 0 && w.Jobs[0].WastedCoreH > 0 {
		j := &w.Jobs[0]
		f.Detail += " " + name(j.Job) + " wastes most: " + words.Number(j.WastedCoreH) + " of " +
			words.Number(j.HeldCoreH) + " core-hours."
		if saves := float64(j.SavingPerMonth); saves > 0 {
			f.Detail += " On " + words.Of(int64(j.RecommendedCores), "core", "cores") + " instead of " +
				words.Number(j.CurrentCores) + " it would take at most " + words.Percent(w.Within) +
				" longer and save " + words.Number(saves) + words.Either(w.Priced, " of money", " core-hours") + " a month."
		}
	}
	if w.Fleet != nil {
		f.Detail += " " + words.Capital(FleetAnswer(w.Fleet)) + "."
	}
	s.find(f)
	s.draw(figure.Waste(w, source))
	s.filled(wasteTable(w))
}

// WasteAnswer states the share of resources that did no useful work.
func WasteAnswer(w *result.Waste) string {
	if !(w.HeldCoreH > 0) {
		return "no run held a core for a known time"
	}
	if !w.HeldKnown() && !(w.WastedCoreH > 0) {
		return words.Number(w.HeldCoreH) + " core-hours ran" + words.When(w.FailuresKnown(), ", none of them for nothing") +
			"; the trace does not tell what was held and idle" + words.When(!w.FailuresKnown(), ", nor how runs ended")
	}
	text := words.Number(w.WastedCoreH) + " of " + words.Number(w.HeldCoreH) + " core-hours (" +
		words.Percent(w.WastedCoreH/w.HeldCoreH) + ") " +
		words.Either(w.HeldKnown(), "did no useful work", "are known to have done no useful work")
	text += words.When(!w.FailuresKnown(), ", as far as is known: the trace does not tell how runs ended")
	text += words.When(w.Priced, ", %s of the cost of %s", words.Number(w.WastedCost), words.Number(w.Cost))
	return text
}

// FleetAnswer states how many machines fewer would have sufficed for the runs, and how many cores were in use at once.
func FleetAnswer(f *result.Fleet) string {
	most, usual, busy := words.Number(f.PeakCores), words.Number(f.Cores), words.Number(f.BusyCores)
	text := "cores held at once: at most " + most
	text += words.When(f.CoresAre == result.CoresBound, " (at least %s)", words.Number(f.LeastPeak))
	text += words.When(usual != most, ", at most %s for %s of the time in use", usual, words.Percent(f.Share))
	text += ", with tasks on " + words.Either(busy == usual, "all of them", busy)
	switch {
	case f.CoresAre == result.CoresExact && f.BusyAre == result.CoresBound:
		text += " or fewer (exact; with tasks: an upper bound)"
	case f.CoresAre == result.CoresExact:
		text += " (exact, at every instant)"
	case f.CoresAre == result.CoresBound:
		text += " (upper bounds: the many changes of some runs are rounded up)"
	case f.BinS >= longBin:
		text += " (means of " + words.Seconds(f.BinS) + ", which hide shorter peaks)"
	default:
		text += " (means of " + words.Seconds(f.BinS) + ")"
	}
	if f.Machines > 0 {
		text = machinesFewer(f) + "; " + text
	}
	return text
}

// longBin is the length in seconds from which means over bins hide peaks that a planner cares for.
const longBin = 60

// machinesFewer states how many machines fewer would have sufficed for the runs, for most of the time.
func machinesFewer(f *result.Fleet) string {
	spare, spareBusy := max(0, f.Machines-f.Enough), max(0, f.Machines-f.EnoughBusy)
	if f.Machines == 1 {
		return "machines: all ran on one"
	}
	all := words.Count(f.Machines)
	if f.Enough == 0 {
		return "machines: " + all + ", less than a core of each was held at once: how many would do is not known"
	}
	text := "machines: all " + all + " were needed"
	if spare > 0 {
		text = "machines: " + words.Count(spare) + " fewer would do (" + words.Count(f.Enough) + " of " + all + ")" +
			words.When(f.Cores < f.PeakCores, " for %s of the time in use", words.Percent(f.Share))
	}
	text += words.When(spareBusy > spare, ", %s fewer if runs held only cores on which tasks run",
		words.Count(spareBusy))
	return text
}

// ClassMeaning explains a class of waste in a few words.
func ClassMeaning(class string) string {
	switch class {
	case "useful":
		return "results that counted"
	case "failed":
		return "attempts and runs that failed or were repeated"
	case "speculative":
		return "copies of slow tasks"
	case "barrier_idle":
		return "idle, waiting for other tasks"
	case "tail_idle":
		return "idle while the last tasks ran"
	case "driver":
		return "start-up, driver, wind-down"
	}
	return "never used by the run"
}

// WorstClass returns the largest class of waste, "" if nothing is wasted.
func WorstClass(c *result.WasteClasses) (name string, coreH float64) {
	for _, x := range c.List()[1:] {
		if x.CoreH > coreH {
			name, coreH = x.Name, x.CoreH
		}
	}
	return name, coreH
}

func wasteTable(w *result.Waste) table {
	t := table{ID: "table-waste", Title: "The jobs that waste most", All: "waste.parquet",
		Columns: []column{{Name: "Job"}, number("Runs"), number("Core-hours held"), number("Wasted"),
			{Name: "Most of it"}, minor(number("Cores")), number("Enough"), number("Saves a month")}}
	for i := range w.Jobs[:min(len(w.Jobs), mostWasteful)] {
		j := &w.Jobs[i]
		worst, _ := WorstClass(&j.Classes)
		row := cells(name(j.Job), words.Count(j.Runs), words.Number(j.HeldCoreH), words.Number(j.WastedCoreH),
			strings.ReplaceAll(worst, "_", " "), words.Number(j.CurrentCores), words.Number(j.RecommendedCores),
			words.Number(j.SavingPerMonth))
		if v := j.SavingInterval; v != nil {
			row[len(row)-1].Sub = words.Range(v[0], v[1], words.Number)
		}
		t.Rows = append(t.Rows, row)
	}
	t.Note = "Enough: the cores on which the last runs would have cost least, and taken at most " +
		words.Percent(w.Within) + " longer, by simulation. Savings are extrapolated from " + periodOf(w) + "."
	return t
}

func periodOf(w *result.Waste) string {
	return words.Either(known(w.PeriodS), words.Seconds(w.PeriodS), "the trace")
}
