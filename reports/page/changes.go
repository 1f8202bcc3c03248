package page

import (
	"fmt"
	"math"
	"slices"

	"racecard/datasets/result"
	"racecard/datasets/words"
)

// changed is the list of jobs with a lasting change and its cause. All findings about changes come from this list.
type changed struct {
	doc   *result.Comparison
	jobs  []*result.ComparedJob // those that changed, by what they say about the program: see rankOfCause
	store string
}

// changesOf returns the changes of a bundle, nil where it has none.
func changesOf(b *result.Bundle) *changed {
	d, ok := b.Documents["changes"].(*result.Comparison)
	if !ok || !d.Available || d.Changed() == 0 {
		return nil
	}
	c := &changed{doc: d, store: "STORE"}
	if b.Provenance != nil && b.Provenance.Store != "" && b.Provenance.Store != "." {
		c.store = b.Provenance.Store
	}
	for i := range d.Jobs {
		if d.Jobs[i].Changed {
			c.jobs = append(c.jobs, &d.Jobs[i])
		}
	}
	slices.SortStableFunc(c.jobs, func(a, b *result.ComparedJob) int { return rankOfCause(a) - rankOfCause(b) })
	return c
}

// rankOfCause orders changes by the need for action: slower jobs before faster ones; then causes in the program or its
// data (a stage, skew, failures), causes in the cluster (queueing, cores), unexplained changes, and input, which grows
// by itself. Within a rank, changes keep the order of the document, by the time that all runs lost.
func rankOfCause(j *result.ComparedJob) int {
	rank, ok := map[string]int{"stage": 0, "skew": 0, "failures": 0, "queueing": 1, "cores": 1, "none": 2,
		"input": 3}[j.Cause.Kind]
	if !ok {
		rank = 2
	}
	if j.Change < 0 {
		rank += 4
	}
	return rank
}

// find fills in a finding.
func (c *changed) find(f *Finding, dates calendar) {
	first := c.jobs[0]
	f.Text = c.words(first, dates) + "."
	f.Numbers["drifting"], f.Numbers["largest_change"] = float64(len(c.jobs)), float64(first.Change)
	f.Numbers["slower_share"] = c.lost()
	f.Detail = fmt.Sprintf("%s of %s changed for good. ", words.Count(len(c.jobs)),
		words.Of(c.doc.Compared, "recurring job", "recurring jobs"))
	for _, j := range c.jobs[1:min(len(c.jobs), changesNamed)] {
		f.Detail += c.words(j, dates) + ". "
	}
	command := words.Either(first.Cause.Run != "", "explain", "compare") + " " + words.Shell(c.store) +
		words.When(first.Cause.Run != "", " --run %s", words.Shell(first.Cause.Run))
	f.Detail += fmt.Sprintf("More: `racecard %s`. p-values corrected after Benjamini and Hochberg, at %s", command,
		words.Number(c.doc.Level))
}

// lost returns the share of the time of the later runs that is due to jobs that became slower.
func (c *changed) lost() float64 {
	var all, lost float64
	for i := range c.doc.Jobs {
		j := &c.doc.Jobs[i]
		if j.After.N == 0 || j.Before.N == 0 {
			continue
		}
		all += j.After.Mean * float64(j.After.N)
		if j.Changed && j.After.P50 > j.Before.P50 {
			lost += (j.After.P50 - j.Before.P50) * float64(j.After.N)
		}
	}
	if !(all > 0) {
		return 0
	}
	return lost / all
}

// words describes the change of a job, its date and its cause.
func (c *changed) words(j *result.ComparedJob, dates calendar) string {
	text := fmt.Sprintf("%s takes %s %s (%s instead of %s)", name(j.Job),
		words.Percent(math.Abs(float64(j.Change))), words.Either(j.Change < 0, "less", "longer"),
		words.Seconds(j.After.P50), words.Seconds(j.Before.P50))
	text += words.When(known(j.Cause.SinceS) && !j.Cause.Gradual, " since run %s (%s)", name(j.Cause.Run),
		dates.when(float64(j.Cause.SinceS)))
	if why := causeOfChange(&j.Cause); why != "" {
		why += words.When(j.Cause.Gradual, ", step by step")
		return text + ": " + why + ", " + words.Percent(j.Cause.Share) + " of the change"
	}
	if len(j.Cause.Also) == 0 {
		return text + "; no recorded cause stands out"
	}
	a := &j.Cause.Also[0]
	return text + "; no single cause stands out: " + causeInWords(a.Kind, a.Stage, float64(a.From), float64(a.To)) + ", " +
		words.Percent(a.Share) + " of the change"
}

// causeOfChange describes the cause of a job's change; "" if no cause stands out.
func causeOfChange(c *result.ChangeCause) string {
	return causeInWords(c.Kind, c.Stage, float64(c.From), float64(c.To))
}

// causeInWords describes a cause; "" for a kind that has no words.
func causeInWords(kind, stage string, from, to float64) string {
	switch kind {
	case "stage":
		if from <= 0 {
			return fmt.Sprintf("stage %s is new", name(stage))
		}
		return fmt.Sprintf("stage %s takes %s times the work", name(stage), words.Number(to/from))
	case "skew":
		return fmt.Sprintf("the longest task of stage %s takes %s instead of %s", name(stage), words.Seconds(to),
			words.Seconds(from))
	case "failures":
		return fmt.Sprintf("%s of its task time is lost to failed attempts, before %s", words.Percent(to),
			words.Percent(from))
	case "queueing":
		return fmt.Sprintf("it waits %s before it starts, before %s", words.Seconds(to), words.Seconds(from))
	case "cores":
		return fmt.Sprintf("it runs on %s cores instead of %s", words.Number(to), words.Number(from))
	case "input":
		return fmt.Sprintf("it reads %s instead of %s", words.Bytes(to), words.Bytes(from))
	}
	return ""
}
