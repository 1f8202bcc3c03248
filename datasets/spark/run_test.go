package spark

import (
	"fmt"
	"strings"
	"testing"

	"racecard/datasets/trace"
)

func env(properties string) string {
	return `{"Event":"SparkListenerEnvironmentUpdate","JVM Information":{"Java Version":"17"},"Spark Properties":{` +
		properties +
		`},"System Properties":{"spark.app.id":"no"},"Classpath Entries":{}}`
}

func TestIdentity(t *testing.T) {
	attempt := `{"Event":"SparkListenerApplicationStart","App Name":"x","App ID":"app_1","Timestamp":1000,"User":"u","App Attempt ID":"2"}`
	tests := []struct {
		name                   string
		log                    []string
		id, run, user, warning string
	}{
		{"App ID", []string{appStart("app-1", 1000), appEnd(2000)}, "app-1", "nightly", "ann", ""},
		{"with attempt", []string{attempt, appEnd(2000)}, "app_1_2", "x", "u", ""},
		{"App ID rather than properties", []string{env(`"spark.app.id":"p","spark.app.attempt.id":"4"`),
			appStart("app-1", 1000), appEnd(2000)},
			"app-1", "nightly", "ann", ""},
		{"from properties", []string{env(`"spark.app.id":"p","spark.app.attempt.id":"4","spark.app.name":"n"`),
			appEnd(2000)}, "p_4", "n", "", WarnNoStart},
		{"Spark 1.0", []string{`{"Event":"SparkListenerApplicationStart","App Name":"x","Timestamp":1000,"User":"u"}`,
			appEnd(2000)},
			"app.log", "x", "u", WarnNoID},
		{"nothing but a task", []string{tk{from: 1000, to: 1100}.end(), appEnd(2000)}, "app.log", "", "", WarnNoID},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			run, o := readLog(t, lines(test.log...))
			if run.ID != test.id || run.Name != test.run || run.User != test.user {
				t.Errorf("id %q, name %q, user %q; want %q, %q, %q", run.ID, run.Name, run.User, test.id, test.run,
					test.user)
			}
			if test.warning != "" {
				o.wantWarning(t, test.warning, "logs/app.log")
			} else {
				o.wantNoWarnings(t)
			}
		})
	}
}

func TestStatusOfRuns(t *testing.T) {
	good, bad := jobDone(0, 1500, "JobSucceeded"), jobDone(1, 1600, "JobFailed")
	jobs := []string{appStart("a", 1000), jobBegin(0, 1100), jobBegin(1, 1100)}
	tests := []struct {
		name string
		log  []string
		want trace.Status
	}{
		{"no jobs", []string{appStart("a", 1000), appEnd(2000)}, trace.Succeeded},
		{"no end", append(jobs[:3:3], good, bad), trace.Running},
		{"last job failed", append(jobs[:3:3], good, bad, appEnd(2000)), trace.Failed},
		{"an earlier job failed", append(jobs[:3:3], jobDone(1, 1400, "JobFailed"), good, appEnd(2000)),
			trace.Succeeded},
		{"the last by time, not by order", append(jobs[:3:3], bad, good, appEnd(2000)), trace.Failed},
		{"cancelled as the application ended", append(jobs[:3:3], good, appEnd(1590), bad), trace.Failed},
		{"exit code", append(jobs[:3:3], good, `{"Event":"SparkListenerApplicationEnd","Timestamp":2000,"ExitCode":1}`),
			trace.Failed},
		{"exit code 0", append(jobs[:3:3], good,
			`{"Event":"SparkListenerApplicationEnd","Timestamp":2000,"ExitCode":0}`), trace.Succeeded},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			run, o := readLog(t, lines(test.log...))
			if run.Status != test.want {
				t.Errorf("status %s, want %s", run.Status, test.want)
			}
			if missing := o.warned(WarnNoEnd, "app.log"); missing != (test.want == trace.Running) ||
				missing == run.End.Known() {
				t.Errorf("end %d, warnings %q", run.End, o.tally.Warnings)
			}
		})
	}
}

func TestTimesOfRuns(t *testing.T) {
	tests := []struct {
		name               string
		log                []string
		submit, start, end trace.Instant
		repair             string
	}{
		{"job first", []string{appStart("a", 1000), jobBegin(0, 1200), submit(0, 0, 1300, ""), appEnd(2000)}, ms(1000),
			ms(1200), ms(2000), ""},
		{"task first, the job has no time", []string{appStart("a", 1000), jobBegin(0, 0),
			tk{from: 1250, to: 1300}.both(), appEnd(2000)},
			ms(1000), ms(1250), ms(2000), ""},
		{"no work", []string{appStart("a", 1000), appEnd(2000)}, ms(1000), trace.None, ms(2000), ""},
		{"end before start", []string{appStart("a", 1000), appEnd(500)}, ms(1000), trace.None, trace.None,
			RepairRunEnd},
		{"end before first work", []string{jobBegin(0, 1200), appEnd(1100)}, trace.None, ms(1200), trace.None,
			RepairRunEnd},
		{"work before start", []string{appStart("a", 1000), jobBegin(0, 900), appEnd(2000)}, trace.None, ms(900),
			ms(2000), RepairRunSubmit},
		{"stage ends before it starts", []string{appStart("a", 1000), complete(0, 0, 1200, 1100, ""), appEnd(2000)},
			ms(1000), ms(1200), ms(2000), RepairStageEnd},
		{"stage ends before its tasks start", []string{appStart("a", 1000), complete(0, 0, 1100, 1150, ""),
			tk{from: 1200, to: 1300}.both(), appEnd(2000)},
			ms(1000), ms(1100), ms(2000), RepairStageEnd},
		{"stage is submitted after its tasks start", []string{appStart("a", 1000), submit(0, 0, 1400, ""),
			tk{from: 1200, to: 1300}.both(), appEnd(2000)},
			ms(1000), ms(1200), ms(2000), RepairStageSubmit},
		{"job ends before it starts", []string{appStart("a", 1000), jobBegin(0, 1200), jobDone(0, 1100, "JobSucceeded"),
			appEnd(2000)},
			ms(1000), ms(1200), ms(2000), RepairJobEnd},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			run, o := readLog(t, lines(test.log...))
			if run.Submit != test.submit || run.Start != test.start || run.End != test.end {
				t.Errorf("submit %d, start %d, end %d; want %d, %d, %d", run.Submit, run.Start, run.End, test.submit,
					test.start, test.end)
			}
			if test.repair == "" {
				if len(o.tally.Repairs) > 0 {
					t.Errorf("repairs %v, want none", o.tally.Repairs)
				}
				return
			}
			if o.tally.Repairs[test.repair] != 1 || len(o.tally.Repairs) != 1 {
				t.Errorf("repairs %v, want one %q", o.tally.Repairs, test.repair)
			}
			o.wantWarning(t, WarnReversed, "logs/app.log: 1 times")
		})
	}
}

func TestStagesTable(t *testing.T) {
	few := func(n string) string {
		return strings.Replace(submit(0, 0, 1000, ""), `"Number of Tasks":2,`, n, 1)
	}
	tests := []struct {
		name, event, properties string
		tasks                   int64
		cpu                     float64 // 0: null
	}{
		{"plain", few(`"Number of Tasks":7,`), "", 7, 1},
		{"cpus per task", few(`"Number of Tasks":7,`), `"spark.task.cpus":"4"`, 7, 4},
		{"no environment", few(`"Number of Tasks":7,`), "-", 7, 0},
		{"no count", few(``), "", trace.None, 1},
		{"no tasks", few(`"Number of Tasks":0,`), "", trace.None, 1},
		{"only in a completion", complete(0, 0, 1000, 1100, ""), "", 2, 1},
		{"only through its tasks", tk{from: 1000, to: 1100}.both(), "", trace.None, 1},
		{"listed by a job, known through its tasks", jobBegin(0, 1000, info(0, 0, "", "")) + "\n" +
			tk{from: 1000, to: 1100}.both(), "", 2, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			log := []string{appStart("a", 900), test.event}
			if test.properties != "-" {
				log = append(log, env(test.properties))
			}
			run, o := readLog(t, lines(log...))
			if len(run.Stages) != 1 {
				t.Fatalf("%d stages, want 1", len(run.Stages))
			}
			cpu := run.Stages[0].Demand[trace.CPU]
			if run.Stages[0].Tasks != test.tasks || cpu != test.cpu && !(test.cpu == 0 && cpu != cpu) {
				t.Errorf("%d tasks of %v cores, want %d of %v", run.Stages[0].Tasks, cpu, test.tasks, test.cpu)
			}
			if n := o.tally.Repairs[RepairTaskCount]; (n == 1) != (test.name == "no tasks") {
				t.Errorf("repairs %v", o.tally.Repairs)
			}
		})
	}
}

func TestOldSpark(t *testing.T) {
	// Spark 1.0: no App ID, no Stage Attempt ID, no Parent IDs, no times of jobs, no ExecutorAdded, "<driver>".
	run, o := readLog(t, lines(
		`{"Event":"SparkListenerBlockManagerAdded","Block Manager ID":{"Executor ID":"<driver>","Host":"d","Port":1},"Maximum Memory":1}`,
		`{"Event":"SparkListenerBlockManagerAdded","Block Manager ID":{"Executor ID":"0","Host":"w","Port":1},"Maximum Memory":1,"Timestamp":950}`,
		env(`"spark.app.name":"n","spark.master":"spark://m:7077","spark.cores.max":"6"`),
		`{"Event":"SparkListenerApplicationStart","App Name":"n","Timestamp":900,"User":"u"}`,
		`{"Event":"SparkListenerJobStart","Job ID":0,"Stage IDs":[0]}`,
		`{"Event":"SparkListenerStageSubmitted","Stage Info":{"Stage ID":0,"Stage Name":"map","Number of Tasks":1}}`,
		`{"Event":"SparkListenerTaskStart","Stage ID":0,"Task Info":{"Task ID":0,"Index":0,"Launch Time":1000,"Executor ID":"0","Host":"w"}}`,
		`{"Event":"SparkListenerTaskEnd","Stage ID":0,"Task End Reason":{"Reason":"Success"},"Task Info":{"Task ID":0,"Index":0,"Launch Time":1000,"Finish Time":1100}}`,
		`{"Event":"SparkListenerStageCompleted","Stage Info":{"Stage ID":0,"Stage Name":"map","Number of Tasks":1,"Submission Time":990,"Completion Time":1100}}`,
		`{"Event":"SparkListenerJobEnd","Job ID":0,"Job Result":{"Result":"JobSucceeded"}}`,
		`{"Event":"SparkListenerJobStart","Job ID":1,"Stage IDs":[1,2]}`,
		`{"Event":"SparkListenerStageSubmitted","Stage Info":{"Stage ID":2,"Stage Name":"reduce","Number of Tasks":1}}`,
		`{"Event":"SparkListenerJobEnd","Job ID":1,"Job Result":{"Result":"JobSucceeded"}}`,
		`{"Event":"SparkListenerApplicationEnd","Timestamp":2000}`))
	if got, want := edgesOf(run), "map~reduce"; got != want {
		t.Errorf("edges %q, want %q: jobs follow each other in the order of the events", got, want)
	}
	if run.Status != trace.Succeeded || run.Guaranteed != 6 || run.Start != ms(990) || run.Stages[0].Submit != ms(990) {
		t.Errorf("run %+v", run)
	}
	if got := fmt.Sprint(run.Allocations); got != fmt.Sprintf("[{%d %d %[2]d 1}]", ms(950), int64(trace.None)) {
		t.Errorf("allocations %s, want 1 machine from 950 and no tokens", got)
	}
	if len(run.Attempts) != 1 || run.Attempts[0].Machine != "w/0" || run.Attempts[0].Queued != ms(990) {
		t.Errorf("attempts %+v", run.Attempts)
	}
	o.wantWarning(t, WarnNoParents, "2 of 2 stages")
	o.wantWarning(t, WarnNoID, "app.log")
}

func TestDroppedEvents(t *testing.T) {
	run, o := readLog(t, lines(appStart("a", 900),
		jobDone(7, 1000, "JobSucceeded"), jobBegin(8, 1000),
		submit(0, 0, 1000, ""), tk{id: 0, from: 1000, to: 1100}.end(), tk{id: 1, index: 1, from: 1000}.start(),
		complete(0, 0, 1000, 1200, ""),
		submit(1, 0, 1300, ""), appEnd(2000)))
	if len(run.Stages) != 2 || len(run.Attempts) != 2 {
		t.Errorf("%d stages and %d attempts, want 2 and 2", len(run.Stages), len(run.Attempts))
	}
	o.wantWarning(t, WarnDropped, "logs/app.log: 1 task ends without a task start, 1 task starts without a task end "+
		"in completed stages, "+
		"1 completed stages with fewer task ends than tasks, 1 job ends without a job start, 1 job starts without a "+
		"job end")
}

func TestRepeatedEvents(t *testing.T) {
	k := tk{id: 0, from: 1000, to: 1100}
	later := tk{id: 0, from: 1000, to: 1900, reason: "ExceptionFailure"}
	run, o := readLog(t, lines(appStart("a", 900), appStart("a", 900), k.both(), k.start(), later.end(),
		jobBegin(0, 1000), jobBegin(0, 1001), jobDone(0, 1100, "JobSucceeded"), jobDone(0, 1200, "JobFailed"),
		appEnd(2000)))
	if len(run.Attempts) != 1 || run.Attempts[0].End != ms(1100) || run.Status != trace.Succeeded {
		t.Errorf("attempts %+v and status %s: the first event of its kind must count", run.Attempts, run.Status)
	}
	o.wantWarning(t, WarnRepeated, "4 events")
}
