package figure

import (
	"fmt"
	"slices"

	"racecard/datasets/lists"
	"racecard/datasets/result"
	"racecard/datasets/words"
	"racecard/reports/style"
)

// EagleAblation draws schedulers in rows: percentiles of the completion times of short and of long jobs,
// relative to the base.
func EagleAblation(x *result.EagleExperiment, source Source) *Figure {
	rows := lists.Kept(x.Points, func(p result.EaglePoint) bool {
		damaged := func(m string) bool { return !finite(p.Over[m].Median) || p.Over[m].Median <= 0 }
		return p.Scheduler != x.Base && p.Over != nil && !slices.ContainsFunc(result.EagleMeasures, damaged)
	})
	lo, hi := 0.5, 2.0
	for _, p := range rows {
		for _, m := range result.EagleMeasures {
			lo, hi = min(lo, float64(p.Over[m].Median)), max(hi, float64(p.Over[m].Median))
		}
	}
	base := words.Shorten(x.Base, 40)
	ch := &chart{about: "Dots per scheduler", nothing: "nothing to compare", columns: 2, narrow: 2, sharedY: true}
	for _, class := range eagleClasses {
		n := panel{title: class + " jobs", rowHeight: 28,
			x:      roundAxis(lo*0.9, hi*1.1).labelled("completion time over that of " + base),
			layers: []layer{upright("", dashedLook(style.Muted()), 1)}}
		for i, r := range rows {
			name := words.Shorten(r.Scheduler, 40)
			n.rows = append(n.rows, category{name: name, note: schedulerParts(r.Scheduler)})
			for k, look := range percentileLooks {
				v := r.Over[class+"_"+look.what]
				dot, bar := n.dot(look.about, lookAt(k), i, float64(v.Median), float64(v.Low), float64(v.High))
				dot.radius, dot.lift = 2.6, -float64(k-1)*7
				bar.shift = dot.lift
				dot.values = []Value{{name, class + "_" + look.what, float64(v.Median)}}
				dot.says = fmt.Sprintf("%s, %s %s", name, look.about, asRatio(float64(v.Median)))
			}
		}
		if len(rows) > 0 {
			ch.panels = append(ch.panels, n)
		}
	}
	return ch.figure("eagle-"+Slug(x.Name), eagleTitle(x),
		fmt.Sprintf("Completion times over those of %s: left of 1, jobs end earlier. Medians of %s, bars, often "+
			"hidden by the dots, from the least to the largest. %s", base, runsOf(x), seedsNote), source)
}

// schedulerParts describes a scheduler in a few words.
func schedulerParts(name string) string {
	return map[string]string{
		"sparrow": "probes anywhere, no partition", "eagle": "all parts", "eagle-nosbp": "knows long tasks; no more",
		"eagle-fifo":  "no shortest first",
		"eagle-nosss": "blind to long tasks", "ideal-eagle": "sees all long tasks", "lwl": "central, least wait",
		"dlwl":    "least wait, heartbeats",
		"mercury": "least queued, sheds", "yaq-c": "central, bounded queues", "yaq-d": "least wait, no partition",
		"srpt": "one queue: a bound",
	}[name]
}

// EagleWaits draws the queueing time of short jobs' tasks under every scheduler: behind long tasks in all slots of
// their worker, of all workers under srpt, and otherwise.
func EagleWaits(e *result.Eagle, source Source) *Figure {
	behind := newBars("behind a long task", lookAt(1), 14)
	rest := newBars("otherwise", lookAt(1).solid().faded(0.35), 14)
	n := panel{x: durations().labelled("mean time in a queue"), rowHeight: 24, layers: []layer{behind, rest}}
	for _, name := range e.Names() {
		w := e.Schedulers[name].ShortWait
		if w == nil || !finite(w.MeanS) || !(w.MeanBehindLongS >= 0) || w.MeanBehindLongS > w.MeanS*1.0001+1e-9 {
			continue
		}
		name, all := words.Shorten(name, 40), max(w.MeanS, w.MeanBehindLongS)
		behind.bar(len(n.rows), 0, w.MeanBehindLongS)
		rest.bar(len(n.rows), w.MeanBehindLongS, all)
		n.rows = append(n.rows, category{name: name})
		rest.texts = append(rest.texts, words.Seconds(w.MeanS))
		behind.values = append(behind.values, Value{name, "behind long tasks", w.MeanBehindLongS},
			Value{name, "in all", w.MeanS})
		behind.says += words.When(behind.says != "", "; ")
		behind.says += fmt.Sprintf("%s %s, of that %s behind long tasks", name, words.Seconds(w.MeanS),
			words.Seconds(w.MeanBehindLongS))
	}
	ch := &chart{about: "Bars", nothing: "no waits were kept: --out keeps them", panels: withRows(n)}
	when := words.Either(e.Options.Slots > 1 || e.Options.SlotsMost > 1,
		"every slot of the worker was taken by a task of a long job, "+EagleCluster(&e.Options),
		"the worker ran a task of a long job")
	when += words.When(e.Schedulers["srpt"] != nil, "; under srpt, which has one queue, all workers did in every slot")
	return ch.figure("eagle-waits", "What tasks of short jobs wait for", "Mean time in the queue of a worker per task "+
		"of a short job. Dark: while "+when+". Probes of a task that ran elsewhere do not count.", source)
}
