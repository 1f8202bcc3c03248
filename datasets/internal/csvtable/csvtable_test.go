package csvtable_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"racecard/datasets/internal/csvtable"
	"racecard/datasets/source"
	"racecard/datasets/trace"
)

var table = &csvtable.Table{Name: "t", Columns: []csvtable.Column{
	{Name: "id", Must: true}, {Name: "start_time", Aliases: []string{"begin"}}, {Name: "count"},
}}

const (
	id = iota
	start
	count
)

// record collects rejects.
func record() *source.Line {
	return &source.Line{File: source.BytesFile("f", nil), Number: 7}
}

func TestHeader(t *testing.T) {
	for _, test := range []struct {
		line, row string
		want      string // id, start and count; "" when the line is no header
	}{
		{"id,start_time,count", "a,1,2", "a 1 2"},
		{"count,id,start_time", "2,a,1", "a 1 2"},
		{" ID , Start Time ,\"Count\"", "a,1,2", "a 1 2"},
		{"id,begin", "a,1", "a 1 "},
		{"x,id,y,begin,,z", "9,a,9,1,9,9", "a 1 "},
		{"id,id,begin", "a,b,1", "a 1 "},
		{"id", "a", "a  "},
		{"start_time,count", "", ""},
		{"", "", ""},
		{strings.Repeat("x,", 1000) + "id", "", ""},
	} {
		layout, ok := table.Header([]byte(test.line))
		if ok != (test.want != "") {
			t.Errorf("%.40q: %v", test.line, ok)
		}
		if !ok {
			continue
		}
		var row csvtable.Row
		if rej := row.Split(record(), []byte(test.row), &layout); rej != nil {
			t.Errorf("%q: %v", test.line, rej)
			continue
		}
		if got := fmt.Sprintf("%s %s %s", row.Field(id), row.Field(start), row.Field(count)); got != test.want {
			t.Errorf("%q: got %q, want %q", test.line, got, test.want)
		}
	}
}

func TestSplitWantsAsManyFieldsAsTheFileHas(t *testing.T) {
	layout := table.ByHeart()
	var row csvtable.Row
	for line, want := range map[string]string{
		"a,1": "2, a row", "": "1, a row", "a,1,2,": "4, a row", "a,1,2,,,,x": "7, a row", "a,1,2": "",
	} {
		rej := row.Split(record(), []byte(line), &layout)
		if (rej != nil) != (want != "") || rej != nil && (rej.Reason != source.ReasonFields ||
			!strings.HasPrefix(rej.Detail, want)) {
			t.Errorf("%q: %v", line, rej)
		}
	}
}

func TestFields(t *testing.T) {
	nan := math.NaN()
	for _, test := range []struct {
		field   string
		number  float64 // -1: a reject
		count   int64   // -1: a reject
		instant trace.Instant
	}{
		{"5", 5, 5, 5e6}, {"5.0", 5, 5, 5e6}, {" 5 ", 5, 5, 5e6}, {`"5"`, 5, 5, 5e6}, {`" 5"`, 5, 5, 5e6},
		{"1e3", 1000, 1000, 1e9},
		{"0", 0, -1, 0}, {"0.5", 0.5, -1, 5e5}, {"-2", -1, -1, -2e6}, {"2029855.0000000002", 2029855.0000000002, -1,
			2029855e6},
		{"", nan, trace.None, trace.None}, {"NaN", nan, trace.None, trace.None}, {"None", nan, trace.None, trace.None},
		{"NULL", nan, trace.None, trace.None}, {`\N`, nan, trace.None, trace.None}, {"NA", nan, trace.None, trace.None},
		{`""`, nan, trace.None, trace.None},
		{"x", -1, -1, -1}, {"Inf", -1, -1, -1}, {"0x10", -1, -1, -1}, {"1_0", -1, -1, -1}, {`"5`, -1, -1, -1},
		{"1e999", -1, -1, -1}, {"5,0", -1, -1, -1},
	} {
		layout := table.ByHeart()
		var row csvtable.Row
		split := func() {
			line := []byte("a," + strings.ReplaceAll(test.field, ",", ";") + ",1")
			if rej := row.Split(record(), line, &layout); rej != nil || row.Rejected() != nil {
				t.Fatal(rej, row.Rejected())
			}
		}
		split()
		x, rej := row.Number(start), row.Rejected()
		if (rej != nil) != (test.number == -1) || rej == nil && x != test.number &&
			!(math.IsNaN(x) && math.IsNaN(test.number)) {
			t.Errorf("%q: number %v, %v", test.field, x, rej)
		}
		first := rej
		n, rej := row.Count(start, 1), row.Rejected()
		if first != nil && rej != first {
			t.Errorf("%q: %v, want the first fault, %v", test.field, rej, first)
		}
		if (rej != nil) != (test.count == -1) || rej == nil && n != test.count {
			t.Errorf("%q: count %v, %v", test.field, n, rej)
		}
		split()
		at, rej := row.Instant(start), row.Rejected()
		if (rej != nil) != (test.instant == -1) || rej == nil && at != test.instant {
			t.Errorf("%q: instant %v, %v", test.field, at, rej)
		}
		if rej != nil && (rej.Field != "start_time" || rej.Line != 7) {
			t.Errorf("%q: reject %v", test.field, rej)
		}
	}
}

func TestEach(t *testing.T) {
	tally := source.NewTally()
	var got []string
	yield := func(run *trace.Run, err error) bool {
		if err != nil {
			got = append(got, err.Error())
		} else {
			got = append(got, run.ID)
		}
		return true
	}
	s := csvtable.Stream{Output: source.Output{Ctx: t.Context(), Tally: tally, Yield: yield, IDs: source.NewIDs()}}
	content := "\ufeffa\r\n\nskip\nmachine\na\nbad\nreversed\nb\xff\nbad"
	more := s.Each(source.BytesFile("f", []byte(content)), func(line *source.Line) (*trace.Run, string,
		*source.Reject) {
		run := trace.NewRun(string(line.Bytes))
		switch run.ID {
		case "skip":
			return nil, "skipped", nil
		case "machine":
			return nil, "", nil
		case "bad":
			return nil, "", line.Reject("id", "why", "because")
		case "reversed":
			run.Start, run.End = 2, 1
		}
		return run, "", nil
	})
	want := []string{"a", `f:5: field "id": duplicate id: "a" occurred before`, `f:6: field "id": why: because`,
		`f:7: inconsistent run: run "reversed": ends before it starts`, "f:8: not UTF-8: bytes that are no UTF-8",
		`f:9: field "id": truncated: why: because`}
	if !more || strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", got, want)
	}
	if err := tally.Close(); err != nil || tally.Used != 2 || tally.Ignored["skipped"] != 1 ||
		tally.Ignored["blank line"] != 1 {
		t.Errorf("tally %+v, %v", tally, err)
	}
}

func TestFirstLine(t *testing.T) {
	for head, want := range map[string]string{"": "", "a,b\nc": "a,b", "\ufeff\r\n\na,b\r\nc": "a,b", "a": "a"} {
		if got, _ := csvtable.FirstLine([]byte(head)); string(got) != want {
			t.Errorf("%q: got %q, want %q", head, got, want)
		}
	}
}
