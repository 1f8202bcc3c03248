package jockey

import "math"

// calendar says how many tokens are free over time: free[i] from at[i] until at[i+1], the last for ever.
type calendar struct {
	at   []float64
	free []int
}

func newCalendar(tokens int) *calendar { return &calendar{at: []float64{0}, free: []int{tokens}} }

func (c *calendar) copyOf(other *calendar) {
	c.at, c.free = append(c.at[:0], other.at...), append(c.free[:0], other.free...)
}

// earliest returns the first instant, not before release, from which so many tokens are free for a time; infinite if
// never.
func (c *calendar) earliest(release, forS float64, tokens int) float64 {
	start := max(release, c.at[0])
	for i := range c.at {
		end := math.Inf(1)
		if i+1 < len(c.at) {
			end = c.at[i+1]
		}
		switch {
		case end <= start:
		case c.free[i] < tokens:
			start = end
		case start+forS <= end:
			return start
		}
	}
	return math.Inf(1)
}

// take makes tokens, which are free, not free during [from, to).
func (c *calendar) take(from, to float64, tokens int) {
	if !(to > from) {
		return
	}
	first := c.split(from)
	end := c.split(to)
	for i := first; i < end; i++ {
		c.free[i] -= tokens
	}
}

// find returns the index of the last step at or before an instant.
func (c *calendar) find(at float64) int {
	i := 0
	for i+1 < len(c.at) && c.at[i+1] <= at {
		i++
	}
	return i
}

// split begins a step at an instant and returns its index.
func (c *calendar) split(at float64) int {
	i := c.find(at)
	if c.at[i] == at {
		return i
	}
	c.at, c.free = append(c.at, 0), append(c.free, 0)
	copy(c.at[i+2:], c.at[i+1:])
	copy(c.free[i+2:], c.free[i+1:])
	c.at[i+1], c.free[i+1] = at, c.free[i]
	return i + 1
}
