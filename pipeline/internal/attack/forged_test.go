package attack

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"racecard/datasets/modelfile"
	"racecard/datasets/store/storetest"
	"racecard/datasets/tablefile"
)

// artefact is a folder that racecard made, and the commands that read it; X is the folder, OUT a free place.
type artefact struct {
	name     string
	dir      string
	sign     func(t *testing.T, dir string)
	commands [][]string
}

// artefacts makes one folder of each kind.
func artefacts(t *testing.T) []artefact {
	t.Helper()
	dir := inputs(t)
	at := func(name string) string { return filepath.Join(dir, name) }
	racecard(t, "table", "build", at("models"), "--allocations", "2,4", "--replicates", "3", "--out", at("tables"))
	return []artefact{
		{"store", at("s.store"), func(t *testing.T, dir string) { storetest.Resign(t, dir, nil) }, [][]string{
			{"inspect", "X"}, {"inspect", "X", "--json"}, {"analyze", "X", "--min-runs", "3", "--out", "OUT"},
			{"fit", "X", "--all", "--min-runs", "3", "--out", "OUT"},
			{"backtest", "X", "--min-runs", "3", "--replicates", "10", "--last", "2"}, {"whatif", "X", "--run", "r3"},
			{"simulate", "eagle", "X", "--machines", "4"},
			{"simulate", "carbyne", "X", "--machines", "2", "--capacity", "cpu=4", "--jobs", "5", "--interarrival",
				"2"},
			{"import", "--append", "--out", "X", at("b.jsonl")},
		}},
		{"models", at("models"), func(t *testing.T, dir string) {
			t.Helper()
			resignIndexed(t, dir, modelfile.IndexFile)
		}, [][]string{
			{"table", "build", "X", "--allocations", "2,4", "--replicates", "3", "--out", "OUT"},
			{"table", "explain", "X", "--job", "hourly", "--replicates", "3", "--runs", "2", "--out", "OUT"},
			{"simulate", "jockey", "X", "--job", "hourly", "--replicates", "1", "--bound", "1", "--simulations", "5",
				"--max-tokens", "4"},
		}},
		{"tables", at("tables"), func(t *testing.T, dir string) {
			t.Helper()
			resignIndexed(t, dir, tablefile.IndexFile)
		}, [][]string{
			{"table", "verify", "X"}, {"table", "show", "X", "--job", "hourly"}, {"table", "lookup", "X", "--job",
				"hourly", "--progress", "0.5", "--allocation", "3"},
			{"inspect", "X"},
		}},
		{"results", at("results"), func(t *testing.T, dir string) { t.Helper(); resignIndexed(t, dir, "results.json") },
			[][]string{
				{"report", "X", "--out", "OUT"}, {"inspect", "X"},
			}},
	}
}

// Every file of stores, models, tables and results is damaged in all ways, with checksums that match and that do not:
// every command that reads them ends in time and memory, with a status that says something, and without a panic.
func TestForgedFolders(t *testing.T) {
	haveLimits(t)
	for _, a := range artefacts(t) {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			var files []string
			contents := map[string][]byte{}
			err := fs.WalkDir(os.DirFS(a.dir), ".", func(name string, d fs.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				files = append(files, name)
				contents[name], err = os.ReadFile(filepath.Join(a.dir, name))
				return err
			})
			if err != nil || len(files) == 0 {
				t.Fatal(files, err)
			}
			refused := 0
			for i := range cases(24, 2000) {
				rng := rand.New(rand.NewPCG(uint64(i), 15))
				name := files[i%len(files)]
				data, how := mutate(rng, contents[name], contents[files[rng.IntN(len(files))]])
				dir := copied(t, a.dir)
				if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
					t.Fatal(err)
				}
				signed := rng.IntN(4) > 0
				if signed {
					a.sign(t, dir)
				}
				command := slices.Clone(a.commands[rng.IntN(len(a.commands))])
				for k := range command {
					switch command[k] {
					case "X":
						command[k] = dir
					case "OUT":
						command[k] = filepath.Join(t.TempDir(), "out")
					}
				}
				status, _ := bounded(t, t.TempDir(), command...)
				if status != 0 {
					refused++
				}
				if t.Failed() {
					t.Fatalf("case %d: %s: %s, signed: %v", i, name, how, signed)
				}
			}
			if refused == 0 {
				t.Error("nothing was refused")
			}
		})
	}
}
