package figure

import (
	"fmt"
	"math"
	"strings"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/style"
)

// smallPart is the share of the largest part below which parts of a difference are merged.
const smallPart = 0.02

// PartNames returns the display names of parts of the difference between runs, all different.
func PartNames(parts []result.CausePart) []string {
	names, of := make([]string, len(parts)), map[string]int{}
	for i, p := range parts {
		names[i] = PartName(p)
		of[names[i]]++
	}
	seen := map[string]int{}
	for i, p := range parts {
		if of[names[i]] > 1 && p.Stage != "" { // they differ in folders, or beyond the end
			names[i] = stagePart[p.What] + words.Shorten(p.Stage, 120) + tasksText(&p)
		}
		if seen[names[i]]++; seen[names[i]] > 1 {
			names[i] += fmt.Sprintf(" (%d)", seen[names[i]])
		}
	}
	return names
}

// stagePart are the beginnings of names of parts that are of a stage.
var stagePart = map[string]string{"stage": "stage ", "skew": "skew in stage "}

// shortStage writes the name of a stage without the folders of its source file: "sum at b.py:7" for "sum at /a/b.py:7".
func shortStage(name string) string {
	if operation, place, ok := strings.Cut(name, " at "); ok && !strings.Contains(place, " ") {
		name = operation + " at " + place[strings.LastIndexByte(place, '/')+1:]
	}
	return words.Shorten(name, 50)
}

// PartName returns the display name of a part of the difference between runs.
func PartName(p result.CausePart) string {
	switch p.What {
	case "contention":
		return "contention (all stages alike)"
	case "driver":
		return "driver and start-up"
	case "stage", "skew":
		if p.Stage == "" {
			return "the run itself (no stages known)"
		}
		return stagePart[p.What] + shortStage(p.Stage) + tasksText(&p)
	}
	return words.Shorten(p.What, 40) + measured(&p)
}

// measured writes the numbers behind a part, of the usual run and of this one: " 3 → 1". It is empty where a part has
// none.
func measured(p *result.CausePart) string {
	write, ok := map[string]func(float64) string{"cores": words.Number[float64], "input": words.Bytes[float64],
		"failures": words.Percent[float64]}[p.What]
	if !ok || p.Usual == nil || p.Here == nil {
		return ""
	}
	if was, is := write(*p.Usual), write(*p.Here); was != is {
		return " " + was + " → " + is
	}
	return ""
}

// otherTasks is the share by which the tasks of a stage differ where the name of its part tells them.
const otherTasks = 0.1

// tasksText writes the tasks of a part's stage, of the usual run and of this one: ", 4 → 6 tasks". It is empty where they
// are about as many.
func tasksText(p *result.CausePart) string {
	if p.Usual == nil || p.Here == nil || math.Abs(*p.Here-*p.Usual) < otherTasks**p.Usual {
		return ""
	}
	return fmt.Sprintf(", %s → %s", words.Count(int(*p.Usual)), words.Of(int(*p.Here), "task", "tasks"))
}

// BigParts returns the parts of a difference with a separate row, and the number and sum of the others.
func BigParts(all []result.CausePart) (big []result.CausePart, rest int, sum float64) {
	whole := lists.Kept(all, func(p result.CausePart) bool { return finite(p.Seconds) })
	most := largest(lists.Map(whole, func(p result.CausePart) float64 { return math.Abs(p.Seconds) })...)
	for _, p := range all {
		if math.Abs(p.Seconds) < smallPart*most || !finite(p.Seconds) {
			rest, sum = rest+1, sum+p.Seconds
			continue
		}
		big = append(big, p)
	}
	return big, rest, sum
}

// SignedSeconds writes a difference in time.
func SignedSeconds(s float64) string {
	return words.Either(s < 0, "−", "+") + words.Seconds(math.Abs(s))
}

// differences are bars in rows, each beginning where the one above it ends.
type differences struct {
	panel
	longer, shorter *boxLayer
	joints          []layer
	at, low, high   float64 // the end of the last bar; the extent of all
}

// add adds a row with a difference.
func (d *differences) add(name string, seconds float64) {
	b, row := d.longer, len(d.rows)
	if seconds < 0 {
		b = d.shorter
	}
	end := d.at + seconds
	b.bar(row, min(d.at, end), max(d.at, end))
	b.values = append(b.values, Value{name, "seconds", seconds})
	d.row(category{name: name}, SignedSeconds(seconds))
	d.joints = append(d.joints, newRule("", plain(style.Muted()).thin(style.HairWidth), point{end, rowAt(row)},
		point{end, rowAt(row + 1)}))
	d.at, d.low, d.high = end, min(d.low, end), max(d.high, end)
}

// Explained draws the difference between a run and the usual run of its job: a bar for every part, each beginning where
// the one before it ends.
func Explained(e *result.Explanation, source Source) *Figure {
	parts, rest, sum := BigParts(e.Parts)
	d := differences{panel: panel{rowHeight: 21, upright: true},
		longer:  newBars("longer than usual", look{colour: style.Alert()}, 14),
		shorter: newBars("shorter than usual", lookAt(2).solid(), 14)}
	names := PartNames(parts)
	for i, p := range parts {
		d.add(names[i], p.Seconds)
	}
	if rest > 0 && finite(sum) {
		d.add(words.Of(rest, "small part", "small parts"), sum)
	}
	beyond := e.TookS - e.UsualS
	if !finite(beyond, sum) {
		beyond, parts = 0, nil
	}
	total := newBars("", look{colour: style.Muted()}, 14)
	total.bar(len(d.rows), min(0, beyond), max(0, beyond))
	d.row(category{name: "together", bold: true}, SignedSeconds(beyond))
	low, high := min(d.low, beyond), max(d.high, beyond)
	if !(high > low) {
		high = low + 1
	}
	per, unit := clockUnit(high - low)
	room := (high - low) * 0.02
	d.x = between(low-room, high+room, every(low-room, high+room, per*roundUp((high-low)/6/per))...)
	d.x.write = func(s float64) string { return words.Number(s / per) }
	d.x.label = unit + " beyond the usual run, of " + words.Seconds(e.UsualS)
	d.longer.says = fmt.Sprintf("the run took %s, %s against the usual", words.Seconds(e.TookS), SignedSeconds(beyond))
	d.layers = append([]layer{d.longer, d.shorter, total, upright("", plain(style.Ink()), 0)}, d.joints...)
	c := &chart{about: "Parts of the difference between a run and the usual one",
		nothing: "the run took as long as usual", panels: given(len(parts) > 0, d.panel)}
	return c.figure("explain", "Why run "+words.Shorten(e.Run, 40)+" took as long as it did", explainedCaption(e, rest),
		source, Value{"run", "took_s", e.TookS}, Value{"usual", "took_s", e.UsualS},
		Value{"usual", "runs", float64(e.UsualRuns)})
}

func explainedCaption(e *result.Explanation, rest int) string {
	text := fmt.Sprintf("Run %s", words.Shorten(e.Run, 60))
	text += words.When(e.Job != "" && e.Job != e.Run, " of %s", words.Shorten(e.Job, 60))
	text += fmt.Sprintf(" took %s; the usual is %s, the median of %s of the job (8 of 10 took %s). Each bar begins "+
		"where the "+
		"one above it ends; the parts add up to the difference.", words.Seconds(e.TookS), words.Seconds(e.UsualS),
		words.Of(e.UsualRuns, "other run", "other runs"), words.Range(e.UsualFrom, e.UsualTo, words.Seconds))
	text += words.When(rest > 0, " Parts below %s of the largest are drawn as one.", words.Percent(smallPart))
	return text
}
