package serve

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"racecard/pipeline/internal/livetest"
	"racecard/pipeline/live"
)

// Tables that are published while a server starts, before it watches their folder, are served.
func TestPublishedWhileStarting(t *testing.T) {
	r := newRig(t, nil)
	livetest.Publish(t, r.dir, livetest.Table("a", 2, 1, 4))
	go r.Watch(t.Context(), time.Millisecond, func() string { return stamp(r.dir) }, nil)
	for range 5000 {
		if r.tables.Current().Number() == 2 {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("generation %d is served, want 2", r.tables.Current().Number())
}

// Tables that replace others of the same size and time, as `cp -a` and rsync may leave them, are served.
func TestSameSizeAndTime(t *testing.T) {
	r := start(t, nil)
	for number := 2; number < 5; number++ {
		index := filepath.Join(r.dir, "tables.json")
		before, err := os.Stat(index)
		if err != nil {
			t.Fatal(err)
		}
		livetest.Publish(t, r.dir, livetest.Table("a", float64(number), 1, 4))
		if err := os.Chtimes(index, before.ModTime(), before.ModTime()); err != nil {
			t.Fatal(err)
		}
		if after, err := os.Stat(index); number > 2 && (err != nil || after.Size() != before.Size() ||
			!after.ModTime().Equal(before.ModTime())) {
			t.Fatalf("%d bytes at %v, want %d at %v", after.Size(), after.ModTime(), before.Size(), before.ModTime())
		}
		want, got := fmt.Sprintf(`"generation":%d,`, number), ""
		for end := time.Now().Add(10 * time.Second); !strings.Contains(got, want) && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
			a, err := http.Get(r.url + "/v1/jobs")
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(a.Body)
			if a.Body.Close(); err != nil {
				t.Fatal(err)
			}
			got = string(body)
		}
		if !strings.Contains(got, want) {
			t.Fatalf("%s, want %s", got, want)
		}
	}
}

// A table that could not be read is served once it can be, although its folder is as it was.
func TestReadableLater(t *testing.T) {
	away := ""
	r := start(t, func(c *Config) {
		files, err := filepath.Glob(filepath.Join(c.Tables, "b*.arrow"))
		if err != nil || len(files) != 1 {
			t.Fatal(files, err)
		}
		away = files[0]
		if err := os.Rename(away, away+".away"); err != nil {
			t.Fatal(err)
		}
	})
	served := func() string {
		t.Helper()
		a, err := http.Get(r.url + "/v1/remaining?job=b&progress=0&tokens=1")
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		return a.Status
	}
	if got := served(); got != "404 Not Found" {
		t.Fatal(got)
	}
	if err := os.Rename(away+".away", away); err != nil {
		t.Fatal(err)
	}
	got := ""
	for end := time.Now().Add(20 * time.Second); got != "200 OK" && time.Now().Before(end); time.Sleep(time.Millisecond) {
		got = served()
	}
	if got != "200 OK" {
		t.Error(got)
	}
}

// publisher names the folder in which TestPublishForEver publishes, in a process of its own.
const publisher = "RACECARD_TEST_PUBLISH"

func TestPublishForEver(t *testing.T) {
	dir := os.Getenv(publisher)
	if dir == "" {
		t.Skip("is the process that TestKilledPublishers kills")
	}
	for {
		tables, err := live.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		next := float64(tables.Current().Number() + 1)
		livetest.Publish(t, dir, livetest.Table("a", next, 1, 4), livetest.Table("b", next, 1, 4))
	}
}

// Publishers that are killed at any moment leave the tables of one generation, whole, which a server takes, and nothing
// in the way of the next one. RACECARD_LONG=1 kills 200.
func TestKilledPublishers(t *testing.T) {
	kills := 8
	if os.Getenv("RACECARD_LONG") != "" {
		kills = 200
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := start(t, nil)
	number := func() int64 {
		t.Helper()
		tables, err := live.Open(r.dir)
		if err != nil {
			t.Fatal(err)
		}
		g := tables.Current()
		if len(g.Failed()) > 0 || len(g.Jobs()) == 0 {
			t.Fatalf("tables of %q, failed: %v", g.Jobs(), g.Failed())
		}
		for _, job := range g.Jobs() {
			if got, want := g.Table(job).Remaining(0, 1, 0.5), 100*float64(g.Number()); g.Number() > 1 && got != want {
				t.Fatalf("%s takes %v in generation %d, want %v", job, got, g.Number(), want)
			}
		}
		return g.Number()
	}
	first := number()
	last := first
	for range kills {
		cmd := exec.CommandContext(t.Context(), self, "-test.run", "^TestPublishForEver$")
		cmd.Env = append(os.Environ(), publisher+"="+r.dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rand.Float64() * float64(150*time.Millisecond)))
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); err == nil || !strings.Contains(err.Error(), "killed") {
			t.Fatalf("the publisher ended by itself: %v", err)
		}
		now := number()
		if now < last {
			t.Fatalf("generation %d after %d", now, last)
		}
		last = now
	}
	next := float64(last + 1)
	livetest.Publish(t, r.dir, livetest.Table("a", next, 1, 4), livetest.Table("b", next, 1, 4))
	if got := number(); got != last+1 {
		t.Errorf("generation %d, want %d", got, last+1)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(r.dir), "*"))
	if err != nil || len(left) > 2 {
		t.Errorf("%q are left: %v", left, err)
	}
	t.Logf("%d publishers were killed between generations %d and %d", kills, first, last)
}
