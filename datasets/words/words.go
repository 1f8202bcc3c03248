// Package words writes counts, numbers, durations and sizes in sentences: warnings of analyses and models, and texts of
// reports, write them alike.
package words

import (
	"fmt"
	"strconv"
)

// Count writes a whole number with a comma between groups of three digits: 13,042.
func Count[N ~int | ~int32 | ~int64](n N) string {
	digits := strconv.FormatInt(int64(n), 10)
	if n < 0 {
		return "−" + group(digits[1:])
	}
	return group(digits)
}

// group sets commas between groups of three digits.
func group(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// Of writes a number and the noun it counts: 1 run, 76 runs. many is the noun in the plural.
func Of[N ~int | ~int32 | ~int64](n N, one, many string) string {
	return Count(n) + " " + Noun(n, one, many)
}

// Noun returns the noun, or the verb, that n needs.
func Noun[N ~int | ~int32 | ~int64](n N, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// When writes a part of a text that only holds for some results, as [fmt.Sprintf] does; nothing where it does not hold.
func When(holds bool, format string, args ...any) string {
	if !holds {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// Either returns the first text if holds is set, and the other one otherwise.
func Either(holds bool, text, otherwise string) string {
	if holds {
		return text
	}
	return otherwise
}
