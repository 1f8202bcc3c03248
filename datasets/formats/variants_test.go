package formats_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/formats"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

// parts returns the lines of a sample, with their line ends, and its header apart: the names of columns, or comments.
func (s *sample) parts() (header string, rows []string) {
	rows = strings.SplitAfter(s.content, "\n")
	if rows[len(rows)-1] == "" {
		rows = rows[:len(rows)-1]
	}
	n := 0
	if s.header {
		n = 1
	} else if s.format == "swf" {
		n = slices.IndexFunc(rows, func(row string) bool { return row[0] != ';' })
	}
	return strings.Join(rows[:n], ""), rows[n:]
}

// described writes runs in the order of their ids, so that two descriptions are equal when the runs are, but for their
// order.
func described(runs []*trace.Run) string {
	var all []string
	for _, run := range runs {
		r := *run
		r.Seq = 0
		all = append(all, fmt.Sprintf("%q %+v", run.ID, r))
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// unnumbered describes runs by the names of their stages, without the numbers that stages and tasks get in the order of
// rows.
func unnumbered(runs []*trace.Run) string {
	var all []string
	for _, run := range runs {
		var parts []string
		for i := range run.Stages {
			parts = append(parts, fmt.Sprintf("stage %+v", run.Stages[i]))
		}
		for _, e := range run.Edges {
			parts = append(parts, fmt.Sprintf("edge %s %s %v", run.Stages[e.Parent].Name, run.Stages[e.Child].Name,
				e.Kind))
		}
		for _, a := range run.Attempts {
			stage := run.Stages[a.Stage].Name
			a.Stage, a.Task = 0, 0
			parts = append(parts, fmt.Sprintf("attempt %s %+v", stage, a))
		}
		slices.Sort(parts)
		r := *run
		r.Seq, r.Stages, r.Edges, r.Attempts = 0, nil, nil, nil
		all = append(all, fmt.Sprintf("%q %+v\n%s", run.ID, r, strings.Join(parts, "\n")))
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// unnamed describes runs whose ids are the numbers of lines, and the names of files where there are several, without
// them.
func unnamed(runs []*trace.Run) string {
	var all []string
	for i, run := range runs {
		r := *run
		r.ID, r.Seq = fmt.Sprint(i), 0
		all = append(all, fmt.Sprintf("%+v", r))
	}
	return strings.Join(all, "\n")
}

// variant is another way to write the same trace.
type variant struct {
	name  string
	fits  func(s *sample) bool
	files func(s *sample) []*source.File
	as    func([]*trace.Run) string // what must stay the same; described where it is nil
}

func every(*sample) bool { return true }

// plain is a variant of the text of the one file.
func plain(name string, fits func(s *sample) bool, change func(s *sample) string) variant {
	return variant{name: name, fits: fits, files: func(s *sample) []*source.File {
		return []*source.File{source.BytesFile(s.name, []byte(change(s)))}
	}}
}

// packed is a variant of the bytes of the one file.
func packed(t *testing.T, ending string, compress func(io.Writer) (io.WriteCloser, error)) variant {
	return variant{name: "compressed, " + ending, fits: every, files: func(s *sample) []*source.File {
		half := len(s.content) / 2 // two streams, one behind the other, as parallel compressors write
		return []*source.File{joined(s.name+ending, bomb(t, compress, strings.NewReader(s.content[:half])),
			bomb(t, compress, strings.NewReader(s.content[half:])))}
	}}
}

func variants(t *testing.T) []variant {
	lines := func(s *sample) bool { return s.lines }
	header := func(s *sample) bool { return s.header }
	everyLine := func(change func(i int, line string) string) func(s *sample) string {
		return func(s *sample) string {
			var b strings.Builder
			for i, line := range strings.SplitAfter(s.content, "\n") {
				b.WriteString(change(i, line))
			}
			return b.String()
		}
	}
	crlf := func(line string) string { return strings.ReplaceAll(line, "\n", "\r\n") }
	columns := func(change func(fields []string) []string) func(s *sample) string {
		return everyLine(func(_ int, line string) string {
			if line == "" {
				return line
			}
			return strings.Join(change(strings.Split(strings.TrimSuffix(line, "\n"), ",")), ",") + "\n"
		})
	}
	isJSON := func(s *sample) bool { return strings.HasPrefix(strings.TrimLeft(s.content, "[ \n"), "{") }
	return []variant{
		plain("CRLF", every, everyLine(func(_ int, line string) string { return crlf(line) })),
		plain("mixed line ends", every, everyLine(func(i int, line string) string {
			if i%2 == 0 {
				return line
			}
			return crlf(line)
		})),
		plain("CR", every, func(s *sample) string { return strings.ReplaceAll(s.content, "\n", "\r") }),
		plain("byte-order mark", every, func(s *sample) string { return "\ufeff" + s.content }),
		plain("byte-order mark and CRLF", every, func(s *sample) string { return "\ufeff" + crlf(s.content) }),
		plain("no final line end", every, func(s *sample) string { return strings.TrimSuffix(s.content, "\n") }),
		plain("blank lines between", lines, everyLine(func(_ int, line string) string { return line + "\n" })),
		plain("blank lines at both ends", func(s *sample) bool { return s.format != "jhist" }, func(s *sample) string {
			return "\n\n" + s.content + "\n\r\n\n"
		}),
		packed(t, ".gz", gzipped),
		packed(t, ".zst", zstandard),
		{name: "upper-case name", fits: every, files: func(s *sample) []*source.File {
			return []*source.File{source.BytesFile(strings.ToUpper(s.name), []byte(s.content))}
		}, as: unnamed},
		{name: "upper-case ending of a compressed file", fits: every, files: func(s *sample) []*source.File {
			return []*source.File{joined(s.name+".GZ", bomb(t, gzipped, strings.NewReader(s.content)))}
		}},
		{name: "two files", fits: func(s *sample) bool { return s.lines && !s.oneLog() },
			files: func(s *sample) []*source.File {
				header, rows := s.parts()
				half := len(rows) / 2
				return []*source.File{
					source.BytesFile("a/"+s.name, []byte(header+strings.Join(rows[:half], ""))),
					source.BytesFile("b/"+s.name, []byte(header+strings.Join(rows[half:], ""))),
				}
			}, as: unnamed},
		{name: "rows in another order", fits: func(s *sample) bool { return s.lines && !s.ordered },
			files: func(s *sample) []*source.File {
				header, rows := s.parts()
				rand.New(rand.NewPCG(1, 1)).Shuffle(len(rows), func(i, k int) { rows[i], rows[k] = rows[k], rows[i] })
				return []*source.File{source.BytesFile(s.name, []byte(header+strings.Join(rows, "")))}
			}, as: unnumbered},
		plain("columns in another order", func(s *sample) bool { return s.header && s.lines },
			columns(func(f []string) []string { slices.Reverse(f); return f })),
		plain("more columns", func(s *sample) bool { return s.header && s.lines }, columns(func(f []string) []string {
			return slices.Concat([]string{"x"}, f, []string{"y z", ""})
		})),
		plain("quoted header", header, func(s *sample) string {
			names, rows := s.parts()
			return `"` + strings.ReplaceAll(strings.TrimSuffix(names, "\n"), ",", `","`) + "\"\n" +
				strings.Join(rows, "")
		}),
		plain("quoted fields", func(s *sample) bool { return s.commas && s.lines && s.quotes() },
			columns(func(f []string) []string {
				for i := range f {
					f[i] = `"` + f[i] + `"`
				}
				return f
			})),
		plain("a header where there is none", func(s *sample) bool { return headers(s) != "" }, func(s *sample) string {
			return headers(s) + s.content
		}),
		plain("header repeated", header, func(s *sample) string { names, _ := s.parts(); return s.content + names }),
		plain("fields in another order", func(s *sample) bool { return isJSON(s) }, func(s *sample) string {
			return rewritten(t, s, reordered)
		}),
		plain("blanks in JSON", func(s *sample) bool { return isJSON(s) }, func(s *sample) string {
			return rewritten(t, s, spread)
		}),
		plain("fields that are not known", func(s *sample) bool { return isJSON(s) && s.format != "jsonl" },
			func(s *sample) string {
				return rewritten(t, s, func(t *testing.T, text []byte) []byte {
					return bytes.Replace(text, []byte("{"), []byte(`{"zzz":{"a":[1,null,"]}"]},`), 1)
				})
			}),
		plain("trailing fields", func(s *sample) bool { return s.format == "swf" },
			everyLine(func(_ int, line string) string {
				if line == "" || line[0] == ';' {
					return line
				}
				return strings.TrimSuffix(line, "\n") + " {node1,node2} batch\n"
			})),
		plain("trailing tabs", func(s *sample) bool { return s.format == "swim" },
			everyLine(func(_ int, line string) string { return strings.Replace(line, "\n", "\t\t\t\n", 1) })),
		plain("tabs and runs of blanks", func(s *sample) bool { return s.format == "swf" || s.format == "tr" },
			everyLine(func(_ int, line string) string {
				if line == "" || line[0] == ';' {
					return line
				}
				return "  " + strings.ReplaceAll(strings.TrimSuffix(line, "\n"), " ", " \t ") + " \n"
			})),
	}
}

// oneLog reports whether a file of the format is one log, which cannot be parted.
func (s *sample) oneLog() bool { return s.format == "spark" || s.format == "jhist" }

// quotes reports whether fields of the format may be quoted. Tables without a header have none as published, and
// racecard takes none: see TestVariantsThatAreRejected.
func (s *sample) quotes() bool { return s.format != "google2011" }

// headers returns the header that people put on a table that is published without one, "" for any other sample.
func headers(s *sample) string {
	switch s.format + " " + s.name {
	case "alibaba2018 batch_task.csv":
		return "task_name,instance_num,job_name,task_type,status,start_time,end_time,plan_cpu,plan_mem\n"
	case "alibaba2018 batch_instance.csv":
		return "instance_name,task_name,job_name,task_type,status,start_time,end_time,machine_id,seq_no,total_seq_no,cpu_avg,cpu_max,mem_avg,mem_max\n"
	case "alibaba2017 batch_task.csv":
		return "create_timestamp,modify_timestamp,job_id,task_id,instance_num,status,plan_cpu,plan_mem\n"
	case "pai pai_job_table.csv":
		return "job_name,inst_id,user,status,start_time,end_time\n"
	case "google2011 job_events.csv":
		return "time,missing info,job ID,event type,user,scheduling class,job name,logical job name\n"
	case "google2011 task_events.csv":
		return "time,missing info,job ID,task index,machine ID,event type,user,scheduling class,priority,CPU " +
			"request,memory request,disk space request,different machines restriction\n"
	}
	return ""
}

// rewritten changes every JSON value of a sample.
func rewritten(t *testing.T, s *sample, change func(t *testing.T, text []byte) []byte) string {
	t.Helper()
	if !s.lines {
		return string(change(t, []byte(s.content)))
	}
	var b strings.Builder
	for _, line := range strings.SplitAfter(s.content, "\n") {
		if strings.HasPrefix(line, "{") {
			line = string(change(t, []byte(strings.TrimSuffix(line, "\n")))) + "\n"
		}
		b.WriteString(line)
	}
	return b.String()
}

// reordered writes the fields of objects in the order of their names.
func reordered(t *testing.T, text []byte) []byte {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// spread puts blanks wherever JSON allows them, but no line ends.
func spread(t *testing.T, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "\t"); err != nil {
		t.Fatal(err)
	}
	return []byte(" " + strings.ReplaceAll(b.String(), "\n", " ") + " ")
}

// However a trace is written, its runs are the same.
func TestVariants(t *testing.T) {
	all := samples(t)
	for _, v := range variants(t) {
		as := v.as
		if as == nil {
			as = described
		}
		tried := 0
		for _, s := range all {
			if !v.fits(&s) {
				continue
			}
			tried++
			want := as(s.read(t, source.BytesFile(s.name, []byte(s.content))).Runs)
			files := v.files(&s)
			for _, f := range files {
				if found, _, err := formats.Detect(t.Context(), f, 0); err != nil || found.Name != s.format {
					t.Errorf("%s: %s is recognised as %q, %v", v.name, f.Name, found.Name, err)
				}
			}
			r := s.read(t, files...)
			if got := as(r.Runs); got != want || len(r.Rejects) > 0 || r.Err != nil {
				t.Errorf("%s: %s %s: rejects %.300v, %v; %s", v.name, s.format, s.name, r.Rejects, r.Err,
					difference(got, want))
			}
		}
		if tried == 0 {
			t.Errorf("%s: fits no sample", v.name)
		}
	}
}

// difference shows where two texts part.
func difference(got, want string) string {
	i := 0
	for i < min(len(got), len(want)) && got[i] == want[i] {
		i++
	}
	if got == want {
		return "the same runs"
	}
	from := max(0, i-60)
	return fmt.Sprintf("%d and %d bytes, got ...%.200q, want ...%.200q", len(got), len(want), got[from:], want[from:])
}

// phillyBzip2 is the sample philly.csv, compressed by Python's bz2.compress.
const phillyBzip2 = "QlpoOTFBWSZTWc8IAbkAAFRbgAAQQAd/8AAAvqfeACAAkg1T0aTBA0A0MagxFPSYkMJ6mgbUF+ltNEKnBufLDNm3u3y7GplYJZbAuep17CTWSFhmGMOpNkUppWNNYEbTxr4h3gNFaCN6GYxKd1uFiLHA5GbyFESc+b8g2WeJvYrxdz41HyNW6wg0EVBGcK1spPxdyRThQkM8IAbk"

func TestBzip2(t *testing.T) {
	content, err := base64.StdEncoding.DecodeString(phillyBzip2)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range samples(t) {
		if s.name != "philly.csv" {
			continue
		}
		want := s.read(t, source.BytesFile(s.name, []byte(s.content)))
		got := s.read(t, source.BytesFile(s.name+".bz2", content))
		if described(got.Runs) != described(want.Runs) || got.Err != nil {
			t.Errorf("%s, %v", difference(described(got.Runs), described(want.Runs)), got.Err)
		}
	}
}

// A file that is cut off in the header of its compression, or in its first block, is told of and takes nothing away.
func TestAFileCutOffBeforeItsContent(t *testing.T) {
	for _, s := range samples(t) {
		want := unnamed(s.read(t, source.BytesFile(s.name, []byte(s.content))).Runs)
		for ending, packed := range map[string][]byte{".gz": bomb(t, gzipped, strings.NewReader(s.content)),
			".zst": bomb(t, zstandard, strings.NewReader(s.content))} {
			for _, length := range []int{5, 12} {
				r := s.read(t, source.BytesFile(s.name, []byte(s.content)),
					source.BytesFile("cut/"+s.name+ending, packed[:length]))
				if got := unnamed(r.Runs); got != want || r.Err != nil {
					t.Errorf("%s %s: %v; %s", s.name, ending, r.Err, difference(got, want))
				}
				if r.Tally.Rejected[source.ReasonTruncated] != 1 && !strings.Contains(fmt.Sprint(r.Tally.Warnings), "breaks off") {
					t.Errorf("%s %s: rejected %v, warnings %q", s.name, ending, r.Tally.Rejected, r.Tally.Warnings)
				}
			}
		}
	}
}
