package desk

import (
	"fmt"
	"time"

	"racecard/datasets/trace"
)

// mostBuckets bounds the parts into which the period of a trace is divided.
const mostBuckets = 40

// buckets are parts of the period of a trace, between edges.
type buckets struct {
	edges []trace.Instant // ascending; one more than buckets
	names []string        // of the edges, as --since takes them
	step  time.Duration
}

// steps are the lengths that buckets may have.
var steps = []time.Duration{ // constant
	time.Second, 2 * time.Second, 5 * time.Second, 15 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour,
	24 * time.Hour, 2 * 24 * time.Hour, 7 * 24 * time.Hour, 14 * 24 * time.Hour, 28 * 24 * time.Hour,
	91 * 24 * time.Hour, 364 * 24 * time.Hour,
}

// divide divides the time from the first to the last submission. Buckets of Unix times begin at full hours or days of
// the zone; others at origin, the first instant of the trace.
func divide(first, last, origin trace.Instant, unix bool, zone *time.Location) buckets {
	span := time.Duration(last-first)*time.Microsecond + time.Microsecond
	b := buckets{step: steps[len(steps)-1]}
	for _, s := range steps {
		if span/s < mostBuckets-1 {
			b.step = s
			break
		}
	}
	for span/b.step >= mostBuckets-1 {
		b.step *= 2
	}
	if !unix {
		step := trace.Instant(b.step.Microseconds())
		for at := origin + (first-origin)/step*step; ; at += step {
			b.edges = append(b.edges, at)
			b.names = append(b.names, fmt.Sprintf("+%ds", (at-origin)/1e6))
			if at > last {
				return b
			}
		}
	}
	at := time.UnixMicro(int64(first)).In(zone)
	day := time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, zone)
	layout := time.DateOnly
	if b.step < 24*time.Hour {
		layout = "2006-01-02T15:04"
		if b.step < time.Minute {
			layout = "2006-01-02T15:04:05"
		}
		day = day.Add(at.Sub(day) / b.step * b.step)
	} else if b.step >= 7*24*time.Hour { // weeks begin on Mondays
		day = day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
	}
	for {
		b.edges = append(b.edges, trace.Instant(day.UnixMicro()))
		b.names = append(b.names, day.Format(layout))
		if day.UnixMicro() > int64(last) {
			return b
		}
		if b.step < 24*time.Hour {
			day = day.Add(b.step)
		} else {
			day = day.AddDate(0, 0, int(b.step/(24*time.Hour)))
		}
	}
}

// of returns the bucket of a submission, -1 for one outside of all.
func (b *buckets) of(at trace.Instant) int {
	if !at.Known() || at < b.edges[0] || at >= b.edges[len(b.edges)-1] {
		return -1
	}
	low, high := 0, len(b.edges)-1 // edges[low] <= at < edges[high]
	for high-low > 1 {
		if middle := (low + high) / 2; b.edges[middle] <= at {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// count returns the number of buckets.
func (b *buckets) count() int { return len(b.edges) - 1 }
