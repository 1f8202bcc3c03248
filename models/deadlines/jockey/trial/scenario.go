package trial

import (
	"math"
	"math/rand/v2"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/models/deadlines/sim"
)

// conditions are the disturbances of one controlled run.
type conditions struct {
	cluster   sim.Options // slow machines, spare tokens, losses of machines, input
	failures  float64     // factor on the probability that an attempt fails
	delayS    float64     // from the submission to the start; the deadline does not wait
	changeAtS float64     // when the deadline changes, since the start; NaN: never
	changed   float64     // factor on it
	number    uint64      // of the run
}

// scale makes tasks take so many times as long.
func (c *conditions) scale(factor float64) {
	if c.cluster.Scale == 0 {
		c.cluster.Scale = 1
	}
	c.cluster.Scale *= factor
}

// scenario is a way in which things go wrong. draw adds it to the conditions of a run with a deadline, at a strength in
// (0, 1].
type scenario struct {
	name, about string
	draw        func(r *rand.Rand, c *conditions, deadlineS, strength float64) error
}

// machine is how many tokens a machine of the cluster has.
const machine = 5

// scenarios returns the scenarios of a comparison.
func scenarios() []scenario {
	all := []scenario{
		{"undisturbed", "nothing but what attempts do by themselves: stragglers and failures as in past runs",
			func(*rand.Rand, *conditions, float64, float64) error { return nil }},
		{"slow-machines", "5 to 20% of the machines take 1.3 to 2 times as long", slowMachines},
		{"spare-tokens", "up to 50 spare tokens come and go, some ten times before the deadline; attempts on them " +
			"may be slower, and are evicted", spareTokens},
		{"failures", "attempts fail 2 to 5 times as often, and a machine of 5 tokens is lost with its outputs, once " +
			"before the deadline on average", failures},
		{"input", "tasks take 0.7 to 1.3 times as long", input},
		{"late-start", "the job starts up to 20% of the time to the deadline late", lateStart},
		{"deadline-halved", "after 10 to 40% of the time, the deadline comes forward to half of it, or to what 95% " +
			"of undisturbed runs on schedule can then still meet with 60% of the tokens", change(0.5)},
		{"deadline-doubled", "after 10 to 40% of the time, the deadline is put off to twice the time", change(2)},
	}
	return append(all, scenario{"everything", "slow machines, spare tokens, failures, input and a late start at " +
		"once, each half as strong", func(r *rand.Rand, c *conditions, deadlineS, _ float64) error {
		for _, s := range all[1:6] {
			if err := s.draw(r, c, deadlineS, 0.5); err != nil {
				return err
			}
		}
		return nil
	}})
}

// scenarioList describes them.
func scenarioList() []result.JockeyScenario {
	return lists.Map(scenarios(), func(s scenario) result.JockeyScenario {
		return result.JockeyScenario{Name: s.name, About: s.about}
	})
}

func between(r *rand.Rand, low, high float64) float64 { return low + (high-low)*r.Float64() }

func slowMachines(r *rand.Rand, c *conditions, _, strength float64) error {
	share := strength * between(r, 0.05, 0.2)
	slow := &sim.Slow{Tokens: machine, Factors: make([]float64, 100)}
	for i := range slow.Factors {
		slow.Factors[i] = 1
		if factor := between(r, 1.3, 2); r.Float64() < share {
			slow.Factors[i] = factor
		}
	}
	c.cluster.Slow = slow
	return nil
}

func spareTokens(r *rand.Rand, c *conditions, deadlineS, strength float64) error {
	d, err := exponential(deadlineS / 10)
	if err != nil {
		return err
	}
	most := strength * between(r, 10, 50)
	s := &sim.Spare{Steps: []sim.Step{{}}, Between: d, Slowdown: []float64{1, 1, 1.25, 1.5}}
	for i := range 8 {
		s.Tokens = append(s.Tokens, int32(most*float64(i)/7))
	}
	s.Steps[0].Tokens = s.Tokens[r.IntN(len(s.Tokens))]
	c.cluster.Spare = s
	return nil
}

func failures(r *rand.Rand, c *conditions, deadlineS, strength float64) error {
	c.failures = 1 + strength*(between(r, 2, 5)-1)
	d, err := exponential(deadlineS / strength)
	c.cluster.Loss = &sim.Loss{Between: d, Tokens: machine}
	return err
}

// exponential is a distribution of times with a mean of some seconds, but for times that no simulation reaches.
func exponential(mean float64) (sim.Dist, error) {
	return sim.Inverse(func(p float64) float64 {
		return min(sim.MaxDuration/second, max(1e-6, -mean*math.Log1p(-p)))
	}, 256)
}

func input(r *rand.Rand, c *conditions, _, strength float64) error {
	c.scale(1 + strength*between(r, -0.3, 0.3))
	return nil
}

func lateStart(r *rand.Rand, c *conditions, deadlineS, strength float64) error {
	c.delayS = strength * between(r, 0, 0.2) * deadlineS
	return nil
}

func change(factor float64) func(*rand.Rand, *conditions, float64, float64) error {
	return func(r *rand.Rand, c *conditions, deadlineS, _ float64) error {
		c.changeAtS, c.changed = math.Round(between(r, 0.1, 0.4)*deadlineS), factor
		return nil
	}
}
