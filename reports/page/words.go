package page

import (
	"cmp"
	"math"
	"slices"

	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/style"
)

// known reports whether all numbers are finite.
func known[T ~float64](all ...T) bool {
	return !slices.ContainsFunc(all, func(x T) bool { return math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) })
}

// interval writes the interval of a percentile of a summary: ", 95% interval 21–35%"; nothing where there is none.
func interval(all result.Intervals, of, percentile string, write func(float64) string) string {
	level := all.Level
	if !(level > 0 && level < 1) {
		level = 0.95
	}
	between := intervalIn(all, of, percentile, write)
	return words.When(between != "", ", %s interval %s", words.Percent(level), between)
}

// intervalIn writes the ends of the interval of a percentile of a summary; nothing where there is none.
func intervalIn(all result.Intervals, of, percentile string, write func(float64) string) string {
	i, ok := all.Of[of][percentile]
	if !ok || !known(i[0], i[1]) {
		return ""
	}
	return words.Range(i[0], i[1], write)
}

// sample states the size of a sample, and warns of a small one.
func sample(n int, one, many string) string {
	text := "n = " + words.Of(n, one, many)
	text += words.When(n < style.SmallSample, ", too few to generalise from")
	return text + "."
}

// amount writes a number, whole or not, and its unit.
func amount(x float64, one, many string) string {
	return words.Number(x) + " " + words.Either(x == 1, one, many)
}

// name writes a name from a trace for use in a sentence.
func name(s string) string { return nameOr(s, "(no name)") }

// nameOr writes a name from a trace, or something else when it is empty.
func nameOr(s, otherwise string) string { return cmp.Or(words.Shorten(s, 60), otherwise) }
