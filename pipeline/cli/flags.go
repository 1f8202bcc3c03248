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

// ranged is a flag for numbers within a range.
type ranged interface {
	pflag.Value
	Range() quantity.Range
}

// numeric are the types of options that flags set.
type numeric interface {
	~int | ~int32 | ~int64 | ~float64
}

// number declares a flag for one number. Durations are stored in seconds, sizes in bytes, shares as fractions.
func number[T numeric](f *pflag.FlagSet, to *T, name string, r quantity.Range, usage string) {
	f.Var(&numberFlag[T]{to: to, of: r, text: written(r, float64(*to))}, name, fmt.Sprintf("%s [%s]", usage, r))
}

// numberFlag is a flag for one number: [pflag.Value].
type numberFlag[T numeric] struct {
	to   *T
	of   quantity.Range
	text string // as given
}

// String implements [pflag.Value].
func (n *numberFlag[T]) String() string { return n.text }

// Type implements [pflag.Value].
func (n *numberFlag[T]) Type() string { return n.of.Unit.Noun() }

// Range returns what the number may be.
func (n *numberFlag[T]) Range() quantity.Range { return n.of }

// Set implements [pflag.Value].
func (n *numberFlag[T]) Set(text string) error {
	x, err := n.of.Parse(text)
	if err == nil {
		*n.to, n.text = T(x), strings.TrimSpace(text)
	}
	return err
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
	texts := lists.Map(*to, func(x T) string { return written(r, float64(x)) })
	f.Var(&numbersFlag[T]{to: to, of: r, text: strings.Join(texts, ",")}, name, fmt.Sprintf("%s [each %s]", usage, r))
}

// numbersFlag is a flag for a list of numbers: [pflag.Value].
type numbersFlag[T numeric] struct {
	to    *[]T
	of    quantity.Range
	text  string
	given bool
}

// String implements [pflag.Value].
func (n *numbersFlag[T]) String() string { return n.text }

// Type implements [pflag.Value].
func (n *numbersFlag[T]) Type() string { return n.of.Unit.Noun() + "s" }

// Range returns what each number may be.
func (n *numbersFlag[T]) Range() quantity.Range { return n.of }

// Set implements [pflag.Value].
func (n *numbersFlag[T]) Set(text string) error {
	var all []T
	for item := range strings.SplitSeq(text, ",") {
		x, err := n.of.Parse(item)
		if err != nil {
			return fmt.Errorf("%q in a list separated by commas: %w", item, err)
		}
		all = append(all, T(x))
	}
	if n.given {
		all, text = append(slices.Clone(*n.to), all...), n.text+","+text
	}
	if len(all) > maxList {
		return fmt.Errorf("want at most %d numbers", maxList)
	}
	*n.to, n.text, n.given = all, text, true
	return nil
}

// seedFlag is a flag for a seed: [pflag.Value].
type seedFlag struct{ to *uint64 }

// seeded declares --seed.
func seeded(f *pflag.FlagSet, to *uint64, usage string) {
	f.Var(seedFlag{to}, "seed", usage+" [0 to 18,446,744,073,709,551,615]")
}

// String implements [pflag.Value].
func (s seedFlag) String() string { return strconv.FormatUint(*s.to, 10) }

// Type implements [pflag.Value].
func (seedFlag) Type() string { return "int" }

// Range returns what a seed may be, as near as a float64 tells.
func (seedFlag) Range() quantity.Range { return quantity.Range{High: math.MaxUint64} }

// Set implements [pflag.Value].
func (s seedFlag) Set(text string) error {
	n, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64)
	if err != nil {
		return errors.New("want a whole number: 0 to 18,446,744,073,709,551,615")
	}
	*s.to = n
	return nil
}

// choice declares a flag for one of several words.
func choice(f *pflag.FlagSet, to *string, name string, known []string, usage string) {
	f.Var(&choiceFlag{to: to, known: known}, name, usage)
}

// choiceFlag is a flag for one of several words: [pflag.Value].
type choiceFlag struct {
	to    *string
	known []string
}

// String implements [pflag.Value].
func (c *choiceFlag) String() string { return *c.to }

// Type implements [pflag.Value].
func (*choiceFlag) Type() string { return "string" }

// Set implements [pflag.Value].
func (c *choiceFlag) Set(text string) error {
	if !slices.Contains(c.known, text) {
		return unknownWord(text, c.known)
	}
	*c.to = text
	return nil
}

// choices declares a flag for a list of words, each one of several. A flag that is given again adds to the list.
func choices(f *pflag.FlagSet, to *[]string, name string, known []string, usage string) {
	f.Var(&choicesFlag{to: to, known: known}, name, usage)
}

// choicesFlag is a flag for a list of words: [pflag.Value].
type choicesFlag struct {
	to    *[]string
	known []string
	given bool
}

// String implements [pflag.Value].
func (c *choicesFlag) String() string { return strings.Join(*c.to, ",") }

// Type implements [pflag.Value].
func (*choicesFlag) Type() string { return "strings" }

// Set implements [pflag.Value].
func (c *choicesFlag) Set(text string) error {
	var all []string
	for word := range strings.SplitSeq(text, ",") {
		word = strings.TrimSpace(word)
		if !slices.Contains(c.known, word) {
			return unknownWord(word, c.known)
		}
		all = append(all, word)
	}
	if c.given {
		all = append(slices.Clone(*c.to), all...)
	}
	*c.to, c.given = all, true
	return nil
}

// checked declares a flag whose text a function checks: a number or a word, or names with numbers. kind is its type in
// help.
func checked(f *pflag.FlagSet, to *string, name, kind string, check func(text string) error, usage string) {
	f.Var(&checkedFlag{to: to, kind: kind, check: check}, name, usage)
}

// checkedFlag is a flag whose text is checked: [pflag.Value].
type checkedFlag struct {
	to    *string
	kind  string
	check func(text string) error
}

// String implements [pflag.Value].
func (c *checkedFlag) String() string { return *c.to }

// Type implements [pflag.Value].
func (c *checkedFlag) Type() string { return c.kind }

// Set implements [pflag.Value].
func (c *checkedFlag) Set(text string) error {
	if err := c.check(text); err != nil {
		return err
	}
	*c.to = text
	return nil
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
