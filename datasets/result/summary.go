package result

import (
	"encoding/json"
	"math"
)

// Summary describes a set of numbers. Quantiles are type 7 of Hyndman and Fan. All fields but N are NaN when N is 0,
// and null in JSON.
type Summary struct {
	N    int     `json:"n"`
	Mean float64 `json:"mean"`
	Min  float64 `json:"min"`
	P10  float64 `json:"p10"`
	P25  float64 `json:"p25"`
	P50  float64 `json:"p50"`
	P75  float64 `json:"p75"`
	P90  float64 `json:"p90"`
	P95  float64 `json:"p95"`
	P99  float64 `json:"p99"`
	Max  float64 `json:"max"`
}

// Interval is a confidence interval, both ends included. The zero-width interval of a sample of one value is honest
// about the value, not about the population: look at N.
type Interval [2]float64

// Intervals holds the confidence intervals of the percentiles of some Summaries.
type Intervals struct {
	Level     float64                        `json:"level"` // such as 0.95
	Method    string                         `json:"method"`
	Resamples int                            `json:"resamples"`
	Of        map[string]map[string]Interval `json:"of"` // summary -> percentile such as "p50" -> interval
}

// summaryJSON has the fields of Summary as values that may be null.
type summaryJSON struct {
	N    int      `json:"n"`
	Mean *float64 `json:"mean"`
	Min  *float64 `json:"min"`
	P10  *float64 `json:"p10"`
	P25  *float64 `json:"p25"`
	P50  *float64 `json:"p50"`
	P75  *float64 `json:"p75"`
	P90  *float64 `json:"p90"`
	P95  *float64 `json:"p95"`
	P99  *float64 `json:"p99"`
	Max  *float64 `json:"max"`
}

// MarshalJSON writes null for fields that are NaN, and for all but N when N is 0.
func (s Summary) MarshalJSON() ([]byte, error) {
	if s.N == 0 {
		return json.Marshal(summaryJSON{})
	}
	return json.Marshal(summaryJSON{
		s.N, null(s.Mean), null(s.Min), null(s.P10), null(s.P25), null(s.P50), null(s.P75), null(s.P90), null(s.P95),
		null(s.P99), null(s.Max),
	})
}

// UnmarshalJSON is the inverse of MarshalJSON.
func (s *Summary) UnmarshalJSON(data []byte) error {
	var j summaryJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	*s = Summary{
		j.N, nan(j.Mean), nan(j.Min), nan(j.P10), nan(j.P25), nan(j.P50), nan(j.P75), nan(j.P90), nan(j.P95),
		nan(j.P99), nan(j.Max),
	}
	return nil
}

func null(x float64) *float64 {
	if math.IsNaN(x) {
		return nil
	}
	return &x
}

func nan(x *float64) float64 {
	if x == nil {
		return math.NaN()
	}
	return *x
}

// Number is a float64; NaN is null in JSON.
type Number float64

// MarshalJSON writes null for NaN.
func (x Number) MarshalJSON() ([]byte, error) { return json.Marshal(null(float64(x))) }

// UnmarshalJSON is the inverse of MarshalJSON.
func (x *Number) UnmarshalJSON(data []byte) error {
	var p *float64
	if err := json.Unmarshal(data, &p); err != nil {
		return err
	}
	*x = Number(nan(p))
	return nil
}
