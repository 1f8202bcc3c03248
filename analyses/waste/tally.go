package waste

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"racecard/datasets/glob"
	"racecard/datasets/result"
	"racecard/datasets/trace"
)

// tally sums up runs. Times are in core-seconds and byte-seconds.
type tally struct {
	runs       int
	ended      int // of them, runs that succeeded
	unknown    int // of them, runs that do not say how they or their attempts ended
	gpus       int // of them, runs that state GPUs and no cores
	cores      [numClasses]float64
	slots      float64 // slot-seconds
	mem        float64 // byte-seconds, of memKnown core-seconds
	memWasted  float64
	cost       float64
	wastedCost float64
	free       float64 // core-seconds on machines that no price matches
	spill      int64
	gc, busy   float64 // seconds of garbage collection, and of attempts that report it
	asked      int64   // bytes of an executor, the most that a run asked for
	peak       int64   // bytes, the most that an executor used
}

func (t *tally) add(o *tally) {
	t.runs, t.ended = t.runs+o.runs, t.ended+o.ended
	t.unknown, t.gpus = t.unknown+o.unknown, t.gpus+o.gpus
	for c := range t.cores {
		t.cores[c] += o.cores[c]
	}
	t.slots, t.mem, t.memWasted = t.slots+o.slots, t.mem+o.mem, t.memWasted+o.memWasted
	t.cost, t.wastedCost, t.free = t.cost+o.cost, t.wastedCost+o.wastedCost, t.free+o.free
	t.spill = addBytes(t.spill, o.spill)
	t.gc, t.busy = t.gc+o.gc, t.busy+o.busy
	t.asked, t.peak = max(t.asked, o.asked), max(t.peak, o.peak)
}

func (t *tally) held() float64 {
	sum := 0.0
	for _, x := range t.cores {
		sum += x
	}
	return sum
}

// measure returns the resources that a run held and used.
func (p *Partial) measure(run *trace.Run, u use) tally {
	t := tally{runs: 1, asked: max(0, run.ExecutorMem), peak: max(0, run.ExecutorPeakMem)}
	if run.Status == trace.Succeeded {
		t.ended = 1
	}
	perSlot, memPerSlot := float64(run.TokensPerAttempt()), 0.0
	if p.opts.Cores {
		perSlot, memPerSlot = Slot(run)
	}
	p.perSlot, p.memPerSlot = perSlot, memPerSlot
	ends, cpu, gpu := run.Status != trace.StatusUnknown, false, false
	for i := range run.Attempts {
		a := &run.Attempts[i]
		s := &run.Stages[a.Stage]
		ends = ends || a.Status != trace.StatusUnknown
		cpu = cpu || a.Demand[trace.CPU] > 0 || s.Demand[trace.CPU] > 0
		gpu = gpu || a.Demand[trace.GPU] > 0 || s.Demand[trace.GPU] > 0
		t.spill = addBytes(t.spill, max(0, a.SpillBytes))
		if a.GC.Known() && a.Duration.Known() {
			t.gc, t.busy = t.gc+a.GC.Seconds(), t.busy+a.Duration.Seconds()
		}
	}
	if !ends {
		t.unknown = 1
	}
	if gpu && !cpu {
		t.gpus = 1
	}
	for c, s := range u.classes {
		t.cores[c] = s * perSlot
		t.slots += s
	}
	wasted := t.slots - u.classes[useful]
	t.mem, t.memWasted = t.slots*memPerSlot, wasted*memPerSlot
	if len(p.opts.Prices) > 0 {
		price, free := p.prices.of(run)
		hour := (perSlot*price.CPU + memPerSlot/1e9*price.Mem) / 3600
		t.cost, t.wastedCost, t.free = t.slots*hour, wasted*hour, t.slots*perSlot*free
	}
	return t
}

// Slot returns the cores and the bytes of a slot of a run: the mean demand of its attempts, or else of their stages.
// Bytes that are not known are 0. Where the trace knows GPUs and no cores, these count.
func Slot(run *trace.Run) (cores, bytes float64) {
	cores = cmp.Or(statedCores(run), float64(run.TokensPerAttempt()))
	if run.ExecutorMem > 0 && run.ExecutorCores > 0 {
		return cores, float64(run.ExecutorMem) * min(1, cores/float64(run.ExecutorCores))
	}
	bytes = cmp.Or(mean(run, trace.Mem, ofAttempt), mean(run, trace.Mem, ofStage))
	return cores, bytes
}

// CoresPerToken returns the cores of a token of a run; NaN where the trace does not state them.
func CoresPerToken(run *trace.Run) float64 {
	if x := statedCores(run); x > 0 {
		return x / float64(run.TokensPerAttempt())
	}
	return math.NaN()
}

// statedCores returns the cores of a slot that the trace states for attempts, executors or stages; 0 for none.
func statedCores(run *trace.Run) float64 {
	return cmp.Or(mean(run, trace.CPU, ofAttempt), ofExecutor(run), mean(run, trace.CPU, ofStage))
}

func ofAttempt(run *trace.Run, i int) *trace.Demand { return &run.Attempts[i].Demand }

func ofStage(run *trace.Run, i int) *trace.Demand { return &run.Stages[run.Attempts[i].Stage].Demand }

// mean returns the mean demand of attempts, of those with a demand; 0 if there is none.
func mean(run *trace.Run, r trace.Resource, of func(run *trace.Run, attempt int) *trace.Demand) float64 {
	sum, n := 0.0, 0
	for i := range run.Attempts {
		if x := of(run, i)[r]; x > 0 {
			sum, n = sum+x, n+1
		}
	}
	return sum / float64(max(1, n))
}

// ofExecutor returns the cores of an executor for each of its tokens: more than one where tasks take several, or where
// another resource, such as a GPU, is scarcer than cores. It is 0 where executors differ, or nothing tells.
func ofExecutor(run *trace.Run) float64 {
	tokens := int64(0) // of an executor
	for _, a := range run.Allocations {
		if a.Tokens <= 0 || a.Machines <= 0 {
			continue
		}
		n := a.Tokens / a.Machines
		if n*a.Machines != a.Tokens || tokens != 0 && n != tokens {
			return 0
		}
		tokens = n
	}
	if tokens == 0 || run.ExecutorCores <= 0 {
		return 0
	}
	return float64(run.ExecutorCores) / float64(tokens)
}

// priceList finds the price of a machine.
type priceList struct {
	prices []Price
	known  map[string]int // by name of a machine
}

// of returns the price of a run, the mean over its attempts, and the share of attempts without one.
func (l *priceList) of(run *trace.Run) (mean Price, free float64) {
	for i := range run.Attempts {
		k := l.find(run.Attempts[i].Machine)
		if k >= 0 {
			mean.CPU += l.prices[k].CPU
			mean.Mem += l.prices[k].Mem
		} else {
			free++
		}
	}
	n := float64(len(run.Attempts))
	return Price{CPU: mean.CPU / n, Mem: mean.Mem / n}, free / n
}

// maxMachines bounds the cached names.
const maxMachines = 1 << 16

func (l *priceList) find(machine string) int {
	if len(l.prices) == 1 && l.prices[0].Machines == "" {
		return 0
	}
	if k, ok := l.known[machine]; ok {
		return k
	}
	k := slices.IndexFunc(l.prices, func(p Price) bool {
		return p.Machines == "" || glob.MatchMachine(p.Machines, machine)
	})
	if len(l.known) >= maxMachines {
		clear(l.known)
	}
	l.known[strings.Clone(machine)] = k
	return k
}

func (p Price) validate() error {
	if err := glob.Check(p.Machines); err != nil {
		return fmt.Errorf("price of machines %q: %w", p.Machines, err)
	}
	if !(p.CPU >= 0 && p.CPU < math.Inf(1)) || !(p.Mem >= 0 && p.Mem < math.Inf(1)) {
		return fmt.Errorf("price of machines %q: want finite numbers of at least 0", p.Machines)
	}
	return nil
}

const hour = 3600

// amount returns the totals of a tally.
func (p *Partial) amount(t *tally) result.WasteAmount {
	nan := result.Number(math.NaN())
	held := t.held()
	a := result.WasteAmount{
		Runs: t.runs, HeldCoreH: held / hour, WastedCoreH: (held - t.cores[useful]) / hour,
		HeldMemGBh: nan, WastedMemGBh: nan, Cost: nan, WastedCost: nan,
	}
	if t.mem > 0 {
		a.HeldMemGBh, a.WastedMemGBh = result.Number(t.mem/1e9/hour), result.Number(t.memWasted/1e9/hour)
	}
	if len(p.opts.Prices) > 0 {
		a.Cost, a.WastedCost = result.Number(t.cost), result.Number(t.wastedCost)
	}
	return a
}

// classes returns the core-hours by class.
func classes(t *tally) result.WasteClasses {
	h := func(c class) float64 { return t.cores[c] / hour }
	return result.WasteClasses{Useful: h(useful), Failed: h(failed), Speculative: h(speculative),
		BarrierIdle: h(barrierIdle), TailIdle: h(tailIdle), Driver: h(driver), Unused: h(unused)}
}

// jobs returns the jobs, those that waste most first.
func (p *Partial) jobs() []result.WasteJob {
	jobs := []result.WasteJob{}
	for _, name := range sorted(p.by[byJob]) {
		t := p.by[byJob][name]
		j := result.WasteJob{Job: name, WasteAmount: p.amount(t), Classes: classes(t), Succeeded: t.ended,
			ExecutorMem: t.asked, ExecutorPeakMem: t.peak, SpillBytes: t.spill, GCShare: result.Number(math.NaN()),
			WasteAdvice: result.NoAdvice("not among the jobs that were simulated")}
		if t.busy > 0 {
			j.GCShare = result.Number(t.gc / t.busy)
		}
		jobs = append(jobs, j)
	}
	slices.SortStableFunc(jobs, func(a, b result.WasteJob) int { return p.compare(&a.WasteAmount, &b.WasteAmount) })
	return jobs
}

// groups returns the users or groups, those that waste most first.
func (p *Partial) groups(kind int) []result.WasteGroup {
	groups := []result.WasteGroup{}
	for _, name := range sorted(p.by[kind]) {
		t := p.by[kind][name]
		groups = append(groups, result.WasteGroup{Who: name, WasteAmount: p.amount(t), Classes: classes(t),
			Succeeded: t.ended})
	}
	slices.SortStableFunc(groups, func(a, b result.WasteGroup) int { return p.compare(&a.WasteAmount, &b.WasteAmount) })
	return groups
}

// compare orders by waste, largest first: in money if there are prices. Of those that waste equally much, those come
// first that held most.
func (p *Partial) compare(a, b *result.WasteAmount) int {
	wasted, held := cmp.Compare(b.WastedCoreH, a.WastedCoreH), cmp.Compare(b.HeldCoreH, a.HeldCoreH)
	if len(p.opts.Prices) > 0 {
		wasted = cmp.Compare(float64(b.WastedCost), float64(a.WastedCost))
		held = cmp.Compare(float64(b.Cost), float64(a.Cost))
	}
	return cmp.Or(wasted, held)
}

// addBytes adds two counts that are not negative, and saturates at the largest int64.
func addBytes(a, b int64) int64 {
	if sum := a + b; sum >= 0 {
		return sum
	}
	return math.MaxInt64
}

func sorted(m map[string]*tally) []string { return slices.Sorted(maps.Keys(m)) }
