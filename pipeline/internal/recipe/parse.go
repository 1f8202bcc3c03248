package recipe

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Bounds of a recipe.
const (
	maxBytes  = 1 << 20
	maxErrors = 20
	maxSteps  = 10_000
	maxJobs   = 64
	maxKeep   = 100_000
)

// Context holds the values that a recipe may refer to.
type Context struct {
	Kinds   []Kind
	Words   Words
	Nearest func(word string, known []string) string // the known word nearest to word, "" for none
	// Reach returns an error for a URL that a command cannot open, as an input (option "") or as the value of an
	// option; nil for other text.
	Reach func(command, option, text string) error
}

// parser turns a document into a recipe and collects mistakes.
type parser struct {
	Context
	file   string
	errs   []error
	recipe *Recipe
	byName map[string]*Step
	pos    map[*Step]*yaml.Node
	traces []string
	broken map[string]bool // names of steps with reported mistakes
}

// Parse reads a recipe. file and dir are its name, for messages, and its folder. All mistakes are reported, up to
// twenty.
func Parse(text []byte, file, dir string, c Context) (*Recipe, error) {
	p := &parser{Context: c, file: file, recipe: &Recipe{Dir: dir, Keep: 7, Jobs: 2}, byName: map[string]*Step{},
		pos: map[*Step]*yaml.Node{}, broken: map[string]bool{}}
	if len(text) > maxBytes {
		return nil, fmt.Errorf("%s: %d bytes; a recipe has at most %d", file, len(text), maxBytes)
	}
	var doc yaml.Node
	documents := yaml.NewDecoder(bytes.NewReader(text))
	if err := documents.Decode(&doc); err != nil && !errors.Is(err, io.EOF) {
		return nil, p.syntax(err, text)
	}
	for err := error(nil); !errors.Is(err, io.EOF); {
		var more yaml.Node
		if err = documents.Decode(&more); err != nil && !errors.Is(err, io.EOF) {
			return nil, p.syntax(err, text)
		}
		if len(more.Content) > 0 && more.Content[0].Tag != "!!null" {
			return nil, &Error{file, more.Line, 1, "a second document of YAML: a recipe is one"}
		}
	}
	if len(doc.Content) == 0 {
		return nil, &Error{file, 1, 1, "the recipe is empty; `racecard init TRACE` writes one"}
	}
	p.document(doc.Content[0])
	if len(p.errs) > 0 {
		return nil, errors.Join(p.errs...)
	}
	return p.recipe, nil
}

var yamlLine = regexp.MustCompile(`^yaml: line ([0-9]+): (.*)$`)

// syntax names file and line of a syntax error of a recipe.
func (p *parser) syntax(err error, recipe []byte) error {
	text, line := strings.TrimPrefix(err.Error(), "yaml: "), 1
	if m := yamlLine.FindStringSubmatch(err.Error()); m != nil {
		line, _ = strconv.Atoi(m[1])
		text = m[2]
	}
	if lines := strings.Split(string(recipe), "\n"); line <= len(lines) {
		from := strings.TrimLeft(lines[line-1], " \t")
		if indent := lines[line-1][:len(lines[line-1])-len(from)]; strings.Contains(indent, "\t") {
			text = "a tab: YAML is indented with spaces"
		}
	}
	return &Error{p.file, line, 1, text}
}

// fail reports a mistake, only once for a step that is taken for several traces.
func (p *parser) fail(n *yaml.Node, format string, args ...any) {
	mistake := &Error{p.file, n.Line, n.Column, fmt.Sprintf(format, args...)}
	for _, err := range p.errs {
		if err.Error() == mistake.Error() {
			return
		}
	}
	switch {
	case len(p.errs) == maxErrors:
		p.errs = append(p.errs, errors.New("and more"))
	case len(p.errs) < maxErrors:
		p.errs = append(p.errs, mistake)
	}
}

// entry is a key with its value.
type entry struct{ key, value *yaml.Node }

// entries returns the entries of a mapping, each key once.
func (p *parser) entries(n *yaml.Node, what string) []entry {
	if n.Kind != yaml.MappingNode {
		p.fail(n, "%s: want keys with values, got %s", what, kindOf(n))
		return nil
	}
	var all []entry
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch {
		case key.Kind != yaml.ScalarNode || key.Tag == "!!merge" || key.Anchor != "" || value.Anchor != "" ||
			value.Kind == yaml.AliasNode:
			p.fail(key, "anchors, aliases and merge keys are not supported: write it out")
		case seen[key.Value]:
			p.fail(key, "%s: the key %q is there twice", what, key.Value)
		default:
			seen[key.Value] = true
			all = append(all, entry{key, value})
		}
	}
	return all
}

// kindOf names the type of a value.
func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "keys with values"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	switch n.Tag {
	case "!!null":
		return "nothing"
	case "!!bool":
		return n.Value
	}
	return strconv.Quote(n.Value)
}

// unknown reports an unknown key.
func (p *parser) unknown(key *yaml.Node, what string, known []string) {
	hint := ""
	if near := p.Nearest(key.Value, known); near != "" {
		hint = "; did you mean " + near + "?"
	} else if len(known) <= 12 {
		hint = "; there are " + strings.Join(known, ", ")
	}
	p.fail(key, "%s: unknown key %q%s", what, key.Value, hint)
}

// text returns the value of a scalar, with the words in {{ }} replaced. quoted refuses values that YAML takes
// for another type.
func (p *parser) text(n *yaml.Node, what, trace string) (string, bool) {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		p.fail(n, "%s: want one value, got %s", what, kindOf(n))
		return "", false
	}
	filled, err := p.Words.fill(n.Value, trace)
	if err != nil {
		p.fail(n, "%s: %v", what, err)
		return "", false
	}
	return filled, true
}

// list returns the values of a list, or of a scalar as a list of one.
func (p *parser) list(n *yaml.Node, what, trace string) []string {
	items := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		items = n.Content
	}
	var all []string
	for _, item := range items {
		if text, ok := p.text(item, what, trace); ok {
			all = append(all, text)
		}
	}
	if len(items) == 0 {
		p.fail(n, "%s: the list is empty", what)
	}
	return all
}

// whole returns a whole number.
func (p *parser) whole(n *yaml.Node, what string, most int) int {
	text, ok := p.text(n, what, "")
	if !ok {
		return 1
	}
	x, err := strconv.Atoi(text)
	if err != nil || x < 1 || x > most {
		p.fail(n, "%s: want a whole number, 1 to %d, got %s", what, most, kindOf(n))
	}
	return x
}

// document reads the top of a recipe.
func (p *parser) document(n *yaml.Node) {
	known := []string{"version", "out", "keep", "jobs", "traces", "steps", "on_failure"}
	var traces, steps []entry
	for _, e := range p.entries(n, "recipe") {
		switch e.key.Value {
		case "version":
			if text, ok := p.text(e.value, "version", ""); ok && text != "1" {
				p.fail(e.value, "version: this racecard reads version 1")
			}
		case "out":
			p.recipe.Out, _ = p.text(e.value, "out", "")
			if strings.Contains(p.recipe.Out, "://") {
				p.fail(e.value, "out: want a folder of this machine; a step such as site: {publish: report, to: "+
					"\"s3://...\"} copies a result to a bucket")
			}
		case "keep":
			p.recipe.Keep = p.whole(e.value, "keep", maxKeep)
		case "jobs":
			p.recipe.Jobs = p.whole(e.value, "jobs", maxJobs)
		case "on_failure":
			p.onFailure(e.value)
		case "traces":
			traces = p.entries(e.value, "traces")
		case "steps":
			steps = p.entries(e.value, "steps")
		default:
			p.unknown(e.key, "recipe", known)
		}
	}
	if p.recipe.Out == "" {
		p.fail(n, "the recipe lacks out, the folder of the results")
	}
	if len(traces) == 0 {
		p.fail(n, "the recipe lacks traces")
	}
	for _, t := range traces {
		p.trace(t)
	}
	var all []*draft
	for _, s := range steps {
		all = append(all, p.drafts(s)...)
	}
	if len(p.recipe.Steps) > maxSteps {
		p.fail(n, "%d steps; a recipe has at most %d", len(p.recipe.Steps), maxSteps)
		return
	}
	for _, d := range all {
		p.connect(d)
	}
	p.places()
	p.order()
}

// reachable reports a URL that a step cannot open.
func (p *parser) reachable(n *yaml.Node, kind *Kind, option, text string) {
	if p.Reach == nil {
		return
	}
	if err := p.Reach(kind.Name, option, text); err != nil {
		p.fail(n, "%v", err)
	}
}

func (p *parser) onFailure(n *yaml.Node) {
	for _, e := range p.entries(n, "on_failure") {
		switch e.key.Value {
		case "webhook":
			text, ok := p.text(e.value, "webhook", "")
			if ok && !strings.HasPrefix(text, "https://") && !strings.HasPrefix(text, "http://") {
				p.fail(e.value, "webhook: want an address that begins with https:// or http://")
			}
			p.recipe.OnFailure.Webhook = text
		case "command":
			p.recipe.OnFailure.Command = p.list(e.value, "command", "")
		default:
			p.unknown(e.key, "on_failure", []string{"webhook", "command"})
		}
	}
}

var nameForm = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9_-]{0,63}$`)

// named checks the name of a trace or a step.
func (p *parser) named(n *yaml.Node, what string) bool {
	if !nameForm.MatchString(n.Value) {
		p.fail(n, "%s %q: want a name of letters, digits, - and _, at most 64", what, n.Value)
		return false
	}
	return true
}

// trace reads a trace: the step that imports it.
func (p *parser) trace(e entry) {
	if !p.named(e.key, "trace") {
		return
	}
	kind := p.kind(Import)
	step := &Step{Name: e.key.Value + "/store", Trace: e.key.Value, Kind: kind}
	options := kind.Options()
	for _, f := range p.entries(e.value, "trace "+e.key.Value) {
		if f.key.Value == "paths" {
			for _, path := range p.list(f.value, "paths", e.key.Value) {
				p.reachable(f.value, kind, "", path)
				step.Inputs = append(step.Inputs, Input{Path: path})
			}
			continue
		}
		p.option(step, options, f, []string{"paths"})
	}
	if len(step.Inputs) == 0 {
		p.fail(e.key, "trace %s lacks paths", e.key.Value)
	}
	p.traces = append(p.traces, e.key.Value)
	p.add(step, e.key)
}

func (p *parser) kind(name string) *Kind {
	i := slices.IndexFunc(p.Kinds, func(k Kind) bool { return k.Name == name })
	if i < 0 {
		return nil
	}
	return &p.Kinds[i]
}

func (p *parser) add(s *Step, at *yaml.Node) {
	if p.byName[s.Name] != nil {
		p.fail(at, "there are two steps %s", s.Name)
		return
	}
	slices.SortFunc(s.Options, func(a, b Setting) int { return strings.Compare(a.Name, b.Name) })
	if s.Kind.Outside != nil {
		var err error
		if s.Outside, err = s.Kind.Outside(s.Options); err != nil {
			p.fail(at, "step %s: %v", s.Name, err)
		}
	}
	p.byName[s.Name] = s
	p.pos[s] = at
	p.recipe.Steps = append(p.recipe.Steps, s)
}
