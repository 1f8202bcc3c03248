package recipe

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"
)

// testContext knows import, analyze with a number, a list and a text, and check, whose result is a document.
func testContext() Context {
	number := func(text string) error {
		if _, err := strconv.Atoi(text); err != nil {
			return errors.New("want a whole number")
		}
		return nil
	}
	any := func(string) error { return nil }
	return Context{
		Kinds: []Kind{
			{Name: Import, Folder: true, Options: func() []Option {
				return []Option{{Name: "format", Text: true, Set: any}}
			}},
			{Name: "analyze", Folder: true, Options: func() []Option {
				return []Option{{Name: "seed", Type: "int", Set: number}, {Name: "only", Shape: List, Set: any},
					{Name: "title", Text: true, Set: any},
					{Name: "all", Shape: Truth, Set: any}, {Name: "capacity", Shape: Pairs, Set: any}}
			}},
			{Name: "check", Options: func() []Option { return nil }},
			{Name: "forecast", Options: func() []Option {
				return []Option{{Name: "job", Text: true, Required: true, Set: any}}
			}},
			{Name: Publish, Options: func() []Option { return nil }},
		},
		Words: Words{Today: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), Env: func(name string) (string, bool) {
			return "/mnt", name == "ROOT"
		}},
		Nearest: func(word string, known []string) string {
			for _, k := range known {
				if k[:2] == word[:2] {
					return k
				}
			}
			return ""
		},
	}
}

const head = "out: o\ntraces:\n  a: {paths: x}\n  b: {paths: y}\n"

func TestParse(t *testing.T) {
	r, err := Parse([]byte(`out: o
traces:
  web: {paths: ["{{ env ROOT }}/{{ yesterday YYYY/MM/DD }}", extra], format: spark}
  batch: {paths: "{{ today }}.{{ trace }}"}
steps:
  both: {check: [web/results, ./old]}
  results: {analyze: store, only: [dag, cov], capacity: {cpu: 2, mem: 3e9}, seed: 7, all: true}
  late: {check: results, needs: both, traces: batch}
`), "r.yaml", "/dir", testContext())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range r.Steps {
		text := s.Name + "=" + s.File()
		for _, in := range s.Inputs {
			if in.Step != nil {
				text += " <" + in.Step.Name
			} else {
				text += " " + in.Path
			}
		}
		for _, n := range s.Needs {
			text += " !" + n.Name
		}
		for _, o := range s.Options {
			text += " " + o.Name + ":" + strings.Join(o.Values, "+")
		}
		got = append(got, text)
	}
	want := []string{
		"web/store=web.store /mnt/2026/02/28 extra format:spark",
		"batch/store=batch.store 2026-03-01.batch",
		"web/results=web.results <web/store all:true capacity:cpu=2,mem=3e9 only:dag+cov seed:7",
		"both=both.json <web/results ./old",
		"batch/results=batch.results <batch/store all:true capacity:cpu=2,mem=3e9 only:dag+cov seed:7",
		"batch/late=batch.late.json <batch/results !both",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestMistakes(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"unknown key at the top", head + "jbos: 2\n",
			`r.yaml:5:1: recipe: unknown key "jbos"; there are version, out`},
		{"unknown option", head + "steps: {s: {analyze: store, onlys: dag}}\n",
			`r.yaml:5:29: analyze: unknown key "onlys"; did you mean only?`},
		{"unknown command", head + "steps:\n  s: {analyse: store}\n",
			`r.yaml:6:7: step s: unknown key "analyse"; did you mean analyze?`},
		{"no command", head + "steps:\n  s: {zzz: store}\n", `r.yaml:6:3: step s: want one of analyze, check, forecast, publish`},
		{"two commands", head + "steps:\n  s: {analyze: store, check: store}\n",
			`r.yaml:6:23: step s: it is analyze already`},
		{"not a number", head + "steps:\n  s: {analyze: store, seed: x}\n",
			`r.yaml:6:29: seed "x": want a whole number`},
		{"a list for one value", head + "steps:\n  s: {analyze: store, seed: [1, 2]}\n",
			`r.yaml:6:29: seed: want one value, got a list`},
		{"a word for a truth", head + "steps:\n  s: {analyze: store, all: yes}\n",
			`r.yaml:6:28: all: want true or false, got "yes"`},
		{"a truth for a text", head + "steps:\n  s: {analyze: store, title: true}\n",
			`want text, got true; write "true"`},
		{"nothing", head + "steps:\n  s: {analyze: store, seed: }\n", `r.yaml:6:29: seed: want one value, got nothing`},
		{"unknown step", head + "steps:\n  s: {analyze: stroe}\n",
			`r.yaml:6:16: step a/s: there is no step "stroe"; did you mean store?`},
		{"a step of another trace", head + "steps:\n  s: {analyze: store, traces: [a]}\n  u: {check: s}\n",
			"r.yaml:7:14: step b/u: s is taken for a alone: add `traces: [a]`, or name one trace, such as a/s"},
		{"a circle", head + "steps:\n  s: {check: u}\n  u: {check: s}\n", `step a/s waits for itself`},
		{"a key twice", head + "steps:\n  s: {analyze: store, seed: 1, seed: 2}\n",
			`r.yaml:6:32: step s: the key "seed" is there twice`},
		{"an anchor", head + "steps:\n  s: &x {analyze: store}\n", `anchors, aliases and merge keys are not supported`},
		{"unset variable", "out: o\ntraces:\n  a: {paths: \"{{ env NO }}\"}\n",
			`r.yaml:3:14: paths: {{ env NO }}: this variable of the environment is not set`},
		{"unknown word", "out: o\ntraces:\n  a: {paths: \"{{ now }}\"}\n", `{{ now }}: there are {{ today }}`},
		{"open braces", "out: o\ntraces:\n  a: {paths: \"x{{ today\"}\n", `{{ without }}`},
		{"no paths", "out: o\ntraces:\n  a: {}\n", `r.yaml:3:3: trace a lacks paths`},
		{"no YAML", "out: [", `r.yaml:1:1: `},
		{"empty", "", `the recipe is empty`},
		{"a list", "- a\n- b\n", `r.yaml:1:1: recipe: want keys with values, got a list`},
		{"two documents", head + "steps:\n  s: {analyze: store}\n---\nout: elsewhere\n",
			`r.yaml:7:1: a second document of YAML: a recipe is one`},
		{"a broken second document", head + "steps:\n  s: {analyze: store}\n---\nout: [\n", `r.yaml:8:1: `},
		{"a tab", head + "steps:\n\ts: {analyze: store}\n", `r.yaml:6:1: a tab: YAML is indented with spaces`},
		{"bad name", "out: o\ntraces:\n  \"../a\": {paths: x}\n", `r.yaml:3:3: trace "../a": want a name of letters`},
		{"publish without a place", head + "steps:\n  s: {publish: store}\n",
			`publish wants one result, and to, a place`},
		{"one place for two results", head + "steps:\n  s: {publish: store, to: www}\n",
			`r.yaml:6:3: steps a/s and b/s publish to one place, www and www`},
		{"a place within another", head + "steps:\n  s: {publish: a/store, to: www}\n  u: {publish: b/store, to: ./www/b/}\n",
			`r.yaml:7:3: steps s and u publish to one place, www and ./www/b/`},
		{"a place within out", head + "steps:\n  s: {publish: a/store, to: ./o/latest/x}\n",
			`r.yaml:6:3: step s publishes to ./o/latest/x, within out`},
		{"an absolute place within out", head + "steps:\n  s: {publish: a/store, to: /dir/o/x}\n",
			`r.yaml:6:3: step s publishes to /dir/o/x, within out`},
		{"an absolute place for two results", head + "steps:\n  s: {publish: a/store, to: www}\n  u: {publish: b/store, to: /dir/www}\n",
			`r.yaml:7:3: steps s and u publish to one place, www and /dir/www`},
		{"no traces", head + "steps:\n  s: {check: store, traces: []}\n",
			`r.yaml:6:29: step s: the list of traces is empty`},
		{"no job", head + "steps:\n  s: {forecast: store}\n", `r.yaml:6:3: step s: forecast wants the option job`},
		{"the name of the import", head + "steps:\n  store: {check: store}\n", `store is the name of the import`},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := Parse([]byte(test.text), "r.yaml", "/dir", testContext())
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

// A place that cannot be filled in is one mistake, not a place that is missing, too.
func TestPlacesWithMistakes(t *testing.T) {
	_, err := Parse([]byte(head+"steps:\n  s: {publish: store, to: \"{{ env NO }}\"}\n"), "r.yaml", "/dir", testContext())
	if want := "r.yaml:6:27: to: {{ env NO }}: this variable of the environment is not set"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A recipe never makes the parser panic, and is either a recipe or an error.
func FuzzParse(f *testing.F) {
	f.Add(head + "steps: {s: {analyze: store, only: [a, b]}}")
	f.Add("out: *x\ntraces: {<<: *x}")
	f.Fuzz(func(t *testing.T, text string) {
		c := testContext()
		c.Nearest = func(string, []string) string { return "" }
		r, err := Parse([]byte(text), "r.yaml", "/dir", c)
		if (r == nil) == (err == nil) {
			t.Errorf("recipe %v, error %v", r, err)
		}
	})
}

func TestSchema(t *testing.T) {
	text, err := json.Marshal(Schema(testContext().Kinds))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"analyze":{"description"`, `"additionalProperties":false`, `"paths"`,
		`"type":"boolean"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the schema lacks %s: %s", want, text)
		}
	}
}
