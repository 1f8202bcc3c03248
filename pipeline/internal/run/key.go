package run

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"racecard/datasets/glob"
	"racecard/datasets/plainfile"
	"racecard/datasets/publish"
	"racecard/pipeline/internal/recipe"
)

// Key is everything that the result of a step depends on. Its hash is the address of the result.
type Key struct {
	Build   string           `json:"build"` // of racecard
	Kind    string           `json:"kind"`
	Name    string           `json:"name"` // results name what they were made from
	Options []recipe.Setting `json:"options,omitempty"`
	Outside []recipe.Setting `json:"outside,omitempty"` // values of options from the environment and the configuration
	Args    []string         `json:"args,omitempty"`
	Hour    string           `json:"hour,omitempty"` // of the run in UTC, if the result depends on the clock
	To      string           `json:"to,omitempty"`
	Inputs  []KeyInput       `json:"inputs"`
	Needs   []KeyInput       `json:"needs,omitempty"`
	read    int              // how many of Inputs the command reads; options name the others
}

// KeyInput is an input of a step: a file with its SHA-256, or a step with the hash of its key.
type KeyInput struct {
	Name  string `json:"name"`
	ID    string `json:"id"`
	Bytes int64  `json:"bytes,omitempty"`
}

// id returns the address of the result: 128 bits of the SHA-256 of the key as JSON.
func (k *Key) id() string {
	text, err := json.Marshal(k)
	if err != nil {
		panic(err) // strings and numbers have a form in JSON
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:16])
}

// changes describes the differences between a key and an earlier one of the same step.
func (k *Key) changes(old *Key) []string {
	if old == nil {
		return []string{"there is no earlier result"}
	}
	var why []string
	if k.Build != old.Build {
		why = append(why, "racecard is another build")
	}
	if k.Kind != old.Kind {
		why = append(why, "the command is "+k.Kind+", it was "+old.Kind)
	}
	if k.Hour != old.Hour {
		why = append(why, "it depends on the clock, and an hour has begun since")
	}
	options := func(key *Key) map[string]string {
		all := map[string]string{}
		for _, o := range slices.Concat(key.Options, key.Outside) {
			all[o.Name] = strings.Join(o.Values, ",")
		}
		return all
	}
	why = append(why, differences(options(k), options(old), "option ")...)
	if !slices.Equal(k.Args, old.Args) || k.To != old.To {
		why = append(why, "its arguments differ")
	}
	return append(why, differences(idsOf(k.Inputs, k.Needs), idsOf(old.Inputs, old.Needs), "")...)
}

// idsOf returns the ids of inputs by their names.
func idsOf(inputs ...[]KeyInput) map[string]string {
	all := map[string]string{}
	for _, in := range slices.Concat(inputs...) {
		all[in.Name] = in.ID
	}
	return all
}

// maxDifferences bounds the differences that are listed.
const maxDifferences = 5

// differences lists the names whose values are new, gone or changed.
func differences(fresh, old map[string]string, what string) []string {
	var all []string
	for name, value := range fresh {
		switch was, ok := old[name]; {
		case !ok:
			all = append(all, what+name+" is new")
		case was != value:
			all = append(all, what+name+" changed")
		}
	}
	for name := range old {
		if _, ok := fresh[name]; !ok {
			all = append(all, what+name+" is gone")
		}
	}
	slices.Sort(all)
	if more := len(all) - maxDifferences; more > 0 {
		all = append(all[:maxDifferences], fmt.Sprintf("%d more changed", more))
	}
	return all
}

// checksums remembers the SHA-256 of files by size and time of change, so that a run without changes reads no input.
type checksums struct {
	Files map[string]fileSum `json:"files"`
	used  map[string]fileSum
}

type fileSum struct {
	Bytes  int64  `json:"bytes"`
	Time   int64  `json:"mtime_ns"`
	SHA256 string `json:"sha256"`
}

// settled is the least age of a file for which its modification time identifies its content, as clocks of file systems
// are coarse.
const settled = 2 * time.Second

// of returns the inputs behind a path or URL: the file, or all files of a folder.
func (c *checksums) of(dir, path string) ([]KeyInput, error) {
	if publish.Remote(path) {
		return c.remote(path)
	}
	var all []KeyInput
	err := plainfile.Walk(within(dir, path), func(name, below string, info fs.FileInfo) error {
		abs, err := filepath.Abs(name)
		if err != nil {
			return err
		}
		sum, err := c.file(abs, info, func() (io.ReadCloser, error) { return os.Open(name) })
		all = append(all, KeyInput{filepath.ToSlash(filepath.Join(path, below)), sum, info.Size()})
		return err
	})
	return all, err
}

// remote returns the inputs behind a URL. An object is read only if the bucket has no checksum of it.
func (c *checksums) remote(path string) ([]KeyInput, error) {
	fsys, root, err := publish.OpenTree(path)
	if err != nil {
		return nil, err
	}
	shown := publish.Shown(path)
	var all []KeyInput
	err = fs.WalkDir(fsys, root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		full := shown
		if root == "." {
			full = publish.Join(shown, name)
		}
		tag := publish.Tag(info)
		if tag == "" {
			tag, err = c.file(full, info, func() (io.ReadCloser, error) { return fsys.Open(name) })
		}
		all = append(all, KeyInput{full, tag, info.Size()})
		return err
	})
	return all, err
}

// file returns the SHA-256 of a file, which is read when its size or time is not the one remembered.
func (c *checksums) file(name string, info fs.FileInfo, open func() (io.ReadCloser, error)) (string, error) {
	now := time.Now()
	known, ok := c.Files[name]
	if !ok || known.Bytes != info.Size() || known.Time != info.ModTime().UnixNano() {
		in, err := open()
		if err != nil {
			return "", err
		}
		sum, err := hashOf(in)
		if err != nil {
			return "", err
		}
		known = fileSum{info.Size(), info.ModTime().UnixNano(), sum}
	}
	if now.Sub(info.ModTime()) > settled {
		c.used[name] = known
	}
	return known.SHA256, nil
}

func hashFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	return hashOf(f)
}

// hashOf returns the SHA-256 of the unread rest of a file, and closes it.
func hashOf(f io.ReadCloser) (string, error) {
	h := sha256.New()
	_, err := io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), errors.Join(err, f.Close())
}

// within returns a path that a recipe names: one that is not absolute begins in the recipe's folder.
func within(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// expand returns the paths that a pattern matches, in ascending order, or the path itself if it is not a pattern, such
// as a URL.
func expand(dir, pattern string) ([]string, error) {
	if publish.Remote(pattern) {
		return []string{pattern}, nil
	}
	full := within(dir, pattern)
	if _, err := os.Stat(full); err == nil || !glob.IsPattern(pattern) {
		return []string{pattern}, nil
	}
	if filepath.IsAbs(pattern) {
		dir = ""
	}
	all, err := filepath.Glob(filepath.Join(literal.Replace(dir), pattern))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", pattern, err)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no file matches %s", pattern)
	}
	for i, path := range all {
		if rel, err := filepath.Rel(dir, path); err == nil && dir != "" {
			all[i] = rel
		}
	}
	return all, nil
}

// literal writes a name as a pattern that matches it alone.
var literal = strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`, `\`, `\\`)
