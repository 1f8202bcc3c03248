package publish

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// carry gives the files of folder from that racecard did not write a second name in folder to. own holds the names of
// those that it wrote. With late, a file that is in both is left alone; else it is an error, as it would be lost.
func carry(from, to string, own map[string]bool, late bool) error {
	return carryBelow(from, to, ".", own, late)
}

func carryBelow(from, to, dir string, own map[string]bool, late bool) error {
	entries, err := os.ReadDir(filepath.Join(from, dir))
	if err != nil {
		return err
	}
	if len(entries) == 0 && dir != "." {
		return carryFolder(from, to, dir)
	}
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		if e.IsDir() {
			if err := carryBelow(from, to, name, own, late); err != nil {
				return err
			}
			continue
		}
		if own[name] {
			continue
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed meanwhile
		}
		if err != nil {
			return err
		}
		if there, err := os.Lstat(filepath.Join(to, name)); err == nil {
			if late || os.SameFile(info, there) {
				continue
			}
			return fmt.Errorf("%s is there and racecard did not write it: move it away or choose another folder",
				filepath.Join(from, name))
		}
		if err := carryFolder(from, to, dir); err != nil {
			return err
		}
		if err := carryFile(filepath.Join(from, name), filepath.Join(to, name), info); err != nil {
			return err
		}
	}
	return nil
}

// carryFolder makes a folder, with those above it, as it is elsewhere.
func carryFolder(from, to, dir string) error {
	if dir == "." {
		return nil
	}
	if _, err := os.Lstat(filepath.Join(to, dir)); err == nil {
		return nil
	}
	if err := carryFolder(from, to, filepath.Dir(dir)); err != nil {
		return err
	}
	info, err := os.Stat(filepath.Join(from, dir))
	if err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Join(to, dir), stagingMode); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return os.Chmod(filepath.Join(to, dir), info.Mode().Perm())
}

// carryFile gives a file a second name, or copies it where the file system has no hard links.
func carryFile(from, to string, info fs.FileInfo) error {
	err := os.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return nil
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	case !info.Mode().IsRegular():
		return err
	}
	return copyFile(from, to, info)
}

func copyFile(from, to string, info fs.FileInfo) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close(), os.Chtimes(to, info.ModTime(), info.ModTime()))
}
