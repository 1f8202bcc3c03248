package cli

import (
	"encoding/json"
	"path/filepath"

	"racecard/datasets/indexed"
	"racecard/datasets/modelfile"
	"racecard/datasets/publish"
	"racecard/datasets/store"
	"racecard/datasets/trace"
	forecasts "racecard/models/deadlines/forecast"
)

// keptSuffix is appended to the path of a store to name the folder of its kept forecasts.
const keptSuffix = ".forecasts"

// fittedRuns is the part of a store that a forecast needs.
type fittedRuns struct {
	Name      string              `json:"name"` // of the job, as grouped
	Past      *forecasts.Fitted   `json:"past"`
	Submitted []trace.Instant     `json:"submitted"` // of the runs, where the trace has a clock
	Runs      int                 `json:"runs"`
	Programs  int                 `json:"programs"` // runs that are one program on several cores at once
	Surprise  *modelfile.Surprise `json:"surprise"` // learned from all jobs; nil for none
}

// keptRuns is the file in which the fitted runs of a job are kept next to a store. The zero value keeps nothing.
type keptRuns struct{ file, key string }

// keptContent is the content of that file.
type keptContent struct {
	Key  string          `json:"key"`    // of keptRuns
	Sum  string          `json:"sha256"` // of Runs
	Runs json.RawMessage `json:"runs"`   // fittedRuns
}

// keptRunsOf returns the file of a job. Its key is a checksum of everything that fitted runs depend on: the program,
// the store, the runs that are chosen, and the options of the fit. Next to stores in a bucket nothing is kept.
func keptRunsOf(s *store.Store, path, job string, o forecasts.Options) keptRuns {
	_, build, err := thisProgram()
	if err != nil || publish.Remote(path) {
		return keptRuns{}
	}
	place, err := publish.Abs(path)
	if err != nil {
		return keptRuns{}
	}
	data, err := json.Marshal([]any{build, s.Manifest().Checksum, s.Filter(), job, o.Newest, o.Profile})
	if err != nil {
		return keptRuns{}
	}
	return keptRuns{filepath.Join(place+keptSuffix, modelfile.FileName(job)), indexed.Sum(data)}
}

// read returns the runs that were kept; nil where there are none, they have another key, or a byte is damaged.
func (k keptRuns) read() *fittedRuns {
	if k.file == "" {
		return nil
	}
	var content keptContent
	var runs fittedRuns
	if data, err := publish.ReadFile(k.file); err != nil || json.Unmarshal(data, &content) != nil ||
		content.Key != k.key || content.Sum != indexed.Sum(content.Runs) ||
		json.Unmarshal(content.Runs, &runs) != nil || runs.Past == nil || runs.Past.Validate() != nil {
		return nil
	}
	return &runs
}

// write keeps runs. It is no error if they cannot be kept, for instance where the user may not write next to the
// store: the next forecast then reads the store again.
func (k keptRuns) write(runs *fittedRuns) {
	if k.file == "" {
		return
	}
	data, err := json.Marshal(runs)
	if err != nil {
		return
	}
	if data, err = json.Marshal(keptContent{k.key, indexed.Sum(data), data}); err == nil {
		_ = writeFile(k.file, data) // see above
	}
}
