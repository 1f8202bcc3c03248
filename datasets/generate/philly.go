package generate

import (
	"math/rand/v2"
	"time"
)

// philly writes cluster_job_log, the jobs of a GPU cluster as a JSON array, and cluster_machine_list.
//
// After M. Jeon et al., "Analysis of Large-Scale Multi-Tenant GPU Clusters for DNN Training Workloads", USENIX
// ATC 2019. 93% of the jobs want one GPU, others 2, 4, 8 or 16. Two thirds pass, the others are killed or fail;
// failed jobs are retried. Run times are lognormal with a median of 20 minutes and a long tail, as in the
// reduced trace in shared/data. One job in a hundred never started, and jobs that began near the end had not
// ended when the log was taken.
func philly(t *traceWriter) {
	const perMachine = 8
	rng := source(t.seed, "philly")
	machines := min(550, max(4, t.want/20))
	o := t.file("cluster_machine_list.csv")
	o.text("machineId,number of GPUs,single GPU mem")
	o.end()
	for m := range machines {
		o.field("m", m)
		o.field(",", perMachine)
		o.text(",12GB")
		o.end()
	}
	o.close()
	o = t.file("cluster_job_log.json")
	o.text("[")
	const interval = 60
	next := arrivals{interval: interval}
	last := float64(t.left()) * interval // about when the log was taken
	for job := int64(0); t.more(); job++ {
		if job > 0 {
			o.text(",")
		}
		o.phillyJob(rng, job, next.next(rng), last, machines)
		o.endRow()
	}
	o.text("]")
	o.end()
}

// epoch is when Unix times of generated traces begin: 2026-01-01.
const epoch = 1_767_225_600

// phillyJob writes a job that was submitted at some second of the trace.
func (o *output) phillyJob(rng *rand.Rand, job int64, submit, last float64, machines int64) {
	status := [...]string{"Pass", "Pass", "Killed", "Pass", "Failed", "Pass"}[rng.IntN(6)]
	attempts := 1
	if status == "Failed" {
		attempts += rng.IntN(3)
	}
	if chance(rng, 0.01) {
		attempts = 0
	}
	gpus := 1
	if chance(rng, 0.07) {
		gpus = 2 << rng.IntN(4)
	}
	o.text(`{"status":"` + status + `","vc":"`)
	o.hash('v', skewed(rng, 14))
	o.line = o.line[:len(o.line)-38] // six digits are enough
	o.field(`","jobid":"application_1506638472019_`, job)
	o.text(`","attempts":[`)
	at := submit + lognormal(rng, 60, 2)
	for i := range attempts {
		if i > 0 {
			o.text(",")
		}
		o.text(`{"start_time":"`)
		o.dateTime(at)
		o.text(`","end_time":`)
		if at += min(lognormal(rng, 1100, 1.9), 4e6); at > last && i == attempts-1 {
			o.text(`null`)
		} else {
			o.text(`"`)
			o.dateTime(at)
			o.text(`"`)
		}
		o.text(`,"detail":[`)
		for first, machine := 0, rng.Int64N(machines); first < gpus; first, machine = first+8, (machine+1)%machines {
			if first > 0 {
				o.text(",")
			}
			o.field(`{"ip":"m`, machine)
			o.text(`","gpus":[`)
			for g := range min(8, gpus-first) {
				if g > 0 {
					o.text(",")
				}
				o.field(`"gpu`, int64(g))
				o.text(`"`)
			}
			o.text(`]}`)
		}
		o.text(`]}`)
		at += 60
	}
	o.text(`],"submitted_time":"`)
	o.dateTime(submit)
	o.field(`","user":"u`, skewed(rng, 500))
	o.text(`"}`)
}

// dateTime writes a second of the trace as date and time.
func (o *output) dateTime(second float64) {
	o.line = time.Unix(epoch+int64(second), 0).UTC().AppendFormat(o.line, time.DateTime)
}
