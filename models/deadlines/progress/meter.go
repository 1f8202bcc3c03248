package progress

import "fmt"

// Meter reads one indicator of a run as its tasks are done, one after the other, and computes it only where it can have
// changed enough. It is for one goroutine at a time.
type Meter struct {
	plan  *Plan
	of    Indicator
	tasks []float64 // of each stage
	done  []float64 // fractions of them
	left  int       // stages that are not done
	// value is the indicator as of last time it was computed, which came from one stage where it is a maximum or
	// minimum. While that stage stays as it is and no task is lost, so does the value. Where it is a sum, value follows
	// by additions, which may be off by drift.
	value float64
	from  int
	stale bool
}

// drift is more than rounding adds up to over all tasks of a run.
const drift = 1e-9

// Meter returns a meter of an indicator, for a run with so many tasks per stage.
func (p *Plan) Meter(k Indicator, tasks []int32) (*Meter, error) {
	if k >= Count || len(tasks) != len(p.stages) {
		return nil, fmt.Errorf("progress: indicator %d of %d stages: want one of the six, of %d stages", k, len(tasks),
			len(p.stages))
	}
	m := &Meter{plan: p, of: k, tasks: make([]float64, len(tasks)), done: make([]float64, len(tasks))}
	for i, n := range tasks {
		if n < 1 {
			return nil, fmt.Errorf("progress: stage %d: %d tasks; want at least 1", i, n)
		}
		m.tasks[i] = float64(n)
	}
	m.Reset()
	return m, nil
}

// Reset begins another run.
func (m *Meter) Reset() {
	clear(m.done)
	m.left, m.stale = len(m.done), true
	m.compute()
}

// Set says that so many tasks of a stage are done now.
func (m *Meter) Set(stage, done int32) {
	before := m.done[stage]
	f := float64(done) / m.tasks[stage]
	m.done[stage] = f
	switch {
	case f >= 1 && before < 1:
		m.left--
	case f < 1 && before >= 1:
		m.left++
	}
	if m.of <= VertexFrac {
		m.value += (f - before) * m.plan.weight[m.of][stage]
	} else if f < before || int(stage) == m.from {
		m.stale = true
	}
}

// Reached reports whether the indicator is at least x, which is in [0, 1]: as [Plan.At] says, though seldom by it.
func (m *Meter) Reached(x float64) bool {
	switch {
	case m.left == 0:
		return true
	case x >= 1:
		return false
	case m.of <= VertexFrac && m.value < x-drift:
		return false
	case m.of <= VertexFrac && m.value > x+drift:
		return true
	}
	if m.of <= VertexFrac || m.stale {
		m.compute()
	}
	return m.value >= x
}

// Value is the indicator, exactly as [Plan.At] says.
func (m *Meter) Value() float64 {
	m.compute()
	return m.value
}

func (m *Meter) compute() {
	m.value, m.from = m.plan.at(m.of, m.done)
	m.stale = false
}
