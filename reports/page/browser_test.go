package page

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"racecard/datasets/result"
	"racecard/reports/internal/figuretest"
	"racecard/reports/page/pagetest"
)

func TestMain(m *testing.M) {
	flag.String("shots", "", "directory for screenshots of the pages that TestBrowser opens")
	flag.Parse()
	os.Exit(m.Run())
}

// TestBrowser opens pages in a real browser, for desktop and phone, light and dark, with the fonts of the machine and
// with one family alone: nothing is wider than the window, one drawing of each figure is shown, no label is cut off or
// written over another, the ground follows the reader's preference, and nothing is loaded.
func TestBrowser(t *testing.T) {
	for _, page := range []struct {
		name   string
		bundle *result.Bundle
	}{{"typical", figuretest.Backtest()}, {"hostile", figuretest.Hostile()}, {"large", figuretest.Large()},
		{"queues", figuretest.Eagle()},
		{"machines", figuretest.Carbyne()}, {"deadlines", figuretest.Jockey()}} {
		t.Run(page.name, func(t *testing.T) {
			t.Parallel()
			content, err := newReport(page.bundle, Options{}).render()
			if err != nil {
				t.Fatal(err)
			}
			p := pagetest.Open(t, content)
			grounds := map[string]bool{}
			for _, scheme := range []string{"light", "dark"} {
				for _, m := range p.Measure(t, scheme, pagetest.Installed, 1920, 1440, 1280, 700, 390, 320) {
					name := fmt.Sprintf("%s-%d-%s", page.name, m.Width, scheme)
					grounds[scheme+m.Background] = true
					m.Check(t, name)
					if dir := flag.Lookup("shots").Value.String(); dir != "" {
						p.Shoot(t, filepath.Join(dir, name+".png"), scheme, m.Width)
					}
				}
			}
			for _, m := range p.Measure(t, "light", pagetest.DejaVu, 1440, 390) {
				m.Check(t, fmt.Sprintf("%s-%d-dejavu", page.name, m.Width))
			}
			if !grounds["lightrgb(255, 255, 255)"] || !grounds["darkrgb(20, 23, 27)"] || len(grounds) != 2 {
				t.Errorf("%s: grounds %v, want white when light and nearly black when dark", page.name, grounds)
			}
			for _, path := range p.Others() {
				t.Errorf("%s: the page asks for %s", page.name, path)
			}
		})
	}
}

// The search finds headings, findings and rows of tables whatever their case, opens folded tables, and says when there
// is nothing.
func TestSearch(t *testing.T) {
	t.Parallel()
	content, err := newReport(figuretest.Backtest(), Options{}).render()
	if err != nil {
		t.Fatal(err)
	}
	p := pagetest.Open(t, content)
	for _, words := range []string{"critical PATH", "linear hyndman", "Poisson"} {
		f := p.Search(t, words)
		if len(f.Places) == 0 || !f.Visible {
			t.Errorf("search for %q: %+v", words, f)
		}
		for _, word := range strings.Fields(strings.ToLower(words)) {
			if !strings.Contains(strings.ToLower(f.Focused), word) {
				t.Errorf("search for %q leads to %q", words, f.Focused)
			}
		}
	}
	if f := p.Search(t, "no such words at all"); len(f.Places) != 0 || f.Says != "Nothing found on this page." {
		t.Errorf("search for nothing: %+v", f)
	}
}
