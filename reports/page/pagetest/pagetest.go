// Package pagetest opens pages in a real browser and measures them: whether the page fits the window, and
// whether labels of figures are cut off or overlap. Tests that need a browser are skipped if there is none.
package pagetest

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"racecard/datasets/lists"
)

//go:embed measure.html
var ruler []byte // constant

// Fonts are the fonts that a browser is given.
type Fonts string

// Sets of fonts: the machine's own, or one family alone, whatever a page asks for.
const (
	Installed  Fonts = ""
	DejaVu     Fonts = "dejavu"
	Liberation Fonts = "liberation"
)

// Measured is the measured content of a page in a window of a width.
type Measured struct {
	Width, Scroll, Client int    // of the window; of the page; of the page without what is scrolled away
	Background            string // such as "rgb(255, 255, 255)"
	Drawings, Figures     int
	Clipped, Covered      []string // labels that are cut off, and pairs that overlap
	Search                *Found   // only of [Page.Search]
}

// Found is the answer of a page's search, after a click on its last place.
type Found struct {
	Says    string   // such as "3 places"
	Places  []string // in the order of the page
	Focused string   // text of the element that the click led to
	Visible bool     // whether it is shown
}

// Page is a page that a browser can open.
type Page struct {
	browser string
	profile string
	url     string
	mu      sync.Mutex
	asked   []string
}

// Open offers a page to a browser, and skips the test where there is none.
func Open(t *testing.T, content []byte) *Page {
	t.Helper()
	if testing.Short() {
		t.Skip("a browser takes a while to start: left out with -short")
	}
	p := &Page{profile: t.TempDir()}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil {
			p.browser = found
			break
		}
	}
	if p.browser == "" {
		t.Skip("neither chromium nor google-chrome is on the path")
	}
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.asked = append(p.asked, r.URL.Path)
		p.mu.Unlock()
		file, ok := map[string][]byte{"/measure.html": ruler, "/report/index.html": content}[r.URL.Path]
		if !ok {
			http.NotFound(out, r)
			return
		}
		out.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = out.Write(file) // a browser that went away has all it needs
	}))
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

// Others returns the files that the page requested besides itself.
func (p *Page) Others() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return lists.Kept(p.asked, func(path string) bool {
		return path != "/measure.html" && path != "/report/index.html" && path != "/favicon.ico"
	})
}

// Measure opens the page at some widths, with fonts and for a colour scheme, "light" or "dark".
func (p *Page) Measure(t *testing.T, scheme string, fonts Fonts, widths ...int) []Measured {
	t.Helper()
	return p.measure(t, scheme, fonts, "", widths)
}

// Search types words into the search of the page, in a wide window, and goes to the last place found.
func (p *Page) Search(t *testing.T, words string) Found {
	t.Helper()
	m := p.measure(t, "light", Installed, "&search="+url.QueryEscape(words), []int{1440})[0]
	if m.Search == nil {
		t.Fatalf("the page has no search")
	}
	return *m.Search
}

func (p *Page) measure(t *testing.T, scheme string, fonts Fonts, more string, widths []int) []Measured {
	t.Helper()
	query := strings.Trim(strings.ReplaceAll(fmt.Sprint(widths), " ", ","), "[]") + more
	dom := string(p.run(t, fonts, preference(scheme), "--window-size=1500,900", "--virtual-time-budget=10000",
		"--dump-dom", p.url+"/measure.html?widths="+query))
	_, rest, _ := strings.Cut(dom, `<pre id="measured" hidden="">`)
	found, _, _ := strings.Cut(rest, "</pre>")
	var out []Measured
	if err := json.Unmarshal([]byte(html.UnescapeString(found)), &out); err != nil || len(out) != len(widths) {
		t.Fatalf("%s: %d widths were measured, want %d: %v", scheme, len(out), len(widths), err)
	}
	return out
}

// Shoot writes a picture of the page. Windows are at least 500 wide, so narrower ones are framed.
func (p *Page) Shoot(t *testing.T, file, scheme string, width int) {
	t.Helper()
	address := p.url + "/report/index.html"
	if width < 500 {
		address = fmt.Sprintf("%s/measure.html?widths=%d", p.url, width)
	}
	p.run(t, Installed, preference(scheme), fmt.Sprintf("--window-size=%d,900", max(width, 500)), "--screenshot="+file,
		address)
}

// preference is the setting of the browser's engine for a colour scheme.
func preference(scheme string) string {
	if scheme == "dark" {
		return "--blink-settings=preferredColorScheme=0"
	}
	return "--blink-settings=preferredColorScheme=1"
}

// run starts the browser without a window and returns its output.
func (p *Page) run(t *testing.T, fonts Fonts, args ...string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	all := append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
		"--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--hide-scrollbars", "--user-data-dir=" + p.profile}, args...)
	var problems strings.Builder
	cmd := exec.CommandContext(ctx, p.browser, all...)
	cmd.Stderr = &problems
	if fonts != Installed {
		cmd.Env = append(os.Environ(), "FONTCONFIG_FILE="+configured(t, fonts))
	}
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("%s does not run here: %v\n%s", p.browser, err, problems.String())
	}
	return out
}

// configured writes a configuration of fontconfig that knows one family alone.
func configured(t *testing.T, fonts Fonts) string {
	t.Helper()
	dir := "/usr/share/fonts/truetype/" + string(fonts)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no fonts in %s", dir)
	}
	family := map[Fonts]string{DejaVu: "DejaVu Sans", Liberation: "Liberation Sans"}[fonts]
	file, cache := filepath.Join(t.TempDir(), "fonts.conf"), t.TempDir()
	config := fmt.Sprintf(`<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>%s</dir><cachedir>%s</cachedir>`+
		`<alias><family>sans-serif</family><prefer><family>%s</family></prefer></alias></fontconfig>`, dir, cache,
		family)
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Check reports every label that is cut off or overlaps another, every figure that is not shown exactly once, and a
// page that is wider than its window. name identifies the page.
func (m *Measured) Check(t *testing.T, name string) {
	t.Helper()
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
}
