// Package settings reads small YAML configuration files: rules and defaults of flags.
package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

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
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
