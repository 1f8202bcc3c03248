package spark

import (
	"testing"

	"racecard/datasets/source"
)

func TestEdges(t *testing.T) {
	// Every job runs its stages one after the other between its start and its end; times are job times.
	tests := []struct {
		name string
		log  []string
		want string
	}{
		{"diamond", []string{
			jobBegin(0, 1000, info(0, 0, "", ""), info(1, 0, "0", ""), info(2, 0, "0", ""), info(3, 0, "1,2", "")),
			submit(0, 0, 1000, ""), submit(1, 0, 1100, "0"), submit(2, 0, 1100, "0"), submit(3, 0, 1200, "1,2"),
			jobDone(0, 1300, "JobSucceeded"),
		}, "s0>s1 s0>s2 s1>s3 s2>s3"},
		{"skipped stages are walked through", []string{ // 0 -> (1) -> (2) -> 3, and 0 -> 3 by way of (4)
			jobBegin(0, 1000, info(0, 0, "", ""), info(1, 0, "0", ""), info(2, 0, "1", ""), info(4, 0, "0", ""),
				info(3, 0, "2,4", "")),
			submit(0, 0, 1000, ""), submit(3, 0, 1100, "2,4"), jobDone(0, 1200, "JobSucceeded"),
		}, "s0>s3"},
		{"skipped stages without submitted ancestors", []string{
			jobBegin(0, 1000, info(0, 0, "", "")), submit(0, 0, 1000, ""), jobDone(0, 1100, "JobSucceeded"),
			jobBegin(1, 1100, info(1, 0, "", ""), info(2, 0, "1", "")), submit(2, 0, 1100, "1"),
			jobDone(1, 1200, "JobSucceeded"),
		}, "s0~s2"},
		// 0 and 1 are query stages, each a job; 4 reads both, which job 2 lists again as 2 and 3
		{"adaptive execution", []string{
			jobBegin(0, 1000, info(0, 0, "", "")), submit(0, 0, 1000, ""), jobDone(0, 1100, "JobSucceeded"),
			jobBegin(1, 1000, info(1, 0, "", "")), submit(1, 0, 1000, ""), jobDone(1, 1200, "JobSucceeded"),
			jobBegin(2, 1300, infoOf(2, 0, 100, "", ""), infoOf(3, 0, 101, "", ""), info(4, 0, "2,3", "")),
			submit(4, 0, 1300, "2,3"),
			jobDone(2, 1400, "JobSucceeded"),
		}, "s0>s4 s1>s4"},
		{"a skipped stage stands for the one whose output it reuses, not for that one's parents", []string{
			jobBegin(0, 1000, info(0, 0, "", ""), info(1, 0, "0", "")), submit(0, 0, 1000, ""), submit(1, 0, 1050, "0"),
			jobDone(0, 1100, "JobSucceeded"),
			jobBegin(1, 1200, infoOf(2, 0, 101, "0", ""), info(3, 0, "2", "")), submit(3, 0, 1200, "2"),
			jobDone(1, 1300, "JobSucceeded"),
		}, "s0>s1 s1>s3"},
		{"only the job that ended last", []string{
			jobBegin(0, 1000, info(0, 0, "", "")), submit(0, 0, 1000, ""), jobDone(0, 1100, "JobSucceeded"),
			jobBegin(1, 1200, info(1, 0, "", "")), submit(1, 0, 1200, ""), jobDone(1, 1300, "JobSucceeded"),
			jobBegin(2, 1300, info(2, 0, "", "")), submit(2, 0, 1300, ""), jobDone(2, 1400, "JobSucceeded"),
		}, "s0~s1 s1~s2"},
		{"concurrent jobs", []string{ // 1 begins while 0 runs; 2 begins after 1, while 0 runs; 3 after all
			jobBegin(0, 1000, info(0, 0, "", "")), submit(0, 0, 1000, ""),
			jobBegin(1, 1100, info(1, 0, "", "")), submit(1, 0, 1100, ""), jobDone(1, 1200, "JobSucceeded"),
			jobBegin(2, 1250, info(2, 0, "", "")), submit(2, 0, 1250, ""), jobDone(2, 1300, "JobSucceeded"),
			jobDone(0, 1400, "JobSucceeded"),
			jobBegin(3, 1500, info(3, 0, "", "")), submit(3, 0, 1500, ""), jobDone(3, 1600, "JobSucceeded"),
		}, "s1~s2 s0~s3"},
		{"jobs that ended together", []string{
			jobBegin(0, 1000, info(0, 0, "", "")), submit(0, 0, 1000, ""),
			jobBegin(1, 1000, info(1, 0, "", "")), submit(1, 0, 1000, ""),
			jobDone(0, 1200, "JobSucceeded"), jobDone(1, 1200, "JobSucceeded"),
			jobBegin(2, 1200, info(2, 0, "", "")), submit(2, 0, 1200, ""), jobDone(2, 1300, "JobSucceeded"),
		}, "s0~s2 s1~s2"},
		{"from sinks to sources", []string{ // 0 -> 1 | 2 -> 4, 3 -> 4
			jobBegin(0, 1000, info(0, 0, "", ""), info(1, 0, "0", "")), submit(0, 0, 1000, ""), submit(1, 0, 1050, "0"),
			jobDone(0, 1100, "JobSucceeded"),
			jobBegin(1, 1200, info(2, 0, "", ""), info(3, 0, "", ""), info(4, 0, "2,3", "")),
			submit(2, 0, 1200, ""), submit(3, 0, 1200, ""), submit(4, 0, 1250, "2,3"), jobDone(1, 1300, "JobSucceeded"),
		}, "s0>s1 s1~s2 s1~s3 s2>s4 s3>s4"},
		{"a job without submitted stages is passed over", []string{
			jobBegin(0, 1000, info(0, 0, "", "")), submit(0, 0, 1000, ""), jobDone(0, 1100, "JobSucceeded"),
			jobBegin(1, 1150, info(1, 0, "", "")), jobDone(1, 1160, "JobSucceeded"),
			jobBegin(2, 1200, info(2, 0, "", "")), submit(2, 0, 1200, ""), jobDone(2, 1300, "JobSucceeded"),
		}, "s0~s2"},
		// 1 needs stage 0, which 0 is running when 1 begins, after 2 has ended
		{"a shared stage belongs to the first job", []string{
			jobBegin(2, 900, info(5, 0, "", "")), submit(5, 0, 900, ""),
			jobBegin(0, 1000, info(0, 0, "", "")), submit(0, 0, 1000, ""),
			jobDone(2, 1050, "JobSucceeded"),
			jobBegin(1, 1100, info(0, 0, "", ""), info(1, 0, "0", "")),
			jobDone(0, 1200, "JobSucceeded"), submit(1, 0, 1200, "0"), jobDone(1, 1300, "JobSucceeded"),
		}, "s0>s1"},
		{"no second edge where data flow", []string{
			jobBegin(0, 1000, info(0, 0, "", "")), submit(0, 0, 1000, ""), jobDone(0, 1100, "JobSucceeded"),
			jobBegin(1, 1200, info(1, 0, "0", "")), submit(1, 0, 1200, "0"), jobDone(1, 1300, "JobSucceeded"),
		}, "s0>s1"},
		{"equal instants in the order of the events", []string{ // 1 begins before 0 ends, at the same millisecond
			jobBegin(0, 1000, info(0, 0, "", "")), submit(0, 0, 1000, ""),
			jobBegin(1, 1100, info(1, 0, "", "")), jobDone(0, 1100, "JobSucceeded"),
			submit(1, 0, 1100, ""), jobDone(1, 1200, "JobSucceeded"),
		}, ""},
		{"a job that does not end orders nothing", []string{
			jobBegin(0, 1000, info(0, 0, "", "")), submit(0, 0, 1000, ""),
			jobBegin(1, 1100, info(1, 0, "", "")), submit(1, 0, 1100, ""), jobDone(1, 1200, "JobSucceeded"),
		}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			log := append([]string{appStart("a", 900)}, test.log...)
			run, o := readLog(t, lines(append(log, appEnd(2000))...))
			if got := edgesOf(run); got != test.want {
				t.Errorf("edges %q, want %q", got, test.want)
			}
			if len(o.rejects) > 0 {
				t.Errorf("rejects: %v", o.rejects)
			}
		})
	}
}

func TestParentsOutOfOrder(t *testing.T) {
	run, _ := readLog(t, lines(appStart("a", 1000),
		jobBegin(0, 1000, info(0, 0, "2", ""), info(1, 0, "0", ""), info(2, 0, "", "")),
		submit(2, 0, 1000, ""), submit(0, 0, 1100, "2"), submit(1, 0, 1200, "0"),
		tk{id: 0, stage: 2, from: 1001, to: 1090}.both(), tk{id: 1, stage: 0, from: 1101, to: 1190}.both(),
		appEnd(2000)))
	if got, want := edgesOf(run), "s2>s0 s0>s1"; got != want {
		t.Errorf("edges %q, want %q", got, want)
	}
	if run.Stages[0].Name != "s2" || run.Attempts[0].Start != ms(1001) || run.Attempts[1].Stage != 1 {
		t.Errorf("stages or attempts were not renumbered: %v %v", run.Stages, run.Attempts)
	}
}

func TestParentsFormCycle(t *testing.T) {
	o := readFiles(t, files("a.log", lines(appStart("a", 1000), submit(0, 0, 1000, "1"), submit(1, 0, 1000, "0"),
		appEnd(2000)))...)
	if len(o.runs) != 0 || len(o.rejects) != 1 || o.rejects[0].Reason != source.ReasonInconsistent {
		t.Fatalf("got %d runs and rejects %v, want one reject %q", len(o.runs), o.rejects, source.ReasonInconsistent)
	}
	if o.tally.Used != 0 || o.tally.Rejected[source.ReasonInconsistent] != 4 {
		t.Errorf("used %d, rejected %v; want all 4 events rejected", o.tally.Used, o.tally.Rejected)
	}
}

func TestUnknownParent(t *testing.T) {
	run, o := readLog(t, lines(appStart("a", 1000), submit(3, 0, 1000, "2"), complete(3, 0, 1000, 1100, "2"),
		appEnd(2000)))
	if len(run.Edges) != 0 {
		t.Errorf("edges %v, want none", run.Edges)
	}
	o.wantWarning(t, WarnStrayParents, "1 parents")
	o.wantWarning(t, WarnDropped, "1 completed stages with fewer task ends than tasks")
}
