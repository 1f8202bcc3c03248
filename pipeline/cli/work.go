package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"racecard/datasets/fault"
	"racecard/datasets/publish"
	"racecard/datasets/words"
	"racecard/pipeline/internal/work"
)

func workCommand(e *env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "work",
		Short: "Units of work, for machines that an engine such as Spark has",
	}
	return group(cmd, workPlanCommand(e), workDoCommand(e), workStatusCommand(e), workMergeCommand(e),
		workEngineCommand(e))
}

func workDoCommand(e *env) *cobra.Command {
	index, of := 0, 0
	var id string
	cmd := &cobra.Command{
		Use:   "do WORK",
		Short: "Run units of work",
		Args:  exactly(1, "one folder of work"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := e.openWork(args[0])
			if err != nil {
				return err
			}
			if !cmd.Flags().Changed("index") {
				index = -1
			}
			units, err := chosenUnits(p, index, of, id)
			if err != nil {
				return usageError{err}
			}
			return e.doUnits(cmd.Context(), args[0], p, units)
		},
	}
	number(cmd.Flags(), &index, "index", whole(0, 1_000_000), "the unit, from 0")
	number(cmd.Flags(), &of, "of", whole(1, 1_000_000), "tasks among which the units are divided")
	checked(cmd.Flags(), &id, "unit", "id", func(text string) error {
		if len(text) != 32 {
			return errors.New("want the id of a unit, 32 hexadecimal digits")
		}
		return nil
	}, "the unit, by its id")
	return cmd
}

// openWork reads a plan, and refuses one of another build.
func (e *env) openWork(dir string) (*work.Plan, error) {
	p, err := work.Open(dir)
	if err != nil {
		return nil, err
	}
	_, build, err := thisProgram()
	if err != nil {
		return nil, err
	}
	if p.Build != build {
		return nil, fmt.Errorf("%s was planned by another build of racecard (%s): plan it again, or use the same "+
			"program everywhere", dir, p.Racecard)
	}
	return p, nil
}

// chosenUnits returns the units that flags name.
func chosenUnits(p *work.Plan, index, of int, id string) ([]work.Unit, error) {
	switch {
	case id != "" && index >= 0:
		return nil, errors.New("--unit and --index: want one of them")
	case id != "":
		at := slices.IndexFunc(p.Units, func(u work.Unit) bool { return u.ID == id })
		if at < 0 {
			return nil, fmt.Errorf("--unit: there is no unit %s", id)
		}
		return p.Units[at : at+1], nil
	case of > 0 && (index < 0 || index >= of):
		return nil, fmt.Errorf("--of %d wants an --index from 0 to %d", of, of-1)
	case of > 0:
		var all []work.Unit
		for i := index; i < len(p.Units); i += of {
			all = append(all, p.Units[i])
		}
		return all, nil
	case index >= len(p.Units):
		return nil, fmt.Errorf("--index %d: the plan has %s, from 0", index, words.Of(len(p.Units), "unit", "units"))
	case index >= 0:
		return p.Units[index : index+1], nil
	}
	return p.Units, nil
}

// doUnits runs units in turn. A failed unit does not stop the others.
func (e *env) doUnits(ctx context.Context, dir string, p *work.Plan, units []work.Unit) error {
	done, found, waiting := 0, 0, 0
	var failed []string
	ready := map[int]bool{0: true} // waves
	for _, u := range units {
		there, _, err := work.Done(dir, u)
		if err != nil {
			return err
		}
		if there {
			found++
			continue
		}
		if _, ok := ready[u.Wave]; !ok {
			if ready[u.Wave], err = work.Ready(dir, p, u); err != nil {
				return err
			}
		}
		if !ready[u.Wave] {
			waiting++
			continue
		}
		err = work.Discard(e.doUnit(ctx, dir, p, u)) // an output of the wave before
		if ctx.Err() != nil {
			return resumableError{ctx.Err(), fmt.Sprintf("%s of %s are done; ", words.Count(done+found),
				words.Of(len(units), "unit", "units"))}
		}
		if err != nil {
			host, _ := os.Hostname() // for people
			lost := work.PutFailure(dir, work.Failure{Unit: u, Error: err.Error(), Host: host})
			err = fmt.Errorf("unit %s (%s): %w", u.ID, u.Label, err)
			if lost != nil { // such as on a full disk: other units would fail, too
				return err
			}
			failed = append(failed, err.Error())
			continue
		}
		done++
	}
	if err := e.printJSON(doneWork{done, found, len(failed), waiting}); err != nil {
		return err
	}
	e.printf("%s done, %d were there already\n", words.Of(done, "unit", "units"), found)
	if len(failed) > 0 {
		return fmt.Errorf("%s failed, the others are kept: %s", words.Of(len(failed), "unit", "units"), failed[0])
	}
	if waiting > 0 {
		return fmt.Errorf("%s left of the second wave: run all units of the first wave, then the same command again",
			words.Of(waiting, "unit is", "units are"))
	}
	return nil
}

// doUnit runs a unit and puts its output in place.
func (e *env) doUnit(ctx context.Context, dir string, p *work.Plan, u work.Unit) error {
	o := &work.Output{Unit: u}
	switch p.Command[0] {
	case "import":
		if err := e.sub(ctx, importedUnit(p, dir, o), p.Command, append([]string{"--out=x"}, p.Args...)...); err != nil {
			return err
		}
		return work.Put(dir, o)
	case "analyze":
		if err := e.sub(ctx, partials(p, o), p.Command, p.Args...); err != nil {
			return err
		}
		return work.Put(dir, o)
	}
	if err := e.same(p); err != nil {
		return err
	}
	top, remove, err := publish.TemporaryFolder("racecard-unit-")
	if err != nil {
		return err
	}
	defer func() {
		defer fault.Trap()
		_ = remove() // the next unit removes the rest
	}()
	out := filepath.Join(top, "out")
	if err := e.sub(ctx, nil, p.Command, append(append([]string{"--out=" + out}, p.Args...),
		u.Args...)...); err != nil {
		return err
	}
	err = filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(out, path)
		if err != nil {
			return err
		}
		o.Files = append(o.Files, work.File{Name: filepath.ToSlash(name), Path: path})
		return nil
	})
	if err != nil {
		return err
	}
	return work.Put(dir, o)
}

func workStatusCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "status WORK",
		Short: "Show how many units are done",
		Args:  exactly(1, "one folder of work"),
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := work.Open(args[0])
			if err != nil {
				return err
			}
			s, err := work.Survey(args[0], p)
			if err != nil {
				return err
			}
			e.printf("%s of %s done, %s failed, %s\n", words.Count(s.Done), words.Of(s.Units, "unit", "units"),
				words.Count(len(s.Failed)), words.Bytes(s.Bytes))
			for _, f := range s.Failed[:min(len(s.Failed), maxKept)] {
				e.printf("failed: %s (%s) on %s: %s\n", f.Unit.ID, f.Unit.Label, f.Host, f.Error)
			}
			return e.printJSON(s)
		},
	}
}

func workMergeCommand(e *env) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "merge WORK --out RESULT",
		Short: "Merge the outputs of all units",
		Args:  exactly(1, "one folder of work"),
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := e.openWork(args[0])
			if err != nil {
				return err
			}
			s, err := work.Glance(args[0], p)
			if err != nil {
				return err
			}
			if len(s.Failed) > 0 {
				f := s.Failed[0]
				return fmt.Errorf("%s failed, such as %s (%s): %s; `racecard work do %s` runs what is left",
					words.Of(len(s.Failed), "unit", "units"), f.Unit.ID, f.Unit.Label, f.Error, args[0])
			}
			if n := len(s.Waiting); n > 0 {
				return fmt.Errorf("%d of %s not done; `racecard work do %s` runs them", n,
					words.Of(s.Units, "unit is", "units are"), args[0])
			}
			return e.mergeUnits(cmd.Context(), args[0], p, out)
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "folder of the result")
	_ = cmd.MarkFlagRequired("out") // fails only for a flag that is not there
	return cmd
}
