package wta

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// infoName is the file with the description of a workload.
const infoName = "generic_information.json"

// maxInfo bounds a description, in bytes.
const maxInfo = 16 << 20

// ignoredInfo is the kind under which a description is ignored. Its content goes into the header of the
// manifest.
const ignoredInfo = "description of the workload"

// info is the used part of a description.
type info struct {
	Workflows   *float64 `json:"total_workflows"`
	Tasks       *float64 `json:"total_tasks"`
	Domain      string   `json:"domain"`
	Authors     []string `json:"authors"`
	Description string   `json:"workload_description"`
}

// describe reads a description and reports whether the caller wants more.
func (r *reader) describe(f *source.File, in io.Reader) bool {
	content, err := io.ReadAll(io.LimitReader(in, maxInfo+1))
	if err != nil && !source.IsTruncated(err) {
		r.yield(fmt.Errorf("%s: %w", f.Name, err))
		return false
	}
	var said info
	reason := source.ReasonBadJSON
	if len(content) > maxInfo {
		return r.reject(source.NewReject(f.Name, 1, "", reason, fmt.Sprintf("more than %d bytes", maxInfo), content))
	}
	content = []byte(strings.ToValidUTF8(strings.TrimPrefix(string(content), "\ufeff"), "\ufffd"))
	if err := json.NewDecoder(bytes.NewReader(content)).Decode(&said); err != nil {
		if source.IsTruncated(err) {
			reason = source.ReasonTruncated
		}
		return r.reject(source.NewReject(f.Name, 1, "", reason, err.Error(), content))
	}
	r.tally.Ignore(ignoredInfo)
	for _, line := range []struct{ name, text string }{
		{"description", said.Description}, {"authors", strings.Join(said.Authors, ", ")}, {"domain", said.Domain},
	} {
		if line.text != "" {
			r.tally.Header = append(r.tally.Header, line.name+": "+line.text)
		}
	}
	for what, n := range map[string]*float64{totalWorkflows: said.Workflows, totalTasks: said.Tasks} {
		if n != nil {
			r.tally.State(what, *n)
		}
	}
	return true
}

// What descriptions state totals of.
const (
	totalWorkflows = "workflows"
	totalTasks     = "tasks"
)

// resource tells which resource a type such as core or cpu is; [trace.NumResources] when it is neither that nor a GPU.
func (c *cells) resource(column int) trace.Resource {
	switch strings.TrimSuffix(strings.ToLower(c.text(column)), "s") {
	case "core", "cpu", "thread", "vcpu", "cpu core":
		return trace.CPU
	case "gpu":
		return trace.GPU
	default:
		return trace.NumResources
	}
}

// machine reads a row of the resources table.
func (c *cells) machine(id ident) trace.Machine {
	m := trace.NewMachine(id.String())
	amount := c.amount(colAmount)
	switch c.resource(colType) {
	case trace.CPU:
		m.CPU = amount
	case trace.GPU:
		m.GPU = amount
	}
	m.Mem, m.Net = c.amount(colMemory)*1e9, c.amount(colNet)*1e9/8
	return m
}
