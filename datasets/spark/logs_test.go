package spark

import (
	"fmt"
	"strings"
	"testing"

	"racecard/datasets/source"
)

func TestLogsOf(t *testing.T) {
	tests := []struct {
		name  string
		files string // separated by blanks
		want  string // per log: name=parts, then -passed and #markers
	}{
		{"single files", "logs/app-1 logs/app-2.zstd logs/app-3.lz4.inprogress", "app-1=logs/app-1 " +
			"app-2=logs/app-2.zstd app-3=logs/app-3.lz4.inprogress"},
		{"numbers, not letters", "v/appstatus_a v/events_1_a v/events_10_a v/events_2_a",
			"a=v/events_1_a,v/events_2_a,v/events_10_a#v/appstatus_a"},
		{"codecs", "v/appstatus_a_1.inprogress v/events_1_a_1.zstd v/events_2_a_1.gz",
			"a_1=v/events_1_a_1.zstd,v/events_2_a_1.gz#v/appstatus_a_1.inprogress"},
		{"compaction", "v/events_2_a v/events_3_a.compact v/events_3_a v/events_4_a v/events_1_a",
			"a=v/events_3_a.compact,v/events_4_a-v/events_1_a,v/events_2_a,v/events_3_a"},
		{"compacted twice", "v/events_2_a.zstd.compact v/events_4_a.zstd.compact v/events_5_a.zstd",
			"a=v/events_4_a.zstd.compact,v/events_5_a.zstd-v/events_2_a.zstd.compact"},
		{"only compacted", "v/events_2_a.compact", "a=v/events_2_a.compact"},
		{"two applications in two folders, mixed", "v/events_1_a w/events_1_b v/events_2_a w/events_2_b",
			"a=v/events_1_a,v/events_2_a b=w/events_1_b,w/events_2_b"},
		{"two applications in one folder", "v/events_1_a v/events_1_b", "a=v/events_1_a b=v/events_1_b"},
		{"one application in two folders", "v/events_1_a w/events_1_a", "a=v/events_1_a a=w/events_1_a"},
		{"members of an archive", "x.tar.gz:v/events_2_a x.tar.gz:v/events_1_a x.tar.gz:events_1_a",
			"a=x.tar.gz:v/events_1_a,x.tar.gz:v/events_2_a a=x.tar.gz:events_1_a"},
		{"no rolling names", "v/events_x_a v/events_-1_a v/events_1 v/events_", "events_x_a=v/events_x_a " +
			"events_-1_a=v/events_-1_a events_1=v/events_1 events_=v/events_"},
		{"version in the application", "v/events_1_app-1.2", "app-1.2=v/events_1_app-1.2"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var files []*source.File
			for _, name := range strings.Fields(test.files) {
				files = append(files, source.BytesFile(name, nil))
			}
			var got []string
			for _, l := range logsOf(files) {
				var parts []*source.File
				for _, p := range l.parts {
					parts = append(parts, p.file)
				}
				s := l.name + "=" + join(parts)
				if len(l.passed) > 0 {
					s += "-" + join(l.passed)
				}
				if len(l.markers) > 0 {
					s += "#" + join(l.markers)
				}
				got = append(got, s)
			}
			if s := strings.Join(got, " "); s != test.want {
				t.Errorf("%s\nwant %s", s, test.want)
			}
		})
	}
}

func join(files []*source.File) string {
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
	}
	return strings.Join(names, ",")
}

func TestRollingLog(t *testing.T) {
	start := `{"Event":"SparkListenerLogStart","Spark Version":"3.5.1"}`
	task := func(n int) string { return tk{id: n, index: n, from: 1000 + n, to: 1100 + n}.both() }
	const dir = "logs/eventlog_v2_a/"
	part := func(name string, events ...string) *source.File { return source.BytesFile(dir+name, lines(events...)) }
	all := []*source.File{
		source.BytesFile(dir+"appstatus_a", nil),
		part("events_10_a", task(3), appEnd(2000)),
		source.BytesFile(dir+"events_2_a.gz", compress(lines(task(1), submit(0, 0, 1000, "")))),
		part("events_1_a", start, appStart("a", 900), jobBegin(0, 1000, info(0, 0, "", "")), task(0)),
		// cut where the file was rolled
		source.BytesFile(dir+"events_3_a", []byte(task(2)+"\n"+`{"Event":"SparkListenerTa`)),
	}
	o := readFiles(t, all...)
	if len(o.runs) != 1 || len(o.runs[0].Attempts) != 4 || o.runs[0].End != ms(2000) || o.runs[0].ID != "a" {
		t.Fatalf("runs %v, want one of 4 attempts", o.runs)
	}
	if got, want := o.account(), "read 14 used 13 ignored map[cut-off line:1] rejected map[]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}

	all = append(all, part("events_2_a.compact", start, appStart("a", 900), task(1)))
	o = readFiles(t, all...)
	if len(o.runs) != 1 || len(o.runs[0].Attempts) != 3 {
		t.Fatalf("runs %v, want one of 3 attempts", o.runs)
	}
	if got, want := o.account(),
		"read 18 used 9 ignored map[cut-off line:1 replaced by compaction:8] rejected map[]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, f := range all {
		if f.SHA256() == "" {
			t.Errorf("%s has no checksum: it was not read", f.Name)
		}
	}
	o = readFiles(t, source.BytesFile(dir+"appstatus_a.inprogress", nil))
	if len(o.runs)+len(o.rejects)+len(o.tally.Warnings) > 0 {
		t.Errorf("a marker alone gives %d runs, rejects %v, warnings %q", len(o.runs), o.rejects, o.tally.Warnings)
	}
}

func TestRollingLogWithoutID(t *testing.T) {
	o := readFiles(t, source.BytesFile("eventlog_v2_app_1/events_2_app_1.zstd.compact",
		lines(tk{from: 1000, to: 1100}.both())))
	if len(o.runs) != 1 || o.runs[0].ID != "app_1" {
		t.Fatalf("runs %v, want app_1", o.runs)
	}
	o.wantWarning(t, WarnNoID, `"app_1"`)
}

func TestDetect(t *testing.T) {
	tests := []struct {
		name, file, head string
		want             bool
	}{
		{"first event", "x", `{"Event":"SparkListenerLogStart","Spark Version":"3.1.1"}`, true},
		{"middle of a rolling log", "events_2_a", tk{}.end(), true},
		{"event last", "x", `{"Timestamp":1,"Event":"SparkListenerApplicationEnd"}`, true},
		{"cut inside the first line", "x", `{"Event":"SparkListenerEnvironmentUpdate","JVM Information":{"Java Ho`,
			true},
		{"SQL event", "x", sqlStart, true},
		{"Databricks", "x", `{"Event":"com.databricks.backend.daemon.driver.DBCEventLoggingListenerMetadata"}`, true},
		{"garbage before", "x", "\n\ufeffgarbage\n{broken\n" + appStart("a", 1), true},
		{"empty marker", "l/eventlog_v2_a/appstatus_a", "", true},
		{"empty part", "l/eventlog_v2_a/events_1_a.inprogress", "", true},
		{"empty file", "x.json", "", false},
		{"other JSON lines", "x", `{"id":"r7","stages":[]}` + "\n", false},
		{"other events", "x", `{"Event":"Launched"}`, false},
		{"Hadoop history", "x",
			"Avro-Json\n{\"type\":\"record\",\"name\":\"Event\"}\n{\"type\":\"JOB_SUBMITTED\",\"event\":{}}", false},
		{"deep brackets", "x", fmt.Sprint(`{"a":`, strings.Repeat("[", 60000)), false},
		{"CSV", "x", "a,b\n1,2\n", false},
	}
	for _, test := range tests {
		if got := Format().Detect(test.file, []byte(test.head)); got != test.want {
			t.Errorf("%s: detected %v, want %v", test.name, got, test.want)
		}
	}
}
