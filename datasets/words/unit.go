package words

import (
	"math"
	"strconv"
	"time"
)

// Bytes writes a size in decimal units with up to three significant digits: 1.2 GB, 320 kB, 17 B.
func Bytes[N Real](n N) string {
	x, i := float64(n), 0
	if unknown(x) {
		return None
	}
	units := []string{"B", "kB", "MB", "GB", "TB", "PB", "EB"}
	for i < len(units)-1 && math.Abs(x) >= 999.5 {
		x /= 1000
		i++
	}
	switch {
	case i == 0:
		return fixed(x, 0) + " B"
	case math.Abs(x) >= 1e6:
		return Number(n) + " B"
	}
	return decimals(x, 1-magnitude(x)) + " " + units[i]
}

// Seconds writes a duration in its two largest units, or with two significant digits below a minute: 3 min 20 s,
// 2 h 5 min, 1.5 s, 42 s, 12 ms.
func Seconds[N Real](n N) string {
	s := float64(n)
	switch {
	case unknown(s):
		return None
	case s < 0:
		return "−" + Seconds(-s)
	case s == 0:
		return "0 s"
	case s >= 1e15:
		return Number(s) + " s"
	case s < 0.9994e-3:
		return decimals(s*1e6, 1-magnitude(s*1e6)) + " µs"
	case s < 0.9994:
		return decimals(s*1e3, 1-magnitude(s*1e3)) + " ms"
	case s < 59.5:
		return decimals(s, 1-magnitude(s)) + " s"
	case s < 3600-0.5:
		return two(s, 60, "min", 1, "s")
	case s < 86400-30:
		return two(s, 3600, "h", 60, "min")
	default:
		return two(s, 86400, "d", 3600, "h")
	}
}

// Deadline writes the earliest deadline that can be kept as Seconds does, but rounded up: the text can be kept, too.
func Deadline[N Real](n N) string {
	s, step := float64(n), 1.0
	switch {
	case unknown(s):
		return None
	case s >= 86400-30:
		step = 3600
	case s >= 3600-0.5:
		step = 60
	case s < 9.95:
		step = 0.1
	}
	const noise = 1e-9
	return Seconds(math.Ceil(s*(1-noise)/step) * step)
}

// FineSeconds writes a duration as Seconds does, but from a millisecond to a minute in seconds with three significant
// digits, for times that are compared: 14.8 s, 0.284 s, 1 min 9 s.
func FineSeconds[N Real](n N) string {
	if s := float64(n); s >= 1e-3 && s < 59.95 {
		return Number(s) + " s"
	}
	return Seconds(n)
}

// two writes s seconds as whole large units and the rest in small ones, rounded to a small one.
func two(s, large float64, largeName string, small float64, smallName string) string {
	n := math.Round(s / small)
	per := large / small
	whole, rest := math.Floor(n/per), math.Mod(n, per)
	out := fixed(whole, 0) + " " + largeName
	if rest > 0 {
		out += " " + strconv.Itoa(int(rest)) + " " + smallName
	}
	return out
}

// Instant writes a time in seconds since 1970 as 2026-03-12 14:02 UTC.
func Instant(unix float64) string { return InstantIn(unix, time.UTC) }

// InstantIn is [Instant] in a time zone: 2026-03-12 15:02 CET.
func InstantIn(unix float64, zone *time.Location) string {
	if unknown(unix) || math.Abs(unix) > 1e11 {
		return None
	}
	return time.UnixMicro(int64(unix * 1e6)).In(zone).Format("2006-01-02 15:04 MST")
}

// Span writes the time between two instants in seconds since 1970: 2026-03-12 14:02 to 18:18 UTC, or with both dates.
func Span(from, to float64) string { return SpanIn(from, to, time.UTC) }

// SpanIn is [Span] in a time zone, which both have where clocks are set between them.
func SpanIn(from, to float64, zone *time.Location) string {
	a, b := InstantIn(from, zone), InstantIn(to, zone)
	const date, clock = len("2006-01-02 "), len("2006-01-02 15:04")
	if a == None || b == None {
		return a + " to " + b
	}
	if a[clock:] == b[clock:] {
		a = a[:clock]
	}
	if len(a) == clock && a[:date] == b[:date] {
		b = b[date:]
	}
	return a + " to " + b
}
