package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"racecard/datasets/lists"
	"racecard/pipeline/internal/quantity"
)

// Flags are declared with these functions. A flag for a number has a range, which its help shows and its parser checks;
// pflag's own types for numbers have none, and TestEveryNumberHasARange refuses them.

// option is the value of a flag: [pflag.Value].
type option struct {
	kind string                  // its type in help
	text func() string           // its value, as given
	read func(text string) error // sets it

	of    *quantity.Range // what a number, or each of a list, may be; nil for other flags
	known []string        // what a word, or each of a list, may be; nil for other flags
	list  bool            // of words
}

// String implements [pflag.Value].
func (o *option) String() string { return o.text() }

// Type implements [pflag.Value].
func (o *option) Type() string { return o.kind }

// Set implements [pflag.Value].
func (o *option) Set(text string) error { return o.read(text) }

// itself returns a text.
func itself(text *string) func() string { return func() string { return *text } }

// numeric are the types of options that flags set.
type numeric interface {
	~int | ~int32 | ~int64 | ~float64
}

// number declares a flag for one number. Durations are stored in seconds, sizes in bytes, shares as fractions.
func number[T numeric](f *pflag.FlagSet, to *T, name string, r quantity.Range, usage string) {
	shown := written(r, float64(*to))
	read := func(text string) error {
		x, err := r.Parse(text)
		if err == nil {
			*to, shown = T(x), strings.TrimSpace(text)
		}
		return err
	}
	f.Var(&option{kind: r.Unit.Noun(), text: itself(&shown), read: read, of: &r}, name, fmt.Sprintf("%s [%s]", usage, r))
}

// written is a default in help, "0" for none.
func written(r quantity.Range, x float64) string {
	if x == 0 || math.IsNaN(x) {
		return "0" // which pflag does not show
	}
	return strings.ReplaceAll(r.Unit.Write(x), ",", "")
}

// maxList bounds the numbers of a list.
const maxList = 1000

// numbers declares a flag for a list of numbers, each within the range. A flag that is given again adds to the list.
func numbers[T numeric](f *pflag.FlagSet, to *[]T, name string, r quantity.Range, usage string) {
	shown := strings.Join(lists.Map(*to, func(x T) string { return written(r, float64(x)) }), ",")
	given := false
	read := func(text string) error {
		var all []T
		for item := range strings.SplitSeq(text, ",") {
			x, err := r.Parse(item)
			if err != nil {
				return fmt.Errorf("%q in a list separated by commas: %w", item, err)
			}
			all = append(all, T(x))
		}
		if given {
			all, text = append(slices.Clone(*to), all...), shown+","+text
		}
		if len(all) > maxList {
			return fmt.Errorf("want at most %d numbers", maxList)
		}
		*to, shown, given = all, text, true
		return nil
	}
	f.Var(&option{kind: r.Unit.Noun() + "s", text: itself(&shown), read: read, of: &r}, name,
		fmt.Sprintf("%s [each %s]", usage, r))
}

// seeded declares --seed.
func seeded(f *pflag.FlagSet, to *uint64, usage string) {
	read := func(text string) error {
		n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
		if err != nil {
			return errors.New("want a whole number: 0 to 18,446,744,073,709,551,615")
		}
		*to = n
		return nil
	}
	shown := func() string { return strconv.FormatUint(*to, 10) }
	nearly := quantity.Range{High: math.MaxUint64} // as near as a float64 tells
	f.Var(&option{kind: "int", text: shown, read: read, of: &nearly}, "seed", usage+" [0 to 18,446,744,073,709,551,615]")
}

// choice declares a flag for one of several words.
func choice(f *pflag.FlagSet, to *string, name string, known []string, usage string) {
	read := func(text string) error {
		if !slices.Contains(known, text) {
			return unknownWord(text, known)
		}
		*to = text
		return nil
	}
	f.Var(&option{kind: "string", text: itself(to), read: read, known: known}, name, usage)
}

// choices declares a flag for a list of words, each one of several. A flag that is given again adds to the list.
func choices(f *pflag.FlagSet, to *[]string, name string, known []string, usage string) {
	given := false
	read := func(text string) error {
		var all []string
		for word := range strings.SplitSeq(text, ",") {
			word = strings.TrimSpace(word)
			if !slices.Contains(known, word) {
				return unknownWord(word, known)
			}
			all = append(all, word)
		}
		if given {
			all = append(slices.Clone(*to), all...)
		}
		*to, given = all, true
		return nil
	}
	shown := func() string { return strings.Join(*to, ",") }
	f.Var(&option{kind: "strings", text: shown, read: read, known: known, list: true}, name, usage)
}

// checked declares a flag whose text a function checks: a number or a word, or names with numbers. kind is its type in
// help.
func checked(f *pflag.FlagSet, to *string, name, kind string, check func(text string) error, usage string) {
	read := func(text string) error {
		err := check(text)
		if err == nil {
			*to = text
		}
		return err
	}
	f.Var(&option{kind: kind, text: itself(to), read: read}, name, usage)
}

// parsedBy declares a flag whose text a function reads again when the command runs.
func parsedBy[T any](f *pflag.FlagSet, to *string, name, kind string, parse func(string) (T, error), usage string) {
	checked(f, to, name, kind, func(text string) error { _, err := parse(text); return err }, usage)
}

// plainFlagError replaces pflag's messages by plain ones.
func plainFlagError(err error, known []string) error {
	var invalid *pflag.InvalidValueError
	var unknown *pflag.NotExistError
	switch {
	case errors.As(err, &invalid):
		value := invalid.GetValue()
		if value == "" {
			value = `""`
		}
		return fmt.Errorf("--%s %s: %w", invalid.GetFlag().Name, value, reason(invalid))
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		name := unknown.GetSpecifiedName()
		return fmt.Errorf("there is no flag --%s%s", name, meantFlag(name, known))
	}
	return err
}

// reason describes the values that a flag accepts.
func reason(invalid *pflag.InvalidValueError) error {
	switch invalid.GetFlag().Value.Type() {
	case "bool":
		return errors.New("want true or false")
	case "stringSlice":
		return errors.New(`want words, separated by commas; a word with a comma or a quote is written "a,b"`)
	case "stringToString":
		return errors.New("want names with values, such as a=1,b=2")
	}
	return errors.Unwrap(invalid)
}
