package ingest

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"path"
	"slices"
	"strings"

	"racecard/datasets/result"
	"racecard/datasets/source"
	"racecard/datasets/trace"
	"racecard/datasets/words"
)

// guard refuses runs that their reader accepts but the options do not, and passes over those that the store has or that
// have not ended. It watches the reader's tally: its changes since the previous run belong to the current one.
type guard struct {
	key     *jobKey
	strict  bool
	ended   bool    // pass over runs that have not ended
	known   *stored // of the store that is appended to; nil for none
	gathers bool    // a run may lie in several files
	tally   *source.Tally
	used    int64
	refused map[string]int64 // rejected records per reason, when one was last met
	repairs map[string]int64 // repairs when their sum was repaired
	seen    int64
}

// stored is the runs and rejects of a store.
type stored struct {
	ids     *source.IDs
	runs    *source.IDs         // ids with submissions
	ends    *source.IDs         // ids with submissions and ends
	rows    *source.IDs         // ids with submissions and numbers of rows
	open    map[string]struct{} // ids of runs that had not ended
	rejects *source.IDs
}

// refuse adds the rejects of a store, unless the user may not read them, as they quote the input.
func (s *stored) refuse(rejects iter.Seq2[*result.Table, error]) error {
	for t, err := range rejects {
		if errors.Is(err, fs.ErrPermission) {
			return nil
		}
		if err != nil {
			return err
		}
		lines, file, raw := t.Numbers("line"), t.Text("file"), t.Text("raw")
		field, reason, detail := t.Text("field"), t.Text("reason"), t.Text("detail")
		for i := range reason {
			s.rejects.Claim(rejected(&source.Reject{File: file[i], Line: int64(lines[i]), Field: field[i],
				Reason: reason[i], Detail: detail[i], Raw: []byte(raw[i])}))
		}
	}
	return nil
}

// rejected identifies a reject, whatever its file is called since, unless it quotes nothing of the file.
func rejected(r *source.Reject) string {
	file := ""
	if len(r.Raw) == 0 {
		file = path.Base(source.Uncompressed(r.File))
	}
	return strings.ToValidUTF8(fmt.Sprintf("%s %d %s %s %s\n%s", file, r.Line, r.Field, r.Reason, r.Detail, r.Raw),
		"\ufffd")
}

// add adds a run.
func (s *stored) add(run *trace.Run) {
	s.ids.Claim(run.ID)
	s.runs.Claim(submission(run))
	s.ends.Claim(ending(run))
	s.rows.Claim(rowsOf(run))
	if run.Status == trace.Running {
		s.open[strings.Clone(run.ID)] = struct{}{}
	}
}

// submission identifies a run by its id and the time of its submission, as runs of several clusters may have one id.
func submission(run *trace.Run) string { return fmt.Sprintf("%s %d", run.ID, run.Submitted()) }

// ending identifies a run and how it ended.
func ending(run *trace.Run) string {
	return fmt.Sprintf("%s %d %v", submission(run), run.End, run.Status)
}

// rowsOf identifies a run and how many rows it has.
func rowsOf(run *trace.Run) string {
	return fmt.Sprintf("%s %d %d", submission(run), len(run.Stages), len(run.Attempts))
}

// Reasons of rejects.
const (
	reasonRepaired = "repaired" // with --strict, followed by the kind
)

// Kinds of ignored records, and of warnings.
const (
	kindStored    = "run in the store"
	kindNotEnded  = "run not ended"
	kindCut       = "end of a file that is cut off"
	kindRejected  = "record rejected before"
	warnHaveEnded = "run ended since"
	warnChanged   = "run changed since"
	warnRows      = "run has other rows since"
	warnNoKey     = "job key"
)

// admit reports whether a run is accepted. One that is not is passed over, or refused with a reject.
func (g *guard) admit(run *trace.Run) (bool, *source.Reject) {
	used := g.tally.Used - g.used
	defer func() {
		g.used = g.tally.Used
		if g.strict && g.tally.Repaired() != g.seen {
			g.seen, g.repairs = g.tally.Repaired(), maps.Clone(g.tally.Repairs)
		}
	}()
	reason, detail := "", ""
	switch {
	case g.ended && run.Status == trace.Running:
		g.tally.PassOver(used, kindNotEnded)
		g.tally.Drop()
		return false, nil
	case g.known != nil && g.known.runs.Has(submission(run)):
		g.tally.PassOver(used, kindStored)
		g.tally.Drop()
		if _, open := g.known.open[run.ID]; open && run.Status != trace.Running {
			g.tally.Warn(warnHaveEnded, "run %s had not ended when it was imported, and has now: the store keeps it as "+
				"it was; import everything again with --force, and append with --ended", run.ID)
		} else if !open && !g.known.ends.Has(ending(run)) {
			g.tally.Warn(warnChanged, "run %s has another end or status than when it was imported: the store keeps it as "+
				"it was; if it is right now, import everything again with --force", run.ID)
		} else if g.gathers && !g.known.rows.Has(rowsOf(run)) {
			g.tally.Warn(warnRows, "run %s has %s and %s, and had other numbers when it was imported: the store keeps it "+
				"as it was; if all its files are there now, import everything again with --force", run.ID,
				words.Of(len(run.Stages), "stage", "stages"), words.Of(len(run.Attempts), "attempt", "attempts"))
		}
		return false, nil
	case g.known != nil && g.known.ids.Has(run.ID):
		reason, detail = source.ReasonDuplicateID, "another run of this id is in the store since an earlier import"
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
		return true, nil
	}
	g.tally.Unuse(used, reason)
	g.tally.Drop()
	o := g.tally.Origin()
	return false, source.NewReject(o.File, o.Line, "", reason,
		fmt.Sprintf("run %q with its %d records: %s", run.ID, used, detail), o.Raw)
}

// passed reports whether a reject is passed over: the store has it already, or it is the end of a file that may still
// grow. With --ended such an end is like a run that has not ended. It is read again when the file has grown.
func (g *guard) passed(rej *source.Reject) bool {
	n := g.tally.Rejected[rej.Reason] - g.refused[rej.Reason]
	kind := ""
	switch {
	case n <= 0:
	case g.ended && rej.Reason == source.ReasonTruncated:
		kind = kindCut
	case g.known != nil && g.known.rejects.Has(rejected(rej)):
		kind = kindRejected
	}
	if kind == "" {
		g.refused[rej.Reason] += n
		return false
	}
	if g.tally.Rejected[rej.Reason] -= n; g.tally.Rejected[rej.Reason] == 0 {
		delete(g.tally.Rejected, rej.Reason)
	}
	g.tally.Ignored[kind] += n
	return true
}
