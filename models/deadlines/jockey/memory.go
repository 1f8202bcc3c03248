package jockey

import (
	"racecard/datasets/remaining"
	"racecard/datasets/result"
)

// Memory is the state of a [Controller] between two decisions.
type Memory struct {
	AtS       float64       `json:"at_s"` // the last decision
	Smoothed  float64       `json:"smoothed"`
	Tokens    int           `json:"tokens"`
	Limit     int           `json:"limit"`
	Follow    bool          `json:"follow"` // the next decision is not smoothed
	Slower    float64       `json:"slower"`
	Learning  bool          `json:"learning"`
	SpentS    float64       `json:"spent_s"`
	ExpectedS float64       `json:"expected_s"`
	WeightS   result.Number `json:"weight_s"`
	LeftS     result.Number `json:"left_s"`
}

// Memory returns what the next decision needs of the last ones.
func (c *Controller) Memory() Memory {
	p := &c.pace
	return Memory{AtS: c.atS, Smoothed: c.smoothed, Tokens: c.tokens, Limit: c.limit, Follow: c.follow, Slower: p.slower,
		Learning: p.begun, SpentS: p.spent, ExpectedS: p.expected, WeightS: result.Number(p.weight),
		LeftS: result.Number(p.leftS)}
}

// Resume has a new controller go on as the one that had a memory.
func (c *Controller) Resume(m Memory) {
	c.atS, c.smoothed, c.tokens, c.follow = m.AtS, m.Smoothed, m.Tokens, m.Follow
	c.SetLimit(m.Limit)
	c.pace = pace{slower: min(max(m.Slower, 1), most), spent: m.SpentS, expected: m.ExpectedS, begun: m.Learning,
		atS: m.AtS, leftS: float64(m.LeftS), weight: float64(m.WeightS)}
}

// State returns the last state of the run that was observed.
func (a *Aged) State() remaining.State { return a.state }

// Resume has the table go on from a state.
func (a *Aged) Resume(s remaining.State) { a.state = s }
