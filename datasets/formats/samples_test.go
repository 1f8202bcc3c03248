package formats_test

import (
	"bytes"
	"context"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/formats"
	"racecard/datasets/generate"
	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
)

// sample is a small trace of a text format, in one of the forms that the format has, in one file.
type sample struct {
	format  string
	name    string // of the file
	content string
	lines   bool // every record is a line, but for a header
	header  bool // the first line names the columns
	commas  bool // fields are separated by commas
	ordered bool // records follow each other in an order that means something
}

// samples returns at least one sample of every text format: generated ones, and some written by hand where there is no
// generator or where the format has another form.
func samples(t testing.TB) []sample {
	t.Helper()
	all := []sample{
		{format: "spark", name: "app", content: generated(t, "spark-like", 300, "_0001"), lines: true, ordered: true},
		{format: "google2019", name: "events.json", content: generated(t, "google2019", 300, "events"), lines: true},
		{format: "google2019", name: "slice.csv", content: slice2019, header: true, commas: true},
		{format: "google2011", name: "job_events.csv", content: generated(t, "google2011", 3000, "job_events"),
			lines: true, commas: true},
		{format: "google2011", name: "task_events.csv", content: generated(t, "google2011", 3000, "task_events"),
			lines: true, commas: true},
		{format: "jsonl", name: "runs.jsonl", content: generated(t, "jsonl", 10, ""), lines: true},
		{format: "wfformat", name: "blast.json", content: generated(t, "wfformat", 40, "000001")},
		{format: "rumen", name: "trace.json", content: rumenJob("0001") + rumenJob("0002") + rumenJob("0003"),
			lines: true},
		{format: "jhist", name: "job.jhist", content: generated(t, "jhist", 60, "_0001"), lines: true, ordered: true},
		{format: "philly", name: "cluster_job_log", content: generated(t, "philly", 10, "cluster_job_log")},
		{format: "philly", name: "philly.csv", lines: true, header: true, commas: true,
			content: "timestamp,duration,num_gpus,gpu_time,cluster\n" +
				"2017-10-07 01:11:39,193256.0,8,1546048.0,ee9e8c\n2017-10-09 07:01:55,66.0,1,66.0,11cb48\n2017-10-09 " +
				"06:13:03,2951.0,1,2951.0,6214e9\n"},
		{format: "pai", name: "pai_job_table.csv", lines: true, commas: true,
			content: "job_0,id_0,ann,Terminated,4550870.0,4551420.0\n" +
				"job_1,id_1,bob,Failed,4550871.0,4551421.0\njob_2,id_2,ann,Running,4550872.0,\n"},
		{format: "pai", name: "openb_pod_list_default.csv", lines: true, header: true, commas: true,
			content: "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n" +
				"openb-pod-0000,12000,16384,1,1000,,LS,Running,0,12537496,0\nopenb-pod-0001,6000,12288,1,460,V100M16|V100M32,LS,Pending,427061,12902960,\n" +
				"openb-pod-0002,6000,12288,1,460,,BE,Succeeded,427061,12902960,427061\n"},
		{format: "alibaba2018", name: "batch_task.csv", content: generated(t, "alibaba2018", 60, ""), lines: true,
			commas: true},
		{format: "alibaba2018", name: "batch_instance.csv", content: generated(t, "alibaba2018-instances", 300,
			"batch_instance"), lines: true, commas: true},
		{format: "alibaba2017", name: "batch_task.csv", lines: true, commas: true,
			content: "6459,6524,3,4,15740,Terminated,50,0.007956928\n" +
				"6457,6533,3,5,1,Terminated,100,0.004395206\n7000,0,4,6,2,Waiting,100,0.004395206\n7001,7100,5,7,1,Failed,,\n"},
		{format: "alibaba2017", name: "resaved.csv", lines: true, header: true, commas: true,
			content: "task_create_time, task_end_time, job_id, task_id,number_of_instances, status, " +
				"number_of_cpus_requested_per_instance_in_the_task,normalized_memory_requested_per_instance_in_the_task\n" +
				"6459,6524,3,4,15740,Terminated,50,0.007956928\n6457,6533,3,5,1,Terminated,100,0.004395206\n7001,7100,5,7,1,Failed,,\n"},
		{format: "swim", name: "FB.tsv", content: generated(t, "swim", 20, ""), lines: true},
		{format: "swf", name: "log.swf", content: generated(t, "swf", 20, ""), lines: true},
		// ids are the numbers of lines
		{format: "tr", name: "jobs.tr", content: generated(t, "tr-yahoo", 10, ""), lines: true, ordered: true},
	}
	for _, f := range formats.All(0) {
		// wta is Parquet
		if f.Name != "wta" && !slices.ContainsFunc(all, func(s sample) bool { return s.format == f.Name }) {
			t.Errorf("there is no sample of %s", f.Name)
		}
	}
	return all
}

// generated returns what the files of a generated trace hold, one behind the other, whose name contains some text.
func generated(t testing.TB, kind string, rows int64, part string) string {
	t.Helper()
	k, err := generate.Named(kind)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]*file{}
	_, err = k.Write(context.Background(), func(name string) (io.WriteCloser, error) {
		files[name] = &file{}
		return files[name], nil
	}, rows, 3, nil)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.Contains(name, part) {
			continue
		}
		in, err := source.Decompress(files[name])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(&all, in); err != nil {
			t.Fatal(err)
		}
	}
	return all.String()
}

type file struct{ bytes.Buffer }

func (*file) Close() error { return nil }

// rumenJob is a job as Rumen writes it, on a line.
func rumenJob(number string) string {
	return strings.ReplaceAll(`{"priority":"NORMAL","jobID":"job_201102110711_NNNN","user":"ann","jobName":"sorter","mapTasks":[{"startTime":1298086032103,`+
		`"taskID":"task_201102110711_NNNN_m_000000","taskType":"MAP","attempts":[{"hostName":"/1.1.1.192/host255","startTime":1298086032106,"result":"SUCCESS",`+
		`"finishTime":1298086036709,"attemptID":"attempt_201102110711_NNNN_m_000000_0","hdfsBytesRead":7}],"finishTime":1298086037053,"taskStatus":"SUCCESS"}],`+
		`"reduceTasks":[],"otherTasks":[],"submitTime":1298086030000,"launchTime":1298086031000,"finishTime":1298086040000,"totalMaps":1,"totalReduces":0,`+
		`"outcome":"SUCCESS","queue":"default"}`+"\n", "NNNN", number)
}

// slice2019 is an export as pandas writes it.
const slice2019 = `,time,instance_events_type,collection_id,scheduling_class,collection_type,priority,instance_index,machine_id,resource_request,user,collection_name,collection_logical_name,start_after_collection_ids
0,600000001,0,11,2,0,103,0,,"{'cpus': 0.02, 'memory': 0.01}",u1,n1,l1,[]
1,600000002,3,11,2,0,103,0,5,"{'cpus': 0.02, 'memory': None}",u1,n1,l1,[]
2,600000009,6,11,2,0,103,0,5,"{'cpus': 0.02,
 'memory': 0.01}",u1,n1,l1,"[12
 13]"
3,600000003,3,12,2,0,103,0,5,"{'cpus': 0.02, 'memory': 0.01}",u2,n2,l2,[]
`

// read reads files with the format of a sample.
func (s *sample) read(t testing.TB, files ...*source.File) *sourcetest.Result {
	t.Helper()
	format, err := formats.Named(s.format, 0)
	if err != nil {
		t.Fatal(err)
	}
	return sourcetest.Read(t, format, files...)
}

func TestSamplesAreClean(t *testing.T) {
	for _, s := range samples(t) {
		f := source.BytesFile(s.name, []byte(s.content))
		if found, _, err := formats.Detect(t.Context(), f, 0); err != nil || found.Name != s.format {
			t.Errorf("%s %s is recognised as %q, %v", s.format, s.name, found.Name, err)
		}
		if r := s.read(t, f); len(r.Runs) < 1 || len(r.Rejects) > 0 || r.Err != nil {
			t.Errorf("%s %s: %d runs, rejects %v, %v", s.format, s.name, len(r.Runs), r.Rejects, r.Err)
		}
	}
}
