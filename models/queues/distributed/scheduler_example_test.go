package distributed_test

import (
	"context"
	"fmt"

	"racecard/models/queues/distributed"
)

// twoChoices places every task at the shorter of two queues drawn at random (M. Mitzenmacher, "The Power of Two Choices
// in Randomized Load Balancing", 2001). Workers run the task with the least estimate first. It is written with exported
// names alone.
type twoChoices struct {
	queued []int // tasks placed at each worker that have not ended
}

// Rules has all jobs placed centrally, and the scheduler told of their tasks.
func (*twoChoices) Rules() distributed.Rules {
	return distributed.Rules{AllCentral: true, TellAll: true}
}

// Begin implements [distributed.Beginner].
func (s *twoChoices) Begin(c *distributed.Cluster) {
	all, _ := c.Workers()
	s.queued = make([]int, all)
}

// Submit implements [distributed.Scheduler].
func (s *twoChoices) Submit(c *distributed.Cluster, j int32) {
	tasks, _, _ := c.Job(j)
	drawn := c.Draw(j, 2*tasks)
	workers := make([]int32, tasks)
	for i := range workers {
		a, b := drawn[2*i], drawn[2*i+1]
		if workers[i] = a; s.queued[b] < s.queued[a] {
			workers[i] = b
		}
		s.queued[workers[i]]++
	}
	c.Place(j, 0, workers)
}

// Started implements [distributed.Placer].
func (*twoChoices) Started(*distributed.Cluster, int32, int32, int64) {}

// Ended implements [distributed.Placer].
func (s *twoChoices) Ended(_ *distributed.Cluster, w, _ int32) { s.queued[w]-- }

// Choose implements [distributed.Chooser].
func (*twoChoices) Choose(c *distributed.Cluster, w int32) int {
	best, least := 0, int64(-1)
	for i, x := range c.Queue(w) {
		if _, estimate, _ := c.Job(x.Job); least < 0 || estimate < least {
			best, least = i, estimate
		}
	}
	return best
}

// A scheduler of one's own runs, and is checked, beside those of this module.
func Example_scheduler() {
	w := &distributed.Workload{}
	for i := range int64(60) {
		w.Add(fmt.Sprint(i), 5*i*second, -1, 10*second, 10*second, (1+i%9)*10*second)
	}
	o := distributed.DefaultOptions(12)
	checker := distributed.NewChecker(w, o, false)
	o.Observe = checker
	out, err := distributed.Run(context.Background(), w, &twoChoices{}, o)
	if err != nil {
		fmt.Println(err)
		return
	}
	sum := int64(0)
	for _, t := range out.Completion {
		sum += t
	}
	fmt.Printf("%d tasks, a mean completion of %.0f s, checked: %v\n", out.Tasks, float64(sum)/60/second, checker.Err())
	// Output:
	// 180 tasks, a mean completion of 95 s, checked: <nil>
}
