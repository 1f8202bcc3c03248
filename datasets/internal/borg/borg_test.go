package borg

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/source"
	"racecard/datasets/trace"
)

func event(time int64, e Event, machine string) Happening {
	return Happening{Time: time, Event: e, Machine: machine, CPU: math.NaN(), Mem: math.NaN()}
}

// folded folds events of one task and writes its attempts, and the repairs.
func folded(t interface{ Fatal(...any) }, tasks []Happening) string {
	tally := source.NewTally()
	var j Job
	j.Reset("j", 0, tally)
	j.Tasks = append(j.Tasks, tasks...)
	j.Fold()
	if err := j.Run.Validate(); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, a := range j.Run.Attempts {
		line := fmt.Sprintf("%d/%d", a.Task, a.Attempt)
		for _, at := range []trace.Instant{a.Queued, a.Start, a.End} {
			if at.Known() {
				line += fmt.Sprintf(" %d", at)
			} else {
				line += " -"
			}
		}
		lines = append(lines, line+fmt.Sprintf(" %v %s", a.Status, a.Machine))
	}
	return strings.Join(lines, ", ") + fmt.Sprintf("; %v %v", j.Run.Status, tally.Repairs)
}

func TestLives(t *testing.T) {
	for _, test := range []struct {
		name   string
		events []Happening
		want   string
	}{
		{
			"held by the batch scheduler: queued when it became eligible",
			[]Happening{event(700, Submit, ""), event(701, Queue, ""), event(750, Enable, ""),
				event(800, Schedule, "m"), event(900, Finish, "m")},
			"0/0 750 800 900 succeeded m; succeeded map[]",
		},
		{
			"all at one time, backwards",
			[]Happening{event(700, Finish, "m"), event(700, Schedule, "m"), event(700, Enable, ""),
				event(700, Submit, "")},
			"0/0 700 700 700 succeeded m; succeeded map[]",
		},
		{
			"evicted and submitted again at one time, backwards",
			[]Happening{event(900, Submit, ""), event(900, Evict, "m"), event(800, Schedule, "m"),
				event(700, Submit, "")},
			"0/0 700 800 900 evicted m; running map[]",
		},
		{
			"what began in a part that is missing ends and is submitted again",
			[]Happening{event(900, Submit, ""), event(900, Fail, "m"), event(950, Schedule, "n"),
				event(960, Finish, "n")},
			"0/0 - - 900 failed m, 0/1 900 950 960 succeeded n; succeeded map[attempt whose start was lost:1]",
		},
		{
			"submitted and killed at one time",
			[]Happening{event(900, Kill, ""), event(900, Submit, "")},
			"; killed map[]",
		},
		{
			"an event in two rows",
			[]Happening{event(700, Submit, ""), event(800, Schedule, ""), event(800, Schedule, "m"),
				event(900, Finish, "m"), event(900, Finish, "m")},
			"0/0 700 800 900 succeeded m; succeeded map[event that occurs twice:2]",
		},
		{
			"updated after its end",
			[]Happening{event(700, Submit, ""), event(800, Schedule, "m"), event(900, Finish, "m"),
				event(950, UpdateRunning, "m")},
			"0/0 700 800 900 succeeded m; succeeded map[]",
		},
		{
			"two ends",
			[]Happening{event(700, Submit, ""), event(800, Schedule, "m"), event(900, Fail, "m"), event(950, Lost, "")},
			"0/0 700 800 900 failed m; lost map[]",
		},
	} {
		if got := folded(t, test.events); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// A life is drawn as it goes on; its events are then put into another order, also those of one time.
func TestOrderDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var events []Happening
		now := int64(600)
		pass := func(zero bool) { // to the next event, which may be at the same time
			if !zero || rapid.Bool().Draw(t, "later") {
				now += rapid.Int64Range(1, 5).Draw(t, "us")
			}
		}
		for range rapid.IntRange(1, 4).Draw(t, "lives") {
			events = append(events, event(now, Submit, ""))
			if rapid.Bool().Draw(t, "batch") {
				pass(true)
				events = append(events, event(now, Queue, ""))
				pass(true)
				events = append(events, event(now, Enable, ""))
			}
			pass(true)
			events = append(events, event(now, Schedule, "m"))
			pass(false)
			end := rapid.SampledFrom([]Event{Evict, Fail, Finish, Kill, Lost}).Draw(t, "end")
			events = append(events, event(now, end, "m"))
			pass(true)
		}
		want := folded(t, events)
		if got := folded(t, rapid.Permutation(events).Draw(t, "order")); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if strings.Contains(want, ":") || strings.Count(want, "/") != strings.Count(fmt.Sprint(events), " 3 ") {
			t.Errorf("%v becomes %s", events, want)
		}
	})
}

// Nothing that a trace may say breaks what runs promise.
func TestAnyEventsGiveAValidRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.Custom(func(t *rapid.T) Happening {
			h := event(rapid.SampledFrom([]int64{0, 600, 601, 602, 603, AfterTrace}).Draw(t, "time"),
				Event(rapid.IntRange(0, NumEvents-1).Draw(t, "event")),
				rapid.SampledFrom([]string{"", "m"}).Draw(t, "machine"))
			h.Task = rapid.Int32Range(0, 2).Draw(t, "task")
			return h
		})
		window := rapid.Custom(func(t *rapid.T) Window {
			return Window{rapid.Int32Range(0, 3).Draw(t, "task"), rapid.Int64Range(0, 605).Draw(t, "from"),
				rapid.Int64Range(0, 605).Draw(t, "to"), 1, math.NaN()}
		})
		tally := source.NewTally()
		var j Job
		for range 2 { // a Job can be used again
			j.Reset("j", 0, tally)
			j.Measured = rapid.Bool().Draw(t, "measured")
			j.Events = append(j.Events, rapid.SliceOfN(draw, 0, 6).Draw(t, "events")...)
			j.Tasks = append(j.Tasks, rapid.SliceOfN(draw, 0, 12).Draw(t, "tasks")...)
			j.Windows = append(j.Windows, rapid.SliceOfN(window, 0, 4).Draw(t, "windows")...)
			for i := range j.Events {
				j.Events[i].Task = 0
			}
			if len(j.Events)+len(j.Tasks)+len(j.Windows) == 0 {
				continue
			}
			j.Fold()
			if err := j.Run.Validate(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
