// Package settings reads small YAML configuration files: rules and defaults of flags.
package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"reflect"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"racecard/datasets/plainfile"
)

// maxBytes bounds a file.
const maxBytes = 1 << 20

// Read decodes a file of YAML into a struct or a map. Unknown fields are an error; errors name the file and the line. A
// file without content changes nothing.
func Read(fsys fs.FS, name string, into any) error {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return err
	}
	if err := plainfile.Check(info, name, maxBytes); err != nil {
		return err
	}
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return err
	}
	d := yaml.NewDecoder(bytes.NewReader(data))
	d.KnownFields(true)
	if err := d.Decode(into); err != nil && !errors.Is(err, io.EOF) {
		return explained(name, err, reflect.TypeOf(into).Elem())
	}
	return nil
}

var unknown = regexp.MustCompile(`^line (\d+): field (.*) not found in type `)

// explained names the file in an error, and says which keys there are where one is not known.
func explained(name string, err error, into reflect.Type) error {
	var types *yaml.TypeError
	if !errors.As(err, &types) || len(types.Errors) == 0 {
		return fmt.Errorf("%s: %w", name, err)
	}
	m := unknown.FindStringSubmatch(types.Errors[0])
	if m == nil {
		return fmt.Errorf("%s: %s", name, types.Errors[0])
	}
	var keys []string
	if into.Kind() == reflect.Struct {
		for i := range into.NumField() {
			if key := into.Field(i).Tag.Get("yaml"); key != "" {
				keys = append(keys, key)
			}
		}
	}
	return fmt.Errorf("%s:%s: unknown key %q; there are %s", name, m[1], m[2], strings.Join(keys, ", "))
}
