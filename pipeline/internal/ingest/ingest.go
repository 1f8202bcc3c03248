// Package ingest turns trace files into a store: it finds the files behind paths, detects their format, reads the runs,
// keeps the rejects, and publishes the store or leaves nothing behind.
package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime/debug"
	"slices"
	"strings"

	"racecard/datasets/formats"
	"racecard/datasets/generate"
	"racecard/datasets/indexed"
	"racecard/datasets/lists"
	"racecard/datasets/publish"
	"racecard/datasets/source"
	"racecard/datasets/store"
	"racecard/datasets/words"
)

// Options of an import.
type Options struct {
	Format     string  // name of the format; "" detects it
	MaxRejects float64 // largest share of rejected records; above it the import fails
	Memory     int64   // budget in bytes for gathering scattered records; 0 is the default
	Replace    bool    // replace an existing store
	Append     bool    // append to an existing store
	Restart    bool    // do not resume an interrupted import
	Strict     bool    // reject runs with repaired records
	Ended      bool    // pass over runs that have not ended, and ends of files that are cut off
	Synthetic  bool    // the trace was generated, to be stated wherever its numbers are shown
	Note       string  // kept in the manifest
	JobKey     string  // source of the name of a run's job, in the syntax of [ParseJobKey]; "" for the normalised name
	// Progress is called regularly with the progress of the import; it may be nil.
	Progress func(Progress)
}

// DefaultOptions allows 1% of the records to be rejected.
func DefaultOptions() Options { return Options{MaxRejects: 0.01} }

// RejectedError is returned if too many records were rejected. There is no store then.
type RejectedError struct {
	Rejected, Read int64
	Early          bool // they were the first ones, and the rest was not read
	Limit          float64
	First          []string // some of the rejects, for people
	repeats        repeats  // where several files were read
}

// Error names the share, the limit and the first rejects.
func (e *RejectedError) Error() string {
	if e.Early {
		return fmt.Sprintf("all of the first %d records were rejected, so the rest was not read and no store was "+
			"written: is it this format? "+
			"With --max-rejects 100%% everything is read. First ones:\n  %s", e.Rejected, strings.Join(e.First, "\n  "))
	}
	return fmt.Sprintf("%d of %d records were rejected, more than the %.3g%% of --max-rejects; no store was "+
		"written. First ones:\n  %s", e.Rejected, e.Read, 100*e.Limit, strings.Join(e.First, "\n  ")) +
		e.repeats.remedy(e.Rejected)
}

// ShrankError is returned if files shrank too much while they were read. There is no store then.
type ShrankError struct {
	Name         string // of the first
	Missing, All int64  // bytes
	Limit        float64
}

// Error names the first file, the share, the limit and the remedy.
func (e *ShrankError) Error() string {
	return fmt.Sprintf("%s shrank while it was read: %d of %d bytes are missing, more than the %.3g%% of "+
		"--max-rejects; no store was written: "+
		"import a copy, or the file that log rotation moved it to", e.Name, e.Missing, e.All, 100*e.Limit)
}

// SuspendedError is returned if an import was interrupted and can be resumed. It is a [context.Canceled].
type SuspendedError struct{ Files int }

// Error names the kept part and the next command.
func (e *SuspendedError) Error() string {
	return fmt.Sprintf("interrupted; %d finished files are kept: the same command goes on from there, --restart "+
		"begins anew", e.Files)
}

// StreamInterruptedError is returned if an import of a stream was interrupted. It cannot be resumed. It is a
// [context.Canceled].
type StreamInterruptedError struct{ Name string }

// Error names the stream and the remedy.
func (e *StreamInterruptedError) Error() string {
	return fmt.Sprintf("interrupted; what was read of %s is gone, since a stream cannot be read again: "+
		"run the command that writes it once more, or save it to a file", e.Name)
}

// Unwrap returns [context.Canceled].
func (e *StreamInterruptedError) Unwrap() error { return context.Canceled }

// warnPassed is the kind of warnings of inputs that are not read.
const warnPassed = "file passed over"

// NothingNewError is returned if a store to append to has all the files already, or all runs that have ended. The
// store is unchanged.
type NothingNewError struct {
	Files    int
	Records  int64    // of runs in new files that were passed over
	Warnings []string // about them
}

// Error says how many files there were.
func (e *NothingNewError) Error() string {
	if e.Records > 0 {
		return fmt.Sprintf("nothing is new: %d records of new files are of runs that the store has, or that have not "+
			"ended", e.Records)
	}
	return fmt.Sprintf("nothing is new: the store has all files already (%d, known by their checksums)", e.Files)
}

// Unwrap returns [context.Canceled].
func (e *SuspendedError) Unwrap() error { return context.Canceled }

// NothingYetError is returned if there are no runs to read, but may be later: a folder holds no files, the files are
// empty, or no run has ended ([Options.Ended]). There is no new store then.
type NothingYetError struct{ text string }

// Error says why.
func (e *NothingYetError) Error() string { return e.text }

// nothingYet returns a [NothingYetError].
func nothingYet(format string, args ...any) error {
	return &NothingYetError{fmt.Sprintf(format, args...)}
}

// maxShown bounds the rejects in the message of a [RejectedError].
const maxShown = 3

// Import reads inputs into a store at out, or appends them to the existing one. An interrupted import of the
// same files with the same options is resumed; an import of a stream is not, since a stream cannot be read
// again. With [Options.Ended], damaged files whose runs lie in no other file are passed over: an import that meets one
// begins anew without it.
func Import(ctx context.Context, in source.Found, out string, o Options) (*store.Manifest, error) {
	var damaged []*source.DamagedError
	for {
		im, err := newImporter(ctx, in, o, damaged)
		var m *store.Manifest
		if err == nil {
			m, err = im.into(ctx, out, im.run)
		}
		var found *source.DamagedError
		if !o.Ended || !errors.As(err, &found) ||
			slices.ContainsFunc(in.Files, func(f *source.File) bool { return f.Once() }) ||
			slices.ContainsFunc(damaged, func(d *source.DamagedError) bool { return d.File == found.File }) {
			return m, err
		}
		damaged = append(damaged, found)
		in.Files = slices.DeleteFunc(slices.Clone(in.Files), func(f *source.File) bool { return f == found.File })
		if len(in.Files) == 0 {
			return nil, nothingYet("%s: %v", found.File.Name, found)
		}
	}
}

// newImporter returns an importer that knows its format and its files, without damaged ones.
func newImporter(ctx context.Context, in source.Found, o Options, damaged []*source.DamagedError) (*importer, error) {
	im := &importer{Options: o, tally: source.NewTally()}
	if err := im.jobKey.parse(o.JobKey); err != nil {
		return nil, err
	}
	for _, p := range in.Passed {
		im.tally.Warn(warnPassed, "%s is %s", p.Name, p.Reason)
	}
	var err error
	if im.format, im.files, err = choose(ctx, in.Files, o, im.tally); err != nil {
		return nil, err
	}
	if err := im.passDamaged(damaged); err != nil {
		return nil, err
	}
	for _, f := range im.files {
		if o.Ended && im.format.EndsInNumber {
			f.WantLineEnd()
		}
	}
	if im.jobKey.property != "" {
		if im.format.Keyed == nil {
			return nil, fmt.Errorf("--job-key %s is a property, and format %s has none: want a regular expression "+
				"with one group, such as '^(.*)-[0-9]+$'", o.JobKey, im.format.Name)
		}
		if im.format, err = im.format.Keyed(im.jobKey.property); err != nil {
			return nil, fmt.Errorf("--job-key %s: %w", o.JobKey, err)
		}
	}
	return im, nil
}

// passDamaged warns of damaged files. Where a run lies in several files and one is damaged, it leaves out the others.
func (im *importer) passDamaged(damaged []*source.DamagedError) error {
	for _, d := range damaged {
		if !im.format.Apart {
			return fmt.Errorf("%s: %w", d.File.Name, d)
		}
		if together := im.format.Together; together != nil && together(d.File) != "" {
			im.files = slices.DeleteFunc(im.files, func(f *source.File) bool { return together(f) == together(d.File) })
		}
		im.tally.Warn(source.WarnDamaged, "%s: %v; it is passed over until then", d.File.Name, d)
	}
	if len(damaged) > 0 && len(im.files) == 0 {
		return nothingYet("%s: %v", damaged[0].File.Name, damaged[0])
	}
	return nil
}

// into makes a store at out, which run fills.
func (im *importer) into(ctx context.Context, out string,
	run func(ctx context.Context, out string) (*store.Manifest, error)) (*store.Manifest, error) {
	var err error
	o := store.Options{Replace: im.Replace, Append: im.Append, Quotes: quotable(im.files), Key: im.key()}
	if im.store, err = store.Create(out, o); err != nil {
		return nil, err
	}
	m, err := run(ctx, out)
	stream := slices.IndexFunc(im.files, func(f *source.File) bool { return f.Transient })
	var transfer *publish.TransferError
	switch {
	case errors.Is(err, context.Canceled) && stream >= 0:
		return nil, errors.Join(&StreamInterruptedError{im.files[stream].Name}, im.store.Abort())
	case errors.Is(err, context.Canceled) && im.store.Files() > 0:
		return nil, errors.Join(&SuspendedError{im.store.Files()}, im.store.Suspend())
	case errors.As(err, &transfer) && transfer.Again && stream < 0 && im.store.Files() > 0:
		return nil, errors.Join(fmt.Errorf("%w; %d finished files are kept: the same command goes on from there", err,
			im.store.Files()), im.store.Suspend())
	}
	return m, errors.Join(err, im.store.Abort())
}

// importer is an import under way.
type importer struct {
	Options
	format  source.Format
	files   []*source.File
	store   *store.Writer
	known   *stored           // of the store that is appended to
	had     map[string]string // likewise: their names, by checksum
	after   int64             // likewise: the number in the input that comes after those of its runs
	tally   *source.Tally
	jobKey  jobKey
	runs    int
	seq     int64    // runs that were read one after the other
	united  bool     // other processes read the files
	first   []string // the first rejects, for people
	repeats repeats
	merge   merging
}

// key identifies an import: imports that make different stores have different keys.
func (im *importer) key() string {
	type file struct {
		Name           string
		Size, Modified int64
	}
	key := struct {
		Program, Format string
		Strict, Append  bool
		Ended           bool   `json:",omitempty"`
		JobKey          string `json:",omitempty"`
		Files           []file
	}{Format: im.format.Name, Strict: im.Strict, Append: im.Append, Ended: im.Ended, JobKey: im.JobKey}
	if info, ok := debug.ReadBuildInfo(); ok {
		key.Program = info.String()
	}
	if im.united {
		return "" // never taken up
	}
	for _, f := range im.files {
		if f.Transient {
			return "" // nor is a stream
		}
		key.Files = append(key.Files, file{f.Name, f.Size, f.Modified})
	}
	data, err := json.Marshal(key)
	if err != nil {
		return ""
	}
	return indexed.Sum(data)
}

// run does the import.
func (im *importer) run(ctx context.Context, out string) (*store.Manifest, error) {
	if base := im.store.Base(); base != nil {
		n := len(im.files)
		if err := im.extend(ctx, base, out); err != nil {
			return nil, err
		}
		if len(im.files) == 0 {
			return nil, &NothingNewError{Files: n, Warnings: im.tally.Warnings}
		}
	}
	if im.Restart {
		if err := im.store.Forget(); err != nil {
			return nil, err
		}
	}
	var memos []memo
	for _, raw := range im.store.Memos() {
		var m memo
		if err := json.Unmarshal(raw, &m); err != nil {
			return nil, err
		}
		memos = append(memos, m)
	}
	im.seq = im.after
	stop := im.watch()
	defer stop()
	flow := im.serial
	if im.format.Chunks != nil {
		flow = im.chunked
	}
	if err := flow(ctx, memos); err != nil {
		return nil, err
	}
	return im.finish()
}

// finish closes the store, unless too much was rejected.
func (im *importer) finish() (*store.Manifest, error) {
	tally := im.tally
	for _, n := range source.Notes(im.files) {
		tally.Warn(n.Kind, "%s: %s", n.File, n.Text)
	}
	twins(im.files, tally)
	if err := tally.Close(); err != nil {
		return nil, fmt.Errorf("reader %s: %w; please report this", im.format.Name, err)
	}
	rejected := lists.Total(tally.Rejected)
	if rejected > 0 && float64(rejected) > im.MaxRejects*float64(tally.Read) {
		e := &RejectedError{Rejected: rejected, Read: tally.Read, Limit: im.MaxRejects, First: im.first}
		if len(im.files) > 1 {
			e.repeats = im.repeats
		}
		return nil, e
	}
	passed := tally.Ignored[kindNotEnded] + tally.Ignored[kindStored] + tally.Ignored[kindCut] +
		tally.Ignored[kindRejected]
	switch {
	case im.runs > 0 || rejected > 0 || im.known != nil && len(tally.Machines) > 0:
	case im.known != nil && passed > 0:
		return nil, &NothingNewError{len(im.files), passed, tally.Warnings}
	case passed > 0:
		return nil, nothingYet("%s: no run of the %d records has ended (--ended)", im.files[0].Name, tally.Read)
	default:
		return nil, fmt.Errorf("%s: no runs in %d records of format %s%s", im.files[0].Name, tally.Read, im.format.Name,
			im.without())
	}
	if err := im.shrunk(); err != nil {
		return nil, err
	}
	m := store.Manifest{Format: im.format.Name, TimeBase: im.format.TimeBase, Synthetic: im.Synthetic, Note: im.Note}
	m.Options = im.kept()
	prefixes := im.prefixes(im.files)
	for i, f := range im.files {
		m.Synthetic = m.Synthetic || strings.HasPrefix(f.Base(), generate.Prefix)
		if _, ok := im.had[f.SHA256()]; ok {
			continue
		}
		s := store.SourceFile{Name: shortName(f.Name), Bytes: f.RawRead(), SHA256: f.SHA256()}
		if prefixes != nil {
			s.IDPrefix = prefixes[i]
		}
		m.Sources = append(m.Sources, s)
	}
	return im.store.Close(m, tally)
}

// without says which records there were in place of runs, and which files were passed over.
func (im *importer) without() string {
	text := ""
	if n := len(im.tally.Machines); n > 0 {
		text = ", only " + words.Of(n, "machine", "machines")
	}
	for _, w := range im.tally.Warnings {
		if file, ok := strings.CutPrefix(w, warnPassed+": "); ok {
			text += "; " + file
		}
	}
	return text
}

// shrunk returns an error when the files that shrank while they were read lost more than may be rejected.
func (im *importer) shrunk() error {
	missing, name := source.Missing(im.files)
	all := missing
	for _, f := range im.files {
		all += f.RawRead()
	}
	if missing > 0 && float64(missing) > im.MaxRejects*float64(all) {
		return &ShrankError{name, missing, all, im.MaxRejects}
	}
	return nil
}

// quotable returns the permission bits common to all files with known bits, and 0 if there are none: quotes from
// the files must not be readable by more people.
func quotable(files []*source.File) fs.FileMode {
	all := fs.FileMode(0)
	for _, f := range files {
		switch {
		case f.Readable == 0:
		case all == 0:
			all = f.Readable | 0o600
		default:
			all &= f.Readable | 0o600
		}
	}
	return all
}

// twins warns of files with the same content, by the checksums computed while reading.
func twins(files []*source.File, tally *source.Tally) {
	first := map[string]string{}
	for _, f := range files {
		sum := f.SHA256()
		if sum == "" || f.Size == 0 {
			continue
		}
		if name, twice := first[sum]; twice {
			tally.Warn("same file twice", "%s has the same content as %s", f.Name, name)
			continue
		}
		first[sum] = f.Name
	}
}

// giveUpAfter is the number of records after which an import gives up if all of them are rejected: a file of
// another format should not cost hours.
const giveUpAfter = 100_000

// giveUp returns an error if going on is pointless. first are the first rejects.
func (im *importer) giveUp(first []string) error {
	t := im.tally
	if t.Used+t.Gathered > 0 || im.MaxRejects >= 1 || im.known != nil {
		return nil
	}
	if n := lists.Total(t.Rejected); n >= giveUpAfter {
		return &RejectedError{Rejected: n, Read: t.Read, Early: true, Limit: im.MaxRejects, First: first}
	}
	return nil
}

// shortName leaves out the folders above the file's own, so that a store does not depend on where its input lay.
func shortName(name string) string {
	if publish.Remote(name) {
		_, name, _ = strings.Cut(name, "://")
	}
	if i := strings.IndexByte(name, ':'); i >= 0 {
		return shortName(name[:i]) + name[i:]
	}
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		if j := strings.LastIndexByte(name[:i], '/'); j >= 0 {
			return name[j+1:]
		}
	}
	return name
}

// choose returns the format of files and those files that have it. Files of a folder in no known format are skipped
// with a warning; an empty file is in every format.
func choose(ctx context.Context, files []*source.File, o Options, tally *source.Tally) (source.Format, []*source.File,
	error) {
	if o.Format != "" {
		f, err := formats.Named(o.Format, o.Memory)
		return f, files, err
	}
	var format source.Format
	var empty, chosen, passed []*source.File
	var foreign []error // files in other encodings
	for _, f := range files {
		found, ok, err := formats.Detect(ctx, f, o.Memory)
		switch {
		case errors.As(err, new(*source.EncodingError)):
			foreign = append(foreign, err)
		case err != nil:
			return format, nil, err
		case ok && format.Name == "":
			format = found
			chosen = append(chosen, f)
		case ok && found.Name != format.Name:
			return format, nil, fmt.Errorf("%s is of format %s, %s of format %s: import them one format at a "+
				"time, or say --format", chosen[0].Name, format.Name, f.Name, found.Name)
		case ok:
			chosen = append(chosen, f)
		case isEmpty(ctx, f):
			empty = append(empty, f)
		default:
			passed = append(passed, f)
		}
	}
	if format.Name == "" {
		if len(foreign) > 0 {
			return format, nil, foreign[0]
		}
		if len(passed) == 0 {
			return format, nil, nothing(ctx, files)
		}
		return format, nil, fmt.Errorf("%s: not a format that racecard knows (`racecard formats` lists them): say --format, "+
			"or write it as racecard JSON Lines with a few lines of a script (`racecard formats jsonl`)", passed[0].Name)
	}
	for _, f := range passed {
		tally.Warn(warnPassed, "%s is not of format %s", f.Name, format.Name)
	}
	for _, err := range foreign {
		tally.Warn(warnPassed, "%v", err)
	}
	// Keep the order of the input: readers number records by it.
	keep := slices.Concat(chosen, empty)
	return format, slices.DeleteFunc(slices.Clone(files), func(f *source.File) bool {
		return !slices.Contains(keep, f)
	}), nil
}

// nothing returns the error of files without content.
func nothing(ctx context.Context, files []*source.File) error {
	for _, f := range files {
		in, err := f.Open(ctx)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, in)
		if err = errors.Join(err, in.Close()); source.IsTruncated(err) {
			return fmt.Errorf("%s: the file is cut off before any of its content: copy it again", f.Name)
		}
	}
	return nothingYet("%s: the file is empty", files[0].Name)
}

func isEmpty(ctx context.Context, f *source.File) bool {
	head, err := f.Head(ctx)
	return err == nil && len(head) == 0
}
