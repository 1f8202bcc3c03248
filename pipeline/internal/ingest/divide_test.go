package ingest

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/lists"
	pq "racecard/datasets/parquetio/parquetiotest"
	"racecard/datasets/source"
	"racecard/datasets/store"
	"racecard/datasets/trace"
	"racecard/datasets/trace/tracetest"
)

// memory is the output of a unit in memory.
type memory []Block

// Names returns the names of blocks in their order.
func (m memory) Names() []string {
	var names []string
	for _, b := range m {
		names = append(names, b.Name)
	}
	return names
}

// Block returns a block.
func (m memory) Block(name string) ([]byte, error) {
	for _, b := range m {
		if b.Name == name {
			return b.Data, nil
		}
	}
	return nil, fs.ErrNotExist
}

// inUnits imports paths in units of some files each, in an order that is not theirs.
func inUnits(t *testing.T, out string, o Options, batch int, paths ...string) (*store.Manifest, *Division, error) {
	t.Helper()
	in, err := (&Finder{}).Find(t.Context(), paths)
	if err != nil {
		t.Fatal(err)
	}
	d, err := Divide(t.Context(), in, "/", o, batch)
	if err != nil {
		return nil, nil, err
	}
	outputs := make([]Output, len(d.Batches)+d.Shards)
	for unit := len(d.Batches) - 1; unit >= 0; unit-- {
		blocks, err := d.Read(t.Context(), o, unit)
		if err != nil {
			t.Fatal(err)
		}
		outputs[unit] = memory(blocks)
	}
	for shard := d.Shards - 1; shard >= 0; shard-- {
		blocks, err := d.Gather(t.Context(), o, shard, func(unit int, name string) ([]byte, error) {
			return outputs[unit].Block(name)
		})
		if err != nil {
			t.Fatal(err)
		}
		outputs[len(d.Batches)+shard] = memory(blocks)
	}
	m, err := d.Unite(t.Context(), out, o, outputs, func(text string) { t.Log(text) })
	return m, d, err
}

// sameStores imports paths on one machine and in units, and fails the test unless both stores have the same bytes.
func sameStores(t *testing.T, o Options, batch int, paths ...string) *store.Manifest {
	t.Helper()
	dir := t.TempDir()
	in, err := (&Finder{}).Find(t.Context(), paths)
	if err != nil {
		t.Fatal(err)
	}
	one, err := Import(t.Context(), in, filepath.Join(dir, "one"), o)
	many, d, err2 := inUnits(t, filepath.Join(dir, "many"), o, batch, paths...)
	if err != nil || err2 != nil {
		t.Fatalf("%v, in units %v", err, err2)
	}
	a, b := filesIn(t, filepath.Join(dir, "one")), filesIn(t, filepath.Join(dir, "many"))
	if len(a) != len(b) {
		t.Errorf("%d files, in units %d", len(a), len(b))
	}
	for name, data := range a {
		if b[name] != data {
			t.Errorf("%s differs", name)
			if name == store.ManifestName {
				t.Errorf("one  %s\nmany %s", data, b[name])
			}
		}
	}
	t.Logf("%d files in %d batches and %d shards: %d runs, %d rejects", len(d.Files), len(d.Batches), d.Shards,
		one.Rows["jobs"], lists.Total(many.Rejected))
	return one
}

func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all[strings.TrimPrefix(path, dir+"/")] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A store that was imported in units has the bytes of one machine's, of every format that can be divided.
func TestUnitsMakeTheSameStore(t *testing.T) {
	shared := filepath.Join("..", "..", "..", "..", "shared", "data")
	for _, test := range []struct {
		name, path, format string
		batch              int
	}{
		{"spark", "spark-eventlogs", "", 7},
		{"tr", "tr-synthetic", "", 1},
		{"swim", "swim-facebook", "swim", 2},
		{"jhist", "hadoop-jhist", "jhist", 3},
		{"jsonl", "tpch-jsonl", "jsonl", 1},
		{"alibaba2018", "alibaba-2018", "alibaba2018", 1},
		{"wfformat", "wfinstances", "wfformat", 3},
		{"rumen", "hadoop-rumen", "rumen", 1},
		{"swf", "swf/NASA-iPSC-1993-3.1-cln.swf.gz", "swf", 1},
		{"philly", "philly-derived", "philly", 1},
		{"alibaba2017", "alibaba-2017", "alibaba2017", 1},
		{"google2011", "google-2011", "google2011", 6},
		{"google2019", "google-2019", "google2019", 1},
		{"pai of 2023", "alibaba-gpu-2023", "pai", 1},
		{"pai of 2025", "alibaba-gpu-2025", "pai", 1},
		{"wta", "wta", "wta", 1},
		{"OpenDC", "opendc-parquet/surf_week", "wta", 1},
		{"workflow of OpenDC", "opendc-parquet/workflow_example", "wta", 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			quick := []string{"tr", "jhist", "google2019", "pai of 2023", "wta", "OpenDC", "workflow of OpenDC"}
			if testing.Short() && !slices.Contains(quick, test.name) {
				t.Skip("takes long under the race detector, and shares the code of the others")
			}
			path, err := filepath.Abs(filepath.Join(shared, test.path))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(path); err != nil {
				t.Skipf("NOT TESTED: %v", err)
			}
			o := DefaultOptions()
			o.Format, o.MaxRejects = test.format, 1
			sameStores(t, o, test.batch, path)
		})
	}
}

// Rejects, repairs that --strict refuses, ids that occur twice, and labels of files that count their runs do not depend
// on units.
func TestUnitsAgreeOnOddities(t *testing.T) {
	write := func(dir, name, text string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	runs := func(prefix string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, `{"id":"%s-%d","name":"n","submit_s":%d,"end_s":%d,"stages":[{"tasks":2,"duration_s":1}]}`+
				"\n", prefix, i, i, i+5)
			if i%3 == 1 {
				b.WriteString("this is no JSON\n\n")
			}
		}
		return b.String()
	}
	loose := DefaultOptions()
	loose.MaxRejects = 1
	strict := loose
	strict.Strict = true
	t.Run("rejects", func(t *testing.T) {
		dir := t.TempDir()
		for i := range 5 {
			write(dir, fmt.Sprintf("d%d/f.jsonl", i), runs(fmt.Sprint(i), 4+i))
		}
		write(dir, "d2/empty.jsonl", "")
		write(dir, "d3/other.bin", "\x00\x01\x02")
		if m := sameStores(t, loose, 2, dir); lists.Total(m.Rejected) == 0 || len(m.Warnings) == 0 {
			t.Errorf("%d rejects, warnings %q", lists.Total(m.Rejected), m.Warnings)
		}
		sameStores(t, strict, 1, dir)
	})
	t.Run("one id in two units", func(t *testing.T) {
		dir := t.TempDir()
		write(dir, "a.jsonl", runs("a", 5))
		write(dir, "b.jsonl", runs("b", 5))
		write(dir, "c.jsonl", runs("a", 3))
		if m := sameStores(t, loose, 1, dir); m.Rejected[source.ReasonDuplicateID] != 3 {
			t.Errorf("rejected %v, want 3 duplicates", m.Rejected)
		}
	})
	t.Run("labels", func(t *testing.T) {
		dir := t.TempDir()
		for i := range 4 {
			write(dir, fmt.Sprintf("d%d/t.tr", i), strings.Repeat("1 2 1.5 1 2\n", 3))
		}
		sameStores(t, loose, 1, dir)
	})
	t.Run("machines of several files", func(t *testing.T) {
		dir := t.TempDir()
		for i := range 5 {
			write(dir, fmt.Sprintf("w%d.json", i),
				fmt.Sprintf(`{"name":"w","schemaVersion":"1.4","workflow":{"tasks":[{"name":"a","id":"a","type":"compute","runtime":%d}],`+
					`"machines":[{"nodeName":"m0","cpu":{"count":4}},{"nodeName":"m%d","cpu":{"count":4}},{"nodeName":"m0","cpu":{"count":%d}}]}}`, i+1, i%3, 4+i%2))
		}
		o := loose
		o.Format = "wfformat"
		if m := sameStores(t, o, 1, dir); m.Rows["machines"] != 4 {
			t.Errorf("%d machines, want m0 with 4 and with 5 cores, m1 and m2: %v", m.Rows["machines"], m.Warnings)
		}
	})
	t.Run("rows that lie apart", func(t *testing.T) {
		dir := t.TempDir()
		for i := range 6 {
			var b strings.Builder
			for k := range 400 {
				fmt.Fprintf(&b, "M%d,1,j_%d,1,Terminated,%d,%d,100,0.5\n", i+1, k*7%211, 10+k, 20+k)
				if k%50 == 7 {
					b.WriteString("one,two\n")
				}
			}
			write(dir, fmt.Sprintf("batch_task_%d.csv", i), b.String())
		}
		for _, o := range []Options{loose, strict} {
			o.Format = "alibaba2018"
			if m := sameStores(t, o, 2, dir); lists.Total(m.Rejected) == 0 {
				t.Error("nothing was rejected")
			}
		}
	})
	t.Run("changed files", func(t *testing.T) {
		dir := t.TempDir()
		write(dir, "a.jsonl", runs("a", 5))
		in, err := (&Finder{}).Find(t.Context(), []string{dir})
		if err != nil {
			t.Fatal(err)
		}
		d, err := Divide(t.Context(), in, "/", loose, 1)
		if err != nil {
			t.Fatal(err)
		}
		write(dir, "a.jsonl", runs("a", 6))
		if _, err := d.Read(t.Context(), loose, 0); err == nil || !strings.Contains(err.Error(), "changed since") {
			t.Errorf("a file that changed: %v", err)
		}
	})
	t.Run("headers", func(t *testing.T) {
		dir := t.TempDir()
		for i := range 5 {
			text := fmt.Sprintf("; Computer: c%d\n", i) + strings.Repeat("; Note: "+strings.Repeat("x", 1000)+"\n", 17*i) +
				";  and more of it\n1 0 0 10 1 -1 -1 1 10 -1 1 1 1 1 1 1 1 -1 -1\nno job\n"
			write(dir, fmt.Sprintf("w%d.swf", i), text)
		}
		o := loose
		o.Format = "swf"
		m := sameStores(t, o, 2, dir)
		if n := len(strings.Join(m.Header, "")); n < 60<<10 || n > 64<<10 {
			t.Errorf("%d bytes of headers, want at most 64 KiB", n)
		}
	})
	t.Run("machines that are listed twice", func(t *testing.T) {
		dir := t.TempDir()
		for i := range 3 {
			write(dir, fmt.Sprintf("%d/cluster_machine_list", i),
				fmt.Sprintf("machineId, number of GPUs, single GPU mem\nm%d,2,24GB\nm9,8,24GB\nm9,,\n,1,\n", i))
			write(dir, fmt.Sprintf("%d/cluster_job_log.json", i),
				fmt.Sprintf(`[{"status":"Pass","vc":"v","jobid":"j%d","attempts":[{"start_time":"2017-10-09 07:02:00",`+
					`"end_time":"2017-10-09 07:03:00","detail":[{"ip":"m1","gpus":["gpu0"]}]}],`+
					`"submitted_time":"2017-10-09 07:01:51","user":"u"}]`, i))
			write(dir, fmt.Sprintf("%d/philly_runtime.csv", i), "runtime\n1\n2\n")
		}
		o := loose
		o.Format = "philly"
		m := sameStores(t, o, 1, dir)
		if m.Rows["machines"] != 4 || m.Ignored["machine listed before"] != 5 || m.Rows["jobs"] != 9 {
			t.Errorf("rows %v, ignored %v: want m0, m1, m2 and m9", m.Rows, m.Ignored)
		}
	})
	t.Run("columns of each file", func(t *testing.T) {
		dir := t.TempDir()
		rows := func(header, row string, from int) string {
			var b strings.Builder
			b.WriteString(header)
			for k := range 50 {
				fmt.Fprintf(&b, row, from+k%40, k%7)
			}
			return b.String() + "no row\n"
		}
		write(dir, "a.csv", rows("", "100,200,%d,%d,3,Terminated,50,0.1\n", 0))
		write(dir, "b.csv", rows("status,job_id,task_id,create_time,end_time\n", "Terminated,%d,%d,100,200\n", 30))
		write(dir, "c.csv", rows("", "101,150,%d,%d,m1,Terminated,1,3,1,0.5,0.1,0.05\n", 10))
		write(dir, "d.csv", rows("task_id,job_id,start,seq_no,machine_id,end\n", "%[2]d,%[1]d,110,1,m2,120\n", 20))
		write(dir, "e.csv", rows("job_id,task_id,create_time\n", "%d,%d,90\n", 60))
		o := loose
		o.Format = "alibaba2017"
		if m := sameStores(t, o, 1, dir); m.Rows["jobs"] != 100 || m.Rows["tasks"] == 0 {
			t.Errorf("rows %v, rejected %v", m.Rows, m.Rejected)
		}
	})
	t.Run("machines and usage of Google", func(t *testing.T) {
		dir := t.TempDir()
		for i := range 4 {
			var jobs, tasks, machines strings.Builder
			for k := range 60 {
				fmt.Fprintf(&jobs, "%d,,%d,%d,u,0,J,L\n", 1000*i+k, 7+k*7%50, i%2*4)
				fmt.Fprintf(&tasks, "%d,,%d,%d,m%d,%d,u,2,9,0.5,0.25,0.1,0\n", 1000*i+k, 7+k*11%50, k%3, k%5, i)
				fmt.Fprintf(&machines, "%d,%d,%d,P,0.5,0.%d\n", 1000*i+k, (k+i)%40, i%3, i+1)
			}
			write(dir, fmt.Sprintf("job_events/%d.csv", i), jobs.String()+"1,,x,0,u,0,J,L\n")
			write(dir, fmt.Sprintf("machine_events/%d.csv", i), machines.String()+"1,10,3,P,1,1\n2,1")
			write(dir, fmt.Sprintf("task_events/%d.csv", i), tasks.String()+"1,2\n")
		}
		write(dir, "task_usage/0.csv", "1000000,2000000,7,0,m1,0.1,0.1,0,0,0,0,0,0,0,0,,,1,1,0\n")
		o := loose
		o.Format = "google2011"
		if m := sameStores(t, o, 3, dir); m.Rows["machines"] != 40 || m.Rows["jobs"] != 50 {
			t.Errorf("rows %v, rejected %v", m.Rows, m.Rejected)
		}
	})
	t.Run("collections that start after others", func(t *testing.T) {
		dir := t.TempDir()
		for i := range 4 {
			var b strings.Builder
			for k := range 40 {
				fmt.Fprintf(&b, `{"time":"%d","type":"%d","collection_id":"%d","user":"u","collection_name":"n",`+
					`"start_after_collection_ids":["%d"]}`+"\n", 1000*i+k, i*2, k, k+40-i)
			}
			b.WriteString("{\n")
			write(dir, fmt.Sprintf("%d.json", i), b.String())
		}
		o := loose
		o.Format = "google2019"
		if m := sameStores(t, o, 1, dir); m.Rows["jobs"] != 40 || m.Rows["io"] == 0 {
			t.Errorf("rows %v, rejected %v", m.Rows, m.Rejected)
		}
	})
	t.Run("tables of PAI", func(t *testing.T) {
		dir := t.TempDir()
		for i := range 5 {
			var jobs, tasks, instances, tags, pods strings.Builder
			for k := range 40 {
				fmt.Fprintf(&jobs, "j%d,id%d,u%d,%s,%d,%d\n", i*20+k, k*3%50, k%3, []string{"Terminated", "Failed"}[k%2],
					k%5, 900-k)
				fmt.Fprintf(&tasks, "100,j%d,t%d,2,Terminated,5,%d,29.3,50,T4\n", k*7%60, (i+k)%3, 50+k)
				fmt.Fprintf(&instances, "j%d,t%d,i%d,w%d,id%d,Terminated,%d,%d,m1\n", k*11%90, k%4, k%7, i*k%9, k, k, i*k)
				fmt.Fprintf(&tags, "id%d,u,,g%d,w\n", k*13%50, (i*k)%4)
				fmt.Fprintf(&pods, "%s%d,500,1,1,500,,BE,Running,5,%d,6\n", []string{"p", "p", "j"}[k%3], (i*15+k)%55, 4+k)
			}
			write(dir, fmt.Sprintf("%d/pai_job_table.csv", i), jobs.String()+",id,u,Failed,1,2\nj0,x\n")
			write(dir, fmt.Sprintf("%d/pai_task_table.csv", i), tasks.String()+"1,j,,1,Failed,1,2,3,4,\n")
			write(dir, fmt.Sprintf("%d/pai_instance_table.csv", i), instances.String()+"j1,t,i")
			write(dir, fmt.Sprintf("%d/pai_group_tag_table.csv", i), tags.String()+",u,,g,w\n")
			write(dir, fmt.Sprintf("%d/openb_pod_list_x.csv", i), "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,"+
				"qos,pod_phase,creation_time,deletion_time,scheduled_time\n"+pods.String()+"p,x,1,0,0,,BE,Running,5,,6\n")
			write(dir, fmt.Sprintf("%d/pai_machine_spec.csv", i), fmt.Sprintf("m1,T4,96,512,8\nm%d,T4,many,512,8\n"+
				"m%d,T4,96,512,8\n", i, i))
			write(dir, fmt.Sprintf("%d/pai_sensor_table.csv", i), "a,b\n")
		}
		write(dir, "0/nothing.csv", "1,2,3,4\n")
		write(dir, "4/pai_task_table.header", "plan_cpu,job_name,task_name,inst_num,status,start_time,end_time,plan_mem,"+
			"plan_gpu,gpu_type\n")
		for _, o := range []Options{loose, strict} {
			o.Format = "pai"
			m := sameStores(t, o, 4, dir)
			if m.Rows["machines"] != 5 || lists.Total(m.Rejected) < 100 || !o.Strict && (m.Rows["jobs"] != 172 ||
				m.Rows["tasks"] == 0 || len(m.Warnings) != 12) {
				t.Errorf("rows %v, rejected %v, warnings %q", m.Rows, m.Rejected, m.Warnings)
			}
		}
	})
	t.Run("machines beside runs that are refused", func(t *testing.T) {
		dir := t.TempDir()
		write(dir, "pai_machine_spec.csv", "m1,T4,96,512,8\nm2,T4,96,512,8\n")
		var jobs strings.Builder
		for i := range 2000 { // some of them lie next to the machines
			fmt.Fprintf(&jobs, "j%d,i,u,Running,0,0\n", i)
		}
		write(dir, "pai_job_table.csv", jobs.String())
		o := strict
		o.Format = "pai"
		if m := sameStores(t, o, 1, dir); m.Rows["machines"] != 2 || lists.Total(m.Rejected) != 2000 {
			t.Errorf("rows %v, rejected %v", m.Rows, m.Rejected)
		}
	})
	t.Run("logs of different times", func(t *testing.T) {
		dir := t.TempDir()
		for i, name := range []string{"a.swf", "b.swf", "c.swf"} {
			write(dir, name, fmt.Sprintf("; UnixStartTime: %d\n%d 5 0 9 1 -1 -1 1 -1 -1 1 1 1 1 -1 -1 -1 -1\n", i/2*1e9, i+1))
		}
		o := loose
		o.Format = "swf"
		if m := sameStores(t, o, 1, dir); !strings.Contains(strings.Join(m.Warnings, "\n"), "are mixed") {
			t.Errorf("warnings %q", m.Warnings)
		}
	})
	t.Run("more headers than tags", func(t *testing.T) {
		dir := t.TempDir()
		for i := range 260 {
			write(dir, fmt.Sprintf("%03d.csv", i), "job_name,inst_id,user,status"+strings.Repeat(",x", i)+"\n"+
				fmt.Sprintf("j%d,i,u,Failed", i)+strings.Repeat(",", i)+"\n")
		}
		o := loose
		o.Format = "pai"
		if m := sameStores(t, o, 130, dir); m.Rejected[source.ReasonHeaders] != 8 {
			t.Errorf("rejected %v, want the lines of four files", m.Rejected)
		}
	})
	t.Run("tables of the Workflow Trace Archive", func(t *testing.T) {
		dir := t.TempDir()
		for i := range 5 {
			tasks, flows, machines := make([][]any, 6), make([][]any, 3), make([][]any, 4)
			row := func(table [][]any, cells ...any) {
				for k, c := range cells {
					table[k] = append(table[k], c)
				}
			}
			for k := range 60 {
				id := i*50 + k // ten rows of a file repeat tasks of the file before
				row(tasks, id, id*7%40, id*10, k%9-1, []any{id - 40, id + 3}, []string{"core", "disk", "gpu"}[k%3])
			}
			row(tasks, nil, 1, 1, 1, nil, "core")
			row(tasks, 900+i, nil, 1, 1, nil, "core")
			row(tasks, 910+i, 1, math.MaxInt64, 1, nil, "core")
			for k := range 12 {
				row(flows, i*8+k, k, 3)
			}
			for k := range 6 {
				row(machines, i*6+k, 4-k, 64)
			}
			at := func(table string) string { return fmt.Sprintf("%d/%s/schema-1.0/part.0.parquet", i, table) }
			write(dir, at("tasks"), string(pq.File(t, pq.Options{GroupRows: 20}, pq.Column{Name: "id", Rows: tasks[0]},
				pq.Column{Name: "workflow_id", Rows: tasks[1]}, pq.Column{Name: "ts_submit", Rows: tasks[2]},
				pq.Column{Name: "runtime", Rows: tasks[3]}, pq.Column{Name: "parents", List: "item", Rows: tasks[4]},
				pq.Column{Name: "resource_type", Type: pq.Text, Rows: tasks[5]},
				pq.Column{Name: "resource_amount_requested", Rows: tasks[0]})))
			write(dir, at("workflows"), string(pq.File(t, pq.Options{}, pq.Column{Name: "id", Rows: flows[0]},
				pq.Column{Name: "ts_submit", Rows: flows[1]}, pq.Column{Name: "task_count", Rows: flows[2]})))
			write(dir, at("resources"), string(pq.File(t, pq.Options{}, pq.Column{Name: "id", Rows: machines[0]},
				pq.Column{Name: "num_resources", Rows: machines[1]}, pq.Column{Name: "memory", Rows: machines[2]})))
			write(dir, at("task_state"), string(pq.File(t, pq.Options{}, pq.Column{Name: "task_id", Rows: []any{1, 2}},
				pq.Column{Name: "ts_start", Rows: []any{i, 2}})))
			write(dir, fmt.Sprintf("%d/generic_information.json", i), fmt.Sprintf(`{"total_workflows": 3.%d, `+
				`"total_tasks": %d, "authors": ["A%d"]%s`, i, i, i, []string{"}", ""}[i%2]))
		}
		for _, o := range []Options{loose, strict} {
			o.Format = "wta"
			m := sameStores(t, o, 3, dir)
			if m.Rows["machines"] != 30 || len(m.Header) != 3 || m.Rejected[source.ReasonDuplicateTask] == 0 ||
				!o.Strict && (m.Rows["jobs"] != 44 || m.Rows["edges"] == 0) ||
				!slices.ContainsFunc(m.Warnings, func(w string) bool { return strings.HasPrefix(w, source.WarnTotals) }) {
				t.Errorf("rows %v, header %q, rejected %v, warnings %q", m.Rows, m.Header, m.Rejected, m.Warnings)
			}
		}
	})
	t.Run("tasks of OpenDC", func(t *testing.T) {
		dir := t.TempDir()
		table := func(from int, parents ...any) string {
			columns := []pq.Column{{Name: "id"}, {Name: "submission_time"}, {Name: "duration"}}
			for k := range 6 {
				for c, cell := range []any{from + k, k, k - 1} {
					columns[c].Rows = append(columns[c].Rows, cell)
				}
			}
			if parents != nil {
				columns = append(columns, pq.Column{Name: "parents", List: "item", Rows: parents})
			}
			return string(pq.File(t, pq.Options{}, columns...))
		}
		o := loose
		o.Format = "wta"
		for i := range 4 {
			write(dir, fmt.Sprintf("%d/tasks.parquet", i), table(i*5)) // the last task of a file is in the next one
			write(dir, fmt.Sprintf("%d/fragments.parquet", i), string(pq.File(t, pq.Options{},
				pq.Column{Name: "id", Rows: []any{i}}, pq.Column{Name: "duration", Rows: []any{1}},
				pq.Column{Name: "cpu_usage", Rows: []any{1}})))
		}
		if m := sameStores(t, o, 1, dir); m.Rows["jobs"] != 21 || m.Rejected[source.ReasonDuplicateTask] != 3 {
			t.Errorf("rows %v, rejected %v", m.Rows, m.Rejected)
		}
		// Parents may lie in files of other units: then the merge reads all files.
		none := []any{}
		write(dir, "3/tasks.parquet", table(15, []any{0}, none, none, none, []any{9}, none))
		if m := sameStores(t, o, 1, dir); m.Rows["jobs"] != 19 || m.Rows["edges"] != 1 {
			t.Errorf("rows %v, rejected %v", m.Rows, m.Rejected)
		}
		for i := range 3 {
			write(dir, fmt.Sprintf("%d/tasks.parquet", i), string(pq.File(t, pq.Options{},
				pq.Column{Name: "id", Rows: []any{i, nil}}, pq.Column{Name: "workflow_id", Rows: []any{15, i}},
				pq.Column{Name: "runtime", Rows: []any{1, 1}})))
		}
		if m := sameStores(t, o, 1, dir); m.Rows["jobs"] != 6 || lists.Total(m.Rejected) != 3 {
			t.Errorf("rows %v, rejected %v", m.Rows, m.Rejected)
		}
	})
}

// Runs go through their encoding unchanged, and damaged blocks are errors.
func TestEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w eventWriter
		var want []string
		for i := range rapid.IntRange(1, 5).Draw(t, "events") {
			e := event{run: tracetest.Run(t, fmt.Sprint("r", i))}
			e.run.Seq = 0 // is not encoded
			if rapid.Bool().Draw(t, "reject") {
				e = event{reject: source.NewReject("f", 3, "x", "reason", "detail", []byte("raw\x00"))}
			}
			w.add(e)
			want = append(want, form(e))
		}
		block := w.finish()[0]
		events, err := readEvents(block)
		if err != nil || len(events) != len(want) {
			t.Fatalf("%v: %d events, want %d", err, len(events), len(want))
		}
		for i, e := range events {
			if got := form(e); got != want[i] {
				t.Errorf("got  %s\nwant %s", got, want[i])
			}
		}
		at := rapid.IntRange(0, len(block)-1).Draw(t, "cut")
		_, _ = readEvents(block[:at]) // an error or events, never a panic
		damaged := append([]byte{}, block...)
		damaged[at] ^= byte(rapid.IntRange(1, 255).Draw(t, "bits"))
		_, _ = readEvents(damaged)
	})
}

func form(e event) string {
	if e.reject != nil {
		return fmt.Sprintf("%+v", *e.reject)
	}
	r := *e.run
	if len(r.Stages) == 0 {
		r.Stages = []trace.Stage{}
	}
	return fmt.Sprintf("%+v", r)
}
