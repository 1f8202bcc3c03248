package spark

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"racecard/datasets/trace"
)

func execAdded(id string, at, cores int) string {
	return fmt.Sprintf(`{"Event":"SparkListenerExecutorAdded","Timestamp":%d,"Executor ID":%q,"Executor Info":{"Host":"w%s","Total Cores":%d,`+
		`"Log Urls":{"stdout":"http://w/?x=1"},"Attributes":{},"Resources":{},"Resource Profile Id":0}}`, at, id, id,
		cores)
}

func execRemoved(id string, at int) string {
	return fmt.Sprintf(`{"Event":"SparkListenerExecutorRemoved","Timestamp":%d,"Executor ID":%q,"Removed Reason":"lost"}`, at, id)
}

func blocksAdded(id string, at int) string {
	return fmt.Sprintf(`{"Event":"SparkListenerBlockManagerAdded","Block Manager ID":{"Executor ID":%q,"Host":"w%s","Port":7},"Maximum Memory":9,"Timestamp":%d}`, id, id, at)
}

func blocksRemoved(id string, at int) string {
	return fmt.Sprintf(`{"Event":"SparkListenerBlockManagerRemoved","Block Manager ID":{"Executor ID":%q,"Host":"w%s","Port":7},"Timestamp":%d}`, id, id, at)
}

// count writes a number, "-" for null.
func count(n int64) string {
	if n == trace.None {
		return "-"
	}
	return fmt.Sprint(n)
}

func TestAllocations(t *testing.T) {
	tests := []struct {
		name     string
		log      []string
		want     string // at:tokens/machines
		machines string // name:cores:from-to
	}{
		{"come and go", []string{execAdded("1", 1000, 4), execAdded("2", 1100, 4), execRemoved("1", 1500)},
			"1000:4/1 1100:8/2 1500:4/1", "w1/1:4:1000-1500 w2/2:4:1100--"},
		{"at once", []string{execAdded("1", 1000, 4), execAdded("2", 1000, 4), execRemoved("1", 1500),
			execAdded("3", 1500, 4)},
			"1000:8/2 1500:8/2", "w1/1:4:1000-1500 w2/2:4:1000-- w3/3:4:1500--"},
		{"two cores a task, an odd core is of no use", []string{env(`"spark.task.cpus":"2"`), execAdded("1", 1000, 5),
			execAdded("2", 1100, 5)},
			"1000:2/1 1100:4/2", "w1/1:5:1000-- w2/2:5:1100--"},
		{"a task takes half of the one GPU", []string{env(`"spark.executor.resource.gpu.amount":"1",` +
			`"spark.task.resource.gpu.amount":"0.5"`), execAdded("1", 1000, 16)}, "1000:2/1", "w1/1:16:1000--"},
		{"the driver in local mode", []string{env(`"spark.master":"local[3]"`), execAdded("driver", 1000, 3),
			blocksAdded("driver", 1001)},
			"1000:3/1", "wdriver/driver:3:1000--"},
		{"block managers in local mode", []string{env(`"spark.master":"local[3]"`), blocksAdded("driver", 1001)},
			"1001:-/1", "wdriver/driver:-:1001--"},
		{"block managers on a cluster", []string{env(`"spark.master":"yarn-client"`), blocksAdded("<driver>", 1000),
			blocksAdded("1", 1001), blocksRemoved("1", 1400)},
			"1001:-/1 1400:-/0", "w1/1:-:1001-1400"},
		{"only the driver of a cluster", []string{env(`"spark.master":"yarn"`), blocksAdded("driver", 1000)}, "", ""},
		{"executors rather than block managers", []string{blocksAdded("driver", 990), execAdded("1", 1000, 2),
			blocksAdded("1", 1005), blocksRemoved("1", 1300)},
			"1000:2/1", "w1/1:2:1000--"},
		{"the application ends", []string{execAdded("1", 1000, 4), execAdded("2", 1100, 4), execRemoved("1", 1500),
			appEnd(1900)},
			"1000:4/1 1100:8/2 1500:4/1", "w1/1:4:1000-1500 w2/2:4:1100-1900"},
		{"added after the end", []string{execAdded("1", 1000, 4), execAdded("2", 2000, 4), appEnd(1900)},
			"1000:4/1 2000:8/2", "w1/1:4:1000-1900 w2/2:4:2000--"},
		{"added again", []string{execAdded("1", 1000, 4), execAdded("1", 1200, 4)}, "1000:4/1 1200:4/1",
			"w1/1:4:1000-1200 w1/1:4:1200--"},
		{"removed unseen, or before it came", []string{execRemoved("9", 900), execAdded("1", 1000, 4),
			execRemoved("1", 950)}, "1000:4/1", "w1/1:4:1000--"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			run, o := readLog(t, lines(append([]string{appStart("a", 900)}, test.log...)...))
			var got, machines []string
			for _, a := range run.Allocations {
				got = append(got, fmt.Sprintf("%d:%s/%d", a.At/1000, count(a.Tokens), a.Machines))
			}
			for _, m := range o.tally.Machines {
				cores, to := "-", "-"
				if !math.IsNaN(m.CPU) {
					cores = fmt.Sprint(m.CPU)
				}
				if m.To.Known() {
					to = fmt.Sprint(m.To / 1000)
				}
				machines = append(machines, fmt.Sprintf("%s:%s:%d-%s", m.Name, cores, m.From/1000, to))
			}
			if s := strings.Join(got, " "); s != test.want {
				t.Errorf("allocations %s, want %s", s, test.want)
			}
			if s := strings.Join(machines, " "); s != test.machines {
				t.Errorf("machines %s, want %s", s, test.machines)
			}
		})
	}
}

func TestGuaranteed(t *testing.T) {
	tests := []struct {
		properties string
		cores      int // of the driver as an executor, 0 for none
		want       string
	}{
		{`"spark.master":"local"`, 0, "1"},
		{`"spark.master":"local[8]"`, 0, "8"},
		{`"spark.master":"local[8,3]"`, 0, "8"},
		{`"spark.master":"local[*]"`, 0, "-"},
		{`"spark.master":"local[*]"`, 12, "12"},
		{`"spark.master":"local[*,2]","spark.task.cpus":"5"`, 12, "2"},
		{`"spark.master":"local-cluster[3,5,1024]","spark.task.cpus":"2"`, 0, "6"},
		{`"spark.master":"yarn","spark.executor.instances":"4","spark.executor.cores":"3"`, 0, "12"},
		{`"spark.master":"yarn","spark.executor.instances":"4","spark.executor.cores":"3","spark.task.cpus":"2"`, 0,
			"4"},
		{`"spark.master":"yarn","spark.executor.instances":"4"`, 0, "4"},
		{`"spark.master":"k8s://https://h:443","spark.executor.instances":"4"`, 0, "4"},
		{`"spark.master":"spark://h:7077","spark.executor.instances":"4"`, 0, "-"},
		{`"spark.master":"spark://h:7077","spark.cores.max":"9","spark.task.cpus":"2"`, 0, "4"},
		{`"spark.master":"spark://h:7077","spark.executor.instances":"4","spark.executor.cores":"3","spark.cores.max":"6"`, 0, "6"},
		{`"spark.master":"yarn","spark.executor.instances":"4","spark.executor.cores":"3","spark.dynamicAllocation.enabled":"True"`, 0, "-"},
		{`"spark.master":"yarn","spark.executor.instances":"4","spark.executor.cores":"1","spark.task.cpus":"2"`, 0,
			"-"},
		{`"spark.master":"yarn","spark.executor.instances":"2","spark.executor.cores":"16",` +
			`"spark.executor.resource.gpu.amount":"1","spark.task.resource.gpu.amount":"0.5"`, 0, "4"},
		{`"spark.master":"yarn","spark.executor.instances":"2","spark.executor.cores":"16",` +
			`"spark.executor.resource.gpu.amount":"4","spark.task.resource.gpu.amount":"1"`, 0, "8"},
		{`"spark.master":"yarn","spark.executor.instances":"2","spark.executor.cores":"16",` +
			`"spark.executor.resource.gpu.amount":"4","spark.task.resource.gpu.amount":"3",` +
			`"spark.executor.resource.fpga.amount":"1","spark.task.resource.fpga.amount":"0.0625"`, 0, "2"},
		{`"spark.master":"yarn","spark.executor.instances":"2","spark.executor.cores":"4",` +
			`"spark.executor.resource.gpu.amount":"1","spark.task.resource.gpu.amount":"0.0625"`, 0, "8"},
		{`"spark.master":"spark://h:7077","spark.executor.cores":"4","spark.cores.max":"9",` +
			`"spark.executor.resource.gpu.amount":"1","spark.task.resource.gpu.amount":"0.5"`, 0, "4"},
		{`"spark.master":"spark://h:7077","spark.cores.max":"9",` +
			`"spark.executor.resource.gpu.amount":"1","spark.task.resource.gpu.amount":"0.5"`, 0, "-"},
		{`"spark.master":"yarn","spark.executor.instances":"many","spark.executor.cores":"1"`, 0, "-"},
		{`"spark.master":"yarn"`, 0, "-"},
		{``, 0, "-"},
	}
	for _, test := range tests {
		t.Run(test.properties, func(t *testing.T) {
			log := []string{appStart("a", 900), env(test.properties)}
			if test.cores > 0 {
				log = append(log, execAdded("driver", 1000, test.cores))
			}
			run, _ := readLog(t, lines(log...))
			if got := count(run.Guaranteed); got != test.want {
				t.Errorf("guaranteed %s, want %s", got, test.want)
			}
		})
	}
}

// Executors come and go where the log says so; not where tasks run in the driver. A log without an environment does not
// say.
func TestDynamicAllocation(t *testing.T) {
	const on = `"spark.dynamicAllocation.enabled":" TRUE "`
	for properties, want := range map[string]trace.Tri{`"spark.master":"yarn",` + on: trace.Yes,
		`"spark.master":"yarn"`:                                           trace.No,
		`"spark.master":"local[4]",` + on:                                 trace.No,
		`"spark.master":"yarn","spark.dynamicAllocation.enabled":"false"`: trace.No} {
		if run, _ := readLog(t, lines(appStart("a", 900), env(properties))); run.Dynamic != want {
			t.Errorf("%s: %v, want %v", properties, run.Dynamic, want)
		}
	}
	if run, _ := readLog(t, lines(appStart("a", 900))); run.Dynamic != trace.TriNull {
		t.Errorf("no environment: %v", run.Dynamic)
	}
}
