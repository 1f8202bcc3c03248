package wfformat

import (
	"bytes"
	"encoding/json"
	"fmt"

	"racecard/datasets/source"
)

// Format describes the format to the registry of formats.
func Format() source.Format {
	return source.Format{
		Name:    "wfformat",
		Summary: "WfCommons workflow instances (WfFormat JSON, 1.0 to 1.6): one execution of one workflow per file",
		Holds:   "graphs of tasks, durations, cores, memory, files with sizes, makespans, start dates, machines",
		Lacks:   "starts and ends of tasks (unless stated), users, guarantees: no parallelism over time, no leftover",
		Spec:    "https://github.com/wfcommons/WfFormat (README.md, wfcommons-schema.json)",
		// Instants come from dates only.
		TimeBase: source.TimeBaseUnix,
		Apart:    true,
		Named:    runID,
		OnceEach: true,
		Detect:   detect,
		Read:     Read,
	}
}

// detect looks for a JSON object with a workflow that has one of the fields of a workflow, or, where much stands before
// the workflow, with the version of the schema and the runtime system that all instances carry.
func detect(_ string, head []byte) bool {
	d := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(head, []byte("\ufeff"))))
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return false
	}
	version, system := false, false
	for {
		token, err := d.Token()
		key, ok := token.(string)
		if err != nil || !ok {
			return false
		}
		switch key {
		case "workflow":
			return isWorkflow(d)
		case "schemaVersion":
			version = true
		case "runtimeSystem", "wms":
			system = true
		}
		if version && system {
			return true
		}
		if err := skip(d, nothing); err != nil {
			return false
		}
	}
}

// isWorkflow looks at the first field of the workflow that follows.
func isWorkflow(d *json.Decoder) bool {
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return false
	}
	for {
		token, err := d.Token()
		if err != nil {
			return false
		}
		switch token {
		case "specification", "execution", "tasks", "jobs", "makespanInSeconds", "makespan", "executedAt":
			return true
		}
		if _, ok := token.(string); !ok || skip(d, nothing) != nil {
			return false
		}
	}
}

func nothing() {}

// maxDepth bounds the nesting of values; instances stay below 10.
const maxDepth = 1000

var errTooDeep = fmt.Errorf("nested deeper than %d", maxDepth)

// skip passes over one value and rests before each token of it.
func skip(d *json.Decoder, rest func()) error {
	for depth := 0; ; {
		rest()
		token, err := d.Token()
		if err != nil {
			return err
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		switch {
		case depth == 0:
			return nil
		case depth > maxDepth:
			return errTooDeep
		}
	}
}
