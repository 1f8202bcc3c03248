package modelfile_test

import (
	"bytes"
	"io/fs"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"racecard/datasets/indexed"
	"racecard/datasets/modelfile"
)

// fitted returns a profile of one run: two stages of two tasks, the second after the first.
func fitted(name string) *modelfile.Profile {
	mean, none := 1.5, modelfile.Dist{Family: modelfile.None, Values: []int64{}}
	stage := modelfile.Stage{
		Name: "s", Tasks: modelfile.Counts{N: 1, Mean: &mean, Values: []int64{2}},
		Duration: modelfile.Dist{N: 2, Family: modelfile.Gamma, MeanS: &mean, Values: []int64{1_000_000, 2_000_000},
			Params: []modelfile.Param{{Name: "shape", Value: 9}, {Name: "scale_s", Value: mean / 9}}},
		Typical: modelfile.Typical{First: &none, Later: none, Elapsed: none}, Latency: none, Delay: none, Elapsed: none,
		Estimate: none,
		Failure:  modelfile.Failure{After: none}, Lost: modelfile.Lost{Together: modelfile.Counts{Values: []int64{}}},
	}
	weighted := modelfile.Dist{N: 2, Family: modelfile.Empirical, MeanS: &mean, Values: []int64{1, 2},
		Weights: []float64{0.25, 0.75}}
	return &modelfile.Profile{
		Format: modelfile.Format, Version: modelfile.Version, Job: name, RawNames: []string{name},
		Resolution: modelfile.ByAttempt,
		Runs:       modelfile.Runs{Used: 1, Effective: 1}, Options: modelfile.Options{MinEmpirical: 30,
			MaxValues: 4096}, Warnings: []string{},
		Surprise: &modelfile.Surprise{SD: 0.1, Late: 1, Tail: 2, Runs: 300,
			Levels: modelfile.Levels{{AtS: 0}, {AtS: 60, Log: 0.25}}},
		Plans: []modelfile.Plan{{
			Plan: "00", Resolution: modelfile.ByAttempt, Runs: 1, ShareOfRuns: 1, RunIDs: []string{"r"},
			Stages: []modelfile.Stage{stage, stage}, Edges: []modelfile.Edge{{Parent: 0, Child: 1, Kind: "all_to_all",
				ShareOfRuns: 1}},
			Driver: modelfile.Driver{StartUp: none, FirstRun: none, WindDown: none, Idle: none}, WorkS: weighted,
			CompletionS: none,
			Losses: modelfile.Losses{Together: modelfile.Counts{Values: []int64{}},
				Machines: modelfile.Counts{Values: []int64{}}},
		}},
	}
}

func folder(t *testing.T) (fstest.MapFS, []*modelfile.Profile) {
	t.Helper()
	want := []*modelfile.Profile{fitted("a/b"), fitted("a_b")}
	index := modelfile.Index{Store: "s"}
	var files []indexed.File
	for _, p := range want {
		file, entry, err := modelfile.File(p)
		if err != nil {
			t.Fatal(err)
		}
		files, index.Models = append(files, file), append(index.Models, entry)
	}
	listed, err := modelfile.EncodeIndex(index)
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, listed)
	fsys := fstest.MapFS{}
	for _, f := range files {
		fsys[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	if len(fsys) != 3 || files[2].Name != modelfile.IndexFile {
		t.Fatalf("files %v", files)
	}
	return fsys, want
}

// loadAll reads all profiles of a folder, in the order of the index.
func loadAll(fsys fs.FS) ([]*modelfile.Profile, error) {
	x, err := modelfile.ReadIndex(fsys)
	if err != nil {
		return nil, err
	}
	profiles := make([]*modelfile.Profile, len(x.Models))
	for i, e := range x.Models {
		if profiles[i], err = modelfile.Load(fsys, e); err != nil {
			return nil, err
		}
	}
	return profiles, nil
}

func TestRoundTrip(t *testing.T) {
	fsys, want := folder(t)
	got, err := loadAll(fsys)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	_, entry, err := modelfile.File(want[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := modelfile.EncodeIndex(modelfile.Index{Models: []modelfile.Entry{entry, entry}}); err == nil {
		t.Error("one job twice is saved")
	}
}

func TestDamagedFilesAreRefused(t *testing.T) {
	fsys, want := folder(t)
	name := modelfile.FileName("a/b")
	whole := fsys[name].Data
	fsys[name] = &fstest.MapFile{Data: bytes.Replace(whole, []byte(`"runs": 1`), []byte(`"runs": 2`), 1)}
	if _, err := loadAll(fsys); err == nil || !strings.Contains(err.Error(), "checksum") {
		t.Errorf("a changed file: got error %v", err)
	}
	delete(fsys, name)
	if _, err := loadAll(fsys); err == nil {
		t.Error("a missing file is read")
	}
	if _, err := loadAll(fstest.MapFS{}); err == nil || !strings.Contains(err.Error(), "racecard fit") {
		t.Errorf("an empty folder: got error %v", err)
	}
	for _, test := range []struct{ name, from, to, want string }{
		{"cut off", string(whole[len(whole)-40:]), "", "cut off"},
		{"another format", `"racecard-profile"`, `"racecard-table"`, "format"},
		{"a newer version", `"version": 4`, `"version": 5`, "version is 5"},
		{"an unknown field", `"job":`, `"jobs":`, "unknown field"},
		{"an edge backwards", `"parent": 0`, `"parent": 1`, "edges[0]"},
		{"a negative parameter", `"value": 9`, `"value": -9`, "shape"},
		{"weights that are none", `0.75`, `0.5`, "weights"},
		{"values out of order", "1000000,", "3000000,", "ascending"},
		{"an unknown family", `"family": "none"`, `"family": "weird"`, "family"},
		{"a surprise that is none", `"sd": 0.1`, `"sd": -0.1`, "surprise"},
		{"a share that is none", `"sd": 0.1`, `"plain": 1.1`, "surprise"},
		{"levels out of order", `"at_s": 60`, `"at_s": 0`, "surprise.drift[1]"},
		{"a second document", "\n}\n", "\n}\n{}\n", "after top-level"},
	} {
		data := bytes.Replace(whole, []byte(test.from), []byte(test.to), 1)
		if bytes.Equal(data, whole) {
			t.Errorf("%s: nothing to change", test.name)
		}
		if _, err := modelfile.Decode(data); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got error %v, want one with %q", test.name, err, test.want)
		}
	}
	bad := *want[0]
	bad.Plans = nil
	if _, err := modelfile.Encode(&bad); err == nil {
		t.Error("a profile without plans is encoded")
	}
}

func FuzzDecode(f *testing.F) {
	data, err := modelfile.Encode(fitted("n"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(`{"format":"racecard-profile","version":1,"plans":[{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if p, err := modelfile.Decode(data); err == nil {
			if _, err := modelfile.Encode(p); err != nil {
				t.Errorf("what was read cannot be written: %v", err)
			}
		}
	})
}

// A profile holds the levels at the ends of its own runs, each from then on, and the last of the store.
func TestTell(t *testing.T) {
	levels := modelfile.Levels{{AtS: 10, Log: 0.1}, {AtS: 20, Log: 0.3}, {AtS: 30, Log: 0.2}, {AtS: 40, Log: 0.25}}
	for at, want := range map[float64]float64{5: 0, 10: 0.1, 15: 0.1, 20: 0.3, 35: 0.2, 50: 0.25} {
		if got := levels.At(at); got != want {
			t.Errorf("the level at %v s is %v, want %v", at, got, want)
		}
		if got := levels.Since(at); math.Abs(got-math.Exp(0.25-want)) > 1e-12 {
			t.Errorf("since %v s by %v, want %v", at, got, math.Exp(0.25-want))
		}
	}
	if got := modelfile.Levels(nil).Since(5); got != 1 {
		t.Errorf("without levels by %v", got)
	}
	ends := []float64{25, 5, 25, 60}
	p := &modelfile.Profile{Plans: []modelfile.Plan{{}, {}}}
	for i := range ends {
		p.Plans[i%2].RunFactors = append(p.Plans[i%2].RunFactors, modelfile.RunFactor{EndS: &ends[i]})
	}
	p.Tell(&modelfile.Surprise{Levels: levels})
	want := modelfile.Levels{{AtS: 5}, {AtS: 25, Log: 0.3}, {AtS: 40, Log: 0.25}}
	if !slices.Equal(p.Surprise.Levels, want) || len(levels) != 4 {
		t.Errorf("the profile holds %v, want %v", p.Surprise.Levels, want)
	}
	ends[3] = 22
	p.Tell(&modelfile.Surprise{Levels: levels})
	if got := p.Grown(); math.Abs(got-math.Exp(-0.05)) > 1e-12 { // since 22 s and twice 25 s; since 5 s by more
		t.Errorf("grown by %v, want %v", got, math.Exp(-0.05))
	}
	if p.Tell(nil); !math.IsNaN(p.Grown()) || p.Surprise != nil {
		t.Errorf("told of nothing it holds %+v, grown by %v", p.Surprise, p.Grown())
	}
}
