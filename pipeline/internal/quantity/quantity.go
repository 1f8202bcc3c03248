// Package quantity parses numbers in flags and arguments with one grammar, and checks them against a range:
//
//	whole number  100
//	number        0.5, 128e9
//	share         40% or 0.4
//	percentage    83 or 83%
//	duration      8s, 45m, 1h30m, 7d
//	size          512MiB, 24GB, 1000000
//	multiple      2x
//
// A plain number is never guessed to be a duration or a multiple: the error names its possible meanings. A flag that
// has always been in seconds is declared [Seconds], says so in its help, and takes plain numbers.
package quantity

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Unit is the notation and the unit of a number.
type Unit uint8

// The units. [Range.Parse] returns durations in seconds, sizes in bytes, shares as fractions of 1 and percentages of
// 100.
const (
	Whole    Unit = iota // 12
	Plain                // 0.5
	Share                // 40%, or 0.4; a plain number above 1 is refused
	Load                 // 1.5, or 150%
	Percent              // 83, or 83%
	Duration             // 90s; a plain number is refused, 0 needs no unit
	Seconds              // 90s, or 90
	Bytes                // 24GB, or 24000000000; a plain number below a million is refused, 0 needs no unit
	Multiple             // 2x
)

// Noun is the name of a unit in help: the type of a flag.
func (u Unit) Noun() string {
	return [...]string{"int", "number", "share", "share", "percent", "duration", "duration", "size", "multiple"}[u]
}

// want completes "want" in an error.
func (u Unit) want() string {
	return [...]string{"a whole number", "a number", "a share, such as 40% or 0.4", "a share, such as 1.5 or 150%", "a percentage, such as 83",
		"a duration, such as 90s, 45m or 7d", "a duration, such as 8s, 500ms or a number of seconds",
		"a size, such as 512MiB or 24GB", "a multiple, such as 2x"}[u]
}

// Range is the allowed range of a number: from Low to High, both included unless Above or Below excludes them. With
// Zero, 0 is allowed as well. A Range without High allows only 0: every number has an upper bound.
type Range struct {
	Unit         Unit
	Low, High    float64
	Above, Below bool // more than Low, less than High
	Zero         bool // or 0
}

// Parse reads a number and checks it. Errors name the expected form and the range.
func (r Range) Parse(text string) (float64, error) {
	x, err := r.Unit.parse(text)
	switch {
	case errors.As(err, new(*ambiguousError)) && r.Unit == Share && !r.holds(x):
		return 0, fmt.Errorf("want %s, with a sign: %s%%", r, strings.TrimSpace(text))
	case errors.As(err, new(*ambiguousError)):
		return 0, err
	case err != nil:
		return 0, fmt.Errorf("want %s: %s", r.Unit.want(), r)
	case !r.holds(x):
		return 0, fmt.Errorf("want %s", r)
	}
	return x, nil
}

func (r Range) holds(x float64) bool {
	if r.Zero && x == 0 {
		return true
	}
	return x >= r.Low && x <= r.High && !(r.Above && x == r.Low) && !(r.Below && x == r.High) // false for NaN
}

// String writes the range: 1 to 1,000; more than 0, at most 100%; 0, or 1s to 30d.
func (r Range) String() string {
	low, high := r.Unit.Write(r.Low), r.Unit.Write(r.High)
	text := low + " to " + high
	switch {
	case r.Above && r.Below:
		text = "more than " + low + ", less than " + high
	case r.Above:
		text = "more than " + low + ", at most " + high
	case r.Below:
		text = "at least " + low + ", less than " + high
	}
	if r.Zero {
		text = "0, or " + text
	}
	return text
}

// ambiguousError is a plain number whose meaning depends on a unit.
type ambiguousError struct{ readings string }

func (e *ambiguousError) Error() string { return e.readings }

var errForm = errors.New("not a number of this form")

func (u Unit) parse(text string) (float64, error) {
	text = strings.TrimSpace(text)
	switch u {
	case Whole:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return whole(text)
		}
		return float64(n), nil
	case Share, Load, Percent:
		number, sign := strings.CutSuffix(text, "%")
		number = strings.TrimRight(number, " ")
		x, err := decimal(number)
		switch {
		case err == nil && !sign && u == Share && x > 1:
			return x, &ambiguousError{fmt.Sprintf("want a sign: %s%%, or %s for %s times", number, Share.Write(x), number)}
		case err != nil || !sign || u == Percent:
			return x, err
		case strings.ContainsAny(number, "eE"):
			return x / 100, nil
		}
		return decimal(number + "e-2") // 99.9 / 100 is above 0.999
	case Duration, Seconds:
		return duration(text, u == Seconds)
	case Bytes:
		return size(text)
	case Multiple:
		number, sign := strings.CutSuffix(text, "x")
		if !sign {
			return 0, errForm
		}
		return decimal(number)
	}
	return decimal(text)
}

// whole reads whole numbers that are written with an exponent or are too large for 64 bits: 1e6.
func whole(text string) (float64, error) {
	x, err := decimal(text)
	if err != nil || x != math.Trunc(x) {
		return 0, errForm
	}
	return x, nil
}

// decimal reads a finite decimal number. Too large a number is an error; too small a one is 0, but for its sign.
func decimal(text string) (float64, error) {
	if text == "" || strings.Trim(text, "0123456789+-.eE") != "" {
		return 0, errForm // no hexadecimal numbers, infinities, underscores
	}
	x, err := strconv.ParseFloat(text, 64)
	if errors.Is(err, strconv.ErrRange) && math.IsInf(x, 0) {
		return x, nil // outside every range
	}
	if err != nil {
		return 0, errForm
	}
	return x, nil
}

// units of time, in seconds, the largest first.
var durations = []struct {
	name    string
	seconds float64
}{
	{"w", 604800}, {"d", 86400}, {"h", 3600}, {"min", 60}, {"ms", 1e-3}, {"us", 1e-6}, {"µs", 1e-6}, {"ns", 1e-9},
	{"m", 60}, {"s", 1},
}

// duration reads numbers with units of time, one after the other: 1h30m. If bare is set, a plain number is in seconds.
func duration(text string, bare bool) (float64, error) {
	if x, err := decimal(text); err == nil {
		if bare || x == 0 {
			return x, nil
		}
		return 0, &ambiguousError{fmt.Sprintf("want a unit: %ss is seconds, %sm is minutes", text, text)}
	}
	for _, u := range durations {
		if number, ok := strings.CutSuffix(text, u.name); ok {
			if x, err := decimal(strings.TrimRight(number, " ")); err == nil {
				return x * u.seconds, nil
			}
		}
	}
	rest, minus := strings.CutPrefix(text, "-")
	if rest == "" {
		return 0, errForm
	}
	sum := 0.0
	for rest != "" {
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789."))
		x, err := decimal(rest[:digits])
		if err != nil {
			return 0, errForm
		}
		rest = strings.TrimLeft(rest[digits:], " ")
		found := false
		for _, u := range durations {
			if after, ok := strings.CutPrefix(rest, u.name); ok &&
				(after == "" || after[0] == ' ' || after[0] >= '0' && after[0] <= '9') {
				sum, rest, found = sum+x*u.seconds, strings.TrimLeft(after, " "), true
				break
			}
		}
		if !found {
			return 0, errForm
		}
	}
	if minus {
		sum = -sum
	}
	return sum, nil
}

// size reads a number of bytes: 1000000, 512MiB, 24GB, 1.5 TB, 64k.
func size(text string) (float64, error) {
	number := strings.TrimRight(text, "BKMGTPEbkmgtpi")
	factor := 1.0
	unit := strings.ToLower(text[len(number):])
	unit = strings.TrimSuffix(unit, "b")
	base := 1000.0
	if binary, ok := strings.CutSuffix(unit, "i"); ok && binary != "" {
		unit, base = binary, 1024
	}
	if unit != "" {
		power := strings.Index("kmgtpe", unit)
		if power < 0 || len(unit) != 1 {
			return 0, errForm
		}
		factor = math.Pow(base, float64(power+1))
	}
	x, err := decimal(strings.TrimRight(number, " "))
	if err == nil && len(number) == len(text) && x > 0 && x < fewBytes {
		return 0, &ambiguousError{fmt.Sprintf("want a unit: %sB is bytes, %sGB is gigabytes", text, text)}
	}
	return x * factor, err
}

// fewBytes is the number of bytes below which a size needs a unit: 50 is hardly meant to be 50 bytes.
const fewBytes = 1_000_000

// IsNumber reports whether text is a plain number, which has no unit.
func IsNumber(text string) bool {
	_, err := decimal(strings.TrimSpace(text))
	return err == nil
}
