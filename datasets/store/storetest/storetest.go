// Package storetest helps tests of forged stores.
package storetest

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"racecard/datasets/indexed"
	"racecard/datasets/store"
)

// Resign makes the manifest of the store in dir agree with its files, after edit, which may be nil, has changed the
// manifest. It reports whether the manifest could be read; one that cannot is left as it is.
func Resign(t *testing.T, dir string, edit func(m *store.Manifest)) bool {
	t.Helper()
	name := filepath.Join(dir, store.ManifestName)
	data, err := os.ReadFile(name)
	var m store.Manifest
	if err != nil || json.Unmarshal(data, &m) != nil {
		return false
	}
	for i := range m.Files {
		f := &m.Files[i]
		if content, err := os.ReadFile(filepath.Join(dir, f.Name)); err == nil {
			f.Bytes, f.SHA256 = int64(len(content)), indexed.Sum(content)
		}
	}
	if edit != nil {
		edit(&m)
	}
	encode := func() []byte {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		if err := e.Encode(&m); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	m.Checksum = ""
	m.Checksum = indexed.Sum(encode())
	if err := os.WriteFile(name, encode(), 0o600); err != nil {
		t.Fatal(err)
	}
	return true
}
