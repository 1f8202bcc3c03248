package cli

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"racecard/datasets/parquetio/parquetiotest"
)

// bomb is an input that takes little room and claims much: a run of millions of records, or millions that are alike.
type bomb struct {
	name   string
	format string
	rows   int // in the long form of the test
	write  func(w io.Writer, rows int) error
}

// repeatedLine is rows of which all are the same.
func repeatedLine(head, line string) func(io.Writer, int) error {
	return func(w io.Writer, rows int) error {
		_, err := io.WriteString(w, head)
		for i := 0; i < rows && err == nil; i++ {
			_, err = io.WriteString(w, line)
		}
		return err
	}
}

// numberedLine is rows that hold their number.
func numberedLine(line string) func(io.Writer, int) error {
	return func(w io.Writer, rows int) error {
		for i := range rows {
			if _, err := fmt.Fprintf(w, line, i); err != nil {
				return err
			}
		}
		return nil
	}
}

// between writes a piece of text again and again between two others.
func between(begin, piece, end string) func(io.Writer, int) error {
	return func(w io.Writer, rows int) error {
		if err := repeatedLine(begin, piece)(w, rows); err != nil {
			return err
		}
		_, err := io.WriteString(w, end)
		return err
	}
}

// wtaTasks are the columns of a table of tasks, beside those given.
func wtaTasks(more ...parquetiotest.Constant) []parquetiotest.Constant {
	return append([]parquetiotest.Constant{{Name: "id", Value: 7}, {Name: "workflow_id", Value: 1},
		{Name: "ts_submit", Value: 1000}, {Name: "runtime", Value: 5}}, more...)
}

// parquetBomb is a Parquet file of rows that are the same, or, with lists, of one row whose list has as many values.
func parquetBomb(t *testing.T, pageValues int, columns ...parquetiotest.Constant) func(io.Writer, int) error {
	return func(w io.Writer, rows int) error {
		for i := range columns {
			if columns[i].Values < 0 {
				columns[i].Values, rows = rows, 1
			}
		}
		_, err := w.Write(parquetiotest.Bomb(t, rows, pageValues, columns...))
		return err
	}
}

func bombs(t *testing.T) []bomb {
	const (
		page       = 1 << 20
		tenMillion = 10_000_000
	)
	return []bomb{
		{"equal instances", "alibaba2018", tenMillion,
			repeatedLine("", "ins_1,task_M1,j_1,1,Terminated,100,200,m_1,1,1,10,20,0.1,0.2\n")},
		{"instances of one task", "alibaba2018", tenMillion,
			numberedLine("ins_%d,task_M1,j_1,1,Terminated,100,200,m_1,1,1,10,20,0.1,0.2\n")},
		{"equal tasks", "alibaba2018", tenMillion, repeatedLine("", "M1,1,j_1,1,Terminated,100,200,100.0,0.39\n")},
		{"tasks of one job", "alibaba2018", tenMillion, numberedLine("M%d,1,j_1,1,Terminated,100,200,100.0,0.39\n")},
		{"tasks of half the rows each", "alibaba2018", 2_600_000, func(w io.Writer, rows int) error {
			for i := range rows {
				if _, err := fmt.Fprintf(w, "M%d,1,j_%d,1,Terminated,100,200,100.0,0.39\n", i, i%2); err != nil {
					return err
				}
			}
			return nil
		}},
		{"equal instances of 2017", "alibaba2017", tenMillion,
			repeatedLine("", "100,200,1,1,m1,Terminated,1,1,0.5,0.5,0.1,0.1\n")},
		{"equal task events", "google2011", tenMillion, repeatedLine("", "1000,,42,0,5,1,user,2,9,0.1,0.1,0.001,0\n")},
		{"task events of one job", "google2011", tenMillion,
			numberedLine("1000,,42,%d,5,1,user,2,9,0.1,0.1,0.001,0\n")},
		{"task usage of one job", "google2011", tenMillion,
			repeatedLine("", "1000,2000,42,0,5,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0.1,0,0\n")},
		{"machines without end", "google2011", tenMillion, numberedLine("0,%d,0,platform,0.5,0.5\n")},
		{"equal events of 2019", "google2019", tenMillion,
			repeatedLine("", `{"time":"1000","type":"0","collection_id":"1","priority":"1","instance_index":"0","machine_id":"5"}`+"\n")},
		{"equal runs", "jsonl", tenMillion, repeatedLine("", `{"id":"r","stages":[{"tasks":1}]}`+"\n")},
		{"stages of one run", "jsonl", tenMillion, between(`{"id":"r","stages":[{"tasks":1}`, `,{"tasks":1}`, "]}\n")},
		{"durations of one stage", "jsonl", tenMillion, between(`{"id":"r","stages":[{"durations_s":[1`, ",1",
			"]}]}\n")},
		{"brackets", "jsonl", tenMillion, repeatedLine("", "[")},
		{"one line without end", "jsonl", 400_000_000, repeatedLine("", "          ")},
		{"tasks of one line", "tr", tenMillion, between("0 10000000 1", " 1", "\n")},
		{"equal jobs", "swf", tenMillion, repeatedLine("", "1 0 10 100 1 -1 -1 1 100 -1 1 1 1 1 1 -1 -1 -1\n")},
		{"tasks of one workflow", "wfformat", tenMillion,
			between(`{"name":"w","schemaVersion":"1.5","workflow":{"specification":{"tasks":[{"id":"a"}`, `,{"id":"b"}`,
				"]}}}")},
		{"events of one application", "spark", tenMillion, repeatedLine(
			`{"Event":"SparkListenerApplicationStart","App Name":"a","App ID":"a","Timestamp":1,"User":"u"}`+"\n",
			`{"Event":"SparkListenerTaskStart","Stage ID":0,"Stage Attempt ID":0,"Task Info":{"Task ID":1,"Index":0,"Attempt":0,"Launch Time":1}}`+"\n")},
		{"parents of one task, one page", "wta", 50_000_000,
			parquetBomb(t, 1<<30, wtaTasks(parquetiotest.Constant{Name: "parents", Value: 3, Values: -1})...)},
		{"parents of one task", "wta", 50_000_000,
			parquetBomb(t, page, wtaTasks(parquetiotest.Constant{Name: "parents", Value: 3, Values: -1})...)},
		{"parents of many tasks", "wta", 200,
			parquetBomb(t, page, wtaTasks(parquetiotest.Constant{Name: "parents", Value: 3, Values: 1_000_000})...)},
		{"equal rows", "wta", 2 * tenMillion, parquetBomb(t, page, wtaTasks()...)},
		{"equal machines", "wta", 2 * tenMillion, parquetBomb(t, page, parquetiotest.Constant{Name: "id", Value: 1},
			parquetiotest.Constant{Name: "num_resources", Value: 8})},
		{"members of an archive", "tr", 400_000, func(w io.Writer, rows int) error {
			archive := tar.NewWriter(w)
			for i := range rows {
				if err := archive.WriteHeader(&tar.Header{Name: fmt.Sprint(i), Typeflag: tar.TypeReg,
					Mode: 0o644}); err != nil {
					return err
				}
			}
			return archive.Close()
		}},
	}
}

// Inputs that unpack to much more than they are stay within twice the memory that an import may take, whatever they
// become. RACECARD_LONG=1 takes the sizes that were found to be harmful, and the default budget.
func TestBombs(t *testing.T) {
	long := os.Getenv("RACECARD_LONG") != ""
	memory, divisor := int64(256<<20), 12
	switch {
	case long:
		memory, divisor = 1<<30, 1
	case testing.Short():
		divisor = 400
	}
	for _, b := range bombs(t) {
		t.Run(strings.ReplaceAll(b.format+" "+b.name, " ", "-"), func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "bomb")
			size := pack(t, path, b.format != "wta", func(w io.Writer) error {
				return b.write(w, max(1, b.rows/divisor))
			})
			cmd := racecard(t, "import", "-q", "--format", b.format, "--max-rejects", "100%", "--memory",
				fmt.Sprintf("%dMiB", memory>>20),
				"--out", filepath.Join(dir, "store"), path)
			out, err := cmd.CombinedOutput()
			status := cmd.ProcessState.ExitCode()
			if status != ExitDone && status != ExitFailed && status != ExitRejected ||
				strings.Contains(string(out), "goroutine ") {
				t.Errorf("exit status %d, %v: %.2000s", status, err, out)
			}
			usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
			if !ok {
				t.Skip("this system does not say how much memory a process took")
			}
			peak := usage.Maxrss << 10
			t.Logf("%d bytes took %d MiB, exit status %d: %.300s", size, peak>>20, status, out)
			if peak > 2*memory {
				t.Errorf("%d bytes took %d MiB of memory, more than twice %d MiB", size, peak>>20, memory>>20)
			}
		})
	}
}

// pack writes a file, compressed if that is wanted, and returns its size.
func pack(t *testing.T, path string, compress bool, write func(io.Writer) error) int64 {
	t.Helper()
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	var w io.WriteCloser = out
	if compress {
		if w, err = gzip.NewWriterLevel(out, gzip.BestSpeed); err != nil {
			t.Fatal(err)
		}
	}
	room := bufio.NewWriterSize(w, 1<<20)
	err = write(room)
	if err == nil {
		err = room.Flush()
	}
	if err == nil && compress {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	info, err := out.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
