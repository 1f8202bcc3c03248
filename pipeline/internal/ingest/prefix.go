package ingest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"

	"racecard/datasets/lists"
	"racecard/datasets/source"
	"racecard/datasets/store"
)

// prefixes returns the prefixes of the ids of runs in files, or the ids of their runs, for a format whose runs have no
// ids of their own; nil for other formats.
func (im *importer) prefixes(files []*source.File) []string {
	switch {
	case im.format.Numbered:
		return source.IDPrefixes(files)
	case im.format.Named != nil:
		return source.RunIDs(files, im.format.Named)
	}
	return nil
}

// number sets the prefixes of the ids of runs in new files, for a format whose runs have no ids of their own. A file
// that the store has seen, shorter or under another name, keeps its prefix, so that its runs are known. Any other file
// gets a prefix that the store does not have. all are the new files and those that were left out; had are the files of
// the store, with the prefixes of their ids.
func (im *importer) number(ctx context.Context, all []*source.File, had []store.SourceFile, prefixes []string) error {
	taken := map[string]bool{} // by a file of this import
	bySum := map[string]string{}
	for i, s := range had {
		bySum[s.SHA256] = prefixes[i]
	}
	for _, f := range all {
		if !slices.Contains(im.files, f) {
			sum, err := f.Sum(ctx)
			if err != nil {
				return err
			}
			taken[bySum[sum]] = true
		}
	}
	var others []*source.File
	for _, f := range im.files {
		i, err := continued(ctx, f, had)
		if err != nil {
			return err
		}
		if i < 0 || taken[prefixes[i]] {
			others = append(others, f)
			continue
		}
		f.SetIDPrefix(prefixes[i])
		taken[prefixes[i]] = true
	}
	byName := map[string]string{}
	for i, s := range had {
		byName[source.Uncompressed(s.Name)] = prefixes[i]
	}
	fresh := others[:0]
	for _, f := range others {
		prefix, ok := byName[source.Uncompressed(shortName(f.Name))]
		if !ok || taken[prefix] {
			fresh = append(fresh, f)
			continue
		}
		f.SetIDPrefix(prefix)
		taken[prefix] = true
	}
	for _, p := range prefixes {
		taken[p] = true
	}
	for _, f := range fresh {
		prefix := im.newPrefix(f, taken)
		f.SetIDPrefix(prefix)
		taken[prefix] = true
	}
	return nil
}

// storedPrefixes returns the prefixes of the files of a store, given the prefixes of its ids. In stores from before
// prefixes were kept they follow from the names.
func (im *importer) storedPrefixes(had []store.SourceFile, inIDs map[string]bool) []string {
	prefixes := lists.Map(had, func(s store.SourceFile) string { return s.IDPrefix })
	if slices.ContainsFunc(prefixes, func(p string) bool { return p != "" }) {
		return prefixes
	}
	all := lists.Map(had, func(s store.SourceFile) string { return s.Name })
	names := slices.Compact(slices.Sorted(slices.Values(all)))
	files := lists.Map(names, func(name string) *source.File { return &source.File{Name: name} })
	byName := map[string]string{}
	for i, prefix := range im.prefixes(files) {
		if inIDs[prefix] {
			byName[names[i]] = prefix
		}
	}
	return lists.Map(had, func(s store.SourceFile) string { return byName[s.Name] })
}

// continued returns the index of the longest file of a store that a file begins with, -1 for none. Files are compared
// uncompressed: a log that was rotated and compressed continues the log before.
func continued(ctx context.Context, f *source.File, had []store.SourceFile) (int, error) {
	bySize := map[int64][]int{}
	for i, s := range had {
		if s.Bytes > 0 {
			bySize[s.Bytes] = append(bySize[s.Bytes], i)
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	in, err := f.Open(ctx)
	if err != nil {
		cancel()
		return -1, err
	}
	defer in.Close()
	defer cancel() // before Close, which would read the rest
	found, at, sum := -1, int64(0), sha256.New()
	for _, size := range slices.Sorted(maps.Keys(bySize)) {
		n, err := io.CopyN(sum, in, size-at)
		if err != nil {
			return found, ctx.Err() // the file ends here, or is damaged, which its reader will say
		}
		at += n
		now := hex.EncodeToString(sum.Sum(nil))
		for _, i := range bySize[size] {
			if had[i].SHA256 == now {
				found = i
			}
		}
	}
	return found, nil
}

// newPrefix returns a prefix that is not taken: the name of a file, with folders or a number where others have that.
func (im *importer) newPrefix(f *source.File, taken map[string]bool) string {
	name, end := (*source.File).Base, ":"
	if im.format.Named != nil {
		name, end = im.format.Named, ""
	}
	label := source.Labels([]*source.File{f}, name)[0]
	for dir := path.Dir(f.Name); taken[label+end] && path.Base(dir) != "." && path.Base(dir) != "/"; dir = path.Dir(dir) {
		label = path.Base(dir) + "/" + label
	}
	prefix := label + end
	for n := 2; taken[prefix]; n++ {
		prefix = fmt.Sprintf("%s#%d%s", label, n, end)
	}
	return prefix
}
