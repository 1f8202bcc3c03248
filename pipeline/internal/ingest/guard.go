package ingest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// guard refuses runs that their reader accepts but the options do not. It watches the reader's tally: its
// changes since the previous run belong to the current one.
type guard struct {
	key     *jobKey
	strict  bool
	known   *source.IDs // of the store that is appended to; nil for none
	tally   *source.Tally
	used    int64
	repairs map[string]int64 // repairs when their sum was repaired
	seen    int64
}

// Reasons of rejects.
const (
	reasonRepaired = "repaired" // with --strict, followed by the kind
)

// admit returns the reject for a run that is refused, nil for one that is accepted.
func (g *guard) admit(run *trace.Run) *source.Reject {
	used := g.tally.Used - g.used
	defer func() {
		g.used = g.tally.Used
		if g.strict && g.tally.Repaired() != g.seen {
			g.seen, g.repairs = g.tally.Repaired(), maps.Clone(g.tally.Repairs)
		}
	}()
	reason, detail := "", ""
	switch {
	case g.known != nil && g.known.Has(run.ID):
		reason, detail = source.ReasonDuplicateID, "it is in the store since an earlier import"
	case g.strict && g.tally.Repaired() != g.seen:
		var kinds []string
		for _, kind := range slices.Sorted(maps.Keys(g.tally.Repairs)) {
			if n := g.tally.Repairs[kind] - g.repairs[kind]; n > 0 {
				kinds = append(kinds, fmt.Sprintf("%s (%d)", kind, n))
				if reason == "" {
					reason = reasonRepaired + ": " + kind
				}
				if g.tally.Repairs[kind] -= n; g.tally.Repairs[kind] == 0 {
					delete(g.tally.Repairs, kind)
				}
			}
		}
		detail = "with --strict nothing is repaired: " + strings.Join(kinds, ", ")
	default:
		return nil
	}
	g.tally.Unuse(used, reason)
	o := g.tally.Origin()
	return source.NewReject(o.File, o.Line, "", reason,
		fmt.Sprintf("run %q with its %d records: %s", run.ID, used, detail), o.Raw)
}
