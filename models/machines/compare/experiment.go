package compare

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"racecard/analyses/quantile"
	"racecard/datasets/result"
	"racecard/models/internal/experiment"
	"racecard/models/machines/jobs"
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
		{"offline", "all jobs arrive at once (Figs. 1 and 4)", "", base, []Setting{{0, "", func(s *Setup) {
			s.Offline = true
		}}}},
		{"online", "jobs arrive at an interarrival, or as in the trace (Fig. 5)", "", base, same},
		{"load", "machines are taken away: X times as much load on each, about 1, 2, 3, 4 and 6 (Fig. 9)", "load", over,
			vary([]float64{1, 2, 3, 4, 6}, "", func(s *Setup, x float64) { s.Remove = x })},
		{"misestimation", "demands and durations are estimated wrong by a share, of all stages or of half of them " +
			"(Fig. 10)", "error of estimates", over,
			append(vary([]float64{-0.5, -0.25, 0, 0.25, 0.5}, "all stages", func(s *Setup, x float64) {
				s.Error = jobs.Error{Share: x, Some: 1}
			}),
				vary([]float64{-0.5, -0.25, 0, 0.25, 0.5}, "half of the stages", func(s *Setup, x float64) {
					s.Error = jobs.Error{Share: x, Some: 0.5}
				})...)},
		{"p-altruism", "jobs yield with a probability (Fig. 11)", "P(Altruism)", over,
			vary([]float64{0, 0.25, 0.5, 0.75, 1}, "", func(s *Setup, x float64) { s.Parameters.Altruism = x })},
		{"dagps", "jobs plan in the order of DAGPS (Fig. 12)", "", append(slices.Clone(over), "carbyne-dagps"), same},
		{"tetris-fair", "Tetris with fairness f (section 5.2)", "fairness f of Tetris", over,
			vary([]float64{0, 0.25, 0.5, 0.75, 1}, "", func(s *Setup, x float64) { s.Parameters.Fairness = x })},
		{"tetris-remaining", "Tetris minds the work left by a weight (SIGCOMM 2014, section 3.3)",
			"weight of the work left in Tetris", over,
			vary([]float64{0, 0.25, 0.5, 0.75, 1}, "", func(s *Setup, x float64) { s.Parameters.Remaining = x })},
		{"mapreduce-only", "jobs are cut to a map and a reduce stage", "", base, []Setting{{0, "", func(s *Setup) {
			s.MapReduce = true
		}}}},
		{"demands", "drawn demands are half and double", "factor of demands", base,
			vary([]float64{0.5, 1, 2}, "", func(s *Setup, x float64) { s.DemandScale *= x })},
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
	return experiment.Choose(Experiments(), func(x *Experiment) string { return x.Name }, names)
}

// Redraw returns the jobs of a trace with a draw: see [jobs.Builder.Redraw].
type Redraw func(draw workload.Draw) *jobs.Builder

// Run runs an experiment on a setup and the jobs of a trace, once per seed. redraw may be called from several
// goroutines. schedulers, unless empty, replace the experiment's own. done receives the number of finished
// replays.
func (e *Experiment) Run(ctx context.Context, base Setup, seeds []uint64, schedulers []string, redraw Redraw,
	workers int, done func(n, of int)) (*result.CarbyneExperiment, error) {
	if len(schedulers) == 0 {
		schedulers = e.Schedulers
	}
	settings := e.distinct(&base)
	at := func(setting, seed int) Setup {
		s := base
		s.Parameters.Seed = seeds[seed]
		settings[setting].Change(&s)
		return s
	}
	got, err := experiment.Run(ctx, experiment.Grid[*Workload, measured]{
		Settings: len(settings), Seeds: len(seeds), Policies: len(schedulers), Workers: workers, Progress: done,
		Key: func(setting, seed int) any { s := at(setting, seed); return s.workload() },
		Workload: func(_ context.Context, setting, seed int) (*Workload, error) {
			s := at(setting, seed)
			return s.Prepare(redraw(s.Draw()))
		},
		Run: func(ctx context.Context, w *Workload, p experiment.Point) (measured, error) {
			s := at(p.Setting, p.Seed)
			o, err := Run(ctx, s.Cases(w, schedulers, "")[p.Policy])
			if err != nil {
				return measured{}, fmt.Errorf("%s, %v: %w", e.Name, settings[p.Setting].X, err)
			}
			return measured{o.JCT, float64(o.Result.Makespan) / 1e6, o.Jain.Mean(), o.Capped.Mean()}, nil
		},
	})
	if err != nil {
		return nil, err
	}
	out := &result.CarbyneExperiment{Name: e.Name, Axis: e.Axis, Seeds: seeds}
	for k := range settings {
		out.Points = append(out.Points, points(settings[k], schedulers, func(p int) []*measured {
			return got.Seeds(k, p)
		})...)
	}
	return out, nil
}

// measured is the part of an outcome that an experiment keeps.
type measured struct {
	jct                    []float64 // seconds, by job
	makespan, jain, capped float64
}

// Varies reports whether the experiment has more than one setting on a setup, or is meant to have one: a single machine
// cannot be taken away in parts.
func (e *Experiment) Varies(base *Setup) bool {
	return len(e.Settings) == 1 || len(e.distinct(base)) > 1
}

// distinct returns the settings of the experiment. Machines are whole: a setting that takes some away states the load
// on the others. It is left out if an earlier setting leaves as many: a fourth and a sixth of five machines are one.
func (e *Experiment) distinct(base *Setup) (out []Setting) {
	seen := map[int]bool{}
	for _, setting := range e.Settings {
		s := *base
		setting.Change(&s)
		left := s.machinesLeft()
		if s.Remove != base.Remove {
			if seen[left] {
				continue
			}
			setting.X = float64(len(s.Capacities)) / float64(left)
		}
		seen[left] = true
		out = append(out, setting)
	}
	return out
}

// points sums up one setting; runs returns the measures of a scheduler, by seed.
func points(setting Setting, schedulers []string, runs func(policy int) []*measured) (out []result.CarbynePoint) {
	for i, name := range schedulers {
		of := runs(i)
		p := result.CarbynePoint{X: setting.X, Series: setting.Series, Scheduler: name}
		p.JCT = experiment.Over(of, func(_ int, m *measured) float64 { return quantile.Mean(m.jct) })
		p.Makespan = experiment.Over(of, func(_ int, m *measured) float64 { return m.makespan })
		p.Jain = experiment.Over(of, func(_ int, m *measured) float64 { return m.jain })
		p.JainCapped = experiment.Over(of, func(_ int, m *measured) float64 { return m.capped })
		for k, other := range schedulers {
			if k == i || !strings.HasPrefix(name, "carbyne") {
				continue
			}
			if p.Improvement == nil {
				p.Improvement = map[string]result.CarbyneFactor{}
			}
			p.Improvement[other] = factor(of, runs(k))
		}
		out = append(out, p)
	}
	return out
}

// factor sums up the factors of improvement of one scheduler over others, seed by seed.
func factor(of, others []*measured) result.CarbyneFactor {
	all := make([][]float64, len(of))
	summaries := make([]result.Summary, len(of))
	for k := range of {
		all[k] = finite(ratios(others[k].jct, of[k].jct))
		summaries[k] = summarize(all[k])
	}
	over := func(f func(k int) float64) result.Spread {
		return experiment.Over(of, func(k int, _ *measured) float64 { return f(k) })
	}
	return result.CarbyneFactor{
		OfMeans: over(func(k int) float64 { return quantile.Mean(others[k].jct) / quantile.Mean(of[k].jct) }),
		Below1:  over(func(k int) float64 { return below(all[k], 1) }),
		Below08: over(func(k int) float64 { return below(all[k], 0.8) }),
		Mean:    over(func(k int) float64 { return summaries[k].Mean }),
		P50:     over(func(k int) float64 { return summaries[k].P50 }),
		P75:     over(func(k int) float64 { return summaries[k].P75 }),
		P95:     over(func(k int) float64 { return summaries[k].P95 }),
	}
}
