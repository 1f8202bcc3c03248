package cli

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"slices"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/store"
)

// RejectExample is a record that could not be used.
type RejectExample struct {
	File   string `json:"file"`
	Line   int64  `json:"line"` // 0 when the record is not a line
	Field  string `json:"field"`
	Reason string `json:"reason"`
	Detail string `json:"detail"`
	Raw    string `json:"raw"`
}

// examples bounds the rejects that are shown per reason.
const examples = 3

// exampleRejects returns the first few rejects of every reason, by reason. It reads rejects until it has them.
func exampleRejects(ctx context.Context, s *store.Store) ([]RejectExample, error) {
	wanted := map[string]int64{}
	for reason, n := range s.Manifest().Rejected {
		wanted[reason] = min(n, examples)
	}
	var out []RejectExample
	for t, err := range s.Rejects(ctx) {
		if errors.Is(err, fs.ErrPermission) {
			return out, nil // rejects quote the input, which the user may not be allowed to read
		}
		if err != nil {
			return nil, err
		}
		out = takeRejects(out, t, wanted)
		if lists.Total(wanted) == 0 {
			break
		}
	}
	slices.SortStableFunc(out, func(a, b RejectExample) int { return cmp.Compare(a.Reason, b.Reason) })
	return out, nil
}

// takeRejects appends the wanted rejects of a table, and removes them from want.
func takeRejects(out []RejectExample, t *result.Table, wanted map[string]int64) []RejectExample {
	file, field, reason, detail, raw := t.Text("file"), t.Text("field"), t.Text("reason"), t.Text("detail"),
		t.Text("raw")
	lines := t.Numbers("line")
	for i := range file {
		if wanted[reason[i]] > 0 {
			wanted[reason[i]]--
			out = append(out, RejectExample{file[i], int64(lines[i]), field[i], reason[i], detail[i], raw[i]})
		}
	}
	return out
}
