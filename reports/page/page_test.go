package page

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"racecard/datasets/result"
	"racecard/reports/internal/figuretest"
)

// coarse is the resolution of pictures in tests, which do not look at them.
const coarse = 12

// written is what a report consists of, and the order in which it was written.
type written struct {
	files map[string][]byte
	order []string
}

func write(t *testing.T, b *result.Bundle, o Options) *written {
	t.Helper()
	w := &written{files: map[string][]byte{}}
	err := newReport(b, o).write(context.Background(), func(name string, content []byte) error {
		if _, twice := w.files[name]; twice {
			t.Errorf("%s is written twice", name)
		}
		w.files[name] = bytes.Clone(content)
		w.order = append(w.order, name)
		return nil
	}, coarse)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func bundles() map[string]func() *result.Bundle {
	return map[string]func() *result.Bundle{
		"typical": figuretest.Typical, "single": figuretest.Single, "large": figuretest.Large,
		"unavailable": figuretest.Unavailable, "hostile": figuretest.Hostile,
		"leftover": figuretest.Leftover, "large leftover": figuretest.LargeLeftover,
		"hostile leftover": func() *result.Bundle {
			b := figuretest.Hostile()
			b.Documents["leftover"] = figuretest.LeftoverOf(`"><script>alert(1)</script>`)
			return b
		},
		"carbyne": figuretest.Carbyne, "hostile carbyne": func() *result.Bundle {
			b := figuretest.Carbyne()
			b.Documents["carbyne"] = figuretest.CarbyneOf(`"><script>alert(1)</script>`)
			return b
		},
		"backtest": figuretest.Backtest, "large backtest": figuretest.LargeBacktest, "held out": figuretest.HeldOut,
		"hostile backtest": func() *result.Bundle {
			b := figuretest.Hostile()
			b.Documents["backtest"] = figuretest.BacktestOf(`"><script>alert(1)</script>`)
			return b
		},
		"eagle": figuretest.Eagle, "eagle traces": figuretest.EagleTraces, "hostile eagle": func() *result.Bundle {
			b := figuretest.Hostile()
			b.Documents["eagle"] = figuretest.EagleOf(`"><script>alert(1)</script>`, `"><script>alert(2)</script>`)
			return b
		},
		"jockey": figuretest.Jockey, "hostile jockey": func() *result.Bundle {
			b := figuretest.Hostile()
			b.Documents["jockey"] = figuretest.JockeyOf(`"><script>alert(1)</script>`)
			return b
		},
		"empty": func() *result.Bundle { return &result.Bundle{} },
		"without tables": func() *result.Bundle {
			b := figuretest.Typical()
			b.Tables = nil
			return b
		},
	}
}

// TestStructure parses the page of every bundle and checks what makes it self-contained, navigable and accessible.
func TestStructure(t *testing.T) {
	for name, bundle := range bundles() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := write(t, bundle(), Options{})
			page := w.files["index.html"]
			if last := w.order[len(w.order)-1]; last != "index.html" {
				t.Errorf("%s is written last, want index.html", last)
			}
			root, err := html.Parse(bytes.NewReader(page))
			if err != nil {
				t.Fatal(err)
			}
			checkPage(t, root, w.files)
			if bytes.Contains(page, []byte("ZgotmplZ")) {
				t.Error("the template refused a value")
			}
			for _, word := range []string{"NaN", "Inf%", "<nil>", "%!"} {
				if i := strings.Index(text(root), word); i >= 0 {
					t.Errorf("the page says %q: …%s…", word, text(root)[max(0, i-40):i+20])
				}
			}
			if len(page) > 1_800_000 { // with each drawing twice, for desktop and phone
				t.Errorf("the page has %d bytes, want at most 1,800,000", len(page))
			}
			if !json.Valid(w.files["report.json"]) {
				t.Error("report.json is not JSON")
			}
		})
	}
}

func checkPage(t *testing.T, root *html.Node, files map[string][]byte) {
	t.Helper()
	ids, headings := map[string]bool{}, []string(nil)
	walk(root, func(n *html.Node) {
		if id := attribute(n, "id"); id != "" {
			if ids[id] {
				t.Errorf("id %q occurs twice", id)
			}
			ids[id] = true
		}
		if len(n.Data) == 2 && n.Data[0] == 'h' && n.Data[1] >= '1' && n.Data[1] <= '6' {
			headings = append(headings, n.Data)
		}
	})
	walk(root, func(n *html.Node) {
		switch n.Data {
		case "script":
			if own, err := templates.ReadFile("templates/search.js"); err != nil || text(n) != string(own) ||
				len(n.Attr) > 0 {
				t.Error("the page has a script other than the search")
			}
		case "link", "iframe", "object", "embed", "img", "image", "foreignObject", "base", "form":
			t.Errorf("the page has a %s element", n.Data)
		case "svg":
			if attribute(n, "role") != "img" || strings.TrimSpace(attribute(n, "aria-label")) == "" {
				t.Error("a drawing without a name")
			}
		case "th":
			if attribute(n, "scope") == "" {
				t.Errorf("header %q without a scope", text(n))
			}
		case "figure":
			if !strings.Contains(text(n), "Source:") {
				t.Errorf("figure %s does not state its source", attribute(n, "id"))
			}
		case "style":
			if css := text(n); strings.Contains(css, "url(") || strings.Contains(css, "@import") {
				t.Error("the style sheet loads something")
			}
		}
		for _, a := range n.Attr {
			checkAttribute(t, n, a, ids, files)
		}
	})
	if slices.Index(headings, "h1") != 0 || slices.Index(headings[1:], "h1") >= 0 {
		t.Errorf("headings %v, want one h1, first", headings)
	}
	for i := 1; i < len(headings); i++ {
		if headings[i][1] > headings[i-1][1]+1 {
			t.Errorf("%s follows %s", headings[i], headings[i-1])
		}
	}
}

// checkAttribute checks that links lead somewhere within the report, and that nothing is loaded or run.
func checkAttribute(t *testing.T, n *html.Node, a html.Attribute, ids map[string]bool, files map[string][]byte) {
	t.Helper()
	switch {
	case strings.HasPrefix(a.Key, "on"), a.Key == "src", a.Key == "srcset", a.Namespace != "":
		t.Errorf("%s has an attribute %s", n.Data, a.Key)
	case a.Key == "href" && strings.HasPrefix(a.Val, "#"):
		if !ids[a.Val[1:]] {
			t.Errorf("a link leads to %s, which does not exist", a.Val)
		}
	case a.Key == "href":
		if _, ok := files[path.Clean(a.Val)]; !ok {
			t.Errorf("a link leads to %s, which is not part of the report", a.Val)
		}
	case a.Key == "aria-labelledby":
		if !ids[a.Val] {
			t.Errorf("%s is named by %s, which does not exist", n.Data, a.Val)
		}
	}
}

func walk(n *html.Node, visit func(*html.Node)) {
	if n.Type == html.ElementNode {
		visit(n)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		walk(c, visit)
	}
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func text(n *html.Node) string {
	if n.Type == html.TextNode {
		return n.Data
	}
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		b.WriteString(text(c))
	}
	return b.String()
}

func TestHostileNamesAreText(t *testing.T) {
	w := write(t, figuretest.Hostile(), Options{Title: `"><script>alert(1)</script>`})
	page := string(w.files["index.html"])
	if strings.Count(page, "<script") != 1 || strings.Contains(page, "<img") || strings.Contains(page, "onload='") {
		t.Error("a name became markup")
	}
	if n := strings.Count(page, "&lt;script&gt;alert(1)&lt;/script&gt;"); n < 10 {
		t.Errorf("%d names are shown as they are, want at least 10", n)
	}
	for name, content := range w.files {
		if strings.HasSuffix(name, ".svg") && (bytes.Contains(content, []byte("<script")) ||
			bytes.ContainsRune(content, 0)) {
			t.Errorf("%s holds markup or a control character from a name", name)
		}
	}
	for _, hidden := range []string{"\x00", "\u202e"} {
		if strings.Contains(page, hidden) {
			t.Errorf("the page holds %q", hidden)
		}
	}
}

func TestSameBytes(t *testing.T) {
	a, b := write(t, figuretest.Typical(), Options{}), write(t, figuretest.Typical(), Options{})
	if !slices.Equal(a.order, b.order) {
		t.Fatalf("files %v and %v", a.order, b.order)
	}
	for name := range a.files {
		if !bytes.Equal(a.files[name], b.files[name]) {
			t.Errorf("%s differs between two reports of the same bundle", name)
		}
	}
}

func TestNothingIsModified(t *testing.T) {
	b := figuretest.Typical()
	before, err := json.Marshal(b.Documents)
	if err != nil {
		t.Fatal(err)
	}
	write(t, b, Options{})
	after, err := json.Marshal(b.Documents)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(before, after) {
		t.Error("the bundle was modified")
	}
}

func TestErrorsEndTheReport(t *testing.T) {
	full := errors.New("disk full")
	for _, stop := range []string{"figures/cov.svg", "figures/cov.png", "report.json", "index.html"} {
		err := newReport(figuretest.Typical(), Options{}).write(context.Background(),
			func(name string, _ []byte) error {
				if name == stop {
					return full
				}
				return nil
			}, coarse)
		if !errors.Is(err, full) {
			t.Errorf("error at %s: got %v, want %v", stop, err, full)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	err := newReport(figuretest.Typical(), Options{}).write(ctx, func(string, []byte) error {
		n++
		cancel()
		return nil
	}, coarse)
	if !errors.Is(err, context.Canceled) || n > 2 {
		t.Errorf("cancelled: got %v after %d files, want %v at once", err, n, context.Canceled)
	}
}

func TestSyntheticIsLabelled(t *testing.T) {
	b := figuretest.Typical()
	if page := string(write(t, b, Options{}).files["index.html"]); !strings.Contains(page, "Synthetic trace.") {
		t.Error("a synthetic trace is not labelled")
	}
	b.Provenance.Synthetic = false
	w := write(t, b, Options{})
	for name, content := range w.files {
		if strings.HasSuffix(name, ".png") {
			continue
		}
		if strings.Contains(strings.ToLower(strings.ReplaceAll(string(content), `"synthetic": false`, "")),
			"synthetic trace") {
			t.Errorf("%s calls a measured trace synthetic", name)
		}
	}
}

func TestUnavailableNamesColumns(t *testing.T) {
	w := write(t, figuretest.Unavailable(), Options{})
	root, err := html.Parse(bytes.NewReader(w.files["index.html"]))
	if err != nil {
		t.Fatal(err)
	}
	said := text(root)
	for _, column := range []string{"jobs.end", "stages.stage", "edges.parent", "tasks.start", "tasks.end"} {
		if !strings.Contains(said, column) {
			t.Errorf("the page does not say that %s is missing", column)
		}
	}
	if slices.ContainsFunc(w.order, func(name string) bool { return strings.HasPrefix(name, "figures/") }) {
		t.Error("a figure of nothing")
	}
}

// Every column of every table has a heading, every row no more cells than there are columns, and every table a place of
// its own.
func TestTablesHaveHeadings(t *testing.T) {
	for _, b := range []*result.Bundle{figuretest.Backtest(), figuretest.HeldOut(), figuretest.Jockey(),
		figuretest.Eagle(), figuretest.EagleTraces(),
		figuretest.Carbyne(), figuretest.Leftover()} {
		r, seen := newReport(b, Options{}), map[string]bool{}
		for _, s := range append(r.sections, r.quality) {
			for i := range s.Tables {
				of := &s.Tables[i]
				if file := tableFile(of); seen[file] {
					t.Errorf("two tables are written as %s", file)
				} else {
					seen[file] = true
				}
				for k, c := range of.Columns {
					if c.Name == "" {
						t.Errorf("%s: column %d has no heading", of.ID, k+1)
					}
				}
				for k, row := range of.Rows {
					if len(row) > len(of.Columns) {
						t.Errorf("%s: row %d has %d cells in %d columns", of.ID, k+1, len(row), len(of.Columns))
					}
				}
			}
		}
	}
}
