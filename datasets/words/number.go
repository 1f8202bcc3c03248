package words

import (
	"math"
	"strconv"
	"strings"
)

// Real are the types of quantities.
type Real interface {
	~int | ~int32 | ~int64 | ~float64
}

// None stands for a value that is not known. Formatting functions return it for NaN and infinities.
const None = "–"

// Number writes n with three significant digits, whole digits never dropped and trailing zeros removed: 0.284, 5.5,
// 13,042. Beyond 10^15 it uses powers of ten.
func Number[N Real](n N) string {
	x := float64(n)
	switch {
	case unknown(x):
		return None
	case x == 0:
		return "0"
	case math.Abs(x) >= 1e15 || math.Abs(x) < 1e-6:
		return strings.Replace(strconv.FormatFloat(x, 'g', 3, 64), "-", "−", 1)
	}
	return decimals(x, 2-magnitude(x))
}

// Fixed writes n with a fixed number of decimals and grouped digits, for columns that align.
func Fixed[N Real](n N, places int) string {
	x := float64(n)
	if unknown(x) {
		return None
	}
	return fixed(x, places)
}

// Percent writes a share as a percentage: 28%, 5.5%, 0.04%, 155%. Two significant digits below 10%, whole percents
// above; a share that is neither none nor all is never written as 0% or 100%.
func Percent[N Real](share N) string {
	x := float64(share)
	if unknown(x) {
		return None
	}
	p := x * 100
	abs := math.Abs(p)
	switch {
	case p == 0:
		return "0%"
	case abs >= 1e15:
		return Number(x) + " × 100%"
	case abs < 0.001:
		return "<0.001%"
	case abs < 9.95:
		return decimals(p, 1-magnitude(p)) + "%"
	case abs >= 99.5 && abs < 100:
		return decimals(math.Copysign(math.Floor(abs*10)/10, p), 1) + "%"
	default:
		return fixed(p, 0) + "%"
	}
}

// PercentRange writes two shares as one range: 21–35%, 0.5–12%.
func PercentRange[N Real](low, high N) string { return Range(low, high, Percent[N]) }

// Range writes two quantities as one range, each by the given function: 4–12, 21–35%, 4.4–12 s. Where their units
// differ, or consist of several, it writes both in full: 800 ms to 1.2 s.
func Range[N Real](low, high N, write func(N) string) string {
	a, b := write(low), write(high)
	if a == b {
		return a
	}
	digits, unit := splitUnit(a)
	other, same := splitUnit(b)
	if digits == "" || other == "" || unit != same {
		return a + " to " + b
	}
	return digits + "–" + b
}

// splitUnit splits a quantity into its number and its unit. The number is empty when there are several, or none, or
// when it has a sign, which would be read as a dash.
func splitUnit(text string) (number, unit string) {
	end := 0
	for end < len(text) && (text[end] >= '0' && text[end] <= '9' || text[end] == '.' || text[end] == ',') {
		end++
	}
	if strings.ContainsAny(text[end:], "0123456789") {
		return "", ""
	}
	return text[:end], text[end:]
}

func unknown(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }

// magnitude returns the power of ten of the first significant digit once x is rounded to three digits.
func magnitude(x float64) int {
	text := strconv.FormatFloat(math.Abs(x), 'e', 2, 64)
	exp, err := strconv.Atoi(text[strings.IndexByte(text, 'e')+1:])
	if err != nil {
		panic("words: strconv wrote an exponent that it cannot read: " + text)
	}
	return exp
}

// decimals writes x with at most the given number of decimals (none below zero) and without trailing zeros.
func decimals(x float64, places int) string {
	text := fixed(x, max(places, 0))
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

func fixed(x float64, places int) string {
	text := strconv.FormatFloat(math.Abs(x), 'f', places, 64)
	whole, fraction, found := strings.Cut(text, ".")
	out := group(whole)
	if found {
		out += "." + fraction
	}
	if x < 0 && strings.Trim(text, "0.") != "" {
		out = "−" + out
	}
	return out
}
