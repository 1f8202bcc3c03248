package recipe

import (
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"racecard/datasets/lists"
	"racecard/datasets/words"
)

// Reserved are the keys of a step that are not options of a command.
func Reserved() []string { return []string{"traces", "needs", "args", "to"} }

// draft is a step with unresolved inputs.
type draft struct {
	step          *Step
	inputs, needs []*yaml.Node
}

// drafts reads a step: one draft per trace, or a single one if all its inputs name their trace.
func (p *parser) drafts(e entry) []*draft {
	if !p.named(e.key, "step") || e.key.Value == "store" {
		if e.key.Value == "store" {
			p.fail(e.key, "store is the name of the import of every trace; choose another")
		}
		return nil
	}
	what := "step " + e.key.Value
	entries := p.entries(e.value, what)
	var kind *Kind
	var inputs, needs []*yaml.Node
	traces := p.traces
	for _, f := range entries {
		if k := p.kind(f.key.Value); k != nil && k.Name != Import {
			if kind != nil && kind.hasOption(k.Name) {
				continue
			}
			if kind != nil {
				p.fail(f.key, "%s: it is %s already; a step is one command", what, kind.Name)
			}
			kind, inputs = k, nodes(f.value)
		}
		switch f.key.Value {
		case "needs":
			needs = nodes(f.value)
		case "traces":
			traces = nil
			if len(nodes(f.value)) == 0 {
				p.fail(f.value, "%s: the list of traces is empty", what)
			}
			for _, n := range nodes(f.value) {
				if !slices.Contains(p.traces, n.Value) {
					p.fail(n, "%s: there is no trace %q%s", what, n.Value, p.hint(n.Value, p.traces))
				}
				traces = append(traces, n.Value)
			}
		}
	}
	if kind == nil {
		p.noKind(e, entries)
		p.broken[e.key.Value] = true
		return nil
	}
	if !slices.ContainsFunc(append(slices.Clone(inputs), needs...), func(n *yaml.Node) bool {
		return !isPath(n.Value) && !strings.Contains(n.Value, "/")
	}) {
		traces = []string{""}
	}
	var all []*draft
	for _, trace := range traces {
		step := &Step{Name: strings.TrimPrefix(trace+"/"+e.key.Value, "/"), Trace: trace, Kind: kind}
		options, filled := kind.Options(), true
		for _, f := range entries {
			switch f.key.Value {
			case kind.Name, "needs", "traces":
			case "args":
				step.Args = p.list(f.value, "args", trace)
			case "to":
				if kind.Name != Publish {
					p.fail(f.key, "%s: to is for steps that publish", what)
				}
				step.To, filled = p.text(f.value, "to", trace)
				p.reachable(f.value, kind, "to", step.To)
			default:
				p.option(step, options, f, append(Reserved(), kind.Name))
			}
		}
		if kind.Name == Publish && (filled && step.To == "" || len(inputs) != 1) {
			p.fail(e.key, "%s: publish wants one result, and to, a place", what)
		}
		p.add(step, e.key)
		for _, o := range options {
			if o.Required && !slices.ContainsFunc(slices.Concat(step.Options, step.Outside),
				func(s Setting) bool { return s.Name == o.Name }) {
				p.fail(e.key, "%s: %s wants the option %s", what, kind.Name, o.Name)
			}
		}
		all = append(all, &draft{step, inputs, needs})
	}
	return all
}

// places refuses steps that publish to one place, or into one another's: only one result would stay.
func (p *parser) places() {
	folder := func(path string) string {
		switch {
		case strings.Contains(path, "://"):
			return strings.TrimRight(path, "/") + "/"
		case !filepath.IsAbs(path):
			path = filepath.Join(p.recipe.Dir, path)
		}
		return filepath.Clean(path) + string(filepath.Separator)
	}
	place := func(s *Step) string { return folder(s.To) }
	all := slices.DeleteFunc(slices.Clone(p.recipe.Steps), func(s *Step) bool {
		return s.Kind.Name != Publish || s.To == ""
	})
	slices.SortStableFunc(all, func(a, b *Step) int { return strings.Compare(place(a), place(b)) })
	for _, s := range all {
		if strings.HasPrefix(place(s), folder(p.recipe.Out)) {
			p.fail(p.pos[s], "step %s publishes to %s, within out, the folder of the results: choose a place outside", s.Name,
				s.To)
		}
	}
	for i := 1; i < len(all); i++ { // a place within another comes right behind it, or behind others within it
		if a, b := all[i-1], all[i]; strings.HasPrefix(place(b), place(a)) {
			p.fail(p.pos[b], "steps %s and %s publish to one place, %s and %s: {{ trace }} in to tells traces apart",
				a.Name, b.Name, a.To, b.To)
		}
	}
}

// hasOption reports whether a command has an option, which may have the name of another command.
func (k *Kind) hasOption(name string) bool {
	return slices.ContainsFunc(k.Options(), func(o Option) bool { return o.Name == name })
}

// noKind reports a step that is no command.
func (p *parser) noKind(e entry, entries []entry) {
	var known []string
	for _, k := range p.Kinds {
		if k.Name != Import {
			known = append(known, k.Name)
		}
	}
	for _, f := range entries {
		if near := p.Nearest(f.key.Value, known); near != "" {
			p.fail(f.key, "step %s: unknown key %q; did you mean %s?", e.key.Value, f.key.Value, near)
			return
		}
	}
	p.fail(e.key, "step %s: want one of %s, with what it reads", e.key.Value, strings.Join(known, ", "))
}

// nodes returns the items of a list, or a value alone.
func nodes(n *yaml.Node) []*yaml.Node {
	if n.Kind == yaml.SequenceNode {
		return n.Content
	}
	return []*yaml.Node{n}
}

func (p *parser) hint(word string, known []string) string {
	if near := p.Nearest(word, known); near != "" {
		return "; did you mean " + near + "?"
	}
	return ""
}

// isPath reports whether an input is a path, not the name of a step.
func isPath(text string) bool {
	return strings.Contains(text, "://") || filepath.IsAbs(text) || strings.HasPrefix(text, "./") ||
		strings.HasPrefix(text, "../")
}

// option sets an option of a step.
func (p *parser) option(s *Step, options []Option, e entry, others []string) {
	i := slices.IndexFunc(options, func(o Option) bool {
		return o.Name == e.key.Value || slices.Contains(o.Former, e.key.Value)
	})
	if i < 0 {
		known := others
		for _, o := range options {
			known = append(known, o.Name)
		}
		p.unknown(e.key, s.Kind.Name, known)
		return
	}
	o := options[i]
	values := p.values(o, e.value, s.Trace)
	if values == nil {
		return
	}
	for _, v := range values {
		if err := o.Set(v); err != nil {
			p.fail(e.value, "%s %s: %v", o.Name, kindOf(e.value), err)
			return
		}
		p.reachable(e.value, s.Kind, o.Name, v)
	}
	s.Options = append(s.Options, Setting{o.Name, values})
}

// values returns the values of an option as the command line takes them, nil after a mistake.
func (p *parser) values(o Option, n *yaml.Node, trace string) []string {
	switch {
	case n.Kind == yaml.SequenceNode && o.Shape == List:
		all := p.list(n, o.Name, trace)
		if o.Join != nil && len(all) > 0 {
			return []string{o.Join(all)}
		}
		return all
	case n.Kind == yaml.MappingNode && o.Shape == Pairs:
		var all []string
		for _, e := range p.entries(n, o.Name) {
			if text, ok := p.text(e.value, o.Name, trace); ok {
				all = append(all, e.key.Value+"="+text)
			}
		}
		return []string{strings.Join(all, ",")}
	case n.Kind != yaml.ScalarNode || n.Tag == "!!null":
		want := map[Shape]string{Scalar: "one value", Truth: "true or false", List: "a value or a list",
			Pairs: "a value or names with values"}[o.Shape]
		p.fail(n, "%s: want %s, got %s", o.Name, want, kindOf(n))
		return nil
	case o.Shape == Truth && n.Tag != "!!bool":
		p.fail(n, "%s: want true or false, got %s", o.Name, kindOf(n))
		return nil
	case o.Text && n.Tag == "!!bool":
		p.fail(n, "%s: want text, got %s; write \"%s\" if that is meant", o.Name, n.Value, n.Value)
		return nil
	}
	text, ok := p.text(n, o.Name, trace)
	if !ok {
		return nil
	}
	return []string{text}
}

// connect resolves the inputs and dependencies of a step.
func (p *parser) connect(d *draft) {
	for _, n := range d.inputs {
		text, ok := p.text(n, "step "+d.step.Name, d.step.Trace)
		switch {
		case !ok:
		case isPath(text):
			p.reachable(n, d.step.Kind, "", text)
			d.step.Inputs = append(d.step.Inputs, Input{Path: text})
		default:
			if s := p.lookUp(n, text, d.step); s != nil {
				d.step.Inputs = append(d.step.Inputs, Input{Step: s})
			}
		}
	}
	for _, n := range d.needs {
		if text, ok := p.text(n, "needs", d.step.Trace); ok {
			if s := p.lookUp(n, text, d.step); s != nil {
				d.step.Needs = append(d.step.Needs, s)
			}
		}
	}
}

// lookUp resolves the name of a step in an input of another step.
func (p *parser) lookUp(n *yaml.Node, name string, from *Step) *Step {
	for _, full := range []string{from.Trace + "/" + name, name} {
		if s := p.byName[full]; s != nil {
			return s
		}
	}
	if p.broken[name[strings.LastIndex(name, "/")+1:]] {
		return nil // fail has reported it
	}
	of := lists.Map(p.recipe.Named(name), func(s *Step) string { return s.Trace })
	if len(of) > 0 {
		p.fail(n, "step %s: %s is taken for %s alone: add `traces: [%s]`, or name one trace, such as %s/%s", from.Name, name,
			words.List(of), strings.Join(of, ", "), of[0], name)
		return nil
	}
	known := lists.Map(p.recipe.Steps, func(s *Step) string { return strings.TrimPrefix(s.Name, from.Trace+"/") })
	p.fail(n, "step %s: there is no step %q%s; a path begins with ./, ../ or /, a URL with s3://, gs:// or azblob://",
		from.Name, name, p.hint(name, known))
	return nil
}

// order sorts the steps such that each comes after those it waits for, otherwise as in the file.
func (p *parser) order() {
	if len(p.errs) > 0 {
		return
	}
	const visiting, visited = 1, 2
	state := map[*Step]int{}
	var sorted []*Step
	var visit func(s *Step) bool
	visit = func(s *Step) bool {
		switch state[s] {
		case visited:
			return true
		case visiting:
			p.fail(p.pos[s], "step %s waits for itself", s.Name)
			return false
		}
		state[s] = visiting
		for _, b := range s.Before() {
			if !visit(b) {
				return false
			}
		}
		state[s] = visited
		sorted = append(sorted, s)
		return true
	}
	for _, s := range p.recipe.Steps {
		if !visit(s) {
			return
		}
	}
	p.recipe.Steps = sorted
}
