package attack

import (
	"encoding/json"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"racecard/datasets/source/sourcetest"
)

// maxRaw is how large a raw file may be, so that a case takes little time.
const maxRaw = 2 << 20

// rawFiles returns real files of all formats: of the embedded sample, and of the traces beside the project where there
// are any.
func rawFiles(t *testing.T) []string {
	t.Helper()
	var all []string
	walk := func(dir string) {
		err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			if info, err := d.Info(); err == nil && info.Size() > 0 && info.Size() <= maxRaw &&
				!strings.HasSuffix(name, ".md") {
				all = append(all, name)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	walk(filepath.Join(sourcetest.Root(t), "datasets", "sample", "logs"))
	t.Run("shared", func(t *testing.T) { walk(sourcetest.Shared(t, ".")) }) // skips where there are none
	if len(all) == 0 {
		t.Fatal("no files")
	}
	return all
}

// Real files of every format, damaged in all ways, are imported or refused within the limits. A store that is there
// afterwards is whole, and accounts for every record; where there is none, nothing is left.
func TestDamagedInputs(t *testing.T) {
	haveLimits(t)
	files := rawFiles(t)
	for i := range cases(40, 10_000) {
		rng := rand.New(rand.NewPCG(uint64(i), 16))
		name := files[rng.IntN(len(files))]
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		other, err := os.ReadFile(files[rng.IntN(len(files))])
		if err != nil {
			t.Fatal(err)
		}
		changed, how := mutate(rng, data, other)
		dir := t.TempDir()
		input, out := filepath.Join(dir, filepath.Base(name)), filepath.Join(dir, "out", "x.store")
		if err := os.WriteFile(input, changed, 0o600); err != nil {
			t.Fatal(err)
		}
		args := []string{"import", "--out", out, input}
		if rng.IntN(2) == 0 {
			args = append(args, "--max-rejects", "100%")
		}
		if status, _ := bounded(t, dir, args...); status == 0 {
			accounted(t, dir, out)
		} else if left := tree(t, filepath.Dir(out)); strings.Contains(left, "/") {
			t.Errorf("status %d left %s", status, left)
		}
		if t.Failed() {
			t.Fatalf("case %d: %s: %s", i, name, how)
		}
	}
}

// accounted checks that the store at a path is whole, and that every record was used, ignored or rejected.
func accounted(t *testing.T, dir, out string) {
	t.Helper()
	status, stdout := bounded(t, dir, "inspect", out, "--json")
	if status != 0 {
		t.Errorf("inspect ends with %d", status)
		return
	}
	var doc struct {
		Records struct {
			Read, Used, Rejected int64
			Ignored              map[string]int64
		}
	}
	if err := json.Unmarshal(stdout, &doc); err != nil {
		t.Errorf("inspect --json: %v", err)
		return
	}
	sum := doc.Records.Used + doc.Records.Rejected
	for _, n := range doc.Records.Ignored {
		sum += n
	}
	if sum != doc.Records.Read || doc.Records.Read == 0 {
		t.Errorf("%d records read, %d accounted for: %+v", doc.Records.Read, sum, doc.Records)
	}
}
