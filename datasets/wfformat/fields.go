package wfformat

import (
	"encoding/json"
	"fmt"
	"strings"

	"racecard/datasets/internal/decimal"
)

// task is a task in any version: its place in the graph, its measurements, or both.
type task struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Parents  names  `json:"parents"`
	Children names  `json:"children"`

	Inputs  []file `json:"inputFiles"`
	Outputs []file `json:"outputFiles"`
	Files   []file `json:"files"` // up to 1.4

	Runtime    number `json:"runtimeInSeconds"`
	OldRuntime number `json:"runtime"` // up to 1.3, in seconds
	ExecutedAt string `json:"executedAt"`
	Cores      number `json:"coreCount"`
	OldCores   number `json:"cores"` // up to 1.4
	AvgCPU     number `json:"avgCPU"`
	Memory     number `json:"memoryInBytes"`
	OldMemory  number `json:"memory"` // up to 1.3, in kilobytes
	Read       number `json:"readBytes"`
	OldRead    number `json:"bytesRead"` // up to 1.3, in kilobytes, but for Pegasus in bytes
	Written    number `json:"writtenBytes"`
	OldWritten number `json:"bytesWritten"`
	Machines   names  `json:"machines"`
	OldMachine names  `json:"machine"`
}

// file is a file of the workflow, or what a task says of one.
type file struct {
	ID      string `json:"id"`
	Name    string `json:"name"` // up to 1.4
	Path    string `json:"path"`
	Link    string `json:"link"` // input or output, up to 1.4
	Size    number `json:"sizeInBytes"`
	OldSize number `json:"size"` // up to 1.3, in bytes
}

// machine is a machine that ran tasks.
type machine struct {
	Name      string `json:"nodeName"`
	Memory    number `json:"memoryInBytes"`
	OldMemory number `json:"memory"` // up to 1.3, in kilobytes
	CPU       struct {
		Cores    number `json:"coreCount"`
		OldCores number `json:"count"` // up to 1.4
	} `json:"cpu"`
}

// UnmarshalJSON takes an object, or a string, which is the id.
func (f *file) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		return json.Unmarshal(data, &f.ID)
	}
	type plain file
	return json.Unmarshal(data, (*plain)(f))
}

// id returns the identity of the file.
func (f *file) id() string {
	if f.ID != "" {
		return f.ID
	}
	return f.Path + f.Name
}

// names is a list of strings, or one string.
type names []string

// UnmarshalJSON takes a list, a string, or null.
func (n *names) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		*n = names{""}
		return json.Unmarshal(data, &(*n)[0])
	}
	return json.Unmarshal(data, (*[]string)(n))
}

// number is a JSON number, which some tools write as a string.
type number struct {
	value float64
	known bool
}

// UnmarshalJSON takes a number, a string that holds one or nothing, or null.
func (n *number) UnmarshalJSON(data []byte) error {
	text := strings.TrimSpace(strings.Trim(string(data), `"`))
	if text == "null" || text == "" {
		return nil
	}
	x, ok := decimal.Parse(text)
	if !ok {
		return fmt.Errorf("%.40s is not a finite number", data)
	}
	n.value, n.known = x, true
	return nil
}

// or returns n, or, when it is unknown, the number of an earlier version in other units.
func (n number) or(old number, scale float64) number {
	if n.known || !old.known {
		return n
	}
	return number{old.value * scale, true}
}
