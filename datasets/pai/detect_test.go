package pai

import (
	"testing"

	"racecard/datasets/alibaba2017"
	"racecard/datasets/alibaba2018"
	"racecard/datasets/jsonl"
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
		{"pai_job_table.csv", jobs.content, true},
		{"x", jobs.content, true},
		{"x", tasks.content, true},
		{"x", instances.content, true},
		{"x", machines.content, true},
		{"pai_group_tag_table.csv", groups2020.content, true},
		{"d/pai_sensor_table.csv.gz", "j,w,x,id,m,/dev/nvidia0,140.1,16.0,1.4,2.3,1.2,2.3,2.1,1.6,2.9,3.4\n", true},
		{"pai_machine_metric.csv", "w,m,6150435,6150689,0.1,3.5,14.9,87.8,18.2,111649584.5,5.0,18.5\n", true},
		{"pai_machine_spec.tar.gz:pai_machine_spec.csv", "7399a758eb02bae1a3621236,CPU,96,512,0\n", true},
		{"pai_task_table.header",
			"job_name,task_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,plan_gpu,gpu_type\n", true},
		{"x", "job_name,task_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,plan_gpu,gpu_type", true},
		{"x", "\ufeff\r\n" + podHeader + podRows, true},
		{"x", "name,cpu_milli,memory_mib,num_gpu,gpu_milli\n", true},
		{"x", "sn,cpu_milli,memory_mib,gpu,model\n", true},
		{"x", dlrmHeader, true},
		{"x", "", false},
		{"pai_job_table.csv", "no table at all\n", false},
		{"pai_job_table.csv", "ustar\x00,\x00\n", false},
		{"x", groups2020.content, false}, // it could be anything
		{"x", "m1,big,96,512,0\n", false},
		{"x", "M1,1.0,j_1,12,Terminated,5,9,100.0,0.2\n", false},                               // alibaba2018
		{"x", "i1,M1,a,1,Terminated,1,4,m_7,1,1,50,60,0.1,0.2\n", false},                       // alibaba2018
		{"x", "6459,6524,3,4,15740,Terminated,50,0.007956928\n", false},                        // alibaba2017
		{"x", "12,20,1,4,446,Terminated,1,1,1.01,0.12,0.035,0.031\n", false},                   // alibaba2017
		{"x", "task_create_time, task_end_time, job_id, task_id,number_of_instances\n", false}, // alibaba2017
		// google2011 job_events
		{"x", "600000000,,6251638,0,user,2,name,logical\n", false},
		// google2011 task_events
		{"x", "600000000,,6251639,0,,0,user,2,9,0.02,0.01,0.0,0\n", false},
		// google2011 machine_events
		{"x", "0,5,0,HofLGzk1Or/8Ildj2+Lqv0UGGvY82NLoni8+J/Yy0RU=,0.5,0.2493\n", false},
		{"x", "timestamp,duration,num_gpus,gpu_time,cluster\n", false},                             // philly
		{"x", "2017-10-09 07:01:55,66.0,1,66.0,11cb48\n", false},                                   // philly
		{"x", "machineId, number of GPUs, single GPU mem\nm1,8, 24GB\n", false},                    // philly
		{"x", "job0\t0\t0\t6353\t0\t1000\n", false},                                                // swim
		{"x", "1406471.0 4 2.5 1 2 3 4\n", false},                                                  // tr
		{"x", "; Version: 2\n1 0 -1 1451 128 -1 -1 -1 -1 -1 1 1 1 1 -1 -1 -1 -1\n", false},         // swf
		{"x", "{\"id\":\"r7\",\"stages\":[{\"tasks\":2,\"duration_s\":1}]}\n", false},              // jsonl
		{"x", "{\"Event\":\"SparkListenerLogStart\",\"Spark Version\":\"3.5.0\"}\n", false},        // spark
		{"x", "[{\"status\": \"Pass\", \"vc\": \"ee9e8c\", \"jobid\": \"application_1\"}]", false}, // philly
		{"x", "WorkflowID, JobID, SubmitTime, RunTime, NProcs, ReqNProcs, Dependencies\n", false},  // gwf
		{"x", ",time,instance_events_type,collection_id,scheduling_class\n", false},                // google2019
	} {
		if got := Format(0).Detect(test.name, []byte(test.head)); got != test.want {
			t.Errorf("%s %.60q: got %v", test.name, test.head, got)
		}
		if !test.want {
			continue
		}
		for _, f := range []source.Format{alibaba2017.Format(0), alibaba2018.Format(0), jsonl.Format(), spark.Format(),
			swim.Format(), tr.Format()} {
			if f.Detect(test.name, []byte(test.head)) {
				t.Errorf("%s %.60q is taken by %s", test.name, test.head, f.Name)
			}
		}
	}
}
