package jobmodel

import (
	"fmt"
	"math"

	"racecard/datasets/words"
)

// doubts lists the ways in which the run asked for is unlike past ones, so that little is known about it. Its
// distribution is wider then, since the law of whole runs averages several hypotheses about the effects of an unseen
// input or number of tokens.
func (j *Job) doubts(plan int, o Options) []string {
	past := pastRuns(j.p)
	var out []string
	tokens, input := newSpan(), newSpan()
	for _, r := range past {
		if r.Tokens != nil {
			tokens.add(float64(*r.Tokens))
		}
		if r.InputBytes != nil {
			input.add(float64(*r.InputBytes))
		}
	}
	if o.Tokens > 0 && tokens.outside(o.Tokens) {
		out = append(out, fmt.Sprintf("%g tokens are extrapolated: past runs held %g to %g", o.Tokens, tokens.low,
			tokens.high))
	}
	if o.InputBytes > 0 && input.outside(o.InputBytes) {
		out = append(out, extrapolatedInput(o.InputBytes, input.low, input.high))
	}
	if s := j.p.Surprise; s != nil && s.Plain > 0 {
		out = append(out, fmt.Sprintf("earlier forecasts of the store's runs were worse than past times alone: these are "+
			"%.0f%% of a forecast for inputs and tokens that past runs had", 100*s.Plain))
	}
	if n := len(past); n > 0 && past[n-1].plan != plan {
		out = append(out, fmt.Sprintf("the newest run had another plan than this one, which %d of %d runs had",
			j.p.Plans[plan].Runs, n))
	}
	return out
}

// span is the range of a quantity over past runs.
type span struct{ low, high float64 }

func newSpan() span { return span{math.Inf(1), math.Inf(-1)} }

func (s *span) add(x float64) { s.low, s.high = min(s.low, x), max(s.high, x) }

// outside reports whether x is outside the span by more than a tenth; never for an empty span.
func (s *span) outside(x float64) bool { return s.low <= s.high && (x < s.low/1.1 || x > s.high*1.1) }

// extrapolatedInput says that past runs had other inputs.
func extrapolatedInput(bytes, least, most float64) string {
	return fmt.Sprintf("an input of %s is extrapolated: past runs had %s", words.Bytes(bytes),
		words.Range(least, most, words.Bytes))
}
