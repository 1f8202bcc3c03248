package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"racecard/analyses/breach"
	"racecard/datasets/glob"
	"racecard/datasets/jobname"
	"racecard/datasets/plainfile"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/pipeline/internal/quantity"
	"racecard/pipeline/internal/settings"
)

// rules are the rules of a check.
type rules struct {
	Slower    ruleValue         `yaml:"slower"`
	Failures  ruleValue         `yaml:"failures"`
	Window    ruleValue         `yaml:"window"`
	Unusual   ruleValue         `yaml:"unusual"`
	Deadlines map[string]string `yaml:"deadlines"`
	Sure      ruleValue         `yaml:"sure"`
	Missing   ruleValue         `yaml:"missing"`
	Stuck     ruleValue         `yaml:"stuck"`
	Stale     ruleValue         `yaml:"stale"`
	Damaged   ruleValue         `yaml:"damaged"`
	Ignore    []string          `yaml:"ignore"`

	breach   breach.Options
	dues     map[string]string // Deadlines, also by the jobs to which names as read belong
	state    string
	now      time.Time          // the zero time: the last instant of the trace
	readable bool               // the store can be read
	untimed  bool               // no run of the store has a time
	compared *result.Comparison // of the jobs before and after their own changes, where it is known already
}

// ruleValue is the number of a rule, or off.
type ruleValue struct {
	name  string
	of    quantity.Range
	value float64
	off   bool
}

// UnmarshalText reads a number in the grammar of flags, or off.
func (v *ruleValue) UnmarshalText(data []byte) error {
	text := string(data)
	if v.off = text == "off" || text == "false"; v.off {
		return nil
	}
	x, err := v.of.Parse(text)
	if err != nil {
		return fmt.Errorf("%s: %s: %w; off for no rule", v.name, text, err)
	}
	v.value = x
	return nil
}

// defaultRules are those without a file.
func defaultRules() *rules {
	share := shares(0, 1)
	span := quantity.Range{Unit: quantity.Duration, Low: 60, High: 3650 * day}
	return &rules{
		Slower: ruleValue{name: "slower", of: shares(0, 100), value: 0.1}, Failures: ruleValue{name: "failures",
			of: share, value: 0.1}, Window: ruleValue{name: "window", of: span, value: 7 * day},
		Unusual: ruleValue{name: "unusual", of: positive(quantity.Share, 0.5), value: 0.01},
		Sure:    ruleValue{name: "sure", of: shares(0.5, 1), value: 0.95}, Missing: ruleValue{name: "missing",
			of: quantity.Range{Unit: quantity.Multiple, Low: 1, High: 1000}, value: 2},
		Stuck: ruleValue{name: "stuck", of: quantity.Range{Unit: quantity.Multiple, Low: 1, High: 1000},
			value: 2},
		Stale: ruleValue{name: "stale", of: span, value: 3 * day}, Damaged: ruleValue{name: "damaged", of: share,
			value: 0.01}, breach: breach.DefaultOptions(),
	}
}

// maxState bounds a file of state, in bytes.
const maxState = 16 << 20

// readRules returns the rules of a file, or those by default, with further deadlines.
func readRules(name string, deadlines []string) (*rules, error) {
	r := defaultRules()
	if name != "" {
		if err := settings.Read(os.DirFS(filepath.Dir(name)), filepath.Base(name), r); err != nil {
			return nil, fmt.Errorf("--rules: %w", err)
		}
	}
	for _, pattern := range r.Ignore {
		if err := glob.Check(pattern); err != nil {
			return nil, fmt.Errorf("%s: ignore: %q: %w", name, pattern, err)
		}
	}
	if r.Deadlines == nil {
		r.Deadlines = map[string]string{}
	}
	for _, text := range deadlines {
		at := strings.LastIndexByte(text, '=')
		if at < 1 {
			return nil, fmt.Errorf("--deadline %s: want a job and its deadline, such as nightly-index=07:00 or "+
				"audit=45m%s", text, words.When(len(deadlines) > 1, "; a name with a comma is written --deadline %s",
				words.Shell(quoteCSV([]string{strings.Join(deadlines, ",")}))))
		}
		r.Deadlines[text[:at]] = text[at+1:]
	}
	from := ""
	if name != "" {
		from = name + ": "
	}
	o := &r.breach
	o.Deadlines = map[string]breach.Deadline{}
	for _, job := range slices.Sorted(maps.Keys(r.Deadlines)) {
		d, err := breachDeadline(r.Deadlines[job])
		if err != nil {
			return nil, fmt.Errorf("%sdeadline of %s: %w", from, job, err)
		}
		o.Deadlines[job] = d
	}
	r.dues = jobname.WithJobs(r.Deadlines)
	if err := r.agree(); err != nil {
		return nil, fmt.Errorf("%s%w", from, err)
	}
	o.FailedShare, o.Window, o.Missing = r.Failures.value, time.Duration(r.Window.value)*time.Second, r.Missing.value
	if o.Stuck = r.Stuck.value; r.Stuck.off {
		o.Stuck = 0
	}
	if o.Sure = r.Sure.value; r.Sure.off || r.Window.off {
		return nil, errors.New("sure and window cannot be off")
	}
	if o.Unusual = r.Unusual.value; r.Unusual.off {
		o.Unusual = 0
	}
	if r.Failures.off {
		o.FailedShare = 0
	} else if o.FailedShare == 0 {
		o.FailedShare, o.MinFailures = 1e-9, 1
	}
	if r.Missing.off {
		o.Missing = 0
	}
	return r, nil
}

// agree reports names as read of one job with different deadlines.
func (r *rules) agree() error {
	for _, name := range slices.Sorted(maps.Keys(r.Deadlines)) {
		job := jobname.Normalize(name)
		if due, of := r.dues[job]; of && due != r.Deadlines[name] && !glob.IsPattern(name) {
			return fmt.Errorf("the deadline of %s is %s, and that of its job %s is %s: want one", name, r.Deadlines[name],
				job, due)
		}
	}
	return nil
}

// due returns the deadline of a job as it was stated, "" for none.
func (r *rules) due(job string) string {
	key, _ := glob.Key(r.dues, job)
	return r.dues[key]
}

// readSmall reads a file of state.
func readSmall(name string) ([]byte, error) { return plainfile.ReadFile(name, maxState) }

// breachDeadline reads 07:00 or 45m.
func breachDeadline(text string) (breach.Deadline, error) {
	d, err := parseDeadline(text)
	switch {
	case err != nil:
		return breach.Deadline{}, err
	case math.IsNaN(d.after) && math.Mod(float64(d.at), 60) != 0:
		return breach.Deadline{}, fmt.Errorf("%s: a clock time is to the minute here: want %s, or the minute before", text,
			clock(60*math.Ceil(float64(d.at)/60)))
	case math.IsNaN(d.after):
		return breach.Deadline{Minute: int(d.at / 60)}, nil
	}
	return breach.Deadline{After: time.Duration(d.after * float64(time.Second))}, nil
}

// clocks returns the deadlines that are clock times.
func (r *rules) clocks() []breach.Deadline {
	var out []breach.Deadline
	for _, d := range r.breach.Deadlines {
		if d.After == 0 {
			out = append(out, d)
		}
	}
	return out
}

// names returns the rules that are on, and that can be judged.
func (r *rules) names() []string {
	var out []string
	for _, rule := range []struct {
		name string
		on   bool
	}{{ruleDamaged, !r.Damaged.off}, {breach.Missed, len(r.breach.Deadlines) > 0}, {breach.Failures, !r.Failures.off},
		{breach.Missing, !r.Missing.off && !r.untimed}, {ruleSlower, !r.Slower.off && !r.untimed},
		{ruleStale, !r.Stale.off && !r.untimed && !r.now.IsZero()},
		{breach.Stuck, !r.Stuck.off && !r.untimed}} {
		if rule.on {
			out = append(out, rule.name)
		}
	}
	return out
}

// stateVersion is the form of a state file.
const stateVersion = 1

// checkState is a state file.
type checkState struct {
	Version  int             `json:"racecard_check"`
	Breaches []result.Breach `json:"breaches"`
}

// readState returns the breaches that were reported before; none if there is no file.
func readState(name string) ([]result.Breach, error) {
	if name == "" {
		return nil, nil
	}
	data, err := readSmall(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var s checkState
	if err := json.Unmarshal(data, &s); err != nil || s.Version != stateVersion {
		return nil, fmt.Errorf("%s is no state of `racecard check`, or damaged: remove it to begin anew", name)
	}
	return s.Breaches, nil
}

func writeState(name string, breaches []result.Breach) error {
	data, err := json.MarshalIndent(checkState{stateVersion, breaches}, "", "  ")
	if err != nil {
		return err
	}
	return writeFile(name, append(data, '\n'))
}
