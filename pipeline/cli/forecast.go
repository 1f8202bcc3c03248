package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"racecard/datasets/jobname"
	"racecard/datasets/modelfile"
	"racecard/datasets/result"
	"racecard/datasets/source"
	"racecard/datasets/store"
	"racecard/datasets/trace"
	"racecard/datasets/words"
	forecasts "racecard/models/deadlines/forecast"
	"racecard/models/deadlines/jobmodel"
	"racecard/models/limit"
	"racecard/pipeline/internal/quantity"
	"racecard/reports/page"
)

func forecastCommand(e *env) *cobra.Command {
	o := forecasts.DefaultOptions()
	var job, input, until, start, on, out string
	var cores []int
	cmd := &cobra.Command{
		Use:   "forecast STORE --job NAME --tokens N,...",
		Short: "Predict a job's end, cost and chance of its deadline on other tokens",
		Args:  exactly(1, "one store"),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if input != "" {
				if o.Input, o.InputX, err = parseInput(input); err != nil {
					return usageError{fmt.Errorf("--input: %w", err)}
				}
			}
			s, err := e.openStore(args[0])
			if err != nil {
				return err
			}
			if err := e.checkOut(out, args[0], "forecast"); err != nil {
				return err
			}
			e.withinLimits()
			fit, err := e.fitted(cmd.Context(), s, args[0], job, o, func() (*modelfile.Surprise, error) {
				return e.surprise(cmd.Context(), s, args[0], o.Profile.RawNames)
			})
			if err != nil {
				return err
			}
			chosen, several := start, ""
			if start == "" {
				chosen, several = e.runOfDay(until, on, fit)
			}
			usual, submit, past, err := e.submission(chosen, on, fit)
			if err != nil {
				return err
			}
			at, due := usual, math.NaN()
			ofSeveral := several != "" || start != "" && len(fit.slots(e.runs.location())) > 1
			if until != "" || !ofSeveral {
				if at, due, err = dueAt(until, start, on, usual); err != nil {
					return err
				}
			}
			if ofSeveral {
				at = usual
			}
			clocks := due // by the clock on the wall, which is set forward or back in two nights a year
			if on != "" && strings.Contains(until, ":") {
				if due, err = e.untilOn(on, at, clock(math.Mod(float64(at)+due, day))); err != nil {
					return err
				}
			}
			o.Submit = submit
			o.Surprise = fit.Surprise
			doc, err := e.simulatedForecast(cmd.Context(), past, o, cores, due)
			if err != nil {
				return fmt.Errorf("%s: %w", args[0], err)
			}
			doc.Needs, doc.Synthetic, doc.On = fitted, s.Manifest().Synthetic, on
			if several != "" {
				doc.Warnings = append(doc.Warnings, several+"; --start chooses another")
			}
			if date, err := parseDate(on); err == nil {
				if off := offDay(fit.Submitted, date, e.runs.location()); off != "" {
					doc.Warnings = append(doc.Warnings, off)
				}
			}
			if !math.IsNaN(float64(at)) {
				doc.Start = at.String()
			}
			if by := float64(at) + clocks; !math.IsNaN(by) {
				doc.Deadline = clock(by).exact()
			}
			if 2*fit.Programs > fit.Runs {
				doc.Warnings = append(doc.Warnings, fmt.Sprintf("%s of %s are one program on several cores at once: how "+
					"long it takes on others than past runs held is not known", words.Count(fit.Programs),
					words.Of(fit.Runs, "run", "runs")))
			}
			if o.InputX > 0 && math.IsNaN(float64(doc.Input)) {
				return fmt.Errorf("%s: --input %s: the input of past runs is not known", args[0], input)
			}
			if err := e.keep(cmd, out, args, s, doc); err != nil {
				return err
			}
			e.forecast(doc, at)
			return e.printJSON(doc)
		},
	}
	f := cmd.Flags()
	f.StringVar(&job, "job", "", "name of the job, as read or normalised")
	numbers(f, &cores, "tokens", tokenRange(),
		"tokens (task slots, cores) to forecast for; half of the usual, the usual and twice that when left out")
	renamed(f, "cores", "tokens")
	checked(f, &input, "input", "size", func(text string) error { _, _, err := parseInput(text); return err },
		"input of the run: 20GB, or 2x the usual, the median of the newest 7 runs; as past runs when left out")
	parsedBy(f, &until, "deadline", "time", parseDeadline,
		"when the run must have ended: a time after its submission, such as 45m, or a clock time, such as 07:00")
	parsedBy(f, &start, "start", "time", parseClock, "clock time of the submission; when left out the usual one, of "+
		"several a day the last before the --deadline, or the next where they differ")
	parsedBy(f, &on, "on", "date", parseDate, "date of the submission, such as 2026-12-06: runs may take longer on some "+
		"days of the week; when runs usually follow each other when left out")
	number(f, &o.Sure, "sure", shares(0.5, 0.999), "chance of the deadline that is enough")
	number(f, &o.Newest, "newest", whole(1, limit.Runs), "past runs that count, at most")
	seeded(f, &o.Seed, "seed of the simulated runs")
	namesFlag(f, &o.Profile.RawNames)
	outFlag(f, &out)
	e.filterFlags(f, false)
	_ = cmd.MarkFlagRequired("job") // fails only for a flag that is not there
	return cmd
}

// parseInput reads a size in bytes, or a multiple.
func parseInput(text string) (size, multiple float64, err error) {
	if strings.HasSuffix(text, "x") {
		multiple, err = quantity.Range{Unit: quantity.Multiple, Low: 1e-3, High: 1e6}.Parse(text)
		return math.NaN(), multiple, err
	}
	size, err = inputRange().Parse(text)
	return size, 0, err
}

// simulatedForecast forecasts from fitted runs.
func (e *env) simulatedForecast(ctx context.Context, past *forecasts.Fitted, o forecasts.Options, cores []int,
	due float64) (*result.Forecast, error) {
	p := e.progress("simulate")
	defer p.done()
	f, err := forecasts.New(past, o)
	if err != nil {
		return nil, err
	}
	return f.Answer(ctx, cores, due)
}

// fitted reads and fits the runs of a job, and asks for the surprise of next runs, unless a folder next to the store
// has both from an earlier forecast.
func (e *env) fitted(ctx context.Context, s *store.Store, path, job string, o forecasts.Options,
	surprise func() (*modelfile.Surprise, error)) (*fittedRuns, error) {
	p := newPastRuns(s, path, job, o)
	if p.known != nil {
		return p.known, nil
	}
	for run, err := range e.eachRun(ctx, "read", ofJob(s, job), path, fitted) {
		if err != nil {
			return nil, err
		}
		if isJob(run, o.Profile.RawNames, job) {
			p.add(run)
		}
	}
	return e.fitPast(ctx, p, surprise)
}

// pastRuns is the past runs of a job, which are added one by one.
type pastRuns struct {
	store     *store.Store
	path, job string
	o         forecasts.Options
	kept      keptRuns
	known     *fittedRuns // from an earlier forecast; nil where they are to be read
	all       *forecasts.Past
	note      fittedRuns // all but the fit
}

func newPastRuns(s *store.Store, path, job string, o forecasts.Options) *pastRuns {
	p := &pastRuns{store: s, path: path, job: job, o: o, kept: keptRunsOf(s, path, job, o),
		all: forecasts.NewPast(o.Newest), note: fittedRuns{Submitted: []trace.Instant{}}}
	p.known = p.kept.read()
	return p
}

// add adds a run of the job, which it does not keep.
func (p *pastRuns) add(run *trace.Run) {
	if p.note.Name == "" {
		p.note.Name = strings.Clone(run.JobName(p.o.Profile.RawNames))
	}
	if p.note.Runs++; run.TokensPerAttempt() > 1 {
		p.note.Programs++
	}
	p.all.Add(run)
	if at := run.Submitted(); at.Known() && p.store.Manifest().TimeBase == source.TimeBaseUnix {
		p.note.Submitted = append(p.note.Submitted, at)
	}
}

// fitPast fits the runs that were added, and keeps them next to the store.
func (e *env) fitPast(ctx context.Context, p *pastRuns, surprise func() (*modelfile.Surprise, error)) (*fittedRuns,
	error) {
	if p.known != nil {
		return p.known, nil
	}
	out := p.note
	if out.Name == "" {
		seen, err := e.jobNames(ctx, p.store, p.path, p.o.Profile.RawNames)
		if err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%s: no run of job %q%s", p.path, p.job, nearest(p.job, seen))
	}
	err := p.all.Check()
	if err != nil {
		return nil, fmt.Errorf("%s: job %q: %w", p.path, out.Name, err)
	}
	if out.Past, err = p.all.Fit(out.Name, p.o); err != nil {
		return nil, fmt.Errorf("%s: %w", p.path, err)
	}
	if out.Surprise, err = surprise(); err != nil {
		return nil, err
	}
	p.kept.write(&out)
	p.all = nil // which is larger than the fit
	p.known = &out
	return p.known, nil
}

// surprise learns from the runs of all jobs of a store how much next runs surprise; nil where they do not.
func (e *env) surprise(ctx context.Context, s *store.Store, path string, raw bool) (*modelfile.Surprise, error) {
	var peers jobmodel.Peers
	for run, err := range e.eachRun(ctx, "learn", s, path, jobmodel.PeerColumns()) {
		if err != nil {
			return nil, err
		}
		peers.Add(run.JobName(raw), run)
	}
	return peers.Learn().At(trace.None), nil
}

// ofJob returns a store restricted to the parts that may hold runs of one of the jobs.
func ofJob(s *store.Store, jobs ...string) *store.Store {
	f := trace.NewFilter()
	if had := s.Filter(); had != nil {
		f = *had
	}
	f.Jobs = nil
	for _, job := range jobs {
		f.Jobs = append(f.Jobs, job, jobname.Normalize(job))
	}
	return s.Where(f)
}

// submission returns the clock time at which a run is submitted, start or when past runs usually were, NaN if they have
// none; and the instant, in seconds since 1970: on a date, or else where start is given the next after past runs. It is
// NaN where neither is given. past are the runs from which it is learned.
func (e *env) submission(start, on string, fit *fittedRuns) (at clock, seconds float64, past *forecasts.Fitted,
	err error) {
	zone, past := e.runs.location(), fit.Past
	if start == "" {
		at = usualClock(clocksOf(fit.Submitted, zone))
	} else if at, err = parseClock(start); err != nil {
		return 0, 0, nil, usageError{fmt.Errorf("--start: %w", err)}
	} else if len(fit.Submitted) > 0 {
		var newest trace.Instant
		if past, newest = likeAt(fit, at, zone); on == "" {
			return at, at.next(newest, zone), past, nil
		}
	}
	if on != "" && len(fit.Submitted) == 0 {
		return 0, 0, nil, usageError{errors.New("--on: times of this trace have no date: leave it out")}
	}
	seconds, err = at.on(on, zone)
	return at, seconds, past, err
}

// dueAt returns the submission of a run that is submitted at usual, NaN where only its deadline in seconds after it
// counts, and that deadline, NaN for none.
func dueAt(until, start, on string, usual clock) (at clock, after float64, err error) {
	none := clock(math.NaN())
	if until == "" {
		if start != "" && on == "" {
			return none, 0, usageError{errors.New("--start is the submission of a run with a --deadline, or --on a " +
				"date: give one")}
		}
		return none, math.NaN(), nil
	}
	d, err := parseDeadline(until)
	switch {
	case err != nil:
		return none, 0, usageError{fmt.Errorf("--deadline: %w", err)}
	case !math.IsNaN(d.after) && start == "":
		return none, d.after, nil
	case !math.IsNaN(d.after):
		return usual, d.after, nil
	case math.IsNaN(float64(usual)):
		return none, 0, usageError{errors.New("--deadline: times of this trace have no clock: give --start, or a " +
			"deadline after the submission, such as 45m")}
	}
	return usual, usual.until(d.at), nil
}

// untilOn returns the seconds from a clock time on a date to the next time that clocks show another.
func (e *env) untilOn(date string, from, to clock) (float64, error) {
	zone := e.runs.location()
	begin, err := from.on(date, zone)
	if err != nil {
		return 0, err
	}
	at := time.Unix(int64(begin), 0).In(zone)
	return trace.NextClock(at, int(to)).Sub(at).Seconds(), nil
}

// forecast prints a forecast.
func (e *env) forecast(d *result.Forecast, at clock) {
	e.printf("%s%s: learned from %s", words.Shorten(d.Job, 60), marked(d.Synthetic), words.Of(d.Runs, "run", "runs"))
	switch usual := float64(d.UsualS); {
	case math.IsNaN(usual):
		e.printf(" whose times are not known")
	case d.Runs == 1:
		e.printf(" that took %s", words.Seconds(usual))
	default:
		e.printf(", half of which took at most %s", words.Seconds(usual))
	}
	held := words.Either(d.Stated, "on", "using")
	if low := float64(d.TokensSeen[0]); low == 1 && d.TokensSeen[1] == 1 {
		e.printf(", %s 1 %s", held, d.Unit())
	} else if !math.IsNaN(low) {
		e.printf(", %s %s %ss", held, words.Range(low, float64(d.TokensSeen[1]), words.Number), d.Unit())
	}
	if in := float64(d.Input); !math.IsNaN(in) {
		e.printf("; input %s, past runs %s", words.Bytes(in), words.Range(d.InputSeen[0], d.InputSeen[1], words.Bytes))
	}
	if d.On != "" {
		e.printf("; submitted on %s", d.On)
	}
	e.printf("\n\n")
	clocks, due := !math.IsNaN(float64(at)), !math.IsNaN(float64(d.DeadlineS))
	head := []string{strings.ToUpper(d.Unit() + "s"), "HALF END IN", "90% IN", "95% IN", "CORE-HOURS"}
	var rows [][]string
	if clocks {
		head = append(head, "95% BY")
	}
	if due {
		head = append(head, "CHANCE OF THE DEADLINE")
	}
	head = append(head, "")
	for _, c := range d.Tokens {
		row := []string{words.Count(c.Tokens), words.Seconds(c.P50S), words.Seconds(c.P90S),
			words.Seconds(c.P95S), words.Number(c.CoreH)}
		if clocks {
			row = append(row, clock(float64(at)+c.P95S).by())
		}
		if due {
			row = append(row, words.Percent(c.Chance))
		}
		note := ""
		if c.Extrapolated {
			note = "extrapolated"
		}
		rows = append(rows, append(row, note))
	}
	e.rows(head, rows)
	if due {
		e.printf("\n")
		e.printf("%s\n", page.ForecastDeadline(d))
	}
	e.notes("note", page.ForecastNotes(d))
	e.notes("warning", d.Warnings)
}
