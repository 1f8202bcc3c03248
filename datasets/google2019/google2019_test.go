package google2019

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/internal/borg"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/trace"
)

// readFiles reads contents as files.
func readFiles(t testing.TB, contents ...string) *sourcetest.Result {
	t.Helper()
	r := sourcetest.Read(t, Format(0), sourcetest.Numbered("", contents...)...)
	slices.SortFunc(r.Runs, func(a, b *trace.Run) int { return int(a.Seq - b.Seq) })
	return r
}

// lines joins objects.
func lines(objects ...string) string { return strings.Join(objects, "\n") + "\n" }

// accesses writes the io rows of a run.
func accesses(run *trace.Run) string {
	var all []string
	for _, a := range run.IO {
		all = append(all, fmt.Sprintf("%s %v %v", a.Dataset, a.Write, a.At.Known()))
	}
	return strings.Join(all, ", ")
}

// job is a job of two instances, one of which is evicted once, as BigQuery exports it.
func job() []string {
	return []string{
		`{"time":"700","type":"0","collection_id":"7","scheduling_class":"1","collection_type":"0","priority":"103","user":"ann","collection_name":"n\u003d","collection_logical_name":"l\/1\u003d","start_after_collection_ids":[]}`,
		`{"time":"800","type":3,"collection_id":7,"user":"ann"}`,
		`{"time":"990","type":"FINISH","collection_id":"7"}`,
		`{"time":"700","type":"SUBMIT","collection_id":"7","instance_index":"0","machine_id":"0","resource_request":{"cpus":0.5,"memory":0.25}}`,
		`{"time":"800","type":"3","collection_id":"7","instance_index":"0","machine_id":"11","resource_request":{"cpus":0.5,"memory":0.25}}`,
		`{"time":"900","type":"4","collection_id":"7","instance_index":"0","machine_id":"11","resource_request":{"cpus":0.5,"memory":null}}`,
		`{"time":"900","type":"0","collection_id":"7","instance_index":"0","machine_id":"0","resource_request":null}`,
		`{"time":"901","type":"1","collection_id":"7","instance_index":"0","machine_id":null}`,
		`{"time":"910","type":"2","collection_id":"7","instance_index":"0"}`,
		`{"time":"920","type":"3","collection_id":"7","instance_index":"0","machine_id":"12","resource_request":{"memory":0.5,"cpus":0.25},"constraint":[{"name":"a\"}","value":"{","relation":3}]}`,
		`{"time":"980","type":"6","collection_id":"7","instance_index":"0","machine_id":"12"}`,
		`{"time":"700","type":"0","collection_id":"7","instance_index":"1","machine_id":"0","resource_request":{"cpus":1,"memory":1}}`,
		`{"time":"810","type":"3","collection_id":"7","instance_index":"1","machine_id":"-1"}`,
		`{"time":"990","type":"7","collection_id":"7","instance_index":"1","machine_id":"-1"}`,
	}
}

func checkJob(t *testing.T, name string, r *sourcetest.Result) {
	t.Helper()
	run := r.One(t)
	if run.ID != "7" || run.User != "ann" || run.Name != "l/1=" || run.Group != "" || run.Submit != 700 ||
		run.Start != 800 || run.End != 990 || run.Status != trace.Succeeded {
		t.Errorf("%s: run %+v", name, run)
	}
	want := "0.0 700 800 900 evicted 11\n0.1 910 920 980 succeeded 12\n1.0 700 810 990 killed "
	if got := sourcetest.Attempts(run); got != want {
		t.Errorf("%s: attempts %s, want %s", name, got, want)
	}
	s := run.Stages[0]
	if s.Tasks != 2 || s.Submit != 700 || s.Start != 800 || s.End != 990 || s.Demand[trace.CPU] != (0.25+1)/2 ||
		s.Demand[trace.Mem] != (0.5+1)/2 ||
		run.Attempts[0].Demand[trace.Mem] != 0.25 || run.Attempts[1].Demand[trace.CPU] != 0.25 ||
		run.Attempts[1].Demand[trace.Mem] != 0.5 {
		t.Errorf("%s: stage %+v, attempts %+v", name, s, run.Attempts)
	}
	if len(run.IO) != 0 || len(r.Tally.Repairs) != 0 || len(r.Tally.Warnings) != 0 || r.Tally.Used != 14 {
		t.Errorf("%s: tally %+v", name, r.Tally)
	}
}

func TestJSON(t *testing.T) {
	checkJob(t, "in order", readFiles(t, lines(job()...)))
	backwards := job()
	slices.Reverse(backwards)
	checkJob(t, "backwards", readFiles(t, lines(backwards...)))
	checkJob(t, "CRLF", readFiles(t, strings.ReplaceAll(lines(job()...), "\n", "\r\n")))
	checkJob(t, "spaced out", readFiles(t, strings.NewReplacer(`":`, `" : `, `,"`, ` , "`).Replace(lines(job()...))))
	checkJob(t, "collections and instances in files of their own", readFiles(t, lines(job()[:3]...), "\ufeff"+
		lines(job()[3:]...)))
}

func TestDependencies(t *testing.T) {
	r := readFiles(t, lines(
		`{"time":700,"type":0,"collection_id":1,"start_after_collection_ids":["2","3",2,1]}`,
		`{"time":710,"type":0,"collection_id":2,"start_after_collection_ids":[],"parent_collection_id":"9","alloc_collection_id":"0"}`,
		`{"time":720,"type":0,"collection_id":4,"parent_collection_id":null,"alloc_collection_id":"8"}`),
		"collection_id,time,type,start_after_collection_ids\n5,700,0,\"[4\n 2]\"\n")
	var got []string
	for _, run := range r.Runs {
		got = append(got, run.ID+": "+accesses(run))
	}
	want := []string{
		"1: collection:2 false false, collection:3 false false", "2: collection:2 true false",
		"4: collection:4 true false",
		"5: collection:2 false false, collection:4 false false",
	}
	if !slices.Equal(got, want) {
		t.Errorf("io %q, want %q", got, want)
	}
	if w := r.Tally.Warnings; !slices.Equal(w, []string{WarnParent + ": 2", WarnAlloc + ": 4"}) {
		t.Errorf("warnings %q", w)
	}
}

func TestEdgesOfTheTrace(t *testing.T) {
	r := readFiles(t, lines(
		`{"time":0,"type":"ENABLE","collection_id":7,"instance_index":0,"machine_id":0}`,
		`{"time":0,"type":"SUBMIT","collection_id":7,"instance_index":0,"machine_id":0}`,
		`{"time":0,"type":"SCHEDULE","collection_id":7,"instance_index":0,"machine_id":5,"missing_type":1}`,
		`{"time":9223372036854775807,"type":"FINISH","collection_id":7,"instance_index":0,"machine_id":5}`))
	run := r.One(t)
	if got := sourcetest.Attempts(run); got != "0.0 - - - running 5" || run.Submit.Known() ||
		run.Status != trace.Running {
		t.Errorf("attempts %s, run %+v", got, run)
	}
	if n := r.Tally.Repairs; n[borg.RepairBefore] != 3 || n[borg.RepairAfter] != 1 || n[borg.RepairCensored] != 1 ||
		len(r.Tally.Warnings) != 1 {
		t.Errorf("tally %+v", r.Tally)
	}
}

// An export that was joined with usage holds an event once per window, and two types; what was derived from them is not
// read.
func TestJoinedExport(t *testing.T) {
	r := readFiles(t, ",time,instance_events_type,collection_id,instance_index,machine_id,resource_request,collections_events_type,user,collection_name,start_time,end_time,event,failed\n"+
		"0,700,3,7,4,11,\"{'cpus': 0.5, 'memory': 0.25}\",2,ann,n,1,2,FAIL,1\n"+
		"1,700,3,7,4,11,\"{'cpus': 0.5, 'memory': 0.25}\",2,ann,n,2,3,FAIL,1\n"+
		"2,900,6,7,4,12,,2,ann,n,2,3,SCHEDULE,0\n")
	run := r.One(t)
	if got := sourcetest.Attempts(run); got != "0.0 - 700 900 succeeded 11" || run.Name != "n" || run.User != "ann" ||
		r.Tally.Repairs[borg.RepairTwice] != 1 {
		t.Errorf("attempts %s, run %+v, tally %+v", got, run, r.Tally)
	}
}

func TestOtherRecordsAreIgnored(t *testing.T) {
	r := readFiles(t, lines(
		`{"time":700,"type":0,"collection_id":7,"collection_type":1}`,
		`{"time":700,"type":3,"collection_id":7,"instance_index":1,"collection_type":"ALLOC_SET"}`,
		`{"start_time":"300","end_time":"600","collection_id":"7","instance_index":"0","machine_id":"3","average_usage":{"cpus":0.1}}`,
		`{"time":0,"machine_id":3,"type":1,"switch_id":"s","capacity":{"cpus":1,"memory":0.5}}`, ``,
		`{"time":0,"machine_id":3,"name":"a","value":"v","deleted":false}`,
		`{"time":700,"type":0,"collection_id":8,"collection_type":"JOB"}`))
	want := map[string]int64{ignoredAlloc: 2, ignoredUsage: 1, ignoredMachine: 2, ignoredBlank: 1}
	if run := r.One(t); run.ID != "8" || fmt.Sprint(r.Tally.Ignored) != fmt.Sprint(want) {
		t.Errorf("ignored %v, want %v", r.Tally.Ignored, want)
	}
}
