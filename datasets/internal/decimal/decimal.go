// Package decimal reads the decimal numbers of text formats: one grammar for all of them, and the numbers that
// [strconv.ParseFloat] returns, several times as fast where they are short.
package decimal

import (
	"math"
	"strconv"
	"strings"
)

// MaxDigits is how many digits a number may have, before and behind its point, to be exact as a float64 once the point
// is left out.
const MaxDigits = 15

var powers = [MaxDigits + 1]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15}

// Shifted returns digits / 10^scale, for a number of at most MaxDigits digits and a scale of at most as many. Both are
// exact, so that the quotient is the nearest float64 (W. D. Clinger, "How to Read Floating Point Numbers Accurately",
// PLDI 1990, §2).
func Shifted(digits uint64, scale int) float64 { return float64(digits) / powers[scale] }

// Parse returns the float64 nearest to a decimal number: an optional sign, digits with at most one point among them,
// and an optional exponent. Other forms that strconv knows (0x1p-2, 1_000, NaN, Inf) are not ok, nor are numbers beyond
// float64.
func Parse[T []byte | string](text T) (x float64, ok bool) {
	digits, at, skipped := uint64(0), 0, 0
	if len(text) > 0 && (text[0] == '-' || text[0] == '+') {
		at, skipped = 1, 1
	}
	for ; at < len(text) && text[at]-'0' <= 9; at++ {
		digits = 10*digits + uint64(text[at]-'0')
	}
	scale := 0
	if at < len(text) && text[at] == '.' {
		at++
		behind := at
		for ; at < len(text) && text[at]-'0' <= 9; at++ {
			digits = 10*digits + uint64(text[at]-'0')
		}
		scale = at - behind
		skipped++
	}
	if n := at - skipped; at < len(text) || n == 0 || n > MaxDigits {
		return parseLong(string(text))
	}
	x = Shifted(digits, scale)
	if text[0] == '-' {
		x = -x
	}
	return x, true
}

// parseLong parses numbers with an exponent or many digits.
func parseLong(text string) (float64, bool) {
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil && !math.IsInf(x, 0) && !math.IsNaN(x) && !strings.ContainsAny(text, "xX_")
}
