package cli

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"racecard/datasets/formats"
	"racecard/datasets/publish"
	"racecard/pipeline/internal/recipe"
)

func initCommand(e *env) *cobra.Command {
	out, force := "racecard.yaml", false
	cmd := &cobra.Command{
		Use:   "init TRACE...",
		Short: "Write a commented racecard.yaml for traces",
		Args:  atLeastOne("the files or folders of traces"),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if _, err := os.Stat(out); err == nil && !force {
				return fmt.Errorf("%s is there already: choose another --out, or replace it with --force", out)
			}
			text, err := e.recipeFor(cmd.Context(), args, filepath.Dir(out))
			if err != nil {
				return err
			}
			if err := writeFile(out, []byte(text)); err != nil {
				return err
			}
			e.printf("%s\nnext: racecard run %s\n", out, out)
			return e.printJSON(begunRecipe{out})
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", out, "file to write")
	cmd.Flags().BoolVar(&force, "force", false, "replace the file")
	return cmd
}

// longestTrace is the most characters that a trace gets from its path; a number may follow.
const longestTrace = 60

var notInNames = regexp.MustCompile(`[^a-zA-Z0-9_-]+`)

// recipeFor returns a recipe for traces. Paths become relative to its folder where that is shorter.
func (e *env) recipeFor(ctx context.Context, paths []string, dir string) (string, error) {
	var traces strings.Builder
	var names []string
	for _, p := range paths {
		if strings.Contains(p, "{{") {
			return "", fmt.Errorf("%s: {{ stands for a value in a recipe: rename the file, or name a folder above it", p)
		}
		format, err := e.formatOf(ctx, p)
		if err != nil {
			return "", err
		}
		base, _, _ := strings.Cut(strings.TrimLeft(publish.Name(p), "."), ".")
		first := strings.Trim(notInNames.ReplaceAllString(base, "-"), "-_")
		first = cmp.Or(first[:min(len(first), longestTrace)], "trace")
		name := first
		for n := 2; slices.Contains(names, name); n++ {
			name = fmt.Sprintf("%s-%d", first, n)
		}
		names = append(names, name)
		abs, err := publish.Abs(p)
		if err != nil {
			return "", err
		}
		top, err := filepath.Abs(dir)
		if err != nil {
			return "", err
		}
		shown := abs
		if !publish.Remote(p) {
			if rel, err := filepath.Rel(top, abs); err == nil && len(rel) < len(abs) {
				shown = rel
			}
			shown = filepath.ToSlash(shown)
		}
		fmt.Fprintf(&traces, "  %s:\n    paths: %s\n", name, strconv.Quote(shown))
		if format == "" {
			traces.WriteString("    # format: spark         # not recognised; `racecard formats` lists them\n")
		} else {
			fmt.Fprintf(&traces, "    format: %s\n", format)
		}
	}
	text := strings.Replace(recipeTemplate, "TRACES", traces.String(), 1)
	top, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	_, err = recipe.Parse([]byte(text), "racecard.yaml", top, recipe.Context{Kinds: kinds(), Nearest: closest,
		Reach: inRecipe})
	return text, err
}

// triedFiles bounds the files of a folder that are opened to detect their format.
const triedFiles = 20

// formatOf returns the format of the first file behind a path that racecard recognises, "" for none.
func (e *env) formatOf(ctx context.Context, path string) (string, error) {
	if info, err := publish.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("there is no %s", publish.Shown(path))
	} else if err != nil || !info.Mode().IsRegular() && !info.IsDir() {
		return "", fmt.Errorf("%s is neither a file nor a folder", path)
	}
	found, err := e.inputs(ctx, []string{path}, "", false)
	if err != nil {
		return "", err
	}
	for _, f := range found.Files[:min(len(found.Files), triedFiles)] {
		format, ok, err := formats.Detect(ctx, f, 1<<28)
		if err == nil && ok {
			return format.Name, nil
		}
	}
	return "", ctx.Err()
}

// recipeTemplate is a recipe for the traces that stand in place of TRACES.
//
//go:embed recipe.yaml
var recipeTemplate string // constant
