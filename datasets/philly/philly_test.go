package philly

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/trace"
)

// file is an input for tests: name and content.
type file struct{ name, content string }

func readFiles(t testing.TB, files ...file) *sourcetest.Result {
	t.Helper()
	var inputs []string
	for _, f := range files {
		inputs = append(inputs, f.name, f.content)
	}
	return sourcetest.Read(t, Format(0), sourcetest.Files(inputs...)...)
}

// example is the entry that the documentation of the trace prints.
const example = `{
    "status": "Pass",
    "vc": "ee9e8c",
    "jobid": "application_1506638472019_14199",
    "attempts": [
        {
            "start_time": "2017-10-07 01:12:09",
            "end_time": "2017-10-07 01:13:23",
            "detail": [
                {
                    "ip": "m47",
                    "gpus": ["gpu0", "gpu1", "gpu2", "gpu3", "gpu4", "gpu5", "gpu6", "gpu7"]
                }
            ]
        },
        {
            "start_time": "2017-10-07 01:13:30",
            "end_time": "2017-10-09 06:53:12",
            "detail": [
                {
                    "ip": "m412",
                    "gpus": ["gpu0", "gpu1", "gpu2", "gpu3", "gpu4", "gpu5", "gpu6", "gpu7"]
                }
            ]
        }
    ],
    "submitted_time": "2017-10-07 01:11:39",
    "user": "ce2f4c"
}`

// The instants of the example, as `date -u +%s` has them.
const (
	exampleSubmit = 1507338699e6
	exampleStart  = 1507338729e6
	exampleEnd    = 1507531992e6
)

func TestLog(t *testing.T) {
	r := readFiles(t, file{"cluster_job_log", "[" + example + "]"}, file{"cluster_machine_list",
		"machineId, number of GPUs, single GPU mem\nm47,8, 24GB\nm412,2,12GB\nm47,8,24GB\n"})
	run := r.One(t)
	if run.ID != "application_1506638472019_14199" || run.User != "ce2f4c" || run.Group != "ee9e8c" ||
		run.Status != trace.Succeeded || run.Name != "" ||
		run.Submit != exampleSubmit || run.Start != exampleStart || run.End != exampleEnd || run.Guaranteed != 8 ||
		run.Seq != 0 {
		t.Errorf("run %+v", run)
	}
	if s := run.Stages[0]; len(run.Stages) != 1 || s.Tasks != 1 || s.Submit != exampleSubmit ||
		s.Start != exampleStart || s.End != exampleEnd ||
		s.Demand[trace.GPU] != 8 || !math.IsNaN(s.Demand[trace.CPU]) {
		t.Errorf("stages %+v", run.Stages)
	}
	for i, want := range []struct {
		queued, start trace.Instant
		duration      trace.Duration
		status        trace.Status
		machine       string
	}{
		{exampleSubmit, exampleStart, 74e6, trace.StatusUnknown, "m47"},
		{trace.None, 1507338810e6, 193182e6, trace.Succeeded, "m412"},
	} {
		a := run.Attempts[i]
		if a.Task != 0 || a.Attempt != int32(i) || a.Queued != want.queued || a.Start != want.start ||
			a.Duration != want.duration || a.Status != want.status ||
			a.Machine != want.machine || a.Demand[trace.GPU] != 8 {
			t.Errorf("attempt %+v, want %+v", a, want)
		}
	}
	var held []string
	for _, a := range run.Allocations {
		held = append(held, fmt.Sprint((a.At-exampleSubmit)/1e6, a.Tokens, a.Machines, a.Spare == trace.None))
	}
	if want := []string{"30 8 1 true", "104 0 0 true", "111 8 1 true", "193293 0 0 true"}; !slices.Equal(held, want) {
		t.Errorf("allocations %q, want %q", held, want)
	}
	if m := r.Tally.Machines; len(m) != 2 || m[0].Name != "m47" || m[0].GPU != 8 || m[1].GPU != 2 ||
		!math.IsNaN(m[0].Mem) {
		t.Errorf("machines %+v", m)
	}
	if len(r.Tally.Warnings) != 1 || !strings.HasPrefix(r.Tally.Warnings[0], WarnZone) || r.Tally.Used != 3 ||
		r.Tally.Ignored[IgnoredMachine] != 1 ||
		r.Tally.Ignored[IgnoredHeader] != 1 || len(r.Tally.Repairs) != 0 {
		t.Errorf("tally %+v", r.Tally)
	}
}

// job writes an entry of the log with attempts "start end machines:gpus".
func job(id, status, submitted string, attempts ...string) string {
	quoted := func(s string) string {
		if s == "null" {
			return s
		}
		return `"` + s + `"`
	}
	time := func(s string) string { return quoted(strings.Replace(s, "T", " ", 1)) }
	var list []string
	for _, a := range attempts {
		f := strings.Fields(a)
		var detail []string
		for _, machine := range f[2:] {
			ip, gpus, _ := strings.Cut(machine, ":")
			n := len(gpus)
			detail = append(detail, fmt.Sprintf(`{"ip": %q, "gpus": [%s]}`, ip,
				strings.TrimSuffix(strings.Repeat(`"gpu0", `, n), ", ")))
		}
		list = append(list, fmt.Sprintf(`{"start_time": %s, "end_time": %s, "detail": [%s]}`, time(f[0]), time(f[1]),
			strings.Join(detail, ", ")))
	}
	return fmt.Sprintf(`{"status": %q, "vc": "v", "jobid": %q, "attempts": [%s], "submitted_time": %s, "user": "u"}`,
		status, id, strings.Join(list, ", "), time(submitted))
}

func TestOddJobs(t *testing.T) {
	const none = trace.None
	day := trace.Instant(1507334400e6) // 2017-10-07
	for _, test := range []struct {
		name, content      string
		submit, start, end trace.Instant
		status             trace.Status
		gpus               int64
		attempts           int
		repairs            string
	}{
		{"never scheduled", job("j", "Killed", "2017-10-07T00:00:00"), day, none, none, trace.Killed, none, 0, "map[]"},
		{"still running", job("j", "Failed", "2017-10-07T00:00:00", "2017-10-07T00:00:10 null m1:gg"), day, day +
			10e6, none, trace.Running, 2, 1, "map[" + RepairOpen + ":1]"},
		{"None", job("j", "Pass", "None", "None None m1:g"), none, none, none, trace.Running, 1, 1, "map[" +
			RepairOpen + ":1]"},
		{"no start", job("j", "Pass", "2017-10-07T00:00:00", "null 2017-10-07T00:01:00 m1:g"), day, none, day +
			60e6, trace.Succeeded, 1, 1, "map[]"},
		{"first without end", job("j", "Pass", "2017-10-07T00:00:00", "2017-10-07T00:00:10 null m1:g",
			"2017-10-07T00:00:20 2017-10-07T00:00:30 m1:g"),
			day, day + 10e6, day + 30e6, trace.Succeeded, 1, 2, "map[]"},
		{"reversed", job("j", "Failed", "2017-10-07T00:00:00", "2017-10-07T00:01:00 2017-10-07T00:00:10 m1:g"), day,
			day + 60e6, none, trace.Failed, 1, 1, "map[" + RepairEnd + ":1]"},
		{"ends before submission", job("j", "Failed", "2017-10-07T00:10:00", "2017-10-07T00:00:10 "+
			"2017-10-07T00:00:20 m1:g"), day + 600e6, day + 10e6, none, trace.Failed, 1, 1,
			"map[" + RepairEnd + ":1]"},
		{"no detail", job("j", "Pass", "2017-10-07T00:00:00", "2017-10-07T00:00:10 2017-10-07T00:00:20"), day, day +
			10e6, day + 20e6, trace.Succeeded, none, 1, "map[]"},
		{"many machines", job("j", "Pass", "2017-10-07T00:00:00", "2017-10-07T00:00:10 2017-10-07T00:00:20 m1:gggg "+
			"m2:gggg m1:gg"), day, day + 10e6, day + 20e6, trace.Succeeded, 10, 1, "map[]"},
		{"unknown status", job("j", "Lost", "2017-10-07T00:00:00"), day, none, none, trace.StatusUnknown, none, 0,
			"map[]"},
		{"no attempts", `{"jobid": "j", "attempts": null, "vc": null, "status": null}`, none, none, none,
			trace.StatusUnknown, none, 0, "map[]"},
	} {
		r := readFiles(t, file{"log", "[" + test.content + "]"})
		run := r.One(t)
		if run.Submit != test.submit || run.Start != test.start || run.End != test.end || run.Status != test.status ||
			run.Guaranteed != test.gpus ||
			len(run.Attempts) != test.attempts || len(run.Stages) != 1 || len(r.Rejects) != 0 {
			t.Errorf("%s: run %+v, rejects %v", test.name, run, r.Rejects)
		}
		if got := fmt.Sprint(r.Tally.Repairs); got != test.repairs {
			t.Errorf("%s: repairs %s, want %s", test.name, got, test.repairs)
		}
		if test.name == "many machines" && (run.Attempts[0].Machine != "" || run.Allocations[0].Machines != 2) {
			t.Errorf("%s: run %+v", test.name, run)
		}
	}
}

// A run holds the GPUs of all of its attempts at each instant, also where they overlap or one has no end.
func TestHeldWhileAttemptsOverlap(t *testing.T) {
	at := func(clock string) string { return "2017-11-05T01:" + clock }
	run := readFiles(t, file{"log", "[" + job("j", "Pass", at("00:00"), at("00:10")+" "+at("00:40")+" m1:gg",
		at("00:20")+" "+at("00:30")+" m2:g", at("00:30")+" null m1:g", at("00:50")+" "+at("00:55")+" m2:ggg") + "]"}).One(t)
	var got []string
	for _, a := range run.Allocations {
		got = append(got, fmt.Sprintf("%d: %d on %d", int64(a.At.Since(run.Submit))/1e6, a.Tokens, a.Machines))
	}
	want := []string{"10: 2 on 1", "20: 3 on 2", "30: 3 on 2", "40: 1 on 1", "50: 3 on 1", "55: 0 on 0"}
	if !slices.Equal(got, want) {
		t.Errorf("held %q, want %q", got, want)
	}
}

// Whatever way a log was saved, the runs are the same.
func TestLogVariants(t *testing.T) {
	second := job("k", "Killed", "2017-10-07T00:00:00", "2017-10-07T00:00:10 2017-10-07T00:00:20 m}{1:g")
	text := func(r *sourcetest.Result) string {
		var s string
		for _, run := range r.Runs {
			s += fmt.Sprintln(run)
		}
		return s
	}
	want := text(readFiles(t, file{"log", "[" + example + ", " + second + "]"}))
	flat := strings.Join(strings.Fields(example), " ")
	for name, content := range map[string]string{
		"one line":        "[" + flat + "," + second + "]\n",
		"CRLF":            strings.ReplaceAll("[\n"+example+",\n"+second+"\n]\n", "\n", "\r\n"),
		"byte-order mark": "\ufeff[" + example + "," + second + "]",
		"blank lines":     "\n\n[\n\n" + example + "\n,\n\n" + second + "\n]\n\n",
		"JSON lines":      flat + "\n" + second + "\n",
		"more fields":     "[" + strings.Replace(flat, `"vc"`, `"note": {"a": [1, "x"]}, "vc"`, 1) + "," + second + "]",
		"two arrays":      "[" + flat + "]\n[" + second + "]",
	} {
		r := readFiles(t, file{"log", content})
		if got := text(r); got != want || len(r.Rejects) != 0 {
			t.Errorf("%s: got %s%v, want %s", name, got, r.Rejects, want)
		}
	}
}

func TestLogRejects(t *testing.T) {
	good := job("g", "Pass", "2017-10-07T00:00:00")
	for _, test := range []struct {
		name, content, reason, field string
		line                         int64
		runs                         int
	}{
		{"no id", `[{"status": "Pass", "vc": "v"},` + good + `]`, source.ReasonNoID, "jobid", 1, 1},
		{"bad submission", "[\n" + job("j", "Pass", "2017-10-07") + "]", source.ReasonBadTime, "submitted_time", 2, 0},
		{"bad start", "[" + job("j", "Pass", "null", "noon null m1:g") + "]", source.ReasonBadTime, "start_time", 1, 0},
		{"bad end", "[" + job("j", "Pass", "null", "null 2017-02-30T00:00:00 m1:g") + "]", source.ReasonBadTime,
			"end_time", 1, 0},
		{"seconds", `[{"jobid": "j", "submitted_time": 1507334400}]`, source.ReasonBadField, "submitted_time", 1, 0},
		{"a number for GPUs", `[{"jobid": "j", "attempts": [{"detail": [{"gpus": 8}]}]}]`, source.ReasonBadField,
			"attempts.detail.gpus", 1, 0},
		{"id twice", "[" + good + ",\n" + good + "]", source.ReasonDuplicateID, "jobid", 2, 1},
		{"bad JSON", `[{"jobid": "j",, "vc": "v"},` + good + "]", source.ReasonBadJSON, "", 1, 1},
		{"a bracket is lost", `[{"jobid": "j", "attempts": [,` + "\n" + good + "]", source.ReasonBadJSON, "", 1, 1},
		{"a quote is lost", `[{"jobid": "j, "vc": "v"},` + "\n" + good + "]", source.ReasonBadJSON, "", 1, 1},
		{"brackets in the array", "[" + good + ", [[\n]", source.ReasonBadJSON, "", 1, 1},
		{"a closing bracket", good + " ]]\n", source.ReasonBadJSON, "", 1, 1},
		{"stray text", "[" + good + ", what?\n]", source.ReasonBadJSON, "", 1, 1},
		{"cut inside a job", "[" + good + ", {\"jobid\": \"j\", \"att", source.ReasonTruncated, "", 1, 1},
		{"cut between jobs", "[" + good + ",\n", source.ReasonTruncated, "", 2, 1},
		{"not UTF-8", "[{\"jobid\": \"\xff\"}," + good + "]", source.ReasonNotUTF8, "", 1, 1},
	} {
		r := readFiles(t, file{"log", test.content})
		if len(r.Rejects) != 1 || r.Rejects[0].Reason != test.reason || r.Rejects[0].Field != test.field ||
			r.Rejects[0].Line != test.line || len(r.Runs) != test.runs {
			t.Errorf("%s: got %v, %d runs, want one of reason %q, field %q, line %d and %d runs", test.name, r.Rejects,
				len(r.Runs), test.reason, test.field, test.line, test.runs)
		}
		if len(r.Tally.Repairs) != 0 {
			t.Errorf("%s: repairs %v", test.name, r.Tally.Repairs)
		}
	}
}

func TestLongJobsAreRejected(t *testing.T) {
	tally := source.NewTally()
	var got []string
	r := &reader{}
	r.Ctx, r.Tally, r.IDs = t.Context(), tally, source.NewIDs()
	r.Yield = func(run *trace.Run, err error) bool {
		got = append(got, fmt.Sprint(run != nil, err))
		return true
	}
	good := `{"jobid": "j"}`
	r.objects(source.BytesFile("f", nil), strings.NewReader("["+good+",\n{\"jobid\": \""+strings.Repeat("x", 100_000)+
		"\"},"+strings.Replace(good, "j\"", "k\"", 1)+"]"), 50)
	if len(got) != 3 || !strings.Contains(got[1], "f:2: "+source.ReasonObjectTooLong) || tally.Used != 2 {
		t.Errorf("got %q", got)
	}
}

// A file that ends early keeps what is whole.
func TestTruncatedFiles(t *testing.T) {
	for name, content := range map[string][]byte{"cluster_job_log.gz": generate(3000), "philly.csv.gz": reduced(3000)} {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{packed.Len() / 2, packed.Len() - 5, 5} {
			r := sourcetest.Read(t, Format(0), source.BytesFile(name, packed.Bytes()[:n]))
			if len(r.Rejects) != 1 || r.Rejects[0].Reason != source.ReasonTruncated || len(r.Runs) == 0 && n > 5 ||
				r.Err != nil {
				t.Errorf("%s, %d bytes: %d runs, rejects %v, error %v", name, n, len(r.Runs), r.Rejects, r.Err)
			}
		}
	}
}
