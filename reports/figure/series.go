package figure

import (
	"math"
	"time"

	"racecard/datasets/lists"
	"racecard/datasets/result"
)

// mostBins bounds the drawn bins of a series: more cannot be distinguished.
const mostBins = 700

// visible merges neighbouring bins to their mean until there are no more than n.
func visible(s result.Series, n float64) result.Series {
	k := int(math.Ceil(float64(len(s.Values)) / max(n, 1)))
	if k < 2 {
		return s
	}
	out := result.Series{FromS: s.FromS, BinS: s.BinS * float64(k)}
	for from := 0; from < len(s.Values); from += k {
		sum := 0.0
		part := s.Values[from:min(from+k, len(s.Values))]
		for _, v := range part {
			if finite(v) {
				sum += v
			}
		}
		out.Values = append(out.Values, sum/float64(len(part)))
	}
	return out
}

// edges returns the upper edge of a series, a step for every bin that can be seen; unknown values are 0.
func edges(s result.Series) (out []point) {
	if !finite(s.FromS, s.BinS) {
		return nil
	}
	s = visible(s, mostBins)
	for i, v := range s.Values {
		y := largest(v)
		out = append(out, point{s.FromS + float64(i)*s.BinS, y}, point{s.FromS + float64(i+1)*s.BinS, y})
	}
	return out
}

// seriesArea returns the area below a series.
func seriesArea(name string, l look, s result.Series) *areaLayer {
	return newArea(name, l, lists.Map(edges(s), func(q point) span { return span{q.x, 0, q.y} })...)
}

// timesOf returns an axis over the time that series cover, see [clockAxis]; a second for series without bins.
func timesOf(zone *time.Location, all ...result.Series) axis {
	first, last := math.Inf(1), math.Inf(-1)
	for _, s := range all {
		from, to := 0.0, 1.0
		if len(s.Values) > 0 && finite(s.FromS, s.BinS) && s.BinS > 0 {
			from, to = s.FromS, s.FromS+float64(len(s.Values))*s.BinS
		}
		first, last = min(first, from), max(last, to)
	}
	return clockAxis(first, last, zone)
}

// largest returns the largest finite value that is not negative, 0 for none.
func largest(values ...float64) float64 {
	most := 0.0
	for _, v := range values {
		if finite(v) {
			most = max(most, v)
		}
	}
	return most
}

// lengthAxis returns an axis of times from 0 to just beyond some seconds, labelled with their unit.
func lengthAxis(to float64) axis {
	a := spanAxis(0, to, 5, "")
	a.max = linear(to, false).max
	return a
}

// stacked gives panels the same x axis, and layers that all of them have. The last panel has the labels of the axis.
func stacked(panels []panel, x axis, layers ...layer) []panel {
	for i := range panels {
		n := &panels[i]
		n.x, n.joined, n.layers = x, i < len(panels)-1, append(n.layers, layers...)
	}
	return panels
}
