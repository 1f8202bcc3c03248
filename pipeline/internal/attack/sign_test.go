package attack

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"racecard/datasets/indexed"
	"racecard/datasets/store"
)

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}

// resignStore makes the manifest of a store agree with its files, as far as it can be read.
func resignStore(t *testing.T, dir string) {
	t.Helper()
	name := filepath.Join(dir, store.ManifestName)
	data, err := os.ReadFile(name)
	var m store.Manifest
	if err != nil || json.Unmarshal(data, &m) != nil {
		return
	}
	for i := range m.Files {
		f := &m.Files[i]
		if content, err := os.ReadFile(filepath.Join(dir, f.Name)); err == nil {
			f.Bytes, f.SHA256 = int64(len(content)), sum(content)
		}
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
	m.Checksum = sum(encode())
	if err := os.WriteFile(name, encode(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// mark comes before the checksum in a table.
var mark = regexp.MustCompile(`racecard-sha256:[0-9a-f]{64}`)

// resignIndexed makes tables hold their own checksums, and an index those of its files.
func resignIndexed(t *testing.T, dir, index string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		data, err := os.ReadFile(name)
		if err != nil || !strings.HasSuffix(name, ".arrow") && !strings.HasSuffix(name, ".parquet") {
			continue
		}
		bare := mark.ReplaceAll(data, []byte("racecard-sha256:"+strings.Repeat("0", 64)))
		signed := mark.ReplaceAll(data, []byte("racecard-sha256:"+sum(bare)))
		if err := os.WriteFile(name, signed, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, index))
	var doc map[string]any
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err != nil || d.Decode(&doc) != nil {
		return
	}
	for _, list := range doc {
		entries, _ := list.([]any)
		for _, entry := range entries {
			e, _ := entry.(map[string]any)
			for _, of := range [][3]string{{"file", "bytes", "sha256"}, {"name", "bytes", "sha256"}, {"parquet", "parquet_bytes", "parquet_sha256"}} {
				name, ok := e[of[0]].(string)
				if content, err := os.ReadFile(filepath.Join(dir, filepath.Base(name))); ok && err == nil && e[of[2]] != nil {
					e[of[1]], e[of[2]] = len(content), sum(content)
				}
			}
		}
	}
	out, err := indexed.Encode(doc)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, index), out, 0o600); err != nil {
		t.Fatal(err)
	}
}
