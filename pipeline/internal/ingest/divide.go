package ingest

import (
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"racecard/datasets/lists"
	"racecard/datasets/source"
	"racecard/datasets/store"
)

// Division is an import in units, to be run by machines that see the same files. Units of the first wave read batches
// of files. For formats that scatter the records of a run, units of a second wave build runs from the records of the
// first wave. [Division.Unite] makes the store, byte for byte the one that [Import] makes.
type Division struct {
	Format  string        `json:"format"`
	Folder  string        `json:"folder"` // from which relative names count
	Files   []DividedFile `json:"files"`
	Batches []int         `json:"batches"` // the first file of each unit of the first wave
	Shards  int           `json:"shards"`  // units of the second wave
	Tally   []byte        `json:"tally"`   // warnings of the choice of files
}

// DividedFile is a file of a divided import.
type DividedFile struct {
	Name  string `json:"name"` // as in messages
	Bytes int64  `json:"bytes"`
	// Modified is when the file was written, in nanoseconds of Unix time: content of the same size is other content.
	Modified int64 `json:"mtime_ns,omitempty"`
}

// Block is a part of the output of a unit.
type Block struct {
	Name string
	Data []byte
}

// Load returns a block of the output of a unit of the first wave.
type Load func(unit int, name string) ([]byte, error)

// defaultBatch is the approximate size of the files that a unit reads, in bytes.
const defaultBatch = 64 << 20

// maxShards bounds the units of a second wave: there are no more partitions.
const maxShards = 256

// Divide divides an import. A unit reads batch files, or about 64 MB if batch is 0. Relative names are relative to
// folder.
func Divide(ctx context.Context, in source.Found, folder string, o Options, batch int) (*Division, error) {
	if o.Append {
		return nil, errors.New("an import with --append cannot be divided: import into a store of its own, and unite " +
			"them with `racecard unite`")
	}
	if o.Ended {
		return nil, errors.New("an import with --ended cannot be divided: leave --engine or --ended out")
	}
	im, err := newImporter(ctx, in, o, nil)
	if err != nil {
		return nil, err
	}
	if !im.format.Apart && im.format.Scatter == nil {
		return nil, &IndivisibleError{im.format.Name}
	}
	d := &Division{Format: im.format.Name, Folder: folder}
	if d.Tally, err = im.tally.MarshalBinary(); err != nil {
		return nil, err
	}
	bytes, files := int64(0), 0
	last, met := "", map[string]bool{}
	for i, f := range im.files {
		switch {
		case f.Transient:
			return nil, fmt.Errorf("%s: a stream cannot be divided: save it to files", f.Name)
		case f.Member():
			return nil, fmt.Errorf("%s lies in an archive, which cannot be divided: unpack it", f.Name)
		}
		group := ""
		if im.format.Together != nil {
			group = im.format.Together(f)
		}
		if group != last && met[group] && group != "" {
			return nil, fmt.Errorf("%s belongs to files before it, but others lie between them: name the folder that "+
				"holds them all", f.Name)
		}
		full := batch > 0 && files >= batch || batch <= 0 && bytes >= defaultBatch
		if i == 0 || full && (group == "" || group != last) {
			d.Batches = append(d.Batches, i)
			bytes, files = 0, 0
		}
		last, met[group] = group, true
		bytes, files = bytes+f.Size, files+1
		d.Files = append(d.Files, DividedFile{f.Name, f.Size, f.Modified})
	}
	if im.format.Scatter != nil {
		d.Shards = min(len(d.Batches), maxShards)
	}
	return d, nil
}

// IndivisibleError is returned for a format whose files cannot be read separately.
type IndivisibleError struct{ Format string }

// Error names the format.
func (e *IndivisibleError) Error() string {
	return fmt.Sprintf("format %s cannot be divided: it is imported on one machine", e.Format)
}

// Batch returns the files of a unit of the first wave.
func (d *Division) Batch(unit int) (from, to int) {
	if unit+1 < len(d.Batches) {
		return d.Batches[unit], d.Batches[unit+1]
	}
	return d.Batches[unit], len(d.Files)
}

// open returns files of the division. They must not have changed.
func (d *Division) open(ctx context.Context, from, to int) ([]*source.File, error) {
	var files []*source.File
	for _, want := range d.Files[from:to] {
		path := want.Name
		if !filepath.IsAbs(path) {
			path = filepath.Join(d.Folder, path)
		}
		found, err := (&Finder{}).Find(ctx, []string{path})
		if err != nil {
			return nil, err
		}
		if len(found.Files) != 1 || found.Files[0].Size != want.Bytes || found.Files[0].Modified != want.Modified {
			return nil, fmt.Errorf("%s changed since the work was planned, or is a copy with another time: plan it again, or "+
				"copy with times (cp -p)", want.Name)
		}
		found.Files[0].Name = want.Name
		files = append(files, found.Files[0])
	}
	names := lists.Map(d.Files, func(f DividedFile) string { return f.Name })
	source.Among(files, names, from)
	return files, nil
}

// importer returns an importer of some files of the division.
func (d *Division) importer(ctx context.Context, o Options, from, to int) (*importer, error) {
	files, err := d.open(ctx, from, to)
	if err != nil {
		return nil, err
	}
	o.Format = d.Format
	return newImporter(ctx, source.Found{Files: files}, o, nil)
}

// ruling returns the files of a unit, which begin at from, among all files of the division that rule how others are
// read, in the order of the input.
func (d *Division) ruling(ctx context.Context, im *importer, from int) ([]*source.File, error) {
	var files []*source.File
	for i, f := range d.Files {
		switch {
		case i >= from && i < from+len(im.files):
			files = append(files, im.files[i-from])
		case im.format.Rules != nil && im.format.Rules(&source.File{Name: f.Name}):
			ruling, err := d.open(ctx, i, i+1)
			if err != nil {
				return nil, err
			}
			files = append(files, ruling...)
		}
	}
	return files, nil
}

// about describes the input of a unit of the first wave.
type about struct {
	Tally   []byte
	Files   []source.FileState
	Refused []string // ids of runs that the options refuse; none of another unit may have them
	Lines   []int64  // of each file; as Records and State for formats that scatter the records of a run
	Records []int64
	State   []byte
}

// Names of blocks.
const (
	blockAbout  = "about"
	blockEvents = "events-" // and a number
	blockShard  = "shard-"
	blockPiece  = "piece-"
	blockWhole  = "whole" // why there are no pieces, and one machine has to read all files
)

func blockName(prefix string, number int) string { return fmt.Sprintf("%s%05d", prefix, number) }

// Read runs a unit of the first wave.
func (d *Division) Read(ctx context.Context, o Options, unit int) ([]Block, error) {
	from, to := d.Batch(unit)
	im, err := d.importer(ctx, o, from, to)
	if err != nil {
		return nil, err
	}
	var a about
	var blocks []Block
	var events eventWriter
	if im.format.Scatter != nil {
		var files []*source.File
		if files, err = d.ruling(ctx, im, from); err == nil {
			blocks, err = im.scatter(ctx, files, &a, &events)
		}
	} else {
		err = im.readApart(ctx, &a, &events)
	}
	if err != nil {
		return nil, err
	}
	for _, f := range im.files {
		a.Files = append(a.Files, f.State())
	}
	if a.Tally, err = im.tally.MarshalBinary(); err != nil {
		return nil, err
	}
	for i, b := range events.finish() {
		blocks = append(blocks, Block{blockName(blockEvents, i), b})
	}
	text, err := encodeGob(a)
	return append(blocks, Block{blockAbout, text}), err
}

// readApart reads files of a format in which runs do not span files.
func (im *importer) readApart(ctx context.Context, a *about, events *eventWriter) error {
	guard := im.guard(im.tally)
	for run, err := range stopping(ctx, im.format.Read, im.files, im.tally) {
		var rej *source.Reject
		if err != nil && !errors.As(err, &rej) {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if rej == nil {
			var ok bool
			if ok, rej = guard.admit(run); ok {
				events.add(event{run: run})
				continue
			}
			a.Refused = append(a.Refused, strings.Clone(run.ID))
		}
		events.add(event{reject: rej})
	}
	return nil
}

// scatter distributes the records of files among partitions. ruling are these files and those that rule how they are
// read.
func (im *importer) scatter(ctx context.Context, ruling []*source.File, a *about, events *eventWriter) ([]Block,
	error) {
	reader, err := im.format.Scatter(ctx, ruling, im.tally)
	if err != nil {
		return nil, err
	}
	s, err := reader.Scatter(ctx, im.files, im.tally, func(r *source.Reject) error {
		events.add(event{reject: r})
		return nil
	})
	if err != nil {
		return nil, err
	}
	a.Lines, a.Records, a.State = s.Lines, s.Records, s.State
	var blocks []Block
	for p, n := range s.Records {
		if n == 0 {
			continue
		}
		data, err := s.Load(p)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, Block{blockName(blockShard, p), data})
	}
	return blocks, nil
}

// gathered is a piece of a store that a unit of the second wave made.
type gathered struct {
	Parts []*store.Part
	Memo  memo
	Tally []byte
}

// Gather runs a unit of the second wave.
func (d *Division) Gather(ctx context.Context, o Options, shard int, load Load) ([]Block, error) {
	im, err := d.importer(ctx, o, 0, 0)
	if err != nil {
		return nil, err
	}
	chunks, err := d.chunks(ctx, im, load)
	var whole *source.WholeError
	switch {
	case errors.As(err, &whole):
		return []Block{{blockWhole, []byte(whole.Why)}}, nil
	case err != nil:
		return nil, err
	}
	var blocks []Block
	spare := make(packers, 1)
	for i, chunk := range chunks {
		if i*d.Shards/len(chunks) != shard {
			continue
		}
		p, err := im.read(ctx, chunk, nil, spare)
		if err != nil {
			return nil, err
		}
		g := gathered{Parts: p.parts, Memo: p.memo}
		if g.Tally, err = p.Tally.MarshalBinary(); err != nil {
			return nil, err
		}
		data, err := encodeGob(g)
		if err != nil {
			return nil, err
		}
		blocks = append(blocks, Block{blockName(blockPiece, i), data})
	}
	return blocks, nil
}

// chunks returns the chunks of the records that the first wave read.
func (d *Division) chunks(ctx context.Context, im *importer, load Load) ([]source.Chunk, error) {
	var all []*source.Scattered
	for unit := range d.Batches {
		a, err := loadAbout(unit, load)
		if err != nil {
			return nil, err
		}
		all = append(all, &source.Scattered{Lines: a.Lines, Records: a.Records, State: a.State,
			Load: func(p int) ([]byte, error) { return load(unit, blockName(blockShard, p)) }})
	}
	files := lists.Map(d.Files, func(f DividedFile) *source.File { return &source.File{Name: f.Name} })
	reader, err := im.format.Scatter(ctx, nil, source.NewTally())
	if err != nil {
		return nil, err
	}
	return reader.Gather(files, all)
}

func loadAbout(unit int, load Load) (*about, error) {
	data, err := load(unit, blockAbout)
	if err != nil {
		return nil, err
	}
	var a about
	return &a, decodeGob(data, &a)
}

func encodeGob(v any) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(v)
	return b.Bytes(), err
}

func decodeGob(data []byte, v any) error { return gob.NewDecoder(bytes.NewReader(data)).Decode(v) }
