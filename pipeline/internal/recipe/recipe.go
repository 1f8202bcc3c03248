// Package recipe reads racecard.yaml: the traces, the steps for each of them, and the folder of results. A step is a
// command of racecard, and its options are the flags of that command, so that recipes and the command line have the
// same options.
//
//	out: night                      # folder of the results, next to this file
//	traces:
//	  web: {paths: "logs/{{ yesterday }}", format: spark}
//	steps:                          # each is taken for every trace
//	  results: {analyze: store, only: [dag, recurrence]}
//	  models:  {fit: store, all: true}
//	  report:  {report: results}
//	  both:    {compare: [web/store, batch/store]}   # names a trace in all its inputs: taken once
//
// An unknown key, a wrong type and a value out of range are errors with line and column, all of them found before any
// step runs.
package recipe

import (
	"fmt"
	"slices"
	"strings"

	"racecard/datasets/lists"
)

// Kind is a command that a step can be.
type Kind struct {
	Name    string          // as on the command line, such as "table build"
	Summary string          // one line
	Folder  bool            // it writes a folder to --out; otherwise its JSON on standard output is the result
	Options func() []Option // returns new options: they hold the set values

	// Outside returns the values of options that a step leaves out and the command takes from elsewhere, such as the
	// environment, ascending by name; nil for none.
	Outside func(set []Setting) ([]Setting, error)
	// Clock is the option that states the time for which the command answers. If it is left out, the answer is for the
	// time of the run. "" for commands whose results depend on no clock.
	Clock string

	Divisible bool     // an engine can run it in units
	Sweeps    []string // options, one of which must be set for that; none if it can always be divided
}

// Divides reports whether an engine can run a step of the kind in units.
func (k *Kind) Divides(s *Step) bool {
	return k.Divisible && (len(k.Sweeps) == 0 || slices.ContainsFunc(s.Options, func(o Setting) bool {
		return slices.Contains(k.Sweeps, o.Name)
	}))
}

// Shape is the form of an option in a recipe.
type Shape uint8

// The shapes.
const (
	Scalar Shape = iota // one value
	Truth               // true or false
	List                // one value, or a list of them
	Pairs               // one value, or names with values
)

// Option is a flag of a command.
type Option struct {
	Name, Usage string
	Former      []string // its names in earlier versions
	Type        string   // of the flag, such as duration
	Required    bool
	Text        bool // takes any text: true and numbers must be quoted
	Shape       Shape
	Choices     []string              // the only words allowed, if there are any
	Join        func([]string) string // writes a list as one value; nil sets the option once per item
	Set         func(value string) error
}

// Setting is an option that a recipe sets.
type Setting struct {
	Name   string   `json:"name"`
	Values []string `json:"values"` // each is given to the flag in turn
}

// Input is an input of a step: the result of another step, or a path outside of the recipe.
type Input struct {
	Step *Step
	Path string // path relative to the recipe's folder, or URL
}

// Step is a step of a recipe for one trace, or for none.
type Step struct {
	Name    string // such as web/results
	Trace   string // such as web; "" for a step that is taken once
	Kind    *Kind
	Options []Setting // ascending by name
	Outside []Setting // values of options that the recipe leaves out, from elsewhere, ascending by name
	Inputs  []Input
	Args    []string // further arguments, such as jobs with deadlines
	Needs   []*Step  // steps that must have succeeded, although their results are not read
	To      string   // destination of a publish step, outside of the results
}

// File returns the name of the step's result in commands and reports.
func (s *Step) File() string {
	name := strings.ReplaceAll(s.Name, "/", ".")
	if s.Kind.Name != Publish && !s.Kind.Folder {
		name += ".json"
	}
	return name
}

// Link returns the path of the step's result in a view of all results.
func (s *Step) Link() string {
	if s.Kind.Name != Publish && !s.Kind.Folder {
		return s.Name + ".json"
	}
	return s.Name
}

// ReadsClock reports whether the result of the step depends on the time of the run.
func (s *Step) ReadsClock() bool {
	return s.Kind.Clock != "" && !slices.ContainsFunc(slices.Concat(s.Options, s.Outside), func(o Setting) bool {
		return o.Name == s.Kind.Clock
	})
}

// Before returns the steps whose success the step waits for.
func (s *Step) Before() []*Step {
	var before []*Step
	for _, in := range s.Inputs {
		if in.Step != nil && !slices.Contains(before, in.Step) {
			before = append(before, in.Step)
		}
	}
	return lists.Union(before, s.Needs...)
}

// Kinds with a special meaning in recipes: the first step of every trace, and the step that is not a command.
const (
	Import  = "import"
	Publish = "publish"
)

// Failure lists the receivers of the summary of a failed run, which is sent as JSON.
type Failure struct {
	Webhook string   // address that it is posted to
	Command []string // program that reads it on standard input
}

// Recipe is a racecard.yaml.
type Recipe struct {
	Dir       string // folder of the file, which paths are relative to
	Out       string // folder of the results
	Keep      int    // runs that are kept
	Jobs      int    // steps at once
	OnFailure Failure
	Steps     []*Step // in an order in which every step comes after those it waits for
}

// Named returns the steps with a name, or with a name of every trace, such as report for web/report and batch/report.
func (r *Recipe) Named(name string) []*Step {
	return lists.Kept(r.Steps, func(s *Step) bool {
		return s.Name == name || s.Trace != "" && s.Name == s.Trace+"/"+name
	})
}

// Error is a mistake in a recipe.
type Error struct {
	File         string
	Line, Column int
	Text         string
}

// Error returns the mistake with its position.
func (e *Error) Error() string { return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Column, e.Text) }
