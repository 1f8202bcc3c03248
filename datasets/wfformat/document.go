package wfformat

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// document is the kept part of an instance.
type document struct {
	Name       string
	System     string // of the runtime: Pegasus, Makeflow, Nextflow
	ExecutedAt string
	Makespan   number

	tasks    []task // of the specification, or of the workflow up to 1.4
	runs     []task // of the execution
	old      bool   // the tasks are those of the workflow, and hold the measurements, too
	files    []file
	machines []machine
	found    bool // there is a workflow
}

// decoder walks over a document. Elements are decoded one by one.
type decoder struct {
	json  *json.Decoder
	limit *limit
}

// fieldError says in which field a document is at fault.
type fieldError struct {
	path  string
	cause error
}

// Error names the field and the cause.
func (e *fieldError) Error() string { return e.path + ": " + e.cause.Error() }

// Unwrap returns the cause.
func (e *fieldError) Unwrap() error { return e.cause }

// under puts a name before the path of an error.
func under(name string, err error) error {
	var e *fieldError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &e):
		return &fieldError{name, err}
	case strings.HasPrefix(e.path, "["):
		return &fieldError{name + e.path, e.cause}
	default:
		return &fieldError{name + "." + e.path, e.cause}
	}
}

// errWrongType is the cause of an error where something other than an object or a list stands.
var errWrongType = errors.New("wrong type")

// newDecoder returns a decoder that takes elements of up to size bytes.
func newDecoder(r io.Reader, size int) *decoder {
	l := &limit{r: r, left: size, size: size, blank: true}
	return &decoder{json: json.NewDecoder(l), limit: l}
}

// rest allows another element.
func (d *decoder) rest() { d.limit.left = d.limit.size }

// document reads a whole document.
func (d *decoder) document() (*document, error) {
	var doc document
	err := d.object(func(key string) error {
		switch key {
		case "name":
			return d.json.Decode(&doc.Name)
		case "runtimeSystem", "wms":
			var system struct {
				Name string `json:"name"`
			}
			err := d.json.Decode(&system)
			doc.System = system.Name
			return err
		case "workflow":
			doc.found = true
			return d.object(func(key string) error { return d.workflow(&doc, key) })
		}
		return skip(d.json, d.rest)
	})
	return &doc, err
}

// workflow reads a field of the workflow.
func (d *decoder) workflow(doc *document, key string) error {
	switch key {
	case "specification":
		return d.object(func(key string) error {
			switch key {
			case "tasks":
				return list(d, &doc.tasks)
			case "files":
				return list(d, &doc.files)
			}
			return skip(d.json, d.rest)
		})
	case "execution":
		return d.object(func(key string) error {
			if key == "tasks" {
				return list(d, &doc.runs)
			}
			return d.execution(doc, key)
		})
	case "tasks", "jobs":
		doc.old = true
		return list(d, &doc.tasks)
	}
	return d.execution(doc, key)
}

// execution reads a field of the execution, or of a workflow up to 1.4, which holds the same ones.
func (d *decoder) execution(doc *document, key string) error {
	switch key {
	case "executedAt":
		return d.json.Decode(&doc.ExecutedAt)
	case "makespanInSeconds":
		return d.json.Decode(&doc.Makespan)
	case "makespan": // up to 1.3
		var old number
		err := d.json.Decode(&old)
		doc.Makespan = doc.Makespan.or(old, 1)
		return err
	case "machines":
		return list(d, &doc.machines)
	}
	return skip(d.json, d.rest)
}

// object reads an object, or null, and hands its keys to field, which reads the value.
func (d *decoder) object(field func(key string) error) error {
	token, err := d.json.Token()
	if err != nil || token == nil {
		return err
	}
	if token != json.Delim('{') {
		return fmt.Errorf("%w: want an object", errWrongType)
	}
	for d.json.More() {
		d.rest()
		token, err := d.json.Token()
		if err != nil {
			return err
		}
		key, _ := token.(string) // the decoder takes nothing else for a key
		if err := field(key); err != nil {
			return under(key, err)
		}
	}
	_, err = d.json.Token()
	return err
}

// maxElements bounds the tasks, files and machines of a document, and so its memory.
const maxElements = 1 << 17

var errTooMany = fmt.Errorf("more than %d elements", maxElements)

// list reads a list, or null, and appends its elements.
func list[T any](d *decoder, into *[]T) error {
	token, err := d.json.Token()
	if err != nil || token == nil {
		return err
	}
	if token != json.Delim('[') {
		return fmt.Errorf("%w: want a list", errWrongType)
	}
	for i := 0; d.json.More(); i++ {
		d.rest()
		var element T
		if err := d.json.Decode(&element); err != nil {
			return under("["+strconv.Itoa(i)+"]", err)
		}
		if len(*into) == maxElements {
			return &fieldError{"[" + strconv.Itoa(i) + "]", errTooMany}
		}
		*into = append(*into, element)
	}
	_, err = d.json.Token()
	return err
}
