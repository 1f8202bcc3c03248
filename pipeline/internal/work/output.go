package work

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"racecard/datasets/lists"
	"racecard/datasets/publish"
)

// Output is the output of a unit: named files.
type Output struct {
	Unit  Unit
	Files []File // ascending by name
}

// File is a file of an output.
type File struct {
	Name string
	Data []byte
	Path string // file with the content, instead of Data
}

// entry returns the description of a file.
func (f *File) entry() (fileEntry, error) {
	sum := sha256.New()
	n, err := f.copyTo(sum)
	return fileEntry{f.Name, n, hex.EncodeToString(sum.Sum(nil))}, err
}

func (f *File) copyTo(w io.Writer) (n int64, err error) {
	if f.Path == "" {
		n, err := w.Write(f.Data)
		return int64(n), err
	}
	in, err := os.Open(f.Path)
	if err != nil {
		return 0, err
	}
	n, err = io.Copy(w, in)
	return n, errors.Join(err, in.Close())
}

// header describes an output.
type header struct {
	Unit  Unit        `json:"unit"`
	Files []fileEntry `json:"files"`
}

type fileEntry struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

const outputMagic = "racecard unit 2\n"

// maxHeader bounds the header of an output.
const maxHeader = 64 << 20

// writeTo writes the object of an output: magic, length of the header, header as JSON, SHA-256 of these three, files
// end to end. The header holds the SHA-256 of every file, so that a file can be read without the others.
func (o *Output) writeTo(w io.Writer) error {
	h := header{Unit: o.Unit, Files: []fileEntry{}}
	for i := range o.Files {
		entry, err := o.Files[i].entry()
		if err != nil {
			return err
		}
		h.Files = append(h.Files, entry)
	}
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	b := binary.AppendUvarint([]byte(outputMagic), uint64(len(text)))
	b = append(b, text...)
	sum := sha256.Sum256(b)
	if _, err := w.Write(append(b, sum[:]...)); err != nil {
		return err
	}
	for i := range o.Files {
		n, err := o.Files[i].copyTo(w)
		if err == nil && n != h.Files[i].Bytes {
			err = fmt.Errorf("%s changed while it was written", o.Files[i].Name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Reader reads the output of a unit, file by file.
type Reader struct {
	Unit  Unit
	files []fileEntry
	at    []int64 // where each file begins
	data  io.ReaderAt
	path  string
	size  int64 // bytes
	close func() error
}

// DamagedError is returned for a file that is no whole output of its unit.
type DamagedError struct {
	Path string
	Err  error
}

// Error names the file and the fault.
func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s: %v", publish.Shown(e.Path), e.Err)
}

// Unwrap returns the fault.
func (e *DamagedError) Unwrap() error { return e.Err }

// Discard removes the output of a unit if err says that it is damaged, so that its unit is left to do. It returns err
// with the remedy.
func Discard(err error) error {
	var damaged *DamagedError
	if !errors.As(err, &damaged) {
		return err
	}
	if lost := publish.RemoveFile(damaged.Path); lost != nil {
		return errors.Join(err, lost)
	}
	return fmt.Errorf("%w; it was removed: run the unit again", err)
}

// newReader reads the header of an object of a size.
func newReader(data io.ReaderAt, size int64) (*Reader, error) {
	head := make([]byte, min(size, int64(len(outputMagic)+binary.MaxVarintLen64)))
	if _, err := data.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	if !bytes.HasPrefix(head, []byte(outputMagic)) {
		return nil, errors.New("it is no output of a unit")
	}
	length, n := binary.Uvarint(head[len(outputMagic):])
	from := int64(len(outputMagic) + max(n, 0))
	if n <= 0 || length > maxHeader || int64(length) > size-from-sha256.Size {
		return nil, errors.New("it is damaged: its header is cut off")
	}
	head = make([]byte, from+int64(length)+sha256.Size)
	if _, err := data.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	end := len(head) - sha256.Size
	if sum := sha256.Sum256(head[:end]); !bytes.Equal(sum[:], head[end:]) {
		return nil, errors.New("it is damaged: its checksum differs")
	}
	var h header
	if err := json.Unmarshal(head[from:end], &h); err != nil {
		return nil, fmt.Errorf("its header: %w", err)
	}
	r := &Reader{Unit: h.Unit, files: h.Files, data: data, size: size, close: func() error { return nil }}
	at := int64(len(head))
	for i, f := range h.Files {
		if f.Bytes < 0 || f.Bytes > size-at || !fs.ValidPath(f.Name) || i > 0 && f.Name <= h.Files[i-1].Name {
			return nil, errors.New("it is damaged: a file is cut off")
		}
		r.at = append(r.at, at)
		at += f.Bytes
	}
	if at != size {
		return nil, errors.New("it is damaged: bytes are left over")
	}
	return r, nil
}

// Names returns the names of the files in ascending order.
func (r *Reader) Names() []string {
	return lists.Map(r.files, func(f fileEntry) string { return f.Name })
}

// Block returns the content of a file after verifying its checksum. It may be called concurrently.
func (r *Reader) Block(name string) ([]byte, error) {
	i, ok := slices.BinarySearchFunc(r.files, name, func(f fileEntry, name string) int {
		return strings.Compare(f.Name, name)
	})
	if !ok {
		return nil, fmt.Errorf("unit %s: %s is missing", r.Unit.ID, name)
	}
	data := make([]byte, r.files[i].Bytes)
	if _, err := r.data.ReadAt(data, r.at[i]); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("unit %s: %s: %w", r.Unit.ID, name, err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != r.files[i].SHA256 {
		return nil, &DamagedError{Path: r.path, Err: fmt.Errorf("%s of unit %s is damaged: its checksum differs", name, r.Unit.ID)}
	}
	return data, nil
}

// verify reads all files, one after the other, and returns an error if one is damaged.
func (r *Reader) verify() error {
	for _, f := range r.files {
		if _, err := r.Block(f.Name); err != nil {
			return err
		}
	}
	return nil
}

// Close ends reading.
func (r *Reader) Close() error { return r.close() }

// OpenOutput opens the output of a unit. The error is [fs.ErrNotExist] if there is none.
func OpenOutput(dir string, u Unit) (*Reader, error) {
	path := outputPath(dir, u.ID)
	f, err := publish.OpenFile(path)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	r, err := newReader(f, info.Size())
	if err == nil && r.Unit.ID != u.ID {
		err = fmt.Errorf("it is the output of unit %s", r.Unit.ID)
	}
	if err != nil {
		return nil, errors.Join(&DamagedError{Path: path, Err: err}, f.Close())
	}
	r.path, r.close = path, f.Close
	return r, nil
}

// Get returns the whole output of a unit. The error is [fs.ErrNotExist] if there is none.
func Get(dir string, u Unit) (*Output, error) {
	r, err := OpenOutput(dir, u)
	if err != nil {
		return nil, err
	}
	o, err := r.all()
	return o, errors.Join(err, r.Close())
}

func (r *Reader) all() (*Output, error) {
	o := &Output{Unit: r.Unit}
	for _, name := range r.Names() {
		data, err := r.Block(name)
		if err != nil {
			return nil, err
		}
		o.Files = append(o.Files, File{Name: name, Data: data})
	}
	return o, nil
}
