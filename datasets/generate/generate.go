// Package generate writes synthetic traces in the raw formats that racecard reads, at any size, for benchmarks and for
// trying things out. They are made up: their shapes follow published traces, and their numbers mean nothing.
//
// Names of generated files begin with [Prefix], by which an import knows to label the store, and all that is shown of
// it, as synthetic.
//
// Generators write as they draw: their memory does not grow with the number of rows. Each generator's function
// states its assumptions on arrivals, sizes and durations. Where no source is named, the numbers were chosen so
// that a trace holds some of everything that the format can express.
package generate

import (
	"context"
	"fmt"
	"io"
	"strings"
)

// Prefix begins the name of every generated file.
const Prefix = "synthetic-"

// Kind is a kind of trace that can be generated.
type Kind struct {
	Name    string // by which a user asks for it
	Format  string // as racecard names it
	Summary string // one line about the trace
	Rows    string // meaning of a row
	Ending  string // of the file's name; "" for kinds that fill a folder

	write func(*traceWriter)
}

// Usual returns the default number of rows of a trace of the kind: sixty nights of the jobs that run every night,
// 100,000 rows of others.
func (k Kind) Usual() int64 {
	switch k.Name {
	case "nights":
		return 240
	case "nights-random":
		return 2520
	}
	return 100_000
}

// Create makes a file of a trace. name is its path in the folder, with slashes; the last element begins with [Prefix].
type Create func(name string) (io.WriteCloser, error)

// Kinds returns all kinds.
func Kinds() []Kind {
	return []Kind{
		{"alibaba2018", "alibaba2018", "batch_task of an Alibaba-like cluster: graphs of stages, rows of a job lie " +
			"apart", "lines: tasks", ".batch_task.csv", alibabaTasks},
		{"alibaba2018-instances", "alibaba2018", "batch_task and batch_instance: attempts that fail or are " +
			"interrupted, rows of a job lie far apart", "lines: tasks and instances", "", alibabaInstances},
		{"dags-bigbench", "jsonl", "jobs with graphs of stages shaped as Carbyne's BigBench workload", "lines: jobs",
			".jsonl", bigBenchDAGs.write},
		{"dags-microsoft", "jsonl", "the same of Microsoft's production jobs", "lines: jobs", ".jsonl",
			microsoftDAGs.write},
		{"dags-tpcds", "jsonl", "the same of TPC-DS", "lines: jobs", ".jsonl", tpcdsDAGs.write},
		{"dags-tpch", "jsonl", "the same of TPC-H", "lines: jobs", ".jsonl", tpchDAGs.write},
		{"google2011", "google2011", "events of jobs, tasks and machines, and usage, of a Borg cell in order of " +
			"time: evictions, retries, events outside the trace", "lines, of all tables together", "", google2011},
		{"google2019", "google2019", "events of collections and instances of a Borg cell as BigQuery exports them, " +
			"JSON lines", "lines: events", "", google2019},
		{"jhist", "jhist", "histories of MapReduce jobs with failed and speculative attempts, a file each",
			"attempts of tasks", "", jhist},
		{"jsonl", "jsonl", "recurring jobs with graphs of stages, inputs that vary and attempts on machines",
			"lines: runs", ".jsonl", recurring},
		{"nights", "jsonl", "four jobs that run once a night: one whose join becomes 2.2 times slower halfway, one " +
			"whose input grows, one that loses half of its cores, a steady one; 240 rows are 60 nights", "lines: runs",
			".jsonl", writeFourJobs},
		{"nights-random", "jsonl", "jobs that run for 60 nights, each with a random change planted, which the group " +
			"of its runs states", "lines: runs", ".jsonl", randomJobs},
		{"philly", "philly", "jobs of a GPU cluster that are retried, and its machines", "jobs", "", philly},
		{"spark-like", "spark", "logs of recurring Spark applications: shuffles, skipped and retried stages, failed " +
			"and speculative tasks, lost executors", "attempts of tasks", "", sparkLike},
		{"swf", "swf", "parallel jobs of a supercomputer that wait in a queue", "lines: jobs", ".swf", swf},
		{"swim", "swim", "MapReduce jobs of the Facebook kind: bytes read, shuffled and written", "lines: jobs", ".tsv",
			swim},
		{"tr-cloudera-b", "tr", "bags of tasks of the job classes of Cloudera's customer b, as Hawk's authors made " +
			"theirs", "lines: jobs", ".tr", clouderaBClasses.write},
		{"tr-cloudera-c", "tr", "the same of customer c", "lines: jobs", ".tr", clouderaCClasses.write},
		{"tr-cloudera-d", "tr", "the same of customer d", "lines: jobs", ".tr", clouderaDClasses.write},
		{"tr-facebook", "tr", "the same of Facebook, 2010", "lines: jobs", ".tr", facebookClasses.write},
		{"tr-google", "tr", "bags of tasks with the shares of short and long jobs of Google's trace of 2011",
			"lines: jobs", ".tr", googleBags},
		{"tr-yahoo", "tr", "bags of tasks of Yahoo's job classes of 2011", "lines: jobs", ".tr", yahooClasses.write},
		{"wfformat", "wfformat", "executions of scientific workflows, a JSON file each", "tasks", "", wfformat},
	}
}

// Named returns the kind of that name.
func Named(name string) (Kind, error) {
	var known []string
	for _, k := range Kinds() {
		if k.Name == name {
			return k, nil
		}
		known = append(known, k.Name)
	}
	return Kind{}, fmt.Errorf("there is no generator for %q; there are %s", name, strings.Join(known, ", "))
}

// Folder reports whether the kind fills a folder. Other kinds write one file.
func (k Kind) Folder() bool { return k.Ending == "" }

// Write writes rows rows, or a few more where a job would otherwise be cut, into files that create makes, and returns
// how many. progress is called now and then with the rows so far; it may be nil. The same seed gives the same files.
func (k Kind) Write(ctx context.Context, create Create, rows int64, seed uint64, progress func(int64)) (int64, error) {
	t := &traceWriter{kind: k, ctx: ctx, create: create, want: rows, seed: seed, progress: progress}
	k.write(t)
	t.close()
	return t.rows, t.err
}
