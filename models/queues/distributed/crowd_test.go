package distributed_test

import (
	"testing"

	"racecard/models/queues/distributed"
)

// crowd is n jobs of one task of a second, all submitted at once.
func crowd(n int) *distributed.Workload {
	w := &distributed.Workload{}
	for range n {
		w.Add("a", 0, distributed.Second, distributed.Second)
	}
	return w
}

// BenchmarkCrowd is 20,000 jobs that wait for one worker, which looks through them for each task.
func BenchmarkCrowd(b *testing.B) {
	w := crowd(20_000)
	for _, name := range []string{"eagle", "hawk"} {
		b.Run(name, func(b *testing.B) { bench(b, w, name, distributed.DefaultOptions(1)) })
	}
}
