package formats_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/formats"
	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
)

// expected is the format of the files whose path in the folder of shared data begins so, the longest prefix first; ""
// is none that racecard reads.
var expected = []struct{ prefix, format string }{
	{"alibaba-2017/batch_task", "alibaba2017"}, {"alibaba-2017/schema", ""}, {"alibaba-2018/", "alibaba2018"},
	{"alibaba-gpu-", "pai"}, {"dax-synthetic/", ""}, {"google-2011/", "google2011"}, {"google-2019/", "google2019"},
	{"gwf-swf-tiny/trace.swf", "swf"}, {"gwf-swf-tiny/", ""},
	{"hadoop-jhist/", "jhist"}, {"hadoop-rumen/jobtracker-logs/job-tracker-logs-t", "rumen"},
	{"hadoop-rumen/jobtracker-logs/", ""},
	{"hadoop-rumen/", "rumen"}, {"hawk-eagle-tr/", "tr"}, {"opendc-parquet/", "wta"}, {"philly-derived/", "philly"},
	{"spark-eventlogs/", "spark"}, {"spark-joblogger-2014/", ""}, {"spark-recurring-jsonl/", "jsonl"},
	{"spark-recurring-stages/", ""},
	{"swf/", "swf"}, {"swim-facebook/", "swim"}, {"tpch-jsonl/", "jsonl"}, {"tpch-spark-decima/", ""},
	{"tr-synthetic/README", ""},
	{"tr-synthetic/", "tr"}, {"wfinstances/", "wfformat"}, {"wta/", "wta"}, {"README.md", ""}, {"SHA256SUMS", ""},
	{"SOURCES.tsv", ""},
}

// Every real file beside the project is recognised as what it is, and what is no trace of a known format as none.
func TestDetectSharedFiles(t *testing.T) {
	root := sourcetest.Shared(t, ".")
	checked := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		i := slices.IndexFunc(expected, func(e struct{ prefix, format string }) bool {
			return strings.HasPrefix(name, e.prefix)
		})
		if i < 0 || expected[i].format == "-" {
			return nil
		}
		files, err := source.FromFS(os.DirFS(filepath.Dir(path)), filepath.Base(path), name)
		if err != nil {
			return err
		}
		for _, f := range files {
			if f.Size == 0 {
				continue
			}
			format, _, err := formats.Detect(t.Context(), f, 0)
			if err != nil || format.Name != expected[i].format {
				t.Errorf("%s is of format %q, %v; want %q", f.Name, format.Name, err, expected[i].format)
			}
			checked++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if checked < 300 {
		t.Errorf("only %d files were looked at", checked)
	}
}

func TestEveryFormatIsDocumented(t *testing.T) {
	names := map[string]bool{}
	for _, f := range formats.All(0) {
		if names[f.Name] || f.Summary == "" || f.Holds == "" || f.Lacks == "" || f.Spec == "" || f.Detect == nil ||
			f.Read == nil {
			t.Errorf("format %q occurs twice or says too little of itself", f.Name)
		}
		names[f.Name] = true
		if got, err := formats.Named(f.Name, 0); err != nil || got.Name != f.Name {
			t.Errorf("%s: %v", f.Name, err)
		}
		for _, head := range []string{"", "\n", "hello, world\n", "{}\n", "[]\n", "PAR1", "\x00\x01\x02\xff\n",
			"a,b,c\n1,2,3\n", "<xml/>\n"} {
			if f.Detect("some.file", []byte(head)) {
				t.Errorf("%s takes %q", f.Name, head)
			}
		}
	}
	if _, err := formats.Named("nosuch", 0); err == nil || !strings.Contains(err.Error(), "spark") {
		t.Errorf("an unknown format: %v", err)
	}
}
