package serve

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"racecard/datasets/result"
	"racecard/models/deadlines/sim"
	"racecard/pipeline/live"
)

// app is an application with a control loop.
type app struct {
	mu          sync.Mutex // of the loop
	job         string
	run         *live.Run
	least, most int // tokens, as its requests stated them; 0 where they did not
	last        *Decision
	seen        time.Time // of the last request; under the lock of apps
	asked       time.Time // of the last decision
}

// apps holds the control loops, and bounds their number.
type apps struct {
	mu     sync.Mutex
	byName map[string]*app
	most   int
}

// Errors that a client can resolve.
var (
	errNoTable    = errors.New("no table of that job; GET /v1/jobs lists all")
	errNoDeadline = errors.New("deadline_s: want seconds since the start of the run in the first request of an application")
	errOtherJob   = errors.New("the application was of another job before: end it, or choose another name")
	errCrowded    = errors.New("too many applications have control loops: end some")
	errBack       = errors.New("is before the last decision of the application: a run that begins again needs another " +
		"name, or DELETE /v1/apps/{app} first")
)

// get returns an application, and makes it with the goal if it is new. The caller must lock it.
func (a *apps) get(g *live.Generation, name, job string, goal live.Goal, now time.Time) (*app, error) {
	table := g.Table(job)
	a.mu.Lock()
	defer a.mu.Unlock()
	if found := a.byName[name]; found != nil {
		if found.job != job {
			return nil, errOtherJob
		}
		found.seen = now
		return found, nil
	}
	if table == nil {
		return nil, errNoTable
	}
	if goal.DeadlineS == 0 {
		return nil, errNoDeadline
	}
	run, err := table.NewRun(goal)
	if err != nil {
		return nil, err
	}
	made := &app{job: job, run: run, seen: now, asked: now}
	return made, a.add(name, made)
}

// add adds an application where there is room. The caller has locked a.
func (a *apps) add(name string, one *app) error {
	if len(a.byName) >= a.most {
		return errCrowded
	}
	a.byName[name] = one
	return nil
}

// endIdle drops the applications without a request since an instant, and returns their names, sorted.
func (a *apps) endIdle(since time.Time) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	var ended []string
	for name, one := range a.byName {
		if one.seen.Before(since) {
			delete(a.byName, name)
			ended = append(ended, name)
		}
	}
	slices.Sort(ended)
	return ended
}

// end drops an application and reports whether it was there.
func (a *apps) end(name string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, ok := a.byName[name]
	delete(a.byName, name)
	return ok
}

func (a *apps) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.byName)
}

// names returns the applications, sorted.
func (a *apps) names() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Sorted(maps.Keys(a.byName))
}

func (a *apps) named(name string) *app {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.byName[name]
}

// Bounds on the clock of a run between two decisions.
const (
	// mostBack is how far a clock may step back, as NTP sets it. It counts as standing still. More is the clock of another
	// run with the same name.
	mostBack = time.Minute
	// mostAhead is how much faster than the clock of the server a run may go, or the deadline if that is longer: runs are
	// simulated, and drivers are suspended. More is a mistake that the loop could not undo.
	mostAhead = time.Hour
)

// checkClock refuses a time of a run that cannot be right after the last decision. The loop would keep a time that is
// far ahead, and count all later ones as that.
func (one *app) checkClock(nowS float64, now time.Time) error {
	last := one.run.Last().NowS
	if last-nowS > mostBack.Seconds() {
		return fmt.Errorf("now_s: %g, after %g, %w", nowS, last, errBack)
	}
	passed := max(0, now.Sub(one.asked))
	if most := last + passed.Seconds() + max(mostAhead.Seconds(), one.run.Goal().DeadlineS); nowS > most {
		return fmt.Errorf("now_s: %g is too far from %g at the last decision, %s ago; want at most %.0f seconds since the "+
			"start of the run", nowS, last, passed.Round(time.Millisecond), most)
	}
	return nil
}

// step takes one step of the control loop of an application, at an instant of the server's clock.
func (one *app) step(q *DecideRequest, g *live.Generation, now time.Time) (*Decision, error) {
	if one.last != nil {
		if err := one.checkClock(*q.NowS, now); err != nil {
			return nil, err
		}
	}
	if err := one.setBounds(q); err != nil {
		return nil, err
	}
	if q.DeadlineS != 0 && q.DeadlineS != one.run.Goal().DeadlineS {
		if err := one.run.SetDeadline(q.DeadlineS); err != nil {
			return nil, err
		}
	}
	slots := max(1, q.Slots)
	o := live.Observation{NowS: *q.NowS, Held: q.held(), Stages: q.Stages, Done: q.Done, Progress: q.Progress}
	d, goal := one.run.Decide(o), one.run.Goal()
	table := one.run.Table()
	out := &Decision{
		App: q.App, Job: table.Job(), Generation: g.Number(), TableGeneration: table.Generation(), Tokens: d.Tokens,
		Hold: d.Hold, Why: d.Why, NowS: d.NowS, DeadlineS: goal.DeadlineS, Progress: result.Number(d.Progress),
		Outlook: result.Outlook{EarlyS: result.Number(d.EarlyS), EndS: result.Number(d.EndS), LateS: result.Number(d.LateS),
			Risk: result.Number(d.Risk), EarliestS: result.Number(d.EarliestS)},
		Slower: d.Slower, PeriodS: one.run.PeriodS(), Steps: one.run.Steps(), MinTokens: goal.MinTokens,
		MaxTokens: goal.MaxTokens, done: d.Done,
	}
	out.Executors = Executors(d, q.Executors, slots, goal.MaxTokens)
	one.last, one.asked = out, now
	return out, nil
}

// Executors returns how many executors of so many slots a decision is to request: together they have the most tokens at
// most. To hold keeps those that are held; 0 is not known.
func Executors(d live.Decision, held, slots, mostTokens int) int {
	if d.Hold && held > 0 {
		return held
	}
	return min((d.Tokens+slots-1)/slots, max(1, mostTokens/slots))
}

// setBounds takes the bounds on the tokens that a request states. One that it leaves out stays as it was; fewer tokens
// at most lower the least number, too.
func (one *app) setBounds(q *DecideRequest) error {
	least, most := q.bounds()
	switch {
	case most == 0 && one.most > 0 && least > one.most:
		return fmt.Errorf("at least %d tokens, and %d at most, as an earlier request stated: state both", least, one.most)
	case most == 0:
		most = one.most
	case least == 0:
		least = min(one.least, most)
	}
	least = cmp.Or(least, one.least)
	if err := one.run.SetBounds(least, most); err != nil {
		return err
	}
	one.least, one.most = least, most
	return nil
}

// bounds returns the bounds of a request, in tokens; 0 where it states none. Where it bounds tokens and executors, both
// hold.
func (q *DecideRequest) bounds() (least, most int) {
	slots := max(1, q.Slots)
	least, most = max(q.MinTokens, q.MinExecutors*slots), q.MaxTokens
	if n := q.MaxExecutors * slots; n > 0 && (most == 0 || n < most) {
		most = n
	}
	return least, most
}

// held returns the tokens that the application holds; 0 where that is not known.
func (q *DecideRequest) held() int { return cmp.Or(q.Held, q.Executors*max(1, q.Slots)) }

// Bounds on the numbers of a request.
const (
	longestName = 1000
	mostSeconds = live.MostSeconds
)

// check reports an invalid field.
func (q *DecideRequest) check() error {
	switch {
	case q.App == "" || len(q.App) > longestName:
		return fmt.Errorf("app: want a name of 1 to %d bytes", longestName)
	case strings.ContainsRune(q.App, utf8.RuneError): // which JSON has for bytes that are no UTF-8: of many names one
		return errors.New("app: want a name in UTF-8, without U+FFFD")
	case q.Job == "" || len(q.Job) > longestName:
		return fmt.Errorf("job: want a name of 1 to %d bytes", longestName)
	case !(math.Abs(q.DeadlineS) <= mostSeconds):
		return fmt.Errorf("deadline_s: want seconds since the start of the run, at most %d", mostSeconds)
	case q.NowS == nil || !(*q.NowS >= 0 && *q.NowS <= mostSeconds):
		return fmt.Errorf("now_s: want seconds since the start of the run, 0 to %d", mostSeconds)
	}
	for _, n := range []int{q.Held, q.Executors, q.Slots, q.MinTokens, q.MaxTokens, q.MinExecutors, q.MaxExecutors,
		q.Lost} {
		if n < 0 || n > sim.MaxTokens {
			return fmt.Errorf("held, executors, slots and bounds: want whole numbers from 0 to %d", sim.MaxTokens)
		}
	}
	if least, most := q.bounds(); most > 0 && least > most {
		return errors.New("the least tokens or executors are more than the most")
	}
	return nil
}

func unix(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }
