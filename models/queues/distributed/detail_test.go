package distributed

import (
	"context"
	"testing"
)

// TestWaitsBehindLongTasksOfSlots is one worker of two slots, by hand.
func TestWaitsBehindLongTasksOfSlots(t *testing.T) {
	o := DefaultOptions(1)
	o.Slots, o.General, o.Cutoff, o.Detail = 2, 100, 50*Second, true
	for _, test := range []struct {
		scheduler string
		why       string
		jobs      [][]int64 // submission, then durations, in seconds
		want      []JobDetail
	}{
		{"lwl", "Both slots run long tasks from 0.0005 to 60.0005. a comes at 1.0005 and starts at 60.0005: 59 s, " +
			"all behind them. The two " +
			"tasks of b come at 30.0005; for 30 s both slots run long tasks; then one does, and does not count. They " +
			"start at 70.0005 and 80.0005.",
			[][]int64{{0, 60, 100}, {1, 10}, {30, 10, 10}},
			[]JobDetail{{}, {Queued: 59 * Second, BehindLong: 59 * Second, Longest: 59 * Second,
				LongestBehind: 59 * Second},
				{Queued: 90 * Second, BehindLong: 60 * Second, Longest: 50 * Second, LongestBehind: 30 * Second}}},
		{"srpt", "One queue for all, without messages: as under lwl, from when the jobs come.",
			[][]int64{{0, 60, 100}, {1, 10}, {30, 10, 10}},
			[]JobDetail{{}, {Queued: 59 * Second, BehindLong: 59 * Second, Longest: 59 * Second,
				LongestBehind: 59 * Second},
				{Queued: 90 * Second, BehindLong: 60 * Second, Longest: 50 * Second, LongestBehind: 30 * Second}}},
		{"eagle-nosss", "a runs from 0.0005 to 5.0015 in one slot, b from 1.0005 in the other. Its probe stays, and " +
			"gets its second task in the slot " +
			"of a: 4.001 s after it got the first.",
			[][]int64{{0, 5}, {1, 10, 10}},
			[]JobDetail{{}, {Queued: 4_001_000, Longest: 4_001_000, Stuck: 1}}},
	} {
		w := &Workload{}
		for _, j := range test.jobs {
			var d []int64
			for _, s := range j[1:] {
				d = append(d, s*Second)
			}
			w.Add("", j[0]*Second, -1, d...)
		}
		s, err := New(test.scheduler, o)
		if err != nil {
			t.Fatal(err)
		}
		out, err := Run(context.Background(), w, s, o)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range test.want {
			if out.Jobs[i] != want {
				t.Errorf("%s: job %d met with %+v, want %+v. %s", test.scheduler, i, out.Jobs[i], want, test.why)
			}
		}
	}
}
