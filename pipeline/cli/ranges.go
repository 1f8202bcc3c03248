package cli

import (
	"fmt"
	"math"
	"runtime"
	"strings"

	"github.com/spf13/pflag"

	"racecard/datasets/formats"
	"racecard/datasets/lists"
	"racecard/datasets/source"
	"racecard/models/deadlines/sim"
	"racecard/pipeline/internal/quantity"
)

// Ranges that several flags share. Upper bounds are beyond any use, and below the point of exhausting memory or
// overflowing a clock.

func whole(low, high float64) quantity.Range {
	return quantity.Range{Unit: quantity.Whole, Low: low, High: high}
}

func plain(low, high float64) quantity.Range {
	return quantity.Range{Unit: quantity.Plain, Low: low, High: high}
}

func shares(low, high float64) quantity.Range {
	return quantity.Range{Unit: quantity.Share, Low: low, High: high}
}

// positive is above 0.
func positive(unit quantity.Unit, high float64) quantity.Range {
	return quantity.Range{Unit: unit, High: high, Above: true}
}

const (
	maxRuns    = 1e9 // of a job, in a trace
	day        = 86400
	maxSeconds = 10_000 * day // of simulated time
)

// tokenRange is an allocation.
func tokenRange() quantity.Range { return whole(1, sim.MaxTokens) }

// memoryRange is a budget.
func memoryRange() quantity.Range {
	return quantity.Range{Unit: quantity.Bytes, Low: 1 << 20, High: 1 << 50}
}

// inputRange is the input of a run.
func inputRange() quantity.Range {
	return quantity.Range{Unit: quantity.Bytes, Low: 1, High: 1 << 60}
}

// halfLifeRange is the age at which a run weighs half.
func halfLifeRange() quantity.Range {
	return quantity.Range{Unit: quantity.Duration, Low: 1, High: 36500 * day, Zero: true}
}

// ageRange is the time since a run was submitted.
func ageRange() quantity.Range {
	return quantity.Range{Unit: quantity.Seconds, High: maxSeconds}
}

// gapRange is the mean time between two submissions.
func gapRange() quantity.Range {
	return quantity.Range{Unit: quantity.Seconds, Low: 1e-6, High: maxSeconds}
}

// unitRange is the range of a fraction that is written as a plain number, such as a probability or a quantile; 40%
// works, too.
func unitRange() quantity.Range { return shares(0, 1) }

// Flags that several commands share.

// workersFlag declares the number of workers; the default is the number of cores.
func workersFlag(f *pflag.FlagSet, to *int, usage string) {
	*to = min(runtime.GOMAXPROCS(0), maxWorkers)
	number(f, to, "workers", whole(1, maxWorkers), usage)
	f.Lookup("workers").DefValue = "all cores"
}

const maxWorkers = 256

// renamed makes earlier names of flags that are declared aliases of the current ones, hidden from help: on the command
// line, in recipes and in settings. Arguments alternate between old and new names.
func renamed(f *pflag.FlagSet, names ...string) {
	today := map[string]string{}
	for i := 0; i < len(names); i += 2 {
		today[names[i]] = names[i+1]
		_ = f.SetAnnotation(names[i+1], formerName, names[i:i+1]) // fails only for a flag that is not declared
	}
	f.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if now, ok := today[name]; ok {
			return pflag.NormalizedName(now)
		}
		return pflag.NormalizedName(name)
	})
}

// formerName annotates a flag that had another name.
const formerName = "racecard-former-name"

// hinted ends the errors of a flag that is declared with a hint.
func hinted(f *pflag.FlagSet, name, hint string) {
	o := f.Lookup(name).Value.(*option)
	read := o.read
	o.read = func(text string) error {
		if err := read(text); err != nil {
			return fmt.Errorf("%w; %s", err, hint)
		}
		return nil
	}
}

// retired accepts a flag of an earlier version that has no effect any more, hidden from help.
func retired(f *pflag.FlagSet, name, since string) {
	f.Bool(name, true, since)
	f.Lookup(name).Hidden = true
}

// namesFlag declares the rule that assigns runs to jobs.
func namesFlag(f *pflag.FlagSet, raw *bool) {
	words := map[bool]string{false: "normalized", true: "raw"}
	read := func(text string) error {
		text = strings.TrimSpace(text)
		if text != words[false] && text != words[true] {
			return unknownWord(text, []string{words[false], words[true]})
		}
		*raw = text == words[true]
		return nil
	}
	f.Var(&option{kind: "string", text: func() string { return words[*raw] }, read: read}, "names",
		"names of recurring jobs: normalized names, in which dates, times, UUIDs and long numbers are #, or raw names")
}

// formatNames lists the names of all formats.
func formatNames() []string {
	return lists.Map(formats.All(0), func(f source.Format) string { return f.Name })
}

// unknownInput is the input of a run that is not given.
func unknownInput() float64 { return math.NaN() }
