package alibaba2017

import (
	"testing"

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
		{"header", header, true},
		{"header alone, blanks before", "\n\n" + header + job3, true},
		{"byte-order mark", "\ufeff" + header, true},
		{"no header", job3, true},
		{"waiting", "6036,6046,4,7,393,Waiting,,\n", true},
		{"instance", "12,20,1,4,446,Terminated,1,1,1.01,0.12,0.035,0.031\n", true},
		{"instance without job", "65351,65517,,,269,Running,1,1,,,,\n", true},
		{"instance with header", "start_timestamp,end_timestamp,job_id,task_id,machineID,status,seq_no,total_seq_no\n",
			true},
		{"server_usage", "39600,1,2.5,3,4,5,6,7\n", false},
		{"container_usage", "39600,1,2.5,3,4,5,6,7,8,9,10,11\n", false},
		{"schema", "file name,field number,content,format,mandatory\n", false},
		{"alibaba2018 task", "M1,1.0,j_1,12,Terminated,5,9,100.0,0.2\n", false},
		{"alibaba2018 instance", "i1,M1,a,1,Terminated,1,4,m_7,1,1,50,60,0.1,0.2\n", false},
		{"pai instance", "j,worker,i,w,x,Terminated,1.0,2.0,m\n", false},
		{"pai metric", "w,m,6150435,6150689,0.1,3.5,14.9,87.8,18.2,111649584.5,5.0,18.5\n", false},
		{"google2011 job", "600000000,,6251638,0,user,2,name,logical\n", false},
		{"google2011 task", "600000000,,6251639,0,,0,user,2,9,0.02,0.01,0.0,0\n", false},
		{"philly", "timestamp,duration,num_gpus,gpu_time,cluster\n", false},
		{"swim", "job0\t0\t0\t6353\t0\t1000\n", false},
		{"tr", "1 2 3 4 5\n", false},
		{"swf", "; Version: 2\n1 0 -1 1451 128 -1 -1 -1 -1 -1 1 1 1 1 -1 -1 -1 -1\n", false},
		{"jsonl", "{\"id\":\"a,b,c,d,e,f,g\"}\n", false},
		{"empty", "", false},
	} {
		if got := Format(0).Detect("batch_task.csv", []byte(test.head)); got != test.want {
			t.Errorf("%s: got %v", test.name, got)
		}
		if !test.want {
			continue
		}
		for _, f := range []source.Format{alibaba2018.Format(0), jsonl.Format(), pai.Format(0), spark.Format(),
			swim.Format(), tr.Format()} {
			if f.Detect("batch_task.csv", []byte(test.head)) {
				t.Errorf("%s is taken by %s", test.name, f.Name)
			}
		}
	}
}
