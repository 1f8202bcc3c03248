package jockey

import "math"

// pace estimates the slowness of a run: the elapsed time over the decrease of the predicted remaining time. Both
// are summed over the decisions so far, on top of a stretch of predicted time, without which the first decisions
// would jump.
type pace struct {
	slower          float64 // in [1, most]
	spent, expected float64
	begun           bool
	atS, leftS      float64 // the last decision, and the median remaining time with what it requested
	weight          float64
}

// most that a run is believed to be slower by: beyond, it is stuck rather than slow, and more tokens do not help.
const most = 2

// learn says that the job, with the tokens of the last decision, has so much left.
func (p *pace) learn(nowS, leftS float64) {
	if !p.begun || math.IsNaN(leftS) || math.IsNaN(p.leftS) {
		return
	}
	p.spent += nowS - p.atS
	p.expected += max(0, p.leftS-leftS)
	if all := p.expected + p.weight; all > 0 {
		p.slower = min(max((p.spent+p.weight)/all, 1), most)
	}
}

// expect notes the remaining time with the tokens of this decision. The first call sets the length of the run.
func (p *pace) expect(nowS, leftS, learn float64) {
	if learn == 0 {
		return
	}
	if !p.begun {
		p.weight = learn * leftS
	}
	p.begun, p.atS, p.leftS = !math.IsNaN(p.weight), nowS, leftS
}
