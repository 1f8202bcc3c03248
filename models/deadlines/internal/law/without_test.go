package law

import (
	"math"
	"testing"
)

// Without a part, its lists give all probability to the hypotheses that lack it, and predictions remain distributions.
func TestWithout(t *testing.T) {
	runs := plain(100, 101, 99, 100, 102, 98, 100, 100, 101, 99, 150, 151)
	full := DefaultPrior()
	for _, part := range Parts() {
		p := full.Without(part)
		for _, l := range p.lists() {
			sum := 0.0
			for _, x := range *l.of {
				sum += x
			}
			if math.Abs(sum-1) > 1e-9 {
				t.Errorf("without %s: %s sums to %v", part, l.name, sum)
			}
		}
		if part == "changes" {
			p = p.Without("drift").Without("modes") // they follow a change of level, too
		}
		f, ok := Predict(runs, unknown(), p)
		if !ok {
			t.Fatalf("without %s: no prediction", part)
		}
		middle := f.Times(201, &Standards{})[100]
		if stays := part != "changes"; stays != (middle > 130) {
			t.Errorf("without %s, after two runs of 150 s: %v s", part, middle)
		}
	}
}
