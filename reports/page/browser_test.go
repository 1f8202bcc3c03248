package page

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"racecard/datasets/result"
	"racecard/reports/figure/figuretest"
)

func TestMain(m *testing.M) {
	flag.String("shots", "", "directory for screenshots of the pages that TestBrowser opens")
	flag.Parse()
	os.Exit(m.Run())
}

// browser returns how to start a browser without a window, or skips the test when there is none that runs.
func browser(t *testing.T) func(args ...string) []byte {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes a while to start: left out with -short")
	}
	var path string
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Skip("neither chromium nor google-chrome is on the path")
	}
	profile := t.TempDir()
	return func(args ...string) []byte {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		all := append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
			"--disable-component-update", "--disable-sync", "--hide-scrollbars", "--user-data-dir=" + profile}, args...)
		var problems strings.Builder
		cmd := exec.CommandContext(ctx, path, all...)
		cmd.Stderr = &problems
		out, err := cmd.Output()
		if err != nil {
			t.Skipf("%s does not run here: %v\n%s", path, err, problems.String())
		}
		return out
	}
}

// measured is what testdata/measure.html finds out.
type measured struct {
	Width, Scroll, Client int
	Background            string
	Drawings, Figures     int
	Clipped, Covered      []string
}

// TestBrowser opens pages in a real browser, for desktop and phone, light and dark: nothing is wider than the window, one
// drawing of each figure is shown, no label is cut off or written over another, the ground follows the reader's preference,
// and nothing is loaded.
func TestBrowser(t *testing.T) {
	for _, page := range []struct {
		name   string
		bundle *result.Bundle
	}{{"typical", figuretest.Backtest()}, {"hostile", figuretest.Hostile()}, {"large", figuretest.Large()}} {
		t.Run(page.name, func(t *testing.T) {
			t.Parallel()
			run := browser(t)
			content, err := newReport(page.bundle, Options{}).render()
			if err != nil {
				t.Fatal(err)
			}
			server, asked := serve(t, content)
			grounds := map[string]bool{}
			for _, scheme := range []string{"light", "dark"} {
				for _, m := range measure(t, run, server, scheme) {
					name := fmt.Sprintf("%s-%d-%s", page.name, m.Width, scheme)
					grounds[scheme+m.Background] = true
					if m.Client != m.Width || m.Scroll > m.Client {
						t.Errorf("%s: the page is %d wide in a window of %d", name, m.Scroll, m.Client)
					}
					if m.Drawings != m.Figures || m.Figures == 0 {
						t.Errorf("%s: %d drawings of %d figures are shown", name, m.Drawings, m.Figures)
					}
					for _, label := range m.Clipped {
						t.Errorf("%s: label cut off: %s", name, label)
					}
					for _, labels := range m.Covered {
						t.Errorf("%s: labels over each other: %s", name, labels)
					}
					shoot(run, server, name, m.Width, scheme)
				}
			}
			if !grounds["lightrgb(255, 255, 255)"] || !grounds["darkrgb(20, 23, 27)"] || len(grounds) != 2 {
				t.Errorf("%s: grounds %v, want white when light and nearly black when dark", page.name, grounds)
			}
			for _, path := range asked() {
				if path != "/measure.html" && path != "/report/index.html" && path != "/favicon.ico" {
					t.Errorf("%s: the page asks for %s", page.name, path)
				}
			}
		})
	}
}

// serve offers a page and the one that measures it, and notes what is asked for.
func serve(t *testing.T, page []byte) (url string, asked func() []string) {
	t.Helper()
	ruler, err := os.ReadFile(filepath.Join("testdata", "measure.html"))
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var paths []string
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		mu.Lock()
		paths = append(paths, r.URL.Path)
		mu.Unlock()
		content, ok := map[string][]byte{"/measure.html": ruler, "/report/index.html": page}[r.URL.Path]
		if !ok {
			http.NotFound(out, r)
			return
		}
		out.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = out.Write(content) // a browser that went away has what it wanted
	}))
	t.Cleanup(server.Close)
	return server.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return paths
	}
}

// preference is the setting of the browser's engine for a colour scheme.
func preference(scheme string) string {
	if scheme == "dark" {
		return "--blink-settings=preferredColorScheme=0"
	}
	return "--blink-settings=preferredColorScheme=1"
}

// measure opens a report at four widths.
func measure(t *testing.T, run func(...string) []byte, server, scheme string) []measured {
	t.Helper()
	dom := string(run(preference(scheme), "--window-size=1400,900", "--virtual-time-budget=10000", "--dump-dom",
		server+"/measure.html?widths=1280,700,390,320"))
	_, rest, _ := strings.Cut(dom, `<pre id="measured" hidden="">`)
	found, _, _ := strings.Cut(rest, "</pre>")
	var out []measured
	if err := json.Unmarshal([]byte(html.UnescapeString(found)), &out); err != nil || len(out) != 4 {
		t.Fatalf("%s: %d widths were measured, want 4: %v", scheme, len(out), err)
	}
	return out
}

// shoot takes a picture of the page when that was asked for. Windows are at least 500 wide, so narrower ones are framed.
func shoot(run func(...string) []byte, server, name string, width int, scheme string) {
	dir := flag.Lookup("shots").Value.String()
	if dir == "" {
		return
	}
	url := server + "/report/index.html"
	if width < 500 {
		url = fmt.Sprintf("%s/measure.html?widths=%d", server, width)
	}
	run(preference(scheme), fmt.Sprintf("--window-size=%d,900", max(width, 500)), "--screenshot="+filepath.Join(dir, name+".png"), url)
}
