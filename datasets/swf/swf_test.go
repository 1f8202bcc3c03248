package swf_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/swf"
	"racecard/datasets/trace"
)

func read(t testing.TB, content string) *sourcetest.Result {
	return sourcetest.Read(t, swf.Format(), source.BytesFile("x.swf", []byte(content)))
}

// one reads a single job.
func one(t *testing.T, line string) *trace.Run {
	t.Helper()
	r := read(t, line+"\n")
	if len(r.Runs) != 1 || r.Tally.Used != 1 {
		t.Fatalf("%q: %d runs, rejects %v", line, len(r.Runs), r.Rejects)
	}
	return r.Runs[0]
}

const none = trace.None

func TestLine(t *testing.T) {
	//            job sub wait run procs cpu mem  rp  rt  rm st us gr app q p prec think
	run := one(t, "7 100 20.5 60 4 1.5 1024 8 3600 2048 1 97 3 307 2 1 -1 -1")
	if run.ID != "7" || run.Name != "app-307" || run.User != "user-97" || run.Group != "group-3" ||
		run.Status != trace.Succeeded {
		t.Errorf("run %+v", run)
	}
	if run.Submit != 100e6 || run.Start != 120_500_000 || run.End != 180_500_000 || run.Guaranteed != 8 ||
		run.InputBytes != none {
		t.Errorf("run %+v", run)
	}
	if len(run.Stages) != 1 || len(run.Edges) != 0 {
		t.Fatalf("%d stages, %d edges", len(run.Stages), len(run.Edges))
	}
	s := run.Stages[0]
	if s.Tasks != 1 || s.Submit != run.Submit || s.Start != run.Start || s.End != run.End || !math.IsNaN(s.EstimateS) {
		t.Errorf("stage %+v", s)
	}
	if s.Demand[trace.CPU] != 4 || s.Demand[trace.Mem] != 4*1024*1024 { // 1024 KB on each of 4 processors
		t.Errorf("demand %v", s.Demand)
	}
	if len(run.Attempts) != 1 {
		t.Fatalf("%d attempts", len(run.Attempts))
	}
	a := run.Attempts[0]
	if a.Queued != run.Submit || a.Start != run.Start || a.End != run.End || a.Duration != 60e6 ||
		a.Status != trace.Succeeded || a.Demand[trace.CPU] != 4 || a.Demand[trace.Mem] != 4<<20 {
		t.Errorf("attempt %+v", a)
	}
	hold := trace.Allocation{At: run.Start, Tokens: 4, Spare: none, Machines: none}
	release := hold
	release.At, release.Tokens = run.End, 0
	if !slices.Equal(run.Allocations, []trace.Allocation{hold, release}) {
		t.Errorf("allocations %+v", run.Allocations)
	}
}

// quirk is a job of a real log, or one like it, and what must come of it.
type quirk struct {
	name, line                   string
	submit, start, end, duration int64 // seconds; -1 is null
	status                       trace.Status
	attempts, holds              int
	cpu, mem                     float64 // -1 is null
	guaranteed                   int64
	repair                       string
}

func TestQuirks(t *testing.T) {
	for _, q := range []quirk{
		{"NASA: no wait time", "1 0 -1 1451 128 -1 -1 -1 -1 -1 -1 1 1 -1 -1 -1 -1 -1", 0, -1, -1, 1451,
			trace.StatusUnknown, 1, 0, 128, -1, none, ""},
		{"hpc2n: no run time", "9 60 40 -1 2 -1 -1 2 600 -1 0 1 1 -1 1 -1 -1 -1", 60, 100, -1, -1, trace.Failed, 1, 1,
			2, -1, 2, ""},
		{"a run time of 0", "9 60 40 0 2 -1 -1 2 600 -1 1 1 1 -1 1 -1 -1 -1", 60, 100, 100, 0, trace.Succeeded, 1, 2, 2,
			-1, 2, ""},
		{"wagap: 21 fields, Unix times", "4 1356998400 3 10 2 -1 -1 2 600 -1 1 12 1 -1 1 -1 -1 -1 {n1,n2/0,n3} batch " +
			"1:ppn=2", 1356998400, 1356998403, 1356998413, 10, trace.Succeeded, 1, 2, 2, -1, 2, ""},
		{"a comment behind the fields", "4 1 3 10 2 -1 -1 2 600 -1 1 12 1 -1 1 -1 -1 -1 ; odd", 1, 4, 14, 10,
			trace.Succeeded, 1, 2, 2, -1, 2, ""},
		{"no submit time", "1 -1 5 10 1 -1 -1 -1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1", -1, -1, -1, 10, trace.Succeeded, 1, 0,
			1, -1, none, ""},
		{"no times at all", "1 5 -1 -1 1 -1 -1 -1 -1 -1 1 -1 -1 -1 -1 -1 -1 -1", 5, -1, -1, -1, trace.Succeeded, 0, 0,
			1, -1, none, ""},
		{"cancelled before it ran", "1 5 100 0 -1 -1 -1 16 600 -1 5 1 1 1 -1 -1 -1 -1", 5, -1, -1, -1, trace.Killed, 0,
			0, 16, -1, 16, ""},
		{"cancelled, 0 processors, no run time", "1 5 100 -1 0 -1 -1 16 600 -1 5 1 1 1 -1 -1 -1 -1", 5, -1, -1, -1,
			trace.Killed, 0, 0, 16, -1, 16, ""},
		{"cancelled while it ran", "1 5 100 7 16 -1 -1 16 600 -1 5 1 1 1 -1 -1 -1 -1", 5, 105, 112, 7, trace.Killed, 1,
			2, 16, -1, 16, ""},
		{"0 processors, but it ran", "1 5 100 7 0 -1 -1 16 600 -1 1 1 1 1 -1 -1 -1 -1", 5, 105, 112, 7, trace.Succeeded,
			1, 0, 16, -1, 16, swf.RepairProcs},
		{"no processors at all", "1 5 100 7 -1 -1 -1 -1 600 -1 1 1 1 1 -1 -1 -1 -1", 5, 105, 112, 7, trace.Succeeded, 1,
			0, -1, -1, none, ""},
		{"requested memory", "1 5 100 7 2 -1 -1 4 600 1 1 1 1 1 -1 -1 -1 -1", 5, 105, 112, 7, trace.Succeeded, 1, 2, 2,
			4096, 4, ""},
		{"used memory of 0", "1 5 100 7 2 -1 0 4 600 1 1 1 1 1 -1 -1 -1 -1", 5, 105, 112, 7, trace.Succeeded, 1, 2, 2,
			0, 4, ""},
		{"partial execution alone", "1 5 100 7 2 -1 -1 2 600 -1 2 1 1 1 -1 -1 -1 -1", 5, 105, 112, 7,
			trace.StatusUnknown, 1, 2, 2, -1, 2, ""},
		{"negative wait", "1 5 -7 7 2 -1 -1 2 600 -1 1 1 1 1 -1 -1 -1 -1", 5, -1, -1, 7, trace.Succeeded, 1, 0, 2, -1,
			2, swf.RepairWait},
		{"negative run time", "1 5 7 -3 2 -1 -1 2 600 -1 1 1 1 1 -1 -1 -1 -1", 5, 12, -1, -1, trace.Succeeded, 1, 1, 2,
			-1, 2, swf.RepairRun},
		{"negative memory", "1 5 7 3 2 -1 -2 2 600 -1 1 1 1 1 -1 -1 -1 -1", 5, 12, 15, 3, trace.Succeeded, 1, 2, 2, -1,
			2, swf.RepairMemory},
		{"fractions and exponents", "1 5.0 7.00 3e0 2 142.00 -1.0 2 600 -1 1 1 1 1 -1 -1 -1 -1", 5, 12, 15, 3,
			trace.Succeeded, 1, 2, 2, -1, 2, ""},
	} {
		t.Run(q.name, func(t *testing.T) { q.check(t, read(t, q.line+"\n")) })
	}
}

func (q *quirk) check(t *testing.T, r *sourcetest.Result) {
	if len(r.Runs) != 1 {
		t.Fatalf("%d runs, rejects %v", len(r.Runs), r.Rejects)
	}
	run := r.Runs[0]
	for _, c := range []struct {
		what      string
		got, want int64
	}{
		{"submit", int64(run.Submit), micros(q.submit)},
		{"start", int64(run.Start), micros(q.start)},
		{"end", int64(run.End), micros(q.end)},
		{"attempts", int64(len(run.Attempts)), int64(q.attempts)},
		{"allocations", int64(len(run.Allocations)), int64(q.holds)},
		{"guaranteed", run.Guaranteed, q.guaranteed},
		{"tasks", run.Stages[0].Tasks, 1},
		{"stage start", int64(run.Stages[0].Start), micros(q.start)},
	} {
		if c.got != c.want {
			t.Errorf("%s %d, want %d", c.what, c.got, c.want)
		}
	}
	if len(run.Attempts) == 1 {
		if a := run.Attempts[0]; int64(a.Duration) != micros(q.duration) || a.Status != q.status {
			t.Errorf("attempt %+v, want a duration of %d s, %s", a, q.duration, q.status)
		}
	}
	if run.Status != q.status {
		t.Errorf("status %s, want %s", run.Status, q.status)
	}
	for resource, want := range map[trace.Resource]float64{trace.CPU: q.cpu, trace.Mem: q.mem} {
		if got := run.Stages[0].Demand[resource]; got != want && !(want == -1 && math.IsNaN(got)) {
			t.Errorf("%v %v, want %v", resource, got, want)
		}
	}
	want := map[string]int64{}
	if q.repair != "" {
		want[q.repair] = 1
	}
	if len(r.Tally.Repairs) != len(want) || r.Tally.Repairs[q.repair] != want[q.repair] {
		t.Errorf("repairs %v, want %v", r.Tally.Repairs, want)
	}
}

func micros(seconds int64) int64 {
	if seconds == -1 {
		return none
	}
	return seconds * 1e6
}

func TestRequestedMemoryIsNotUsedMemory(t *testing.T) {
	run := one(t, "1 5 100 7 2 -1 -1 4 600 1 1 1 1 1 -1 -1 -1 -1")
	if m := run.Attempts[0].Demand[trace.Mem]; !math.IsNaN(m) {
		t.Errorf("the attempt used %v bytes, but the line only says what was requested", m)
	}
}

// Field 10 is memory per processor: of those asked for, or of those held where the line does not say how many were.
func TestRequestedMemory(t *testing.T) {
	for line, want := range map[string]float64{
		"1 5 100 7 8 -1 -1 -1 200 2048 1 1 1 1 -1 -1 -1 -1": 8 * 2048 * 1024,
		"1 5 100 7 8 -1 -1 4 200 2048 1 1 1 1 -1 -1 -1 -1":  4 * 2048 * 1024,
	} {
		if got := one(t, line).Stages[0].Demand[trace.Mem]; got != want {
			t.Errorf("%s: %v bytes, want %v", line, got, want)
		}
	}
}

func TestNames(t *testing.T) {
	run := one(t, "1 5 1 7 2 -1 -1 4 600 1 1 ann staff a.out -1 -1 -1 -1")
	if run.User != "ann" || run.Group != "staff" || run.Name != "a.out" {
		t.Errorf("text in place of numbers: %+v", run)
	}
	run = one(t, "1 5 1 7 2 -1 -1 4 600 1 1 0 -1 99999999999 -1 -1 -1 -1")
	if run.User != "user-0" || run.Group != "" || run.Name != "app-99999999999" {
		t.Errorf("numbers: %+v", run)
	}
}

// Fields name the recurring job where a key says so; unknown ones are left out, and nothing names a job without any.
func TestKeyed(t *testing.T) {
	const lines = "1 5 1 7 2 -1 -1 4 3600 1 1 7 2 -1 -1 -1 -1 -1\n" + "2 6 1 7 2 -1 -1 4 -1 1 1 ann 2 -1 -1 -1 -1 -1\n" +
		"3 7 1 7 2 -1 -1 4 -1 1 1 -1 2 -1 -1 -1 -1 -1\n"
	for key, want := range map[string][]string{
		"user,requested_time":  {"user-7/requested_time-3600", "ann", ""},
		"user":                 {"user-7", "ann", ""},
		"requested_processors": {"requested_processors-4", "requested_processors-4", "requested_processors-4"},
	} {
		f, err := swf.Format().Keyed(key)
		if err != nil {
			t.Fatal(err)
		}
		r := sourcetest.Read(t, f, source.BytesFile("x.swf", []byte(lines)))
		for i, run := range r.Runs {
			if run.Job != want[i] || run.User != []string{"user-7", "ann", ""}[i] {
				t.Errorf("%s: job %q of user %q, want %q", key, run.Job, run.User, want[i])
			}
		}
	}
	for _, bad := range []string{"user,", "job", "user, group"} {
		if _, err := swf.Format().Keyed(bad); err == nil || !strings.Contains(err.Error(), "requested_memory") {
			t.Errorf("%q: %v, want an error that lists the fields", bad, err)
		}
	}
}

// A field of the key that runs do not have is told, with the number of these runs; a field that all have is not.
func TestKeyWithoutValues(t *testing.T) {
	const lines = "1 5 1 7 2 -1 -1 4 -1 1 1 7 2 -1 -1 -1 -1 -1\n" + "2 6 1 7 2 -1 -1 4 -1 1 1 -1 2 -1 -1 -1 -1 -1\n"
	for key, want := range map[string][]string{
		"requested_processors": nil,
		"user,requested_time": {
			"x.swf: 1 of 2 runs have no user", "x.swf: 2 of 2 runs have no requested_time: other fields of the key name",
		},
	} {
		f, err := swf.Format().Keyed(key)
		if err != nil {
			t.Fatal(err)
		}
		got := sourcetest.Read(t, f, source.BytesFile("x.swf", []byte(lines))).Tally.Warnings
		if len(got) != len(want) {
			t.Fatalf("%s: warnings %q, want %q", key, got, want)
		}
		for i := range want {
			if !strings.HasPrefix(got[i], swf.WarnLacks+": "+want[i]) {
				t.Errorf("%s: warning %q, want %q", key, got[i], want[i])
			}
		}
	}
}

// Variants of a log that must not make a difference.
func TestVariants(t *testing.T) {
	plain := "; Version: 2.2\n1 5 100 7 2 -1 -1 2 600 -1 1 1 1 1 -1 -1 -1 -1\n2 6 100 7 2 -1 -1 2 600 -1 1 1 1 1 -1 " +
		"-1 -1 -1\n"
	want := sourcetest.JSON(t, texts(read(t, plain)))
	for name, content := range map[string]string{
		"CRLF":             strings.ReplaceAll(plain, "\n", "\r\n"),
		"blank lines":      strings.ReplaceAll(plain, "\n", "\n\n \t\n"),
		"tabs":             strings.ReplaceAll(plain, " ", "\t"),
		"blanks around":    strings.ReplaceAll(strings.ReplaceAll(plain, "\n", "   \n  "), " ", "  "),
		"byte-order mark":  "\ufeff" + plain,
		"no last line end": strings.TrimSuffix(plain, "\n"),
		"more fields":      strings.ReplaceAll(plain, "-1\n", "-1 {a,b} x\n"),
		"comments between": strings.ReplaceAll(plain, "-1\n", "-1\n; and so on\n"),
	} {
		r := read(t, content)
		if got := sourcetest.JSON(t, texts(r)); got != want || len(r.Rejects) != 0 {
			t.Errorf("%s: got %s, rejects %v, want %s", name, got, r.Rejects, want)
		}
		if r.Tally.Used != 2 {
			t.Errorf("%s: %d records used", name, r.Tally.Used)
		}
	}
}

// texts lists what tells runs apart, NaN included.
func texts(r *sourcetest.Result) (out []string) {
	for _, run := range r.Runs {
		out = append(out, strings.Join([]string{run.ID, run.Name, run.User, run.Status.String(),
			fmt.Sprint(run.Start, run.End)}, " "))
	}
	return out
}
