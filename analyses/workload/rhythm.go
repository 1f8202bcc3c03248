package workload

import (
	"math"
	"math/rand/v2"

	"racecard/datasets/result"
	"racecard/datasets/seed"
)

// The search for a daily rhythm: the least and the largest number of whole days (longer traces are not of one cluster),
// random shifts, lags of the autocorrelation.
const (
	minDays = 3
	maxDays = 4000
	shifts  = 999
	maxLag  = 8 * 24
	perDay  = 24
)

// rhythm reports whether arrivals follow the hours of the day. Hourly counts of whole days are averaged into a
// mean day. The variance that the mean day explains is compared with the variance it explains after every day is
// rotated by a random number of hours. Rotating a day keeps its bursts, so they are not taken for a rhythm; a
// p-value from the periodogram, which assumes white noise, would take them for one. It returns nil for less than
// three days and for more than 4,000. Clocks are ahead of UTC by so many microseconds.
func rhythm(of instants, ahead int64, root uint64) *result.Rhythm {
	at := of.at
	from := -floorDiv(-at[0]-ahead, hour) // first full hour
	days := int((floorDiv(at[len(at)-1]+ahead, hour) - from) / perDay)
	if days < minDays || days > maxDays {
		return nil
	}
	counts := make([]float64, days*perDay)
	for _, t := range at {
		if h := floorDiv(t+ahead, hour) - from; h >= 0 && h < int64(len(counts)) {
			counts[h]++
		}
	}
	r := &result.Rhythm{Days: days, Bound: 1.96 / math.Sqrt(float64(len(counts))), ShareOfVariance: unknown(),
		P: unknown(), Lag24: unknown(), PeakToMean: unknown(), Autocorrelation: []float64{}}
	mean, squares := moments(counts)
	if squares == 0 {
		return r
	}
	turn := make([]int, days)
	profile := meanDay(counts, turn)
	explained := around(profile, mean) * float64(days)
	r.ShareOfVariance = result.Number(explained / squares)
	rng := rand.New(seed.Stream(root, "daily rhythm", 0))
	as := 1
	for range shifts {
		for d := range turn {
			turn[d] = rng.IntN(perDay)
		}
		if around(meanDay(counts, turn), mean)*float64(days) >= explained {
			as++
		}
	}
	r.P = result.Number(float64(as) / (shifts + 1))
	for lag := 1; lag <= min(maxLag, len(counts)/2); lag++ {
		r.Autocorrelation = append(r.Autocorrelation, autocorrelation(counts, mean, squares, lag))
	}
	r.Lag24 = result.Number(r.Autocorrelation[perDay-1])
	peak, quiet := 0, 0
	for h, x := range profile {
		if x > profile[peak] {
			peak = h
		}
		if x < profile[quiet] {
			quiet = h
		}
	}
	zero := int((from%perDay + perDay) % perDay) // hour of the day in which the counts begin
	r.PeakHour, r.QuietHour = (peak+zero)%perDay, (quiet+zero)%perDay
	r.PeakToMean = result.Number(profile[peak] / mean)
	return r
}

// moments returns the mean and the sum of squared deviations from it.
func moments(values []float64) (mean, squares float64) {
	for _, x := range values {
		mean += x
	}
	mean /= float64(len(values))
	return mean, around(values, mean)
}

func around(values []float64, mean float64) (squares float64) {
	for _, x := range values {
		squares += (x - mean) * (x - mean)
	}
	return squares
}

// meanDay averages days of hourly counts, each turned by a number of hours.
func meanDay(counts []float64, turn []int) []float64 {
	out := make([]float64, perDay)
	for d, by := range turn {
		for h := range perDay {
			out[(h+by)%perDay] += counts[d*perDay+h]
		}
	}
	for h := range out {
		out[h] /= float64(len(turn))
	}
	return out
}

// autocorrelation returns the sample autocorrelation at a lag, with the total sum of squares as denominator.
func autocorrelation(values []float64, mean, squares float64, lag int) float64 {
	sum := 0.0
	for i := range values[lag:] {
		sum += (values[i] - mean) * (values[i+lag] - mean)
	}
	return sum / squares
}
