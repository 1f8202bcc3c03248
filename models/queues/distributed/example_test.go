package distributed_test

import (
	"context"
	"fmt"

	"racecard/models/queues/distributed"
)

const second = distributed.Second

// thesis is four workers with 100, 100, 10 and 10 s to do, each of which is said to take 10 s, and a job of four tasks
// of 10 s. Probes go to all workers, one each; messages take no time.
func thesis() (*distributed.Workload, distributed.Options) {
	w := &distributed.Workload{}
	w.Add("queues", 0, 10*second, 100*second, 100*second, 10*second, 10*second)
	w.Add("job", 0, -1, 10*second, 10*second, 10*second, 10*second)
	o := distributed.DefaultOptions(4)
	o.General, o.Delay, o.ProbeRatio, o.MinProbes, o.Heartbeat = 100, 0, 1, 4, 0
	return w, o
}

func completion(name string) int64 {
	w, o := thesis()
	s, err := distributed.New(name, o)
	if err != nil {
		panic(err)
	}
	out, err := distributed.Run(context.Background(), w, s, o)
	if err != nil {
		panic(err)
	}
	return out.Completion[1] / second
}

// With one probe and one task per worker, a job takes as long as the longest queue. Probes that stick let the workers
// that are free early run all of it.
func ExampleRun_stickyBatchProbing() {
	fmt.Println("without:", completion("eagle-nosbp"), "s")
	fmt.Println("with:", completion("eagle"), "s")
	// Output:
	// without: 110 s
	// with: 30 s
}

// Least waiting time binds tasks early: queues that are misestimated as 10 s each get one task each. Eagle binds late.
func ExampleRun_misestimation() {
	fmt.Println("bound early:", completion("dlwl"), "s")
	fmt.Println("eagle:", completion("eagle"), "s")
	// Output:
	// bound early: 110 s
	// eagle: 30 s
}

// anywhere sends all tasks of a job to random workers.
type anywhere struct{}

func (anywhere) Rules() distributed.Rules { return distributed.Rules{AllCentral: true} }

func (anywhere) Submit(c *distributed.Cluster, j int32) {
	tasks, _, _ := c.Job(j)
	c.Place(j, 0, c.Draw(j, tasks))
}

// A scheduler of one's own is a type with two methods. A checker finds what it does wrong, and it is given times in a
// schedule that was worked out by hand.
func Example() {
	w := &distributed.Workload{}
	w.Add("a", 0, -1, 3*second, 4*second)
	o := distributed.DefaultOptions(2)
	checker := distributed.NewChecker(w, o, false)
	o.Observe = checker
	out, err := distributed.Run(context.Background(), w, anywhere{}, o)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(out.Completion[0], "us,", checker.Err())

	f := schedules()[0] // one task of 10 s on one worker; a message takes 0.5 ms
	f.want["anywhere"] = []int64{10_000_500}
	fmt.Println(f.check("anywhere", anywhere{}))
	// Output:
	// 4000500 us, <nil>
	// <nil>
}
