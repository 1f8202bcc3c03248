package quantity

import (
	"math"
	"strconv"
	"strings"
)

// Write writes a number of a unit for people: 1,000, 40%, 90s, 512MiB. Without its commas, [Range.Parse] reads it
// again.
func (u Unit) Write(x float64) string {
	switch u {
	case Load:
		if x == 0 || x >= 100 { // not 1e8%
			return short(x)
		}
		return Share.Write(x)
	case Share:
		return short(100*x) + "%"
	case Duration, Seconds:
		return writeDuration(x)
	case Bytes:
		return writeBytes(x)
	case Multiple:
		return short(x) + "x"
	}
	return short(x)
}

// short writes a number with all its digits, grouped, and large round numbers as powers of ten.
func short(x float64) string {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 15, 64), 64) // 100 times a share is off in the last digit
	if math.Abs(x) >= 1e7 || x != 0 && math.Abs(x) < 1e-4 {
		text := strconv.FormatFloat(x, 'e', -1, 64)
		if len(text) > 12 {
			text = strconv.FormatFloat(x, 'e', 5, 64)
		}
		text = strings.ReplaceAll(strings.ReplaceAll(text, "e+0", "e"), "e-0", "e-")
		return strings.ReplaceAll(text, "e+", "e")
	}
	text := strconv.FormatFloat(math.Abs(x), 'f', -1, 64)
	if len(text) > 12 {
		text = strconv.FormatFloat(math.Abs(x), 'g', 6, 64)
	}
	digits, fraction, _ := strings.Cut(text, ".")
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	if fraction != "" {
		digits += "." + fraction
	}
	if x < 0 {
		digits = "-" + digits
	}
	return digits
}

func writeDuration(s float64) string {
	if s == 0 {
		return "0s"
	}
	for _, u := range durations {
		if u.name == "µs" || u.name == "min" || u.name == "w" {
			continue
		}
		if n := s / u.seconds; math.Abs(n) >= 1 && math.Abs(n-math.Round(n)) < 1e-9*math.Abs(n) &&
			(u.seconds >= 1 || math.Abs(s) < 1) {
			return strings.ReplaceAll(short(math.Round(n)), ",", "") + u.name
		}
	}
	return strings.ReplaceAll(short(s), ",", "") + "s"
}

func writeBytes(n float64) string {
	units := []string{"", "k", "M", "G", "T", "P", "E"}
	for i := len(units) - 1; i > 0; i-- {
		if x := n / math.Pow(1024, float64(i)); x >= 1 && x == math.Trunc(x) {
			return strconv.FormatFloat(x, 'f', -1, 64) + strings.ToUpper(units[i]) + "iB"
		}
		if x := n / math.Pow(1000, float64(i)); x >= 1 && x == math.Trunc(x) {
			return strconv.FormatFloat(x, 'f', -1, 64) + units[i] + "B"
		}
	}
	return short(n) + "B"
}
