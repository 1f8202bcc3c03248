package cli

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/store"
	"racecard/datasets/trace"
	"racecard/datasets/words"
	"racecard/models/machines/compare"
	"racecard/models/machines/policy"
	"racecard/pipeline/internal/quantity"
	"racecard/reports/page"
)

// read reads the flags that do not need the trace, and returns the experiments to run.
func (f *carbyneFlags) read(s *compare.Setup) ([]compare.Experiment, error) {
	if len(f.schedulers) == 0 {
		return nil, errors.New("--schedulers: want at least one")
	}
	seen := map[string]bool{}
	for _, name := range f.schedulers {
		if _, err := compare.Named(name); err != nil {
			return nil, fmt.Errorf("--schedulers: %w", err)
		}
		if seen[name] {
			return nil, fmt.Errorf("--schedulers: %s twice", name)
		}
		seen[name] = true
	}
	var err error
	if s.Parameters.Weights, err = parseWeights(f.weights); err != nil {
		return nil, fmt.Errorf("--weights %s: %w", f.weights, err)
	}
	experiments, err := compare.Find(f.experiments)
	if err != nil {
		return nil, fmt.Errorf("--experiment: %w", err)
	}
	return experiments, nil
}

// seeds returns the seeds of experiments.
func (f *carbyneFlags) seeds(first uint64) []uint64 {
	return lists.Indexed(f.runs, func(i int) uint64 { return first + uint64(i) })
}

// cluster reads the flags about machines.
func (f *carbyneFlags) cluster(s *compare.Setup, of *store.Store) error {
	if f.machines == "trace" {
		machines, err := of.Machines()
		if err != nil {
			return err
		}
		if len(machines) == 0 {
			return usageError{errors.New("--machines trace: the store has no machines")}
		}
		for i := range machines {
			s.Capacities = append(s.Capacities, capacityOf(&machines[i]))
		}
		return nil
	}
	n := 100
	if s.Pooled {
		n = 1
	}
	if f.machines != "" {
		var err error
		if n, err = parseMachines(f.machines); err != nil {
			return usageError{fmt.Errorf("--machines %s: %w", f.machines, err)}
		}
	}
	capacity, err := parseCapacity(f.capacity)
	if err != nil {
		return usageError{fmt.Errorf("--capacity: %w", err)}
	}
	for range n {
		s.Capacities = append(s.Capacities, capacity)
	}
	return nil
}

// capacityOf returns the capacity of a machine of a trace. Its disk is space, not bandwidth, and is not modelled.
func capacityOf(m *trace.Machine) trace.Demand {
	d := trace.NoDemand()
	d[trace.CPU], d[trace.Mem], d[trace.NetIn], d[trace.NetOut], d[trace.GPU] = m.CPU, m.Mem, m.Net, m.Net, m.GPU
	return d
}

// machinesRange is the number of machines.
func machinesRange() quantity.Range { return whole(1, 200_000) }

func parseMachines(text string) (int, error) {
	n, err := machinesRange().Parse(text)
	if err != nil {
		return 0, fmt.Errorf("%w; or trace, for the machines of the store", err)
	}
	return int(n), nil
}

// checkMachines checks --machines.
func checkMachines(text string) error {
	if text == "trace" {
		return nil
	}
	_, err := parseMachines(text)
	return err
}

// parseWeights reads ads=3,search=1.
func parseWeights(text string) (policy.Weights, error) {
	weights := policy.Weights{}
	if text == "" {
		return weights, nil
	}
	for item := range strings.SplitSeq(text, ",") {
		at := strings.LastIndex(item, "=")
		if at < 1 {
			return nil, errors.New("want names with values, such as a=1,b=2")
		}
		w, err := positive(quantity.Plain, 1e9).Parse(item[at+1:])
		if err != nil {
			return nil, fmt.Errorf("%q: %w", item, err)
		}
		if _, twice := weights[item[:at]]; twice {
			return nil, fmt.Errorf("%s is there twice", item[:at])
		}
		weights[item[:at]] = w
	}
	return weights, nil
}

// parseCapacity reads cpu=20,mem=128GB.
func parseCapacity(text string) (trace.Demand, error) {
	d := trace.NoDemand()
	short := map[string][]trace.Resource{"disk": {trace.DiskRead, trace.DiskWrite}, "net": {trace.NetIn, trace.NetOut}}
	for r, name := range trace.ResourceNames {
		short[name] = []trace.Resource{trace.Resource(r)}
	}
	for item := range strings.SplitSeq(text, ",") {
		name, number, _ := strings.Cut(strings.TrimSpace(item), "=")
		if short[name] == nil {
			return d, fmt.Errorf("%q; want such as cpu=20: one of %s, disk and net, and how much of it", item,
				strings.Join(trace.ResourceNames[:], ", "))
		}
		amount := positive(quantity.Bytes, 1e18) // sizes and bytes/s: 128GB
		if name == "cpu" || name == "gpu" {
			amount = positive(quantity.Plain, 1e9)
		}
		x, err := amount.Parse(number)
		if err != nil {
			return d, fmt.Errorf("%q; want such as cpu=20,mem=128GB: %w", item, err)
		}
		for _, r := range short[name] {
			if !math.IsNaN(d[r]) {
				return d, fmt.Errorf("%s is there twice", trace.ResourceNames[r])
			}
			d[r] = x
		}
	}
	return d, nil
}

// carbyne prints a comparison.
func (e *env) carbyne(doc *result.Carbyne) error {
	w := &doc.Workload
	if doc.Synthetic {
		e.printf("SYNTHETIC: ")
	}
	e.printf("%s, %s, %s task-seconds; %s\n", words.Of(w.Jobs, "job", "jobs"),
		words.Of(w.Tasks, "task", "tasks"), words.Number(w.TaskSeconds), arrivals(w))
	if len(doc.LeftOut) > 0 {
		e.printf("runs left out: %s\n", counted(doc.LeftOut))
	}
	for _, text := range missing(doc) {
		e.printf("%s\n", text)
	}
	e.notes("warning", doc.Warnings)
	if len(doc.Experiments) > 0 {
		e.printf("seed %d; experiments below are medians of their seeds\n", doc.Seed)
	}
	e.table(page.CarbyneTable(doc))
	e.printf("no schedule has a makespan of less than %s: longest paths, and work over all machines; in brackets "+
		"behind Jain's index: of shares up to that of the job\n", words.FineSeconds(w.MakespanBoundS))
	for _, name := range doc.Order {
		if left := doc.Schedulers[name].LeftoverAtStart; left != nil {
			e.printf("%s, at the first instant: left after the tasks that must start %s\n", name,
				share(left, doc.Cluster.Total))
		}
	}
	if len(doc.Improvement) > 0 {
		e.printf("\nhow many times longer jobs take than under carbyne\n")
		head := []string{"SCHEDULER", "MEAN", "P50", "P75", "P95", "BELOW 1", "BELOW 0.8"}
		var rows [][]string
		for _, name := range doc.Order {
			if s, ok := doc.Improvement[name]; ok {
				slow := doc.Slowed[name]
				rows = append(rows, []string{name, words.Fixed(s.Mean, 2), words.Fixed(s.P50, 2), words.Fixed(s.P75, 2),
					words.Fixed(s.P95, 2), words.Percent(slow.Below1), words.Percent(slow.Below08)})
			}
		}
		e.rows(head, rows)
	}
	for i := range doc.Experiments {
		e.experiment(&doc.Experiments[i])
	}
	e.perJob(doc)
	return e.printJSON(doc)
}

// share writes amounts per resource as shares of a total.
func share(of, total map[string]float64) string {
	var parts []string
	for _, r := range trace.ResourceNames {
		if t := total[r]; t > 0 {
			parts = append(parts, r+" "+words.Percent(of[r]/t))
		}
	}
	return words.List(parts)
}

// perJob prints the times of jobs, if asked for.
func (e *env) perJob(doc *result.Carbyne) {
	if len(doc.Order) == 0 || doc.Schedulers[doc.Order[0]].JCTByJob == nil {
		return
	}
	e.printf("\n")
	head := append([]string{"JOB"}, doc.Order...)
	e.rows(head, lists.Map(doc.Runs[:doc.Workload.Jobs], func(r result.CarbyneRun) []string {
		return append([]string{r.JobID}, lists.Map(doc.Order, func(name string) string {
			return words.FineSeconds(doc.Schedulers[name].JCTByJob[r.JobID])
		})...)
	}))
}

func arrivals(w *result.CarbyneWorkload) string {
	text := map[string]string{"offline": "all arrive at once", "trace": "arriving as in the trace",
		"poisson": "arriving by Poisson, mean gap " + words.FineSeconds(w.InterarrivalS)}[w.Arrivals]
	if !math.IsNaN(float64(w.Stretch)) {
		text += fmt.Sprintf("; durations x %s for a load of %s", words.Number(w.Stretch), words.Number(w.Load))
	}
	return text
}

// missing lists the drawn values.
func missing(doc *result.Carbyne) (out []string) {
	w := &doc.Workload
	var drawn []string
	for _, r := range trace.ResourceNames {
		if _, modelled := doc.Cluster.Total[r]; modelled && w.DrawnDemands[r] > 0 {
			drawn = append(drawn, r)
		}
	}
	if len(drawn) > 0 {
		scale := ""
		if w.DemandScale != 1 {
			scale = ", times " + words.Number(w.DemandScale)
		}
		out = append(out, fmt.Sprintf("demands of %s are drawn where the trace is silent, %s%s",
			strings.Join(drawn, ", "), w.DemandDistribution, scale))
	}
	if w.MeanTasks > 0 {
		out = append(out, words.Of(w.MeanTasks, "task takes", "tasks take")+" the mean of the stage: the trace has "+
			"no durations of them")
	}
	if text := result.SkippedStages(w.SkippedStages); text != "" {
		out = append(out, text)
	}
	if w.StageDurations > 0 {
		out = append(out, fmt.Sprintf("all tasks of %s take as long as the stage did: the trace has no durations of "+
			"them, and where they ran in waves that is too long", words.Of(w.StageDurations, "stage", "stages")))
	}
	if w.DrawnDurations > 0 {
		out = append(out, fmt.Sprintf("the durations of %s are drawn, %s", words.Of(w.DrawnDurations, "stage",
			"stages"), w.DurationDistribution))
	}
	return out
}

// experiment prints one experiment.
func (e *env) experiment(x *result.CarbyneExperiment) {
	e.printf("\n%s, medians of %s\n", x.Name, words.Of(len(x.Seeds), "run", "runs"))
	axis := strings.ToUpper(x.Axis)
	head := []string{axis, "SCHEDULER", "MEAN JCT", "MAKESPAN", "JAIN", "CAPPED"}
	var rows [][]string
	factorsHead := []string{axis, "SCHEDULER", "FASTER THAN", "BY MEANS", "MEAN", "P50", "P75", "P95", "BELOW 1",
		"BELOW 0.8"}
	var factors [][]string
	fixed := func(s result.Spread) string { return words.Fixed(s.Median, 2) }
	for i := range x.Points {
		p := &x.Points[i]
		at := words.Number(p.X)
		if x.Axis == "" {
			at = ""
		}
		if p.Series != "" {
			at += " " + p.Series
		}
		rows = append(rows, []string{at, p.Scheduler, words.FineSeconds(p.JCT.Median),
			words.FineSeconds(p.Makespan.Median), fixed(p.Jain), fixed(p.JainCapped)})
		for k := range x.Points {
			q := &x.Points[k]
			if f, ok := p.Improvement[q.Scheduler]; ok && q.X == p.X && q.Series == p.Series {
				factors = append(factors, []string{at, p.Scheduler, q.Scheduler, fixed(f.OfMeans), fixed(f.Mean),
					fixed(f.P50), fixed(f.P75), fixed(f.P95),
					words.Percent(f.Below1.Median), words.Percent(f.Below08.Median)})
			}
		}
	}
	e.rows(head, rows)
	if len(factors) > 0 {
		e.printf("\n")
		e.rows(factorsHead, factors)
	}
}
