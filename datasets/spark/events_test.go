package spark

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// The constructors below write events as JsonProtocol does, with the fields that matter. Times are in milliseconds; a
// test's clock starts at 1000 so that 0 stays "not yet".

func lines(events ...string) []byte { return []byte(strings.Join(events, "\n") + "\n") }

func appStart(id string, at int) string {
	return fmt.Sprintf(`{"Event":"SparkListenerApplicationStart","App Name":"nightly","App ID":%q,"Timestamp":%d,"User":"ann"}`, id, at)
}

func appEnd(at int) string {
	return fmt.Sprintf(`{"Event":"SparkListenerApplicationEnd","Timestamp":%d}`, at)
}

// info is a Stage Info of two tasks, which computes an RDD of its own.
func info(id, attempt int, parents string, more string) string {
	return infoOf(id, attempt, 100+id, parents, more)
}

// infoOf is a Stage Info of two tasks, which computes an RDD by way of another.
func infoOf(id, attempt, rdd int, parents string, more string) string {
	return fmt.Sprintf(`{"Stage ID":%d,"Stage Attempt ID":%d,"Stage Name":"s%d","Number of Tasks":2,"RDD Info":[{"RDD ID":%d,"Parent IDs":[7]},{"RDD ID":7}],`+
		`"Parent IDs":[%s],"Details":"a \"quoted\" {detail"%s}`, id, attempt, id, rdd, parents, more)
}

func jobBegin(id, at int, infos ...string) string {
	return fmt.Sprintf(`{"Event":"SparkListenerJobStart","Job ID":%d,"Submission Time":%d,"Stage Infos":[%s],"Stage IDs":[],"Properties":{}}`,
		id, at, strings.Join(infos, ","))
}

func jobDone(id, at int, result string) string {
	return fmt.Sprintf(`{"Event":"SparkListenerJobEnd","Job ID":%d,"Completion Time":%d,"Job Result":{"Result":%q}}`,
		id, at, result)
}

func submit(id, attempt, at int, parents string) string {
	return `{"Event":"SparkListenerStageSubmitted","Stage Info":` +
		info(id, attempt, parents, fmt.Sprintf(`,"Submission Time":%d`, at)) + `,"Properties":{}}`
}

func complete(id, attempt, from, to int, parents string) string {
	return `{"Event":"SparkListenerStageCompleted","Stage Info":` +
		info(id, attempt, parents, fmt.Sprintf(`,"Submission Time":%d,"Completion Time":%d,"Accumulables":[{"ID":1}]`,
			from, to)) + `}`
}

// tk is one task of a test log.
type tk struct {
	id, stage, stageAttempt, index, attempt int
	from, to                                int
	reason                                  string // Success when empty
	more                                    string // more fields of Task Info
	metrics                                 string
}

func (k tk) info(finish int) string {
	return fmt.Sprintf(`"Stage ID":%d,"Stage Attempt ID":%d,"Task Info":{"Task ID":%d,"Index":%d,"Attempt":%d%s,"Launch Time":%d,`+
		`"Executor ID":"1","Host":"w1","Locality":"ANY","Speculative":false,"Getting Result Time":0,"Finish Time":%d,"Failed":false,`+
		`"Killed":false,"Accumulables":[{"ID":1,"Name":"x","Update":"3"}]}`,
		k.stage, k.stageAttempt, k.id, k.index, k.attempt, k.more, k.from, finish)
}

func (k tk) start() string { return `{"Event":"SparkListenerTaskStart",` + k.info(0) + `}` }

func (k tk) end() string {
	reason := k.reason
	if reason == "" {
		reason = "Success"
	}
	metrics := k.metrics
	if metrics != "" {
		metrics = `,"Task Metrics":{"Executor Run Time":5,` + metrics + `}`
	}
	return fmt.Sprintf(`{"Event":"SparkListenerTaskEnd","Task Type":"ResultTask","Task End Reason":{"Reason":%q},%s%s}`,
		reason, k.info(k.to), metrics)
}

func (k tk) both() string { return k.start() + "\n" + k.end() }

// files returns one input of the given name.
func files(name string, content []byte) []*source.File {
	return []*source.File{source.BytesFile(name, content)}
}

// outcome is what reading gave.
type outcome struct {
	runs    []*trace.Run
	rejects []*source.Reject
	tally   *source.Tally
}

// readFiles reads files as one input, and checks what holds for every input: the tally adds up, runs are valid, and
// what was rejected is what was yielded.
func readFiles(t *testing.T, files ...*source.File) outcome {
	t.Helper()
	o := outcome{tally: source.NewTally()}
	for run, err := range Read(context.Background(), files, o.tally) {
		var reject *source.Reject
		switch {
		case errors.As(err, &reject):
			o.rejects = append(o.rejects, reject)
		case err != nil:
			t.Fatalf("Read: %v", err)
		default:
			if err := run.Validate(); err != nil {
				t.Errorf("yielded an invalid run: %v", err)
			}
			o.runs = append(o.runs, run)
		}
	}
	if err := o.tally.Close(); err != nil {
		t.Error(err)
	}
	return o
}

// readLog reads one log and wants one run from it.
func readLog(t *testing.T, content []byte) (*trace.Run, outcome) {
	t.Helper()
	o := readFiles(t, source.BytesFile("logs/app.log", content))
	if len(o.runs) != 1 {
		t.Fatalf("got %d runs, want 1; rejects: %v", len(o.runs), o.rejects)
	}
	return o.runs[0], o
}

// ms is an instant of a test log.
func ms(n int) trace.Instant { return trace.Instant(n) * 1000 }

// edgesOf writes the edges of a run by stage names: "s0>s1" for a shuffle, "s0~s1" for the driver.
func edgesOf(run *trace.Run) string {
	var list []string
	for _, e := range run.Edges {
		arrow := ">"
		if e.Kind == trace.Driver {
			arrow = "~"
		}
		list = append(list, run.Stages[e.Parent].Name+arrow+run.Stages[e.Child].Name)
	}
	return strings.Join(list, " ")
}

// warned reports whether there is a warning of a kind that holds text.
func (o outcome) warned(kind, text string) bool {
	for _, w := range o.tally.Warnings {
		if strings.HasPrefix(w, kind+": ") && strings.Contains(w, text) {
			return true
		}
	}
	return false
}

func (o outcome) wantWarning(t *testing.T, kind, text string) {
	t.Helper()
	if !o.warned(kind, text) {
		t.Errorf("no warning %q that holds %q; got %q", kind, text, o.tally.Warnings)
	}
}

func (o outcome) wantNoWarnings(t *testing.T) {
	t.Helper()
	if len(o.tally.Warnings) > 0 {
		t.Errorf("warnings: %q, want none", o.tally.Warnings)
	}
}
