package serve

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"racecard/pipeline/internal/livetest"
)

// Ten minutes of look-ups, decisions of applications that come and go, and publications leave memory and goroutines
// where they were after the first two.
func TestSoak(t *testing.T) {
	if os.Getenv("RACECARD_LONG") == "" {
		t.Skip("takes ten minutes: set RACECARD_LONG=1")
	}
	const (
		clients  = 8
		pause    = 20 * time.Millisecond // between two requests of a client
		warm     = 2 * time.Minute
		whole    = 10 * time.Minute
		steps    = 50 // of an application
		generate = 5 * time.Second
	)
	r := start(t, nil)
	begin := time.Now()
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: clients}}
	do := func(method, path, body string) error {
		q, err := http.NewRequestWithContext(t.Context(), method, r.url+path, strings.NewReader(body))
		if err != nil {
			return err
		}
		q.Header.Set("Content-Type", "application/json")
		a, err := client.Do(q)
		if err != nil {
			return err
		}
		defer a.Body.Close()
		text, err := io.ReadAll(a.Body)
		if err == nil && a.StatusCode/100 != 2 {
			err = fmt.Errorf("%s %s: %s %s", method, path, a.Status, text)
		}
		return err
	}
	var all sync.WaitGroup
	for k := range clients {
		all.Go(func() {
			for i := 0; time.Since(begin) < whole; i++ {
				app := fmt.Sprintf("app-%d-%d", k, i/steps)
				err := do(http.MethodPost, "/v1/decide", step(app, float64(i%steps), min(20, i%steps)))
				if err == nil {
					err = do(http.MethodGet, "/v1/remaining?job=a&progress=0.5&tokens=2", "")
				}
				if err == nil && i%steps == steps-1 {
					err = do(http.MethodDelete, "/v1/apps/"+app, "")
				}
				if err != nil {
					t.Error(err)
					return
				}
				time.Sleep(pause)
			}
		})
	}
	all.Go(func() {
		for n := 2; time.Since(begin) < whole; n++ {
			livetest.Publish(t, r.dir, livetest.Table("a", float64(n), 1, 4))
			time.Sleep(generate)
		}
	})
	used := func() (heap int64, goroutines int) { return inUse() >> 10, runtime.NumGoroutine() }
	time.Sleep(warm)
	heap, goroutines := used()
	all.Wait()
	heapEnd, goroutinesEnd := used()
	t.Logf("after %v: %d KiB, %d goroutines; after %v: %d KiB, %d goroutines", warm, heap, goroutines, whole, heapEnd,
		goroutinesEnd)
	if heapEnd > heap*5/4+1024 {
		t.Errorf("memory grew from %d to %d KiB", heap, heapEnd)
	}
	if goroutinesEnd > goroutines {
		t.Errorf("goroutines grew from %d to %d", goroutines, goroutinesEnd)
	}
}
