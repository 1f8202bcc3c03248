package rightsize

import (
	"errors"
	"testing"

	"racecard/datasets/sample/sampletest"
	"racecard/datasets/trace"
)

const second = 1_000_000

// waves is a run of one stage of tasks of 10 s each on some tokens, without driver time.
func waves(tasks, tokens int32) *trace.Run {
	r := trace.NewRun("r")
	r.Status, r.Guaranteed = trace.Succeeded, int64(tokens)
	r.Submit, r.Start = 0, 0
	s := trace.NewStage()
	s.Tasks, s.Submit, s.Start = int64(tasks), 0, 0
	for i := range tasks {
		a := trace.NewAttempt(0, i, 0)
		a.Status = trace.Succeeded
		a.Start = trace.Instant(i/tokens) * 10 * second
		a.End = a.Start + 10*second
		a.Queued, a.Duration = 0, 10*second
		r.End = max(r.End, a.End)
		r.Attempts = append(r.Attempts, a)
	}
	s.End = r.End
	r.Stages = []trace.Stage{s}
	return r
}

// 10 tasks on 8 tokens take two waves, 20 s, and 160 token-seconds. On 5 they take two waves as well, and 100: 37.5%
// less. Within 50%, 4 take three waves, 30 s, and 120, which is dearer than 5.
func TestCheapestTokens(t *testing.T) {
	a, err := Find([]*trace.Run{waves(10, 8), waves(10, 8)}, Options{Within: 0.1})
	if err != nil {
		t.Fatal(err)
	}
	if a.Current != 8 || a.Tokens != 5 || len(a.Runs) != 2 || a.Runs[0].TimeChange != 0 || a.Runs[0].Saved != 0.375 {
		t.Errorf("got %+v, want 5 of 8 tokens, 37.5%% saved", a)
	}
	if a, err = Find([]*trace.Run{waves(10, 8)}, Options{Within: 0.5}); err != nil || a.Tokens != 5 {
		t.Errorf("got %+v, %v, want 5 tokens within 50%%", a, err)
	}
	// A run that wants all its tokens decides for both.
	if a, err = Find([]*trace.Run{waves(10, 8), waves(16, 8)}, Options{Within: 0.1}); err != nil || a.Tokens != 8 ||
		a.Runs[0].Saved != 0 {
		t.Errorf("got %+v, %v, want 8 tokens", a, err)
	}
}

// 16 tasks of a run that held 32 tokens and used 8 at once take two waves of 10 s, not one: it needs 8.
func TestUnusedTokens(t *testing.T) {
	r := waves(16, 8)
	r.Guaranteed = 32
	a, err := Find([]*trace.Run{r}, Options{Within: 0.1})
	if err != nil || a.Current != 32 || a.Tokens != 8 || a.Runs[0].TimeChange != 0 || a.Runs[0].Saved != 0.75 {
		t.Errorf("got %+v, %v, want 8 of 32 tokens, 75%% saved", a, err)
	}
}

func TestUnknownTokens(t *testing.T) {
	r := waves(10, 8)
	r.Guaranteed = trace.None
	if _, err := Find([]*trace.Run{r}, Options{Within: 0.1}); !errors.Is(err, ErrUnknown) {
		t.Errorf("got %v, want %v", err, ErrUnknown)
	}
}

// For the real runs of the sample the promise holds: none takes longer than it may, none saves more than all.
func TestSample(t *testing.T) {
	const within = 0.2
	for job, runs := range sampletest.ByJob(t) {
		a, err := Find(runs[len(runs)-5:], Options{Within: within})
		if err != nil {
			t.Errorf("%s: %v", job, err)
			continue
		}
		for _, r := range a.Runs {
			if r.TimeChange > within+1e-9 || r.Saved > 1 || a.Tokens > a.Current {
				t.Errorf("%s: %+v on %d tokens of %d", job, r, a.Tokens, a.Current)
			}
		}
	}
}
