package figuretest

import (
	"fmt"
	"math"

	"racecard/datasets/result"
)

// Carbyne returns a made-up comparison of schedulers with numbers like the output of `racecard simulate
// carbyne`.
func Carbyne() *result.Bundle {
	c := CarbyneOf("J42")
	b := with(assemble(), c)
	b.Tables["carbyne"] = c.Table()
	return b
}

// CarbyneOf returns a comparison that follows a job of the given name.
func CarbyneOf(job string) *result.Carbyne {
	r := source(41)
	c := &result.Carbyne{
		Header: result.Header{Available: true}, Seed: 1, Altruism: 1, Order: []string{"drf", "tetris", "sjf",
			"carbyne"},
		Cluster:    result.CarbyneCluster{Machines: 100, Total: map[string]float64{"cpu": 2000, "mem": 128e11}},
		Schedulers: map[string]*result.CarbyneScheduler{}, Improvement: map[string]result.Summary{},
		Slowed: map[string]result.CarbyneSlowed{},
		Workload: result.CarbyneWorkload{Jobs: 250, Stages: 2100, Tasks: 80_000, TaskSeconds: 3.1e6,
			Arrivals: "poisson", InterarrivalS: 20, Stretch: 1.4, Load: 0.8,
			DemandScale: 1, DrawnDemands: map[string]int64{"cpu": 2100, "mem": 2100},
			DemandDistribution: "log-uniform"},
	}
	jct := map[string][3]float64{"drf": {1316, 5580, 0.68}, "tetris": {1126, 5220, 0.41}, "sjf": {1094, 5340, 0.36},
		"carbyne": {1142, 5520, 0.55}, "carbyne-dagps": {1120, 5500, 0.55}}
	for i, name := range c.Order {
		x := jct[name]
		s := &result.CarbyneScheduler{JCT: summaryOf(250, x[0]), MakespanS: x[1], Jain: summaryOf(90, x[2]),
			JainCapped: summaryOf(90, (1+x[2])/2), Utilization: map[string]result.Number{"cpu": 0.61, "mem": 0.3},
			TasksMean: 700, Events: 80_250, Instants: 70_000, Steps: 4e6, BinS: 16, Used: map[string][]float64{}}
		for k := range 340 {
			u := 0.75 + 0.1*math.Sin(float64(k)/(9+float64(i))) + 0.05*r.Float64()
			if k > 300 {
				u *= float64(340-k) / 40
			}
			s.Used["cpu"], s.Used["mem"], s.Tasks = append(s.Used["cpu"], u), append(s.Used["mem"], u/2),
				append(s.Tasks, 900*u)
		}
		s.Followed = &result.CarbyneFollowed{Job: job}
		for k := range 12 {
			all := (k*7 + i*3) % 20
			s.Followed.AtS = append(s.Followed.AtS, float64(500+k*(40+10*i)))
			s.Followed.All, s.Followed.Own = append(s.Followed.All, all), append(s.Followed.Own, all/2)
		}
		c.Schedulers[name] = s
		if name != "carbyne" {
			c.Improvement[name] = summaryOf(250, x[0]/1142)
			c.Slowed[name] = result.CarbyneSlowed{Below1: 0.16, Below08: 0.03}
		}
		for k := range 250 {
			c.Runs = append(c.Runs, result.CarbyneRun{Scheduler: name, JobID: fmt.Sprint("j", k),
				ArrivalS: float64(k) * 20, JCTS: x[0] * (0.2 + 2*r.Float64()), Stages: 8, Tasks: 320,
				TaskSeconds: 1e4, Improvement: x[0] / 1142 * (0.7 + r.Float64())})
		}
	}
	spread := func(x float64) result.Spread {
		return result.Spread{Median: result.Number(x), Low: result.Number(0.95 * x), High: result.Number(1.08 * x)}
	}
	point := func(x float64, series, name string, over float64, others ...string) result.CarbynePoint {
		p := result.CarbynePoint{X: x, Series: series, Scheduler: name, JCT: spread(jct[name][0]),
			Makespan: spread(jct[name][1]), Jain: spread(jct[name][2]), JainCapped: spread((1 + jct[name][2]) / 2)}
		for i, other := range others {
			if p.Improvement == nil {
				p.Improvement = map[string]result.CarbyneFactor{}
			}
			s := spread(over - 0.1*float64(i))
			p.Improvement[other] = result.CarbyneFactor{OfMeans: s, Mean: s, P50: s, P75: s, P95: spread(2 * over),
				Below1: spread(0.2), Below08: spread(0.03)}
		}
		return p
	}
	for _, name := range []string{"offline", "dagps"} {
		x := result.CarbyneExperiment{Name: name, Seeds: []uint64{1, 2, 3}}
		for _, s := range append(c.Order, "carbyne-dagps") {
			if s == "carbyne-dagps" && name == "offline" {
				continue
			}
			x.Points = append(x.Points, point(0, "", s, 1.15))
		}
		c.Experiments = append(c.Experiments, x)
	}
	load := result.CarbyneExperiment{Name: "load", Axis: "load", Seeds: []uint64{1, 2, 3}}
	wrong := result.CarbyneExperiment{Name: "misestimation", Axis: "error of estimates", Seeds: []uint64{1, 2, 3}}
	for k := range 5 {
		load.Points = append(load.Points, point(float64(k+1), "", "carbyne", 1+0.08*float64(k), "drf", "tetris"))
		for _, series := range []string{"all stages", "half of the stages"} {
			wrong.Points = append(wrong.Points, point(-0.5+0.25*float64(k), series, "carbyne",
				1.2-0.03*float64(k)-0.002*float64(len(series)), "drf", "tetris"))
		}
	}
	c.Experiments = append(c.Experiments, load, wrong)
	return c
}

// CarbyneDAGPS returns a comparison with Carbyne in the order of DAGPS too.
func CarbyneDAGPS() *result.Carbyne {
	c := CarbyneOf("J42")
	c.Order = append(c.Order, "carbyne-dagps")
	r := source(43)
	for k := range 250 {
		c.Runs = append(c.Runs, result.CarbyneRun{Scheduler: "carbyne-dagps", JobID: fmt.Sprint("j", k),
			JCTS: 1120 * (0.2 + 2*r.Float64())})
	}
	return c
}

// summaryOf returns a summary about a mean.
func summaryOf(n int, mean float64) result.Summary {
	return result.Summary{N: n, Mean: mean, Min: 0.3 * mean, P10: 0.5 * mean, P25: 0.7 * mean, P50: 0.9 * mean,
		P75: 1.2 * mean, P90: 1.6 * mean, P95: 2 * mean, P99: 2.6 * mean, Max: 3 * mean}
}
