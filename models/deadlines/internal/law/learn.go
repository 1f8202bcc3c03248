package law

import (
	"math"
	"reflect"
	"slices"
	"sync"
)

// mostLaws bounds the laws that [Laws] keeps.
const mostLaws = 16

// Laws remembers the laws of a job. It predicts next runs on other tokens, or of another input, in a twentieth of the
// time of learning a law. The zero value is empty; several goroutines may use it at once.
type Laws struct {
	mutex sync.Mutex
	all   []*law // the latest last
}

// Predict returns what [Predict] does.
func (l *Laws) Predict(past []Run, next Next, p Prior) (f Forecast, ok bool) {
	of := l.learn(past, next, p)
	if of == nil {
		return f, false
	}
	f = of.predict(next)
	return f, len(f.parts) > 0
}

// learn returns the law of past runs, remembered or new; nil where no past run has a time.
func (l *Laws) learn(past []Run, next Next, p Prior) *law {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for _, of := range l.all {
		if of.answers(past, next, &p) {
			return of
		}
	}
	of := learn(past, next, p)
	if of != nil {
		if len(l.all) == mostLaws {
			l.all = slices.Delete(l.all, 0, 1)
		}
		l.all = append(l.all, of)
	}
	return of
}

// law holds the likely hypotheses about past runs, for next runs with the same numbers known.
type law struct {
	past  []Run
	prior Prior
	knows [4]bool // input, tokens, expected time and submission of the next run
	fit   *fit
}

// numbers reports which numbers of a run are known.
func (n *Next) numbers() [4]bool {
	return [4]bool{positive(n.InputBytes), positive(n.Tokens), positive(n.Expected), finite(n.Submit)}
}

// learn learns a law.
func learn(past []Run, next Next, p Prior) *law {
	s := newSeries(past, next)
	if s == nil {
		return nil
	}
	l := &law{past: slices.Clone(past), prior: p, knows: next.numbers(), fit: newFit(s, &p)}
	if p.Outlier > 0 && l.fit.discount() {
		l.fit = newFit(s, &p)
	}
	l.fit.reduce()
	return l
}

// answers reports whether learn would return this law.
func (l *law) answers(past []Run, next Next, p *Prior) bool {
	several, scattered := l.fit.s.differ(next)
	return l.knows == next.numbers() && l.fit.s.several == several && l.fit.s.scattered == scattered &&
		slices.EqualFunc(l.past, past, same) && reflect.DeepEqual(&l.prior, p)
}

// same reports whether two runs are the same, also where numbers of both are not known.
func same(a, b Run) bool {
	for _, x := range [...][2]float64{{a.Seconds, b.Seconds}, {a.InputBytes, b.InputBytes}, {a.Tokens, b.Tokens},
		{a.Expected, b.Expected}, {a.Submit, b.Submit}, {a.Extra, b.Extra}, {a.Scatter, b.Scatter}} {
		if math.Float64bits(x[0]) != math.Float64bits(x[1]) {
			return false
		}
	}
	return a.Plan == b.Plan && a.Apart == b.Apart
}
