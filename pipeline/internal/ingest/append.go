package ingest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"racecard/datasets/publish"
	"racecard/datasets/source"
	"racecard/datasets/store"
)

// extend prepares for appending to the store of a manifest: files whose runs it contains are skipped.
func (im *importer) extend(ctx context.Context, base *store.Manifest, out string) error {
	if base.Options[optionJobKey] != im.JobKey {
		return fmt.Errorf("%s was imported %s; append to it likewise, or import everything again with --force", out,
			describeJobKey(base.Options[optionJobKey]))
	}
	im.had = map[string]string{}
	for _, s := range base.Sources {
		im.had[s.SHA256] = s.Name
	}
	all := im.files
	if err := im.passKnown(ctx); err != nil {
		return err
	}
	base.Warnings = slices.DeleteFunc(base.Warnings, im.readAgain)
	fsys, err := publish.Open(out)
	if err != nil {
		return err
	}
	s, err := store.Open(fsys)
	if err != nil {
		return err
	}
	im.known = &stored{source.NewIDs(), source.NewIDs(), source.NewIDs(), source.NewIDs(), map[string]struct{}{},
		source.NewIDs()}
	if err := im.known.refuse(s.Rejects(ctx)); err != nil {
		return err
	}
	prefixes := map[string]bool{} // of the ids of runs
	columns := store.Projection{"jobs.seq", "jobs.submit", "jobs.start", "jobs.end", "jobs.status"}
	if im.format.Gathers { // a later file may have more rows of a run
		columns = append(columns, "stages.stage", "tasks.stage")
	}
	for part := range s.Parts() {
		for run, err := range s.Runs(ctx, part, columns) {
			if err != nil {
				return err
			}
			im.known.add(run)
			im.after = max(im.after, run.Seq+1)
			switch {
			case im.format.Numbered:
				prefixes[run.ID[:strings.LastIndexByte(run.ID, ':')+1]] = true
			case im.format.Named != nil:
				prefixes[strings.Clone(run.ID)] = true
			}
		}
	}
	if im.format.Numbered || im.format.Named != nil {
		return im.number(ctx, all, base.Sources, im.storedPrefixes(base.Sources, prefixes))
	}
	return nil
}

// passKnown leaves out the files that the store has. A run may lie in several files, such as a rolling log: when one of
// them is new, all are read.
func (im *importer) passKnown(ctx context.Context) error {
	keys := im.groups()
	had := make([]string, len(im.files)) // name in the store
	fresh := map[string]bool{}           // groups
	for i, f := range im.files {
		sum, err := f.Sum(ctx)
		if err != nil {
			return err
		}
		if had[i] = im.had[sum]; had[i] == "" {
			fresh[keys[i]] = true
		}
	}
	var files []*source.File
	for i, f := range im.files {
		if fresh[keys[i]] {
			files = append(files, f)
		} else if had[i] != shortName(f.Name) {
			im.tally.Warn(warnPassed, "%s is in the store already, as %s", f.Name, had[i])
		}
	}
	im.files = files
	return nil
}

// groups returns for each file the group of files that must be read together.
func (im *importer) groups() []string {
	keys := make([]string, len(im.files))
	for i, f := range im.files {
		switch {
		case !im.format.Apart:
			continue // one group
		case im.format.Together != nil:
			keys[i] = im.format.Together(f)
		}
		if keys[i] == "" {
			keys[i] = f.Name
		}
	}
	return keys
}

// readAgain reports whether a warning is about the end of a file that is read again, which may be whole now.
func (im *importer) readAgain(warning string) bool {
	kind, text, _ := strings.Cut(warning, ": ")
	return slices.Contains([]string{source.WarnEndsEarly, source.WarnDamaged, source.NoteGrew, source.NoteShrank}, kind) &&
		slices.ContainsFunc(im.files, func(f *source.File) bool { return strings.HasPrefix(text, f.Name+": ") })
}
