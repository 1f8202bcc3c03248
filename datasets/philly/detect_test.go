package philly

import (
	"strings"
	"testing"

	"racecard/datasets/alibaba2017"
	"racecard/datasets/alibaba2018"
	"racecard/datasets/jsonl"
	"racecard/datasets/pai"
	"racecard/datasets/source"
	"racecard/datasets/spark"
	"racecard/datasets/swim"
	"racecard/datasets/tr"
)

func TestDetect(t *testing.T) {
	for _, test := range []struct {
		name, head string
		want       bool
	}{
		{"x", "[" + example + "]", true},
		{"x", "\ufeff\n [\n" + example, true},
		{"x", example + "\n" + example, true},
		{"x", "[" + example[:120], true}, // as far as the jobid
		{"trace-data/cluster_job_log", "[{\"status\": \"Pa", true},
		{"cluster_job_log.json.gz", "[]", true},
		{"x", "machineId, number of GPUs, single GPU mem\nm1,8, 24GB\n", true},
		{"cluster_machine_list", "m1,8, 24GB\n", true},
		{"x", reducedHeader + reducedRows, true},
		{"x", "\ufeff\r\n" + strings.ToUpper(reducedHeader), true},
		{"philly_runtime.csv", "runtime\n0.0\n", true},
		{"x", "", false},
		{"x", "[]", false},
		{"x", "[" + example[:50], false},
		{"runtimes.csv", "runtime\n0.0\n", false}, // of anything
		{"philly.csv", "runtime,x\n0.0,1\n", false},
		{"cluster_job_log", "time,machineId,gpu0_util\n", false},
		{"cluster_gpu_util", "time,machineId,gpu0_util,gpu1_util\n2017-10-03 00:08:00 PDT,m29,60.8,99.3\n", false},
		{"x", "{\"id\":\"r7\",\"stages\":[{\"tasks\":2,\"duration_s\":1}]}\n", false}, // jsonl
		{"x", "{\"Event\":\"SparkListenerJobStart\",\"Job ID\":0}\n", false},          // spark
		{"x", "{\"jobID\":\"job_1\",\"attempts\":[],\"user\":\"u\"}", false},          // rumen
		// deeper than the top
		{"x", "{\"stages\":[{\"jobid\":\"j\",\"vc\":\"v\"}]}", false},
		{"x", "{\"name\":\"blast\",\"workflow\":{\"specification\":{}},\"schemaVersion\":\"1.5\"}", false}, // wfformat
		// alibaba2018
		{"x", "M1,1.0,j_1,12,Terminated,5,9,100.0,0.2\n", false},
		{"x", "6459,6524,3,4,15740,Terminated,50,0.007956928\n", false},                    // alibaba2017
		{"x", "7399a758eb02bae1a3621236,CPU,96,512,0\n", false},                            // pai
		{"x", "name,cpu_milli,memory_mib,num_gpu,gpu_milli\n", false},                      // pai
		{"x", "600000000,,6251638,0,user,2,name,logical\n", false},                         // google2011
		{"x", ",time,instance_events_type,collection_id\n", false},                         // google2019
		{"x", "job0\t0\t0\t6353\t0\t1000\n", false},                                        // swim
		{"x", "1406471.0 4 2.5 1 2 3 4\n", false},                                          // tr
		{"x", "; Version: 2\n1 0 -1 1451 128 -1 -1 -1 -1 -1 1 1 1 1 -1 -1 -1 -1\n", false}, // swf
		{"x", "Avro-Json\n{\"type\":\"record\"}\n", false},                                 // jhist
	} {
		if got := Format(0).Detect(test.name, []byte(test.head)); got != test.want {
			t.Errorf("%s %.60q: got %v", test.name, test.head, got)
		}
		if !test.want {
			continue
		}
		for _, f := range []source.Format{alibaba2017.Format(0), alibaba2018.Format(0), jsonl.Format(), pai.Format(0),
			spark.Format(), swim.Format(), tr.Format()} {
			if f.Detect(test.name, []byte(test.head)) {
				t.Errorf("%s %.60q is taken by %s", test.name, test.head, f.Name)
			}
		}
	}
}
