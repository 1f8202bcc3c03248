package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"racecard/datasets/publish"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/pipeline/internal/work"
)

// planSweep divides a sweep into units: one for each setting of the options that vary, and each seed.
func (e *env) planSweep(ctx context.Context, p *work.Plan, o *planFlags) (err error) {
	if p.Input, err = e.identity(p.Args); err != nil {
		return err
	}
	seeds, err := sweepSeeds(p.Args, o.seeds)
	if err != nil {
		return usageError{err}
	}
	if err := checkSettings(o.settle); err != nil {
		return usageError{err}
	}
	settings := [][]string{nil}
	for _, v := range o.settle {
		var all [][]string
		for _, s := range settings {
			for _, value := range v.values {
				all = append(all, append(slices.Clone(s), "--"+v.name+"="+value))
			}
		}
		if len(all)*len(seeds) > maxUnits {
			return usageError{fmt.Errorf("a sweep has at most %s settings with seeds", words.Count(maxUnits))}
		}
		settings = all
	}
	for _, s := range settings {
		if _, err := e.canonicalFlags(p.Command, s); err != nil {
			return err
		}
		if err := e.checkFlags(ctx, p, s); err != nil {
			return err
		}
		for _, seed := range seeds {
			args := append(slices.Clone(s), "--seed="+strconv.FormatUint(seed, 10))
			p.Units = append(p.Units, work.Unit{Label: strings.Join(args, " "), Args: args})
		}
	}
	return nil
}

// sweepSeeds returns the seeds that --seeds gives a sweep, or else the one seed of the command.
func sweepSeeds(args []string, seeds string) ([]uint64, error) {
	one := optionOf(args, "seed")
	if one != "" && seeds != "" {
		return nil, fmt.Errorf("--seed %s and --seeds %s contradict each other", one, seeds)
	}
	if seeds == "" {
		seed, err := strconv.ParseUint(cmp.Or(one, "1"), 10, 64)
		return []uint64{seed}, err
	}
	all, err := parseSeeds(seeds)
	if err != nil {
		return nil, fmt.Errorf("--seeds %s: %w", seeds, err)
	}
	return all, nil
}

// checkSettings refuses options that cannot be varied, and options and values that are given twice: two units would be
// one.
func checkSettings(settings []setting) error {
	met := map[string]bool{}
	for _, s := range settings {
		switch {
		case s.name == "seed" || s.name == "seeds":
			return fmt.Errorf("--vary %s: --seeds 1-20 gives the seeds of a sweep", s.name)
		case slices.Contains(append(notInRecipes(), "vary"), s.name):
			return fmt.Errorf("--vary %s: this option cannot be varied", s.name)
		case met[s.name]:
			return fmt.Errorf("--vary %s is there twice: give all its values at once", s.name)
		}
		met[s.name] = true
		for i, value := range s.values {
			if slices.Contains(s.values[:i], value) {
				return fmt.Errorf("--vary %s: %s is there twice", s.name, value)
			}
		}
	}
	return nil
}

// parseSeeds reads seeds such as 1-20 or 1,5,9.
func parseSeeds(text string) ([]uint64, error) {
	if text == "" {
		return nil, errors.New("want numbers and ranges, such as 1-20")
	}
	var seeds []uint64
	met := map[uint64]bool{}
	for item := range strings.SplitSeq(text, ",") {
		low, high, ok := strings.Cut(item, "-")
		if !ok {
			high = low
		}
		from, err := strconv.ParseUint(low, 10, 32)
		if err != nil {
			return nil, errors.New("want numbers and ranges, such as 1-20")
		}
		to, err := strconv.ParseUint(high, 10, 32)
		if err != nil || to < from || to-from >= maxUnits || len(seeds) > maxUnits {
			return nil, errors.New("want numbers and ranges, such as 1-20")
		}
		for s := from; s <= to; s++ {
			if met[s] {
				return nil, fmt.Errorf("seed %d is there twice", s)
			}
			met[s] = true
			seeds = append(seeds, s)
		}
	}
	return seeds, nil
}

// sweepFile lists the results of a sweep.
const sweepFile = "sweep.json"

// sweeps is the kind of folder that holds the results of a sweep.
func sweeps() publish.Kind {
	return publish.Kind{Marker: sweepFile, What: "results of a sweep", Own: func(fsys fs.FS) ([]string, error) {
		names := []string{sweepFile}
		var index sweep
		text, err := fs.ReadFile(fsys, sweepFile)
		if errors.Is(err, fs.ErrNotExist) {
			return names, nil
		}
		if err == nil {
			err = json.Unmarshal(text, &index)
		}
		for _, u := range index.Units {
			names = append(names, u.Files...)
		}
		return names, err
	}}
}

// mergeSweep writes the results of every unit, and their list.
func (e *env) mergeSweep(dir string, p *work.Plan, out string) (err error) {
	folder, err := publish.Begin(out, sweeps())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, folder.Abort()) }()
	units := []sweptUnit{}
	for i, u := range p.Units {
		r, err := work.OpenOutput(dir, u)
		if err != nil {
			return err
		}
		s := sweptUnit{Args: u.Args}
		for _, file := range r.Names() {
			name := path.Join(fmt.Sprintf("unit-%06d", i), file)
			s.Files = append(s.Files, name)
			data, err := r.Block(file)
			if err == nil {
				err = folder.Write(name, data)
			}
			if err != nil {
				return errors.Join(err, r.Close())
			}
		}
		if err := r.Close(); err != nil {
			return err
		}
		units = append(units, s)
	}
	inputs, options := leading(p.Args)
	all := sweep{Command: strings.Join(p.Command, " "), Inputs: []string{}, Options: options, Units: units}
	for _, path := range inputs {
		all.Inputs = append(all.Inputs, publish.Name(path))
	}
	text, err := json.MarshalIndent(result.Versioned(all), "", " ")
	if err != nil {
		return err
	}
	if err := folder.Write(sweepFile, append(text, '\n')); err != nil {
		return err
	}
	return folder.Publish(nil)
}
