package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// writing are the functions of package os that change the disk.
var writing = []string{"Chmod", "Chown", "Chtimes", "CopyFS", "Create", "CreateTemp", "Link", "Mkdir", "MkdirAll",
	"MkdirTemp", "OpenFile",
	"OpenRoot", "Remove", "RemoveAll", "Rename", "Symlink", "Truncate", "WriteFile"}

// writers are the packages that may call them, with the functions; none stands for all.
var writers = map[string][]string{
	"datasets/publish": nil,
	// Downloads go on where they stopped, in a folder that is not racecard's; see fetch.target.
	"datasets/fetch": {"MkdirAll", "OpenRoot"},
	// A file that becomes a pipe after it was listed is opened without waiting, for reading.
	"pipeline/internal/ingest": {"OpenFile"},
}

// TestOnePackageWrites holds that files and folders are created, renamed and removed in package publish alone: whoever
// writes another way can be killed half way, or delete what is not racecard's. Tests may do what they like.
func TestOnePackageWrites(t *testing.T) {
	checked := 0
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && name != "." || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, call := range diskCalls(file) {
			checked++
			if !mayWrite(path.Dir(name), call.function) {
				t.Errorf("%s calls os.%s: files and folders are written through racecard/datasets/publish",
					files.Position(call.at), call.function)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 10 {
		t.Errorf("only %d calls were checked", checked)
	}
}

// mayWrite reports whether a package may call a function of package os that changes the disk.
func mayWrite(dir, function string) bool {
	allowed, ok := writers[dir]
	return ok && (allowed == nil || slices.Contains(allowed, function)) || strings.HasSuffix(dir, "test")
}

// diskCall is a place where a file uses a function of package os that changes the disk.
type diskCall struct {
	function string
	at       token.Pos
}

// diskCalls returns the uses of such functions in a file, whatever name it imports package os by.
func diskCalls(file *ast.File) []diskCall {
	osName := ""
	for _, spec := range file.Imports {
		if spec.Path.Value == `"os"` {
			osName = "os"
			if spec.Name != nil {
				osName = spec.Name.Name
			}
		}
	}
	var calls []diskCall
	ast.Inspect(file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok && osName != "" && x.Name == osName &&
			slices.Contains(writing, sel.Sel.Name) {
			calls = append(calls, diskCall{sel.Sel.Name, sel.Pos()})
		}
		return true
	})
	return calls
}

func TestDiskCalls(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "x.go", `package x
import sys "os"
func f() { sys.Rename("a", "b"); sys.Open("c"); remove := sys.RemoveAll; remove("d") }`, 0)
	if err != nil {
		t.Fatal(err)
	}
	calls := diskCalls(file)
	if len(calls) != 2 || calls[0].function != "Rename" || calls[1].function != "RemoveAll" {
		t.Errorf("%v", calls)
	}
	if mayWrite("pipeline/cli", "Rename") || mayWrite("datasets/fetch", "Rename") ||
		!mayWrite("datasets/publish", "Rename") {
		t.Error("who may write is not what is listed")
	}
}
