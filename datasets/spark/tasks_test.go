package spark

import (
	"fmt"
	"strings"
	"testing"

	"racecard/datasets/trace"
)

func TestStatusOfAttempts(t *testing.T) {
	tests := []struct {
		name, reason, flags string
		want                trace.Status
	}{
		{"success", `"Task End Reason":{"Reason":"Success"}`, "", trace.Succeeded},
		{"killed", `"Task End Reason":{"Reason":"TaskKilled","Kill Reason":"another attempt succeeded"}`, "",
			trace.Killed},
		{"executor lost", `"Task End Reason":{"Reason":"ExecutorLostFailure","Executor ID":"1"}`, `,"Failed":true`,
			trace.Lost},
		{"resubmitted", `"Task End Reason":{"Reason":"Resubmitted"}`, "", trace.Lost},
		{"fetch failed", `"Task End Reason":{"Block Manager Address":{"Host":"w"},"Reason":"FetchFailed"}`,
			`,"Failed":true`, trace.Failed},
		{"exception", `"Task End Reason":{"Reason":"ExceptionFailure","Stack Trace":[{"Line Number":3}]}`, "",
			trace.Failed},
		{"unknown reason", `"Task End Reason":{"Reason":"UnknownReason"}`, "", trace.Failed},
		{"no reason, failed", `"x":1`, `,"Failed":true,"Killed":false`, trace.Failed},
		{"no reason, killed", `"x":1`, `,"Failed":true,"Killed":true`, trace.Killed},
		{"no reason, neither", `"Task End Reason":null`, `,"Failed":false`, trace.Succeeded},
		{"no reason, no flags", `"x":1`, "", trace.StatusUnknown},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			end := fmt.Sprintf(`{"Event":"SparkListenerTaskEnd","Stage ID":0,%s,"Task Info":{"Task ID":0,"Index":0,"Attempt":0,`+
				`"Launch Time":1000,"Finish Time":1500%s}}`, test.reason, test.flags)
			run, _ := readLog(t, lines(appStart("a", 900), end))
			if len(run.Attempts) != 1 || run.Attempts[0].Status != test.want || run.Attempts[0].End != ms(1500) {
				t.Errorf("attempts %+v, want one that %s", run.Attempts, test.want)
			}
		})
	}
}

// numbers writes the attempts of a run as stage.task.attempt:status:start.
func numbers(run *trace.Run) string {
	var list []string
	for _, a := range run.Attempts {
		list = append(list, fmt.Sprintf("%d.%d.%d:%.4s:%d", a.Stage, a.Task, a.Attempt, a.Status, a.Start/1000))
	}
	return strings.Join(list, " ")
}

func TestRetriedStage(t *testing.T) {
	// Two tasks; task 1 fails and is retried, its retry fails to fetch, the stage is submitted again for partition 1
	// alone.
	log := func(partition func(int) string) []byte {
		return lines(appStart("a", 1000), submit(0, 0, 1000, ""),
			tk{id: 0, index: 0, from: 1010, to: 1100, more: partition(0)}.both(),
			tk{id: 1, index: 1, from: 1010, to: 1100, more: partition(1), reason: "ExceptionFailure"}.both(),
			tk{id: 2, index: 1, attempt: 1, from: 1110, to: 1200, more: partition(1), reason: "FetchFailed"}.both(),
			complete(0, 0, 1000, 1200, ""), submit(0, 1, 1300, ""),
			tk{id: 3, stageAttempt: 1, index: 0, from: 1310, to: 1400, more: partition(1)}.both(),
			complete(0, 1, 1300, 1400, ""), appEnd(2000))
	}
	tests := []struct {
		name      string
		partition func(int) string
		want      string
	}{
		{"with Partition ID", func(n int) string { return fmt.Sprintf(`,"Partition ID":%d`, n) },
			"0.0.0:succ:1010 0.1.0:fail:1010 0.1.1:fail:1110 0.1.2:succ:1310"},
		{"without", func(int) string { return "" }, "0.0.0:succ:1010 0.0.1:succ:1310 0.1.0:fail:1010 0.1.1:fail:1110"},
		{"unknown", func(int) string { return `,"Partition ID":-1` }, "0.0.0:succ:1010 0.0.1:succ:1310 " +
			"0.1.0:fail:1010 0.1.1:fail:1110"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			run, _ := readLog(t, log(test.partition))
			if got := numbers(run); got != test.want {
				t.Errorf("attempts %s, want %s", got, test.want)
			}
			if len(run.Stages) != 1 {
				t.Fatalf("%d stages, want 1", len(run.Stages))
			}
			st := run.Stages[0]
			if st.Submit != ms(1000) || st.Start != ms(1010) || st.End != ms(1400) || st.Tasks != 2 {
				t.Errorf("stage %+v, want submit 1000, start 1010, end 1400, 2 tasks", st)
			}
			for _, a := range run.Attempts {
				want := map[trace.Instant]trace.Instant{ms(1010): ms(1000), ms(1110): ms(1100),
					ms(1310): ms(1300)}[a.Start]
				if a.Queued != want {
					t.Errorf("attempt %d.%d.%d queued at %d, want %d", a.Stage, a.Task, a.Attempt, a.Queued, want)
				}
			}
		})
	}
}

// Two of three maps run again, as their outputs were lost after the stage had ended: each map read its 1,000 bytes once.
// Without partitions, nobody knows which tasks ran again.
func TestBytesOfARetriedStage(t *testing.T) {
	for _, test := range []struct {
		partition string
		want      int64
	}{{`,"Partition ID":%d`, 3000}, {"", 5000}} {
		log := []string{appStart("a", 1000), submit(0, 0, 1000, "")}
		task := func(id, index, stageAttempt, partition, from int) {
			more := ""
			if test.partition != "" {
				more = fmt.Sprintf(test.partition, partition)
			}
			log = append(log, tk{id: id, index: index, stageAttempt: stageAttempt, from: from, to: from + 90, more: more,
				metrics: `"Input Metrics":{"Bytes Read":1000}`}.both())
		}
		for i := range 3 {
			task(i, i, 0, i, 1010)
		}
		log = append(log, complete(0, 0, 1000, 1100, ""), submit(0, 1, 1300, ""))
		task(3, 0, 1, 1, 1310)
		task(4, 1, 1, 2, 1310)
		run, _ := readLog(t, lines(append(log, complete(0, 1, 1300, 1400, ""), appEnd(2000))...))
		if run.InputBytes != test.want {
			t.Errorf("%q: %d bytes, want %d", test.partition, run.InputBytes, test.want)
		}
	}
}

func TestStageStillRetrying(t *testing.T) {
	run, _ := readLog(t, lines(appStart("a", 1000), submit(0, 0, 1000, ""), complete(0, 0, 1000, 1200, ""),
		submit(0, 1, 1300, "")))
	if end := run.Stages[0].End; end.Known() {
		t.Errorf("end %d, want null: the last attempt of the stage has not completed", end)
	}
}

func TestTaskNumbersNeverClash(t *testing.T) {
	// Attempt numbers that occur twice, and a gap: the second takes the next free number, the gap stays.
	run, _ := readLog(t, lines(appStart("a", 1000),
		tk{id: 0, attempt: 0, from: 1001, to: 1002}.both(), tk{id: 1, attempt: 0, from: 1003, to: 1004}.both(),
		tk{id: 2, attempt: 5, from: 1005, to: 1006}.both(), tk{id: 3, stageAttempt: 1, attempt: 0, from: 1007,
			to: 1008}.both()))
	if got, want := numbers(run), "0.0.0:succ:1001 0.0.1:succ:1003 0.0.5:succ:1005 0.0.6:succ:1007"; got != want {
		t.Errorf("attempts %s, want %s", got, want)
	}
}

func TestResubmitted(t *testing.T) {
	// Task 0 succeeds on an executor that is lost afterwards: its end is logged a second time, and it is run again.
	first := tk{id: 0, from: 1010, to: 1100, metrics: `"Input Metrics":{"Bytes Read":70}`}
	again := tk{id: 0, from: 1010, to: 1100, reason: "Resubmitted"}
	retry := tk{id: 1, attempt: 1, from: 1210, to: 1300, metrics: `"Input Metrics":{"Bytes Read":70}`}
	run, o := readLog(t, lines(appStart("a", 1000), submit(0, 0, 1000, ""), first.both(), again.end(), retry.both(),
		appEnd(1400)))
	if got, want := numbers(run), "0.0.0:lost:1010 0.0.1:succ:1210"; got != want {
		t.Errorf("attempts %s, want %s", got, want)
	}
	if run.Attempts[0].End != ms(1100) || run.Attempts[1].Queued.Known() {
		t.Errorf("end %d and queued %d, want 1100000 and null: when the output was lost is not logged",
			run.Attempts[0].End, run.Attempts[1].Queued)
	}
	if run.InputBytes != 70 {
		t.Errorf("input %d bytes, want 70: lost output does not count", run.InputBytes)
	}
	o.wantNoWarnings(t)
}

func TestSpeculative(t *testing.T) {
	yes := func(k tk) tk { k.more = `,"Speculative":true`; return k }
	copied := yes(tk{id: 1, attempt: 1, from: 1200, to: 1300, reason: "TaskKilled"})
	event := strings.ReplaceAll(copied.both(), `"Speculative":false,`, "")
	run, _ := readLog(t, lines(appStart("a", 1000), submit(0, 0, 1000, ""), tk{id: 0, from: 1010, to: 1290}.both(),
		event))
	a, b := run.Attempts[0], run.Attempts[1]
	if a.Speculative != trace.No || b.Speculative != trace.Yes || b.Queued.Known() || b.Status != trace.Killed ||
		b.Spare != trace.TriNull {
		t.Errorf("attempts %+v, want the second speculative, killed, and not queued", run.Attempts)
	}
}

func TestTaskTimes(t *testing.T) {
	tests := []struct {
		name       string
		from, to   int
		start, end trace.Instant
		repair     string
	}{
		{"as logged", 1000, 1500, ms(1000), ms(1500), ""},
		{"at once", 1000, 1000, ms(1000), ms(1000), ""},
		{"end before start", 1500, 1000, ms(1500), trace.None, RepairTaskEnd},
		{"no finish", 1500, 0, ms(1500), trace.None, RepairNoFinish},
		{"no launch", 0, 1500, trace.None, ms(1500), ""},
		{"no launch, written as -1", -1, 1500, trace.None, ms(1500), ""},
		{"beyond any clock", 1 << 62, 1500, trace.None, ms(1500), RepairTime},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			run, o := readLog(t, lines(appStart("a", 900), tk{from: test.from, to: test.to}.end()))
			a := run.Attempts[0]
			if a.Start != test.start || a.End != test.end || a.Status != trace.Succeeded {
				t.Errorf("attempt %+v, want start %d, end %d, succeeded", a, test.start, test.end)
			}
			for kind, n := range o.tally.Repairs {
				if kind != test.repair || n != 1 {
					t.Errorf("repairs %v, want one %q", o.tally.Repairs, test.repair)
				}
			}
			if test.repair != "" && len(o.tally.Repairs) == 0 {
				t.Errorf("no repair, want %q", test.repair)
			}
		})
	}
}

func TestRunningTask(t *testing.T) {
	k := tk{id: 3, index: 1, from: 1010}
	run, o := readLog(t, lines(appStart("a", 1000), submit(0, 0, 1000, ""), k.start()))
	a := run.Attempts[0]
	if a.Status != trace.Running || a.End.Known() || a.Duration.Known() || a.Start != ms(1010) || a.Machine != "w1/1" {
		t.Errorf("attempt %+v, want it running on w1/1 since 1010", a)
	}
	if o.warned(WarnDropped, "") {
		t.Errorf("warnings %q: a task of a log that has not ended is not dropped", o.tally.Warnings)
	}
}

func TestVolumes(t *testing.T) {
	metrics := `"Input Metrics":{"Data Read Method":"Hadoop","Bytes Read":100,"Records Read":1},` +
		`"Output Metrics":{"Bytes Written":7},"Shuffle Write Metrics":{"Shuffle Bytes Written":20,"Shuffle Write Time":9},` +
		`"Shuffle Read Metrics":{"Local Bytes Read":5000}`
	tests := []struct {
		name                   string
		log                    []string
		input, shuffle, output int64
	}{
		{"no tasks", nil, trace.None, trace.None, trace.None},
		{"no metrics", []string{tk{from: 1000, to: 1100}.both()}, trace.None, trace.None, trace.None},
		{"metrics without bytes", []string{tk{from: 1000, to: 1100, metrics: `"Result Size":9`}.both()}, 0, 0, 0},
		{"two succeed, one fails", []string{
			tk{id: 0, from: 1000, to: 1100, metrics: metrics}.both(),
			tk{id: 1, index: 1, from: 1000, to: 1100, metrics: metrics, reason: "ExceptionFailure"}.both(),
			tk{id: 2, index: 1, attempt: 1, from: 1100, to: 1200, metrics: metrics}.both(),
		}, 200, 40, 14},
		{"more than 63 bits", []string{
			tk{id: 0, from: 1000, to: 1100, metrics: `"Input Metrics":{"Bytes Read":9223372036854775807}`}.both(),
			tk{id: 1, index: 1, from: 1000, to: 1100,
				metrics: `"Input Metrics":{"Bytes Read":9223372036854775807}`}.both(),
		}, 1<<63 - 1, 0, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			run, _ := readLog(t, lines(append([]string{appStart("a", 900)}, test.log...)...))
			if run.InputBytes != test.input || run.ShuffleBytes != test.shuffle || run.OutputBytes != test.output {
				t.Errorf("input %d, shuffle %d, output %d; want %d, %d, %d",
					run.InputBytes, run.ShuffleBytes, run.OutputBytes, test.input, test.shuffle, test.output)
			}
		})
	}
}

func TestReasons(t *testing.T) {
	end := func(id int, reason string) string {
		return fmt.Sprintf(`{"Event":"SparkListenerTaskEnd","Stage ID":0,"Stage Attempt ID":0,"Task End Reason":%s,`+
			`"Task Info":{"Task ID":%d,"Index":%d,"Attempt":0,"Launch Time":1001,"Executor ID":"1","Host":"h","Finish Time":1002}}`, reason, id, id)
	}
	run, _ := readLog(t, lines(appStart("a", 1000), submit(0, 0, 1000, ""),
		end(0, `{"Reason":"Success"}`),
		end(1, `{"Reason":"ExceptionFailure","Class Name":"java.io.IOException","Description":"disk","Full Stack Trace":"..."}`),
		end(2, `{"Reason":"TaskKilled","Kill Reason":"another attempt succeeded"}`),
		end(3, `{"Reason":"Success"}`), end(3, `{"Reason":"Resubmitted"}`),
		appEnd(2000)))
	want := []string{"", "ExceptionFailure: java.io.IOException", "TaskKilled", "Resubmitted"}
	for i, w := range want {
		if got := run.Attempts[i].Reason; got != w {
			t.Errorf("attempt %d: reason %q, want %q", i, got, w)
		}
	}
}
