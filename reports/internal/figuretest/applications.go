package figuretest

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// Application is a job that recurs: its plan, and how much its runs vary.
type Application struct {
	Name   string
	Stages []Stage
	Spread float64 // standard deviation of the logarithm of a run's slowness
}

// Stage is a stage of an [Application].
type Stage struct {
	Name    string
	Tasks   int
	Seconds float64 // of a typical task
	Parents []int
	Kind    string // of the edges from Parents
	After   int    // stage that the driver waits for, -1 when none
}

// Applications returns the four applications: a scan and aggregate, a join with barriers, an iteration, and one with
// skew.
func Applications() []Application {
	return []Application{
		{"sales-rollup", []Stage{
			{"map at sales.py:31", 8, 2.1, nil, "", -1},
			{"reduceByKey at sales.py:34", 8, 0.9, []int{0}, "all_to_all", -1},
			{"sortBy at sales.py:36", 4, 0.4, []int{1}, "all_to_all", -1},
		}, 0.10},
		{"customer-360", []Stage{
			{"scan orders", 8, 2.4, nil, "", -1}, {"scan visits", 8, 2.8, nil, "", -1}, {"scan products", 2, 0.6, nil,
				"", -1},
			{"scan campaigns", 2, 0.4, nil, "", -1}, {"scan customers", 4, 0.9, nil, "", -1},
			{"join orders with products", 8, 1.8, []int{0, 2}, "all_to_all", -1},
			{"join visits with campaigns", 8, 1.5, []int{1, 3}, "all_to_all", -1},
			{"join all", 8, 2.2, []int{4, 5, 6}, "all_to_all", -1},
			{"aggregate by region", 4, 0.8, []int{7}, "all_to_all", -1}, {"write", 4, 0.5, []int{8}, "one_to_one", -1},
		}, 0.28},
		pageImportance(),
		{"clicks-by-customer", []Stage{
			{"parse clicks", 8, 1.9, nil, "", -1}, {"groupByKey customer", 8, 1.6, []int{0}, "all_to_all", -1},
			{"sessions", 8, 2.6, []int{1}, "one_to_one", -1}, {"count", 1, 0.2, []int{2}, "all_to_all", -1},
			{"parse clicks again", 8, 0.9, nil, "", 3}, {"top customers", 4, 0.7, []int{2, 4}, "all_to_all", -1},
		}, 0.42},
	}
}

func pageImportance() Application {
	stages := []Stage{
		{"textFile at rank.py:40", 8, 1.6, nil, "", -1}, {"distinct at rank.py:42", 8, 1.1, []int{0}, "all_to_all", -1},
		{"groupByKey at rank.py:43", 8, 1.2, []int{1}, "all_to_all", -1}, {"mapValues at rank.py:44", 8, 0.4, []int{2},
			"one_to_one", -1},
	}
	ranks := 3
	for i := range 6 {
		join := len(stages)
		stages = append(stages, Stage{fmt.Sprintf("join at rank.py:%d", 50+i), 8, 0.8, []int{2, ranks}, "all_to_all",
			-1}, Stage{fmt.Sprintf("reduceByKey at rank.py:%d", 60+i), 8, 0.6, []int{join}, "all_to_all", -1})
		ranks = join + 1
		if i == 2 || i == 5 {
			check := len(stages)
			stages = append(stages, Stage{fmt.Sprintf("sum at rank.py:%d", 70+i), 4, 0.3, []int{ranks}, "all_to_all",
				-1}, Stage{fmt.Sprintf("mapValues at rank.py:%d", 80+i), 8, 0.3, []int{ranks}, "one_to_one", check})
			ranks = check + 1
		}
	}
	stages = append(stages, Stage{"sortBy at rank.py:91", 4, 0.6, []int{ranks}, "all_to_all", -1},
		Stage{"take at rank.py:92", 1, 0.2, []int{len(stages)}, "all_to_all", -1},
		Stage{"saveAsTextFile at rank.py:95", 4, 0.7, []int{len(stages)}, "one_to_one", len(stages) + 1})
	return Application{"page-importance", stages, 0.22}
}

// manyApplications returns n applications of 1 to 60 stages, most of them small.
func manyApplications(r *rand.Rand, n int) []Application {
	out := make([]Application, n)
	for i := range out {
		stages := 1 + int(min(60, 6*math.Exp(0.9*r.NormFloat64())))
		out[i] = layeredApplication(r, fmt.Sprintf("job-%04d", i), stages, stages*10)
		out[i].Spread = min(1.2, 0.25*math.Exp(0.6*r.NormFloat64()))
	}
	return out
}

// layeredApplication returns an application whose stages have up to three parents among the stages just before.
func layeredApplication(r *rand.Rand, name string, stages, tasks int) Application {
	a := Application{Name: name, Spread: 0.3}
	left := tasks
	for i := range stages {
		n := max(1, min(left-(stages-i-1), 1+int(float64(2*tasks/stages)*r.Float64())))
		if i == stages-1 {
			n = max(1, left)
		}
		left -= n
		s := Stage{Name: fmt.Sprintf("step %d", i), Tasks: n, Seconds: 1 + 9*r.Float64(), Kind: "all_to_all", After: -1}
		if r.Float64() < 0.3 {
			s.Kind = "one_to_one"
		}
		if i > 0 && r.Float64() > 0.18 {
			for p := range 1 + min(r.IntN(4), r.IntN(4)) {
				if parent := i - 1 - r.IntN(min(i, 12)); p == 0 || parent != s.Parents[0] {
					s.Parents = append(s.Parents, parent)
				}
			}
		}
		a.Stages = append(a.Stages, s)
	}
	return a
}
