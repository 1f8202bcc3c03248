package wta

import (
	"context"
	"encoding/json"
	"fmt"

	"racecard/datasets/groupby"
	"racecard/datasets/lists"
	"racecard/datasets/source"
)

// scatter reads an input in two waves: [source.Scatter]. The rows of the archive name their workflow, and OpenDC's
// tasks are runs of their own, so that both can be dealt out by run wherever they lie. Which of OpenDC's tasks depend
// on each other is known only where all of them are. The state of a process says which tables its files have.
type scatter struct{ memory int64 }

// Scatter deals the rows of files out to partitions.
func (s scatter) Scatter(ctx context.Context, files []*source.File, tally *source.Tally,
	reject func(*source.Reject) error) (*source.Scattered, error) {
	var failed error
	r, more := gather(ctx, s.memory, files, tally, source.Rejecting(reject, &failed))
	if !more {
		return nil, failed
	}
	var rows []int64
	for i := range files {
		rows = append(rows, r.first[i+1]-r.first[i])
	}
	out, err := r.g.Scattered(rows)
	if err != nil {
		return nil, err
	}
	out.State, err = json.Marshal(r.held)
	return out, err
}

// Gather returns chunks of the rows of all files.
func (s scatter) Gather(files []*source.File, from []*source.Scattered) ([]source.Chunk, error) {
	var all []held
	for _, f := range from {
		var h held
		if err := json.Unmarshal(f.State, &h); err != nil {
			return nil, fmt.Errorf("tables of files: %w", err)
		}
		all = append(all, h)
	}
	if err := whole(all); err != nil {
		return nil, err
	}
	g, first := groupby.Gathered(s.memory, from)
	parts, err := g.Chunks()
	out := lists.Map(parts, func(c groupby.Chunk) source.Chunk { return chunk(c, files, first) })
	return out, err
}

// whole returns an error if one machine has to read what several processes did.
func whole(all []held) error {
	machines, openDC, depend, archive, both := 0, 0, false, 0, 0
	for _, h := range all {
		machines += h.Machines
		depend = depend || h.Depend
		switch {
		case h.OpenDC && h.Archive:
			both++
		case h.OpenDC:
			openDC++
		case h.Archive:
			archive++
		}
	}
	switch {
	case depend && openDC+both > 1:
		return &source.WholeError{Why: "OpenDC tasks of several units name parents or children, which may lie anywhere"}
	case both+min(openDC, 1)+min(archive, 1) > 1: // the one's rejects come behind the other's
		return &source.WholeError{Why: "some units read tables of OpenDC, others of the Workflow Trace Archive"}
	case machines > maxMachines:
		return &source.WholeError{Why: fmt.Sprintf("there are more than %d machines", maxMachines)}
	}
	return nil
}
