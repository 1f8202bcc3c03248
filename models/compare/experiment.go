package compare

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"racecard/analyses/quantile"
	"racecard/datasets/result"
	"racecard/models/jobs"
	"racecard/models/workload"
)

// Experiment varies one thing, as the paper's evaluation does.
type Experiment struct {
	Name       string
	Summary    string
	Axis       string // what X of its settings is; "" where nothing varies
	Schedulers []string
	Settings   []Setting
}

// Setting is one point of an experiment.
type Setting struct {
	X      float64
	Series string
	Change func(s *Setup)
}

// Experiments returns all experiments, in the order of the paper's figures.
func Experiments() []Experiment {
	same := []Setting{{0, "", func(*Setup) {}}}
	base := []string{"drf", "tetris", "sjf", "carbyne"}
	over := []string{"drf", "tetris", "carbyne"}
	return []Experiment{
		{"offline", "all jobs arrive at once (Figs. 1 and 4)", "", base, []Setting{{0, "", func(s *Setup) { s.Offline = true }}}},
		{"online", "jobs arrive at an interarrival, or as in the trace (Fig. 5)", "", base, same},
		{"load", "all but 1/X of the machines are taken away (Fig. 9)", "load", over, vary([]float64{1, 2, 3, 4, 6}, "", func(s *Setup, x float64) { s.Remove = x })},
		{"misestimation", "demands and durations are estimated wrong by a share, of all stages or of half of them (Fig. 10)", "error of estimates", over,
			append(vary([]float64{-0.5, -0.25, 0, 0.25, 0.5}, "all stages", func(s *Setup, x float64) { s.Error = jobs.Error{Share: x, Some: 1} }),
				vary([]float64{-0.5, -0.25, 0, 0.25, 0.5}, "half of the stages", func(s *Setup, x float64) { s.Error = jobs.Error{Share: x, Some: 0.5} })...)},
		{"p-altruism", "jobs yield with a probability (Fig. 11)", "P(Altruism)", over, vary([]float64{0, 0.25, 0.5, 0.75, 1}, "", func(s *Setup, x float64) { s.Parameters.Altruism = x })},
		{"dagps", "jobs plan in the order of DAGPS (Fig. 12)", "", append(slices.Clone(over), "carbyne-dagps"), same},
		{"tetris-fair", "Tetris with fairness f (section 5.2)", "fairness f of Tetris", over, vary([]float64{0, 0.25, 0.5, 0.75, 1}, "", func(s *Setup, x float64) { s.Parameters.Fairness = x })},
		{"tetris-remaining", "Tetris minds the work left by a weight (SIGCOMM 2014, section 3.3)", "weight of the work left in Tetris", over,
			vary([]float64{0, 0.25, 0.5, 0.75, 1}, "", func(s *Setup, x float64) { s.Parameters.Remaining = x })},
		{"mapreduce-only", "jobs are cut to a map and a reduce stage", "", base, []Setting{{0, "", func(s *Setup) { s.MapReduce = true }}}},
		{"demands", "drawn demands are half and double", "factor of demands", base, vary([]float64{0.5, 1, 2}, "", func(s *Setup, x float64) { s.DemandScale *= x })},
	}
}

func vary(xs []float64, series string, change func(s *Setup, x float64)) (out []Setting) {
	for _, x := range xs {
		out = append(out, Setting{x, series, func(s *Setup) { change(s, x) }})
	}
	return out
}

// Find returns the experiments of names, all for "all".
func Find(names []string) ([]Experiment, error) {
	all := Experiments()
	if len(names) == 1 && names[0] == "all" {
		return all, nil
	}
	var out []Experiment
	for _, name := range names {
		k := slices.IndexFunc(all, func(e Experiment) bool { return e.Name == name })
		if k < 0 {
			var known []string
			for _, e := range all {
				known = append(known, e.Name)
			}
			return nil, fmt.Errorf("no experiment %q; there are %s, and all", name, strings.Join(known, ", "))
		}
		out = append(out, all[k])
	}
	return out, nil
}

// Loader reads the jobs of a trace.
type Loader func(draw workload.Draw) (*jobs.Builder, error)

// Run runs an experiment on a setup, once per seed. schedulers, unless empty, are run instead of its own. done is told how
// many of all replays have ended.
func (e *Experiment) Run(ctx context.Context, base Setup, seeds []uint64, schedulers []string, load Loader, workers int, done func(n, of int)) (*result.CarbyneExperiment, error) {
	if len(schedulers) == 0 {
		schedulers = e.Schedulers
	}
	out := &result.CarbyneExperiment{Name: e.Name, Axis: e.Axis, Seeds: seeds}
	settings := e.distinct(&base)
	n, of := 0, len(settings)*len(seeds)*len(schedulers)
	for _, setting := range settings {
		runs := make([][]*Outcome, len(schedulers)) // by seed
		for _, seed := range seeds {
			s := base
			s.Parameters.Seed = seed
			setting.Change(&s)
			b, err := load(s.Draw())
			if err != nil {
				return nil, err
			}
			w, err := s.Prepare(b)
			if err != nil {
				return nil, err
			}
			outcomes, err := All(ctx, s.Cases(w, schedulers, ""), workers, func(*Outcome) { n++; done(n, of) })
			if err != nil {
				return nil, fmt.Errorf("%s, %v: %w", e.Name, setting.X, err)
			}
			for k, o := range outcomes {
				runs[k] = append(runs[k], o)
			}
		}
		out.Points = append(out.Points, points(setting, runs)...)
	}
	return out, nil
}

// distinct returns the settings of the experiment without those that leave as many machines as one before: a small cluster cannot
// be cut to a fourth and to a sixth.
func (e *Experiment) distinct(base *Setup) (out []Setting) {
	seen := map[int]bool{}
	for _, setting := range e.Settings {
		s := *base
		if setting.Change(&s); s.Remove != base.Remove && seen[s.machinesLeft()] {
			continue
		}
		seen[s.machinesLeft()] = true
		out = append(out, setting)
	}
	return out
}

// points sums up one setting; runs are by scheduler and seed.
func points(setting Setting, runs [][]*Outcome) (out []result.CarbynePoint) {
	for _, of := range runs {
		p := result.CarbynePoint{X: setting.X, Series: setting.Series, Scheduler: of[0].Scheduler}
		p.JCT = spread(of, func(o *Outcome) float64 { return quantile.Mean(o.JCT) })
		p.Makespan = spread(of, func(o *Outcome) float64 { return float64(o.Result.Makespan) / 1e6 })
		p.Jain = spread(of, func(o *Outcome) float64 { return o.Jain.Mean() })
		p.JainCapped = spread(of, func(o *Outcome) float64 { return o.Capped.Mean() })
		for _, others := range runs {
			if !strings.HasPrefix(p.Scheduler, "carbyne") || others[0] == of[0] {
				continue
			}
			if p.Improvement == nil {
				p.Improvement = map[string]result.CarbyneFactor{}
			}
			p.Improvement[others[0].Scheduler] = factor(of, others)
		}
		out = append(out, p)
	}
	return out
}

// factor sums up the factors of improvement of one scheduler over others, seed by seed.
func factor(of, others []*Outcome) result.CarbyneFactor {
	all := make([]result.Summary, len(of))
	of1, of08, means := make([]float64, len(of)), make([]float64, len(of)), make([]float64, len(of))
	for k := range of {
		ratios := Ratios(others[k], of[k])
		all[k], of1[k], of08[k] = summarize(ratios), below(ratios, 1), below(ratios, 0.8)
		means[k] = quantile.Mean(others[k].JCT) / quantile.Mean(of[k].JCT)
	}
	each := func(f func(s *result.Summary) float64) result.Spread {
		values := make([]float64, len(all))
		for k := range all {
			values[k] = f(&all[k])
		}
		return spreadOf(values)
	}
	return result.CarbyneFactor{
		OfMeans: spreadOf(means), Below1: spreadOf(of1), Below08: spreadOf(of08),
		Mean: each(func(s *result.Summary) float64 { return s.Mean }), P50: each(func(s *result.Summary) float64 { return s.P50 }),
		P75: each(func(s *result.Summary) float64 { return s.P75 }), P95: each(func(s *result.Summary) float64 { return s.P95 }),
	}
}

func spread(of []*Outcome, f func(o *Outcome) float64) result.Spread {
	values := make([]float64, len(of))
	for k, o := range of {
		values[k] = f(o)
	}
	return spreadOf(values)
}

func spreadOf(values []float64) result.Spread {
	s := summarize(values)
	return result.Spread{Median: result.Number(s.P50), Low: result.Number(s.Min), High: result.Number(s.Max)}
}
