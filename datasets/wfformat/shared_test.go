package wfformat

import (
	"math"
	"testing"

	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/trace"
)

// sharedInstance is what a few lines of Python find in an instance: tasks, distinct pairs of parent and child, files
// that are only read and only written, machines, the bytes of files that are only read, both, and only written, and
// times.
type sharedInstance struct {
	file, name                      string
	tasks, edges                    int
	reads, writes, machines         int
	input, shuffle, output, started int64
	makespan                        float64
}

// sharedInstances are all 38 that lie beside the project.
var sharedInstances = []sharedInstance{
	{"helloworld/helloworld-chain-5-chameleon.json", "chain-5-5000-0.6-100000000-cascadelake-1-0-1683736566", 5, 4, 1,
		1, 1, 16666667, 66666668, 16666667, 1683735812, 661.0},
	{"helloworld/helloworld-forkjoin-10-chameleon.json", "forkjoin-10-5000-0.6-100000000-cascadelake-1-0-1683197671",
		10, 16, 1, 1, 1, 9090910, 81818190, 9090910, 1683197187, 437.0},
	{"makeflow/blast/blast-chameleon-medium-001.json.gz", "makeflow-blast-medium", 303, 900, 5, 2, 4, 5113029057,
		236520, 166813, 1608946540, 5074.08},
	{"makeflow/blast/blast-chameleon-small-001.json", "makeflow-blast-small", 43, 120, 5, 2, 2, 5112433528, 794, 454,
		1608927008, 1279.3},
	{"makeflow/blast/blast-chameleon-small-002.json", "makeflow-blast-small", 43, 120, 5, 2, 2, 7893, 837, 496,
		1608931648, 1001.4},
	{"makeflow/blast/blast-chameleon-small-003.json", "makeflow-blast-small", 43, 120, 5, 2, 3, 7893, 929, 586,
		1608931679, 1986.72},
	{"makeflow/blast/blast-chameleon-small-004.json", "makeflow-blast-small", 43, 120, 5, 2, 2, 7893, 1011, 670,
		1608933178, 1196.62},
	{"makeflow/bwa/bwa-chameleon-large-001.json.gz", "makeflow-bwa-large", 1004, 4000, 5, 2, 4, 2297015, 54141955,
		354039, 1609261041, 52218.36},
	{"makeflow/bwa/bwa-chameleon-large-002.json.gz", "makeflow-bwa-large", 1004, 4000, 5, 2, 4, 2297015, 54141683,
		353754, 1609350845, 46526.95},
	{"makeflow/bwa/bwa-chameleon-small-001.json", "makeflow-bwa-small", 104, 400, 5, 2, 4, 204325, 229973, 3457,
		1609125955, 689.9},
	{"makeflow/bwa/bwa-chameleon-small-002.json", "makeflow-bwa-small", 104, 400, 5, 2, 4, 204325, 229980, 3462,
		1609126907, 698.21},
	{"makeflow/bwa/bwa-chameleon-small-003.json", "makeflow-bwa-small", 104, 400, 5, 2, 4, 204325, 229978, 3459,
		1609127654, 800.88},
	{"makeflow/bwa/bwa-chameleon-small-004.json", "makeflow-bwa-small", 104, 400, 5, 2, 4, 204325, 229976, 3460,
		1609128531, 778.42},
	{"nextflow/bacass-dirt02-001.json", "bacass", 11, 14, 6, 45, 1, 227097279, 227817726, 70629052, 1680120156, 4243},
	{"nextflow/hic-dirt02-001.json", "hic", 38, 47, 7, 79, 1, 63817400, 193946447, 67541071, 1680062491, 1507},
	{"nextflow/mag-dirt02-001.json.gz", "mag", 157, 282, 12, 626, 1, 17998233, 195857305, 165836320, 1679467818, 4104},
	{"nextflow/rnaseq-dirt02-001.json.gz", "rnaseq", 197, 451, 27, 429, 1, 25846285, 212983026, 51965857, 1679433020,
		3131},
	{"nextflow/sarek-dirt02-001.json", "sarek", 26, 50, 10, 42, 1, 32823033, 59741666, 4769625, 1679440866, 518},
	{"pegasus/1000genome/1000genome-chameleon-22ch-250k-001.json.gz", "1000genome-20200403T154216Z-0", 902, 1166, 52,
		308, 4, 75517999915, 35847984, 63890911, 1585928555, 10417.0},
	{"pegasus/1000genome/1000genome-chameleon-2ch-100k-001.json", "1000genome-20200401T035039Z-0", 52, 76, 12, 28, 1,
		2577769347, 1326286, 5732911, 1585713043, 776.0},
	{"pegasus/cycles/cycles-chameleon-10l-1c-9p-001.json.gz", "Cycles-20200413T183636Z-0", 661, 970, 16, 4171, 4,
		5514030, 10131152, 4609328285, 1586803022, 1503.0},
	{"pegasus/cycles/cycles-chameleon-1l-1c-9p-001.json", "Cycles-20200413T031424Z-0", 67, 97, 7, 418, 1, 1193163,
		1012846, 467213001, 1586751402, 454.0},
	{"pegasus/epigenomics/epigenomics-chameleon-hep-1seq-100k-001.json", "genome-dax-0", 41, 48, 5, 1, 1, 203610320,
		353323676, 6924527, 1586360503, 594.0},
	{"pegasus/epigenomics/epigenomics-chameleon-ilmn-6seq-50k-001.json.gz", "genome-dax-0", 1695, 2108, 10, 1, 5,
		3290532594, 9382784915, 23069854, 1586410114, 2538.0},
	{"pegasus/montage/montage-chameleon-2mass-01d-001.json", "montage", 103, 231, 35, 7, 1, 31427486, 376464493,
		31084113, 1616479035, 1362.0},
	{"pegasus/montage/montage-chameleon-2mass-05d-001.json.gz", "montage-0", 1738, 4698, 254, 7, 5, 357829871,
		4061125372, 90429267, 1586031445, 2554.0},
	{"pegasus/montage/montage-chameleon-dss-125d-001.json.gz", "Montage", 1066, 3012, 89, 7, 4, 512757547, 16363626988,
		544373479, 1611285925, 1933.0},
	{"pegasus/seismology/seismology-chameleon-100p-001.json", "seismology-0", 101, 100, 203, 1, 3, 922530, 605920,
		63471, 1586975613, 354.0},
	{"pegasus/seismology/seismology-chameleon-1100p-001.json.gz", "seismology-0", 1101, 1100, 2203, 1, 7, 10688290,
		6997920, 687098, 1586978783, 2354.0},
	{"pegasus/soykb/soykb-chameleon-10fastq-10ch-001.json", "soykb-0", 96, 194, 21, 7, 2, 2812830353, 9420022, 363521,
		1586300265, 9323.0},
	{"pegasus/soykb/soykb-chameleon-50fastq-20ch-001.json.gz", "soykb-0", 676, 1674, 61, 7, 5, 2813815369, 65569374,
		530087, 1586272472, 54029.0},
	{"pegasus/srasearch/srasearch-chameleon-10a-001.json", "workflow-test", 22, 30, 1, 1, 1, 98721, 10686721037, 2412,
		1608413513, 3488.0},
	{"pegasus/srasearch/srasearch-chameleon-10a-002.json", "workflow-test", 22, 30, 1, 1, 1, 98721, 16116835944, 2895,
		1608430148, 5645.0},
	{"pegasus/srasearch/srasearch-chameleon-10a-003.json", "workflow-test", 22, 30, 1, 1, 1, 98721, 16506960273, 3094,
		1608430179, 5813.0},
	{"pegasus/srasearch/srasearch-chameleon-10a-004.json", "workflow-test", 22, 30, 1, 1, 1, 98721, 13579665057, 2901,
		1608430311, 5488.0},
	{"pegasus/srasearch/srasearch-chameleon-50a-001.json", "workflow-test", 104, 152, 1, 1, 2, 98721, 69050539091,
		10415, 1608578995, 7349.0},
	{"pegasus/srasearch/srasearch-chameleon-50a-002.json", "workflow-test", 104, 152, 1, 1, 3, 98721, 68939626651, 9922,
		1608571814, 12339.0},
	{"pegasus/srasearch/srasearch-chameleon-50a-003.json", "workflow-test", 104, 152, 1, 1, 3, 98721, 76907129574,
		10427, 1608579010, 7463.0},
}

func TestSharedInstances(t *testing.T) {
	for _, want := range sharedInstances {
		f := sourcetest.SharedFile(t, "wfinstances/"+want.file)
		if head, err := f.Head(t.Context()); err != nil || !detect(f.Name, head) {
			t.Errorf("%s is not detected, %v", want.file, err)
		}
		r := sourcetest.Read(t, Format(), f)
		if len(r.Runs) != 1 || r.Tally.Read != 1 || len(r.Tally.Repairs) != 0 || len(r.Tally.Warnings) != 0 {
			t.Errorf("%s: %d runs, rejects %v, tally %+v", want.file, len(r.Runs), r.Rejects, r.Tally)
			continue
		}
		run := r.Runs[0]
		got := sharedInstance{
			file: want.file, name: run.Name, tasks: len(run.Stages), edges: len(run.Edges),
			machines: len(r.Tally.Machines),
			input:    run.InputBytes, shuffle: max(run.ShuffleBytes, 0), output: run.OutputBytes,
			started: int64(run.Start) / 1e6, makespan: run.End.Since(run.Start).Seconds(),
		}
		for _, a := range run.IO {
			if a.Write {
				got.writes++
			} else {
				got.reads++
			}
		}
		if got != want {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if len(run.Attempts) != want.tasks || run.Status != trace.Succeeded || run.ID != withoutJSON(f.Base()) {
			t.Errorf("%s: %d attempts of %d tasks, %s, %s", want.file, len(run.Attempts), want.tasks, run.Status,
				run.ID)
		}
	}
}

// The critical path of blast-small-001 is 10.4 s and its work 383 s, of a makespan of 1279 s, says the README.
func TestSharedCriticalPath(t *testing.T) {
	r := sourcetest.Read(t, Format(),
		sourcetest.SharedFile(t, "wfinstances/makeflow/blast/blast-chameleon-small-001.json"))
	run := r.Runs[0]
	ends := make([]float64, len(run.Stages))
	work, longest := 0.0, 0.0
	for _, a := range run.Attempts { // in topological order
		before := 0.0
		for _, e := range run.Edges {
			if e.Child == a.Stage {
				before = max(before, ends[e.Parent])
			}
		}
		ends[a.Stage] = before + a.Duration.Seconds()
		longest = max(longest, ends[a.Stage])
		work += a.Duration.Seconds()
	}
	if math.Abs(longest-10.4) > 0.05 || math.Abs(work-383) > 0.5 {
		t.Errorf("critical path %.2f s, work %.1f s", longest, work)
	}
	if cpu := run.Stages[1].Demand[trace.CPU]; cpu != 1 {
		t.Errorf("a task of makeflow takes %v cores", cpu)
	}
}

func TestSharedTogether(t *testing.T) {
	var files []*source.File
	for _, i := range sharedInstances {
		files = append(files, sourcetest.SharedFile(t, "wfinstances/"+i.file))
	}
	r := sourcetest.Read(t, Format(), files...)
	tasks := 0
	for _, run := range r.Runs {
		tasks += len(run.Stages)
	}
	if len(r.Runs) != 38 || len(r.Rejects) != 0 || tasks != 12042 {
		t.Errorf("%d runs, %d tasks, rejects %v", len(r.Runs), tasks, r.Rejects)
	}
}

func TestSharedOthersAreRefused(t *testing.T) {
	for _, name := range []string{"dax-synthetic/GENOME.d.351024866.5.dax", "hadoop-rumen/sls/2jobs2min-rumen-jh.json",
		"hadoop-rumen/zombie/input-topology.json", "spark-recurring-jsonl/spark-recurring.jsonl.gz"} {
		f := sourcetest.SharedFile(t, name)
		if head, err := f.Head(t.Context()); err != nil || detect(f.Name, head) {
			t.Errorf("%s is taken for wfformat, %v", name, err)
		}
	}
}
