package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"path/filepath"

	"racecard/datasets/modelfile"
	"racecard/datasets/publish"
	"racecard/datasets/store"
	"racecard/datasets/trace"
	forecasts "racecard/models/deadlines/forecast"
)

// keptSuffix is what the name of a store's folder of kept forecasts has besides that of the store.
const keptSuffix = ".forecasts"

// fittedRuns is what a forecast needs of a store: the fitted runs of a job, and what all jobs say of surprises.
type fittedRuns struct {
	Name      string              `json:"name"` // as grouped
	Past      *forecasts.Fitted   `json:"past"`
	Submitted []trace.Instant     `json:"submitted"` // of the runs, where the trace has a clock
	Surprise  *modelfile.Surprise `json:"surprise"`  // nil for none
}

// keptJob is a file of the folder of kept forecasts.
type keptJob struct {
	Of  string          `json:"of"`     // what it was made from: see keptFile
	Sum string          `json:"sha256"` // of Job
	Job json.RawMessage `json:"job"`    // fittedRuns
}

// keptFile returns the file in which the fitted runs of a job are kept beside a store, and a hash of all that they
// depend on: the program, the store, the runs that are chosen, and how they are fitted. It is empty where nothing can
// be kept.
func (e *env) keptFile(s *store.Store, path, job string, o forecasts.Options) (file, of string) {
	_, build, err := thisProgram()
	place, err2 := publish.Abs(path)
	if err != nil || err2 != nil || publish.Remote(path) || s.Manifest().Checksum == "" {
		return "", ""
	}
	depends, err := json.Marshal([]any{build, s.Manifest().Checksum, s.Filter(), job, o.Newest, o.Profile})
	if err != nil {
		return "", ""
	}
	return filepath.Join(place+keptSuffix, modelfile.FileName(job)), hexSum(depends)
}

// keptBefore returns what was kept of a job, if that is whole and still right.
func keptBefore(file, of string) *fittedRuns {
	var kept keptJob
	var job fittedRuns
	if data, err := publish.ReadFile(file); err != nil || json.Unmarshal(data, &kept) != nil || kept.Of != of ||
		kept.Sum != hexSum(kept.Job) || json.Unmarshal(kept.Job, &job) != nil || job.Past == nil ||
		job.Past.Validate() != nil {
		return nil
	}
	return &job
}

// keepJob keeps the fitted runs of a job. Where that fails, as beside a store that others own, the next forecast reads
// the store again.
func keepJob(file, of string, job *fittedRuns) {
	fitted, err := json.Marshal(job)
	if err != nil {
		return
	}
	data, err := json.Marshal(keptJob{of, hexSum(fitted), fitted})
	if err != nil {
		return
	}
	made, err := publish.BeginFile(file)
	if err != nil {
		return
	}
	if name := filepath.Base(file); made.Write(name, data) != nil || made.PublishFile(name) != nil {
		_ = made.Abort() // nothing was asked for
	}
}

// hexSum returns a SHA-256 in hexadecimal.
func hexSum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
