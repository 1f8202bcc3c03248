package attack

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"racecard/datasets/indexed"
)

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
		signed := mark.ReplaceAll(data, []byte("racecard-sha256:"+indexed.Sum(bare)))
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
			for _, of := range [][3]string{{"file", "bytes", "sha256"}, {"name", "bytes", "sha256"},
				{"parquet", "parquet_bytes", "parquet_sha256"}} {
				name, ok := e[of[0]].(string)
				if content, err := os.ReadFile(filepath.Join(dir, filepath.Base(name))); ok && err == nil &&
					e[of[2]] != nil {
					e[of[1]], e[of[2]] = len(content), indexed.Sum(content)
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
