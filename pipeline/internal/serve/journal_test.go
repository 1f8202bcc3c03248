package serve

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"racecard/datasets/publish"
	"racecard/pipeline/live"
)

// randomStep is a request of an application after so many seconds: its state may be known as stages, fractions, progress
// or not at all, and deadline and bounds come and go.
func randomStep(r *rand.Rand, app string, nowS float64, share float64) string {
	text := fmt.Sprintf(`{"app":%q,"job":"a","now_s":%g,"deadline_s":%d,"executors":%d,"slots":%d`, app, nowS,
		70+10*r.IntN(3), r.IntN(4), 1+r.IntN(2))
	if r.IntN(3) == 0 {
		text += fmt.Sprintf(`,"max_tokens":%d`, 4+r.IntN(20))
	}
	if r.IntN(3) == 0 {
		text += fmt.Sprintf(`,"min_tokens":%d`, 1+r.IntN(4))
	}
	switch r.IntN(5) {
	case 0:
		text += fmt.Sprintf(`,"progress":%g`, share)
	case 1: // not known
	case 2:
		text += fmt.Sprintf(`,"done":[%g,%g]`, min(1, 2*share), max(0, 2*share-1))
	default:
		text += fmt.Sprintf(`,"stages":[{"id":3,"name":"map at job.py:3","tasks":20,"done":%d,"submitted":true}]`,
			int(20*min(1, 2*share)))
	}
	return text + "}"
}

// TestResumeAnywhere: a server that starts again after any decision answers as one that never stopped, whatever the
// requests were and although the journal begins anew again and again.
func TestResumeAnywhere(t *testing.T) {
	seeds := uint64(6)
	if testing.Short() {
		seeds = 2
	}
	for seed := range seeds {
		random := rand.New(rand.NewPCG(seed, 1))
		now := time.Date(2026, 3, 29, 3, 0, 0, 0, time.UTC)
		var journal, copied memory
		o := func(o *Options) { o.Now, o.JournalSize = func() time.Time { return now }, 8000 }
		first := newRig(t, func(p *Options) { o(p); p.Journal = &journal })
		nowS := 0.0
		for k := range 40 {
			now, nowS = now.Add(3*time.Second), nowS+float64(random.IntN(4))
			q := randomStep(random, fmt.Sprint("app-", random.IntN(3)), nowS, float64(k)/40)
			again := rigOf(t, first.dir, func(p *Options) { o(p); p.Journal = &copied })
			copied.Reset()
			copied.Write(journal.Bytes())
			if _, broken, err := again.Restore(bytes.NewReader(journal.Bytes())); err != nil || broken != 0 {
				t.Fatal(broken, err)
			}
			_, before := first.ask(t, "GET", "/v1/apps", "")
			if _, restored := again.ask(t, "GET", "/v1/apps", ""); restored != before {
				t.Fatalf("seed %d, after %d decisions: applications %s, want %s", seed, k, restored, before)
			}
			status, want := first.ask(t, "POST", "/v1/decide", q)
			if code, got := again.ask(t, "POST", "/v1/decide", q); got != want || code != status {
				t.Fatalf("seed %d, after %d decisions: %s is answered %s, want %s", seed, k, q, got, want)
			}
			if status != 200 && status != 400 { // bounds that contradict earlier ones
				t.Fatal(status, want)
			}
			if copied.String() != journal.String() {
				t.Fatalf("seed %d, after %d decisions: the journals differ", seed, k)
			}
		}
		if !strings.Contains(journal.String(), `"carry"`) {
			t.Errorf("the journal of %d bytes has not begun anew", journal.Len())
		}
	}
}

// TestJournalSize: a journal never grows far beyond its size, holds every control loop that has not ended, and with the
// one before it all decisions of a run that fits.
func TestJournalSize(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	kept, _, err := publish.OpenLog(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = kept.Close() }()
	const most = 30_000
	r := newRig(t, func(o *Options) { o.Journal, o.JournalSize = kept, most })
	longest, rotations := int64(0), 0
	r.decision(t, step("oldest", 0, 0))
	for k := range 100 {
		app := fmt.Sprint("app-", k/5)
		r.decision(t, step(app, float64(k%5), k%5))
		if k%5 == 4 && k/5%4 != 3 { // every fourth never ends
			r.ask(t, "DELETE", "/v1/apps/"+app, "")
		}
		if longest > kept.Size() {
			rotations++
		}
		longest = kept.Size()
		if info, err := os.Stat(path); err != nil || info.Size() != longest || longest > most+2000 {
			t.Fatalf("after %d decisions %d bytes, %v; want %d", k, info.Size(), err, longest)
		}
	}
	if rotations < 2 {
		t.Errorf("%d rotations", rotations)
	}
	again := rigOf(t, r.dir, nil)
	if restored, broken, err := again.Restore(kept.Lines()); restored != 6 || broken != 0 || err != nil {
		t.Errorf("%d restored, %d broken, %v; want 6", restored, broken, err)
	}
	both := func() string {
		older, err := os.ReadFile(publish.OlderLog(path))
		if err != nil {
			t.Fatal(err)
		}
		newer, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(older) + string(newer)
	}
	runs, _, err := ReadRuns(strings.NewReader(both()))
	if err != nil {
		t.Fatal(err)
	}
	whole := 0
	for _, run := range runs {
		switch {
		case run.App == "oldest":
			if !run.Cut || len(run.Records) != 1 {
				t.Errorf("%+v, want its last decision alone", run)
			}
		case !run.Cut && len(run.Records) == 5:
			whole++
		case !run.Cut:
			t.Errorf("%s has %d decisions", run.App, len(run.Records))
		}
	}
	if whole < 5 {
		t.Errorf("%d of %d runs are whole", whole, len(runs))
	}
}

// A journal that cannot begin anew goes on, is counted, and tries again when it has grown by its size.
func TestJournalStays(t *testing.T) {
	var journal stuck
	r := newRig(t, func(o *Options) { o.Journal, o.JournalSize = &journal, 3000 })
	for k := range 10 {
		r.decision(t, step("x", float64(k), 0))
	}
	if tries := journal.tries; tries < 1 || tries > 3 {
		t.Errorf("%d tries in %d bytes", tries, journal.Len())
	}
	if _, text := r.ask(t, "GET", "/metrics", ""); !strings.Contains(text,
		fmt.Sprintf("racecard_journal_errors_total %d\n", journal.tries)) {
		t.Error(text)
	}
	again := rigOf(t, r.dir, nil)
	if restored, _, err := again.Restore(&journal.Buffer); restored != 1 || err != nil {
		t.Error(restored, err)
	}
}

// stuck is a journal that cannot begin anew.
type stuck struct {
	memory
	tries int
}

func (s *stuck) Rotate([]byte) error {
	s.tries++
	return os.ErrPermission
}

// Lines that are no records are counted, however long they are, and hide no others.
func TestBrokenLines(t *testing.T) {
	good := `{"event":"end","app":"x"}` + "\n"
	for name, c := range map[string]struct {
		text        string
		good, wrong int
	}{
		"none":       {"", 0, 0},
		"no end":     {good + strings.TrimSpace(good), 2, 0},
		"empty":      {"\n\r\n" + good, 1, 0},
		"zeros":      {good + strings.Repeat("\x00", 100_000) + "\n" + good, 2, 1},
		"long":       {good + strings.Repeat("x", longestRecord+100_000) + "\n" + good, 2, 1},
		"other":      {`{"event":"begin","app":"x"}` + "\n" + `{"event":"end"}` + "\n[]\n" + good, 1, 3},
		"long, torn": {good + strings.Repeat("x", longestRecord+1), 1, 1},
	} {
		n := 0
		broken, err := readJournal(strings.NewReader(c.text), func(*Record) { n++ })
		if err != nil || n != c.good || broken != c.wrong {
			t.Errorf("%s: %d records, %d broken lines, %v; want %d and %d", name, n, broken, err, c.good, c.wrong)
		}
	}
}

// A server whose last line was cut off goes on with the line before, and says so.
func TestTornJournal(t *testing.T) {
	var journal memory
	r := newRig(t, func(o *Options) { o.Journal = &journal })
	r.decision(t, step("x", 1, 1))
	first := journal.Len()
	r.decision(t, step("x", 2, 2))
	path := filepath.Join(t.TempDir(), "journal")
	if err := os.WriteFile(path, journal.Bytes()[:journal.Len()-7], 0o600); err != nil {
		t.Fatal(err)
	}
	log := &lockedBuffer{}
	ctx, stop := context.WithCancel(t.Context())
	c := Config{Tables: r.dir, Address: "127.0.0.1:0", MaxConnections: 10, Poll: time.Hour, Journal: path,
		Options: DefaultOptions()}
	c.Options.Logger = slog.New(slog.NewTextHandler(log, nil))
	if err := Run(ctx, c, nil, func(string, string) { stop() }); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf(`bytes=%d "control loops"=1 "broken lines"=1 "bytes cut off"=%d`, first, journal.Len()-7-first)
	if !strings.Contains(log.String(), want) {
		t.Errorf("%s; want %s", log, want)
	}
}

// BenchmarkRestore reads journals of two sizes, of 100 control loops each.
func BenchmarkRestore(b *testing.B) {
	sizes := []int{10_000, 100_000}
	if testing.Short() {
		sizes = []int{1000}
	}
	for _, lines := range sizes {
		b.Run(fmt.Sprint(lines), func(b *testing.B) {
			var journal memory
			first := newRig(b, func(o *Options) { o.Journal, o.JournalSize = &journal, 1<<40 })
			for k := range lines / 100 {
				var batch []string
				for app := range 100 {
					batch = append(batch, step(fmt.Sprint("app-", app), float64(k), 20*k/(lines/100)))
				}
				first.ask(b, "POST", "/v1/decide/batch", `{"decisions":[`+strings.Join(batch, ",")+`]}`)
			}
			tables, err := live.Open(first.dir)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(journal.Len()))
			for b.Loop() {
				s := New(tables, DefaultOptions())
				if n, _, err := s.Restore(bytes.NewReader(journal.Bytes())); n != 100 || err != nil {
					b.Fatal(n, err)
				}
			}
		})
	}
}
