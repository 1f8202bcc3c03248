package google2011

import (
	"racecard/datasets/groupby"
	"racecard/datasets/internal/borg"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// job makes a run: the form of [groupby.Lines].Build.
func (r *reader) job(job string, rows []groupby.Row, tally *source.Tally) (*trace.Run, []*source.Reject) {
	if job == machinesKey {
		return nil, foldMachines(rows, tally)
	}
	b := &r.build
	b.Reset(job, rows[0].Line, tally)
	b.Measured = r.usage
	run, p := b.Run, &r.parse
	var rejects []*source.Reject
	var named string // the job name, for a job without logical name
	warned := false
	for i := range rows {
		row := &rows[i]
		p.start(row)
		f := &p.f
		switch table(row.Tag) {
		case tableJobs:
			if h := p.jobEvent(); p.rej == nil {
				b.Events = append(b.Events, h)
				keep(&run.User, f[4])
				keep(&run.Group, f[5])
				keep(&named, f[6])
				keep(&run.Name, f[7])
			}
		case tableTasks:
			if h := p.taskEvent(); p.rej == nil {
				b.Tasks = append(b.Tasks, h)
				keep(&run.User, f[6])
				keep(&run.Group, f[7])
			}
		default:
			if w := p.usage(); p.rej == nil {
				b.Windows = append(b.Windows, w)
			}
		}
		if p.rej != nil {
			rejects = append(rejects, p.rej)
		} else if table(row.Tag) != tableUsage && len(f[1]) > 0 && !warned { // once per job
			warned = true
			file, line := row.Place()
			tally.Warn(borg.WarnReconstructed, "job %s: %s:%d says missing info %s", job, file, line, f[1])
		}
	}
	if len(rejects) == len(rows) {
		return nil, rejects
	}
	if run.Name == "" {
		run.Name = named
	}
	b.Fold()
	return run, rejects
}

// keep stores a field unless something was stored before.
func keep(into *string, field []byte) {
	if *into == "" && len(field) > 0 {
		*into = string(field)
	}
}
