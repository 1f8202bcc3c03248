package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/mod/modfile"
)

// folders are the top-level folders in the order in which they may import each other: later ones import earlier ones.
var folders = []string{"datasets", "analyses", "models", "reports", "pipeline"}

// homes are the packages that alone may import a library, by the prefix of the library's path.
var homes = map[string][]string{
	"github.com/apache/arrow/go/":      {"datasets/arrowtab", "pipeline/internal/flight"},
	"google.golang.org/grpc":           {"pipeline/internal/flight", "pipeline/internal/serve"},
	"github.com/parquet-go/parquet-go": {"datasets/parquetio"},
	"gonum.org/v1/plot":                {"reports/figure", "reports/style"},
	"github.com/spf13/cobra":           {"pipeline/cli"},
	"gocloud.dev":                      {"datasets/publish/internal/bucket", "datasets/publish/clouds"},
	"go.opentelemetry.io/":             {"pipeline/internal/spans"},
	"github.com/prometheus/":           {"pipeline/internal/serve"},
	"github.com/andybalholm/brotli":    {"datasets/parquetio"},
	"github.com/klauspost/compress": {"datasets/source", "datasets/groupby", "datasets/parquetio",
		"datasets/generate", "pipeline/internal/ingest"},
	"github.com/pierrec/lz4": {"datasets/source", "datasets/parquetio"},
	"go.yaml.in/yaml/":       {"pipeline/internal/recipe", "pipeline/internal/settings"},
}

// TestImportsPointOneWay parses the imports of every file, tests included.
func TestImportsPointOneWay(t *testing.T) {
	checked := 0
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (strings.HasPrefix(d.Name(), ".") && name != "." || d.Name() == "testdata") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			checked++
			if why := breach(path.Dir(name), imported, strings.HasSuffix(name, "_test.go")); why != "" {
				t.Errorf("%s imports %s: %s", name, imported, why)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 100 {
		t.Errorf("only %d imports were checked", checked)
	}
}

// modulePath is the path in go.mod: whoever publishes racecard chooses it.
var modulePath = sync.OnceValue(func() string {
	data, err := os.ReadFile("go.mod")
	if err != nil {
		panic(err)
	}
	return modfile.ModulePath(data)
})

// breach describes the fault of a package in dir that imports another, "" if there is none.
func breach(dir, imported string, test bool) string {
	for prefix, allowed := range homes {
		inHome := slices.ContainsFunc(allowed, func(home string) bool {
			return dir == home || strings.HasPrefix(dir, home+"/")
		})
		if strings.HasPrefix(imported, prefix) && !inHome && !test {
			return "the home of this library is " + strings.Join(allowed, ", ")
		}
	}
	ours, ok := strings.CutPrefix(imported, modulePath()+"/")
	if !ok {
		return ""
	}
	from, to := rank(dir), rank(ours)
	switch {
	case dir == ".":
		if ours != "pipeline/cli" {
			return "main imports the command line and nothing else"
		}
	case ours == "docs/schema":
		if !strings.HasPrefix(dir, "pipeline/") {
			return "only the command line shows the schemas"
		}
	case ours == "docs":
		if dir != "reports/figure" {
			return "only figures show how they are read"
		}
	case to > from:
		return "imports point from " + folders[to] + " to later folders only"
	case folders[from] == "reports" && folders[to] != "reports" && ours != "datasets/result" &&
		ours != "datasets/words" && ours != "datasets/lists" && !test:
		return "reports import results, words and lists only"
	case folders[from] == "models" && folders[to] == "datasets" && ours == "datasets/arrowtab":
		return "no simulator imports Arrow"
	}
	return ""
}

// Every goroutine begins with defer fault.Trap(): a panic in one that does not ends the program with the status of
// wrong usage.
func TestGoroutinesTrapFaults(t *testing.T) {
	found := 0
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") ||
			strings.HasPrefix(name, ".") {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, nil, 0)
		if err != nil {
			return err
		}
		check := func(begun ast.Expr, at token.Pos) {
			found++
			if f, ok := begun.(*ast.FuncLit); ok && len(f.Body.List) > 0 {
				if d, ok := f.Body.List[0].(*ast.DeferStmt); ok {
					if s, ok := d.Call.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Trap" {
						return
					}
				}
			}
			t.Errorf("%s: begin the goroutine, a function literal, with defer fault.Trap()", files.Position(at))
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				check(n.Call.Fun, n.Pos())
			case *ast.CallExpr:
				if s, ok := n.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Go" && len(n.Args) == 1 {
					check(n.Args[0], n.Pos())
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 15 {
		t.Errorf("only %d goroutines were found", found)
	}
}

func rank(dir string) int {
	top, _, _ := strings.Cut(dir, "/")
	return slices.Index(folders, top)
}

func TestBreach(t *testing.T) {
	for _, test := range []struct {
		dir, imported string
		test, wrong   bool
	}{
		{"analyses/dag", modulePath() + "/datasets/trace", false, false},
		{"datasets/store", modulePath() + "/analyses/dag", false, true},
		{"datasets/store", modulePath() + "/analyses/dag", true, true},
		{"reports/page", modulePath() + "/datasets/result", false, false},
		{"reports/page", modulePath() + "/datasets/trace", false, true},
		{"reports/page", modulePath() + "/analyses/dag", false, true},
		{"models/deadlines/sim", modulePath() + "/datasets/arrowtab", false, true},
		{"pipeline/cli", modulePath() + "/reports/page", false, false},
		{".", modulePath() + "/pipeline/cli", false, false},
		{".", modulePath() + "/datasets/trace", false, true},
		{"datasets/store", "github.com/parquet-go/parquet-go", false, true},
		{"datasets/parquetio", "github.com/parquet-go/parquet-go/compress/zstd", false, false},
		{"analyses/dag", "strings", false, false},
	} {
		if got := breach(test.dir, test.imported, test.test); (got != "") != test.wrong {
			t.Errorf("%s imports %s: %q", test.dir, test.imported, got)
		}
	}
}
