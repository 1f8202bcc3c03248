package workload

import (
	"cmp"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"racecard/analyses/digest"
	"racecard/datasets/result"
)

const (
	second = int64(1e6) // in microseconds
	hour   = 3600 * second
	day    = 24 * hour
)

// windows are the lengths for which the index of dispersion is taken, in seconds.
func windows() []int64 {
	return []int64{1, 10, 60, 600, 3600, 6 * 3600, 86400, 7 * 86400}
}

// minWindows is the least number of windows for an index: with fewer, its 95% range under a Poisson process is wider
// than 0.4 to 2.
const minWindows = 10

// maxCounts is the largest number of bins of the series of arrivals; with few arrivals there are fewer, two in each on
// average.
const maxCounts = 400

// instants are times in microseconds, ascending. Only inOrder makes them.
type instants struct{ at []int64 }

// inOrder takes ownership of the slice and sorts it in place.
func inOrder(at []int64) instants {
	slices.Sort(at)
	return instants{at}
}

// arrivalStats describes arrivals and the gaps between them.
func (p *Partial) arrivalStats(of instants, gaps *digest.Digest) result.Arrivals {
	at := of.at
	a := result.Arrivals{Header: p.header(partArrivals), N: int64(len(at)), ByStart: p.byStart}
	if len(at) == 0 {
		return a
	}
	first, last := at[0], at[len(at)-1]
	a.FirstS, a.LastS = seconds(first), seconds(last)
	a.PerHour = result.Number(float64(len(at)-1) / (seconds(last-first) / 3600)) // NaN for one arrival
	if last == first {
		a.PerHour = unknown()
	}
	a.Gap = gaps.Summary(1e6)
	a.GapCoV, a.AtOnce = covOf(of), unknown()
	if len(at) > 1 {
		same := 0
		for i := range at[1:] {
			if gap := at[i+1] - at[i]; gap == 0 {
				same++
			} else if seconds(gap) > a.Longest.Seconds {
				a.Longest = result.Gap{FromS: seconds(at[i]), ToS: seconds(at[i+1]), Seconds: seconds(gap)}
			}
		}
		a.AtOnce = result.Number(float64(same) / float64(len(at)-1))
	}
	a.Counts = counts(of)
	for _, w := range windows() {
		if index, ok := dispersion(of, w*second); ok {
			a.Index = append(a.Index, index)
		}
	}
	a.HourOf, a.AtRhythm, a.HourZone = p.hours(of)
	ahead := int64(0)
	if p.opts.Unix {
		ahead, _ = p.offset(first)
	}
	a.Rhythm = rhythm(of, ahead, p.opts.Seed)
	return a
}

func seconds(us int64) float64 { return float64(us) / 1e6 }

func unknown() result.Number { return result.Number(math.NaN()) }

// covOf returns the coefficient of variation of the gaps between instants; NaN for fewer than two gaps, or when all
// are 0.
func covOf(of instants) result.Number {
	at := of.at
	n := float64(len(at) - 1)
	if n < 2 || at[len(at)-1] == at[0] {
		return unknown()
	}
	mean := float64(at[len(at)-1]-at[0]) / n
	squares := 0.0
	for i := range at[1:] {
		d := float64(at[i+1]-at[i]) - mean
		squares += d * d
	}
	return result.Number(math.Sqrt(squares/(n-1)) / mean)
}

// counts counts arrivals in bins whose width is a round number.
func counts(of instants) result.Series {
	at := of.at
	first, last := at[0], at[len(at)-1]
	width, most := day, int64(min(maxCounts, max(len(at)/2, 10)))
	for _, w := range []int64{1, 2, 5, 10, 30, 60, 120, 300, 600, 1200, 3600, 7200, 4 * 3600, 12 * 3600} {
		if w *= second; floorDiv(last, w)-floorDiv(first, w) < most {
			width = w
			break
		}
	}
	for floorDiv(last, width)-floorDiv(first, width) >= most {
		width *= 2
	}
	from := floorDiv(first, width)
	out := result.Series{FromS: seconds(from * width), BinS: seconds(width),
		Values: make([]float64, floorDiv(last, width)-from+1)}
	for _, t := range at {
		out.Values[floorDiv(t, width)-from]++
	}
	return out
}

// dispersion returns the index of dispersion for counts in windows of a width, over the whole windows from the first
// arrival on: D. R. Cox and P. A. W. Lewis, "The Statistical Analysis of Series of Events", 1966, §4.5 and §5.2. Under
// a Poisson process, (windows - 1) x index is approximately chi-squared distributed. ok is false when there are too few
// windows.
func dispersion(of instants, width int64) (result.Index, bool) {
	at := of.at
	n := (at[len(at)-1] - at[0]) / width
	if n < minWindows {
		return result.Index{}, false
	}
	end := at[0] + n*width
	x := result.Index{WindowS: seconds(width), Windows: n}
	var inside int64
	var squares float64 // of counts: whole, and exact below 2^53
	for i := 0; i < len(at) && at[i] < end; {
		window := (at[i] - at[0]) / width
		k := i
		for k < len(at) && (at[k]-at[0])/width == window && at[k] < end {
			k++
		}
		count := int64(k - i)
		inside += count
		squares += float64(count) * float64(count)
		if count > x.Peak {
			x.Peak, x.PeakAtS = count, seconds(at[0]+window*width)
		}
		i = k
	}
	x.Mean = float64(inside) / float64(n)
	x.Variance = (squares - x.Mean*float64(inside)) / float64(n-1)
	x.Index, x.PeakToMean = x.Variance/x.Mean, float64(x.Peak)/x.Mean
	chi := distuv.ChiSquared{K: float64(n - 1)}
	x.Low, x.High = chi.Quantile(0.025)/float64(n-1), chi.Quantile(0.975)/float64(n-1)
	return x, true
}

// hours counts arrivals and time by the hour of the day, or of the week if times are Unix times. A trace of less than a
// period has hours without time. The zone is the time zone of the hours, "" where times are relative.
func (p *Partial) hours(of instants) (cells []result.Cell, what, zone string) {
	at := of.at
	if !p.opts.Unix {
		cells = make([]result.Cell, day/hour)
		countHours(cells, at, at[0], at[len(at)-1], 0)
		return cells, "hours of the trace's days: its times are relative, so their time of day is not known", ""
	}
	const monday = 4 * day // 1 January 1970 was a Thursday: the 5th a Monday
	cells = make([]result.Cell, 7*day/hour)
	for from, last := at[0], at[len(at)-1]; ; {
		offset, until := p.offset(from)
		if until > last {
			countHours(cells, at, from, last, monday-offset)
			break
		}
		n, _ := slices.BinarySearch(at, until)
		countHours(cells, at[:n], from, until, monday-offset)
		from, at = until, at[n:]
	}
	zone = cmp.Or(p.opts.Zone, time.UTC).String()
	return cells, "hours of the week from Monday 00:00 " + zone, zone
}

// offset returns how far clocks are ahead of UTC at an instant, and when they are set next.
func (p *Partial) offset(at int64) (ahead, until int64) {
	t := time.UnixMicro(at).In(cmp.Or(p.opts.Zone, time.UTC))
	_, s := t.Zone()
	_, end := t.ZoneBounds()
	if end.IsZero() {
		return int64(s) * second, math.MaxInt64
	}
	return int64(s) * second, end.UnixMicro()
}

// countHours adds instants, and the time from one instant to another, to the cells of a period that begins at origin.
func countHours(cells []result.Cell, at []int64, from, to, origin int64) {
	period := int64(len(cells)) * hour
	cell := func(t int64) int64 { return (t - origin - floorDiv(t-origin, period)*period) / hour }
	for _, t := range at {
		cells[cell(t)].Arrivals++
	}
	whole := (to - from) / period // each hour occurred that often
	for i := range cells {
		cells[i].Hours += float64(whole)
	}
	for t := from + whole*period; t < to; {
		next := min((floorDiv(t-origin, hour)+1)*hour+origin, to)
		cells[cell(t)].Hours += float64(next-t) / float64(hour)
		t = next
	}
}
