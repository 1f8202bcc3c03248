package jsonl

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"racecard/datasets/source"
)

// lineOf draws lines in usual form, most of them, and changes some of them at random.
func lineOf(t *rapid.T) string {
	odd := rapid.Bool().Draw(t, "odd") // values, too
	either := func(usual, odd *rapid.Generator[string]) *rapid.Generator[string] { return usual }
	if odd {
		either = func(usual, odd *rapid.Generator[string]) *rapid.Generator[string] { return rapid.OneOf(usual, odd) }
	}
	number := either(rapid.StringMatching(`(0|[1-9][0-9]{0,5})(\.[0-9]{1,4})?`), rapid.OneOf(
		rapid.StringMatching(`-?[0-9]{1,20}(\.[0-9]{1,20})?`),
		rapid.StringMatching(`[0-9]{1,3}(\.[0-9]{1,3})?[eE][-+]?[0-9]{1,3}`),
		rapid.SampledFrom([]string{"null", "-0", "1.", ".5", "01", "1e", "-", "true", `"1"`, "[]"})))
	text := either(rapid.SampledFrom([]string{`"a"`, `""`, `"é"`, `"a\n"`, `"\u00e9\ud83d\ude00"`, `"all_to_all"`,
		`"running"`}),
		rapid.SampledFrom([]string{`"\x"`, `"a\"b"`, "null", "1"}))
	list := func(of *rapid.Generator[string]) string {
		return "[" + strings.Join(rapid.SliceOfN(of, 0, 3).Draw(t, "list"), ",") + "]"
	}
	small := either(rapid.SampledFrom([]string{"0", "1", "2"}),
		rapid.SampledFrom([]string{"1.0", "-1", "null", "9999999999999999999"}))
	object := func(fields []string, value func(field string) string) string {
		var all []string
		chosen := rapid.SliceOfN(rapid.SampledFrom(fields), 1, 5)
		if !odd {
			chosen = rapid.SliceOfNDistinct(rapid.SampledFrom(fields), 1, 5, rapid.ID[string])
		}
		for _, f := range chosen.Draw(t, "fields") {
			all = append(all, fmt.Sprintf("%q:%s", f, value(f)))
		}
		return "{" + strings.Join(all, rapid.SampledFrom([]string{",", " , "}).Draw(t, "comma")) + "}"
	}
	value := func(f string) string {
		switch f {
		case "name", "edge", "status", "machine", "reason", "user", "group", "id":
			return text.Draw(t, "text")
		case "parents", "after":
			return list(small)
		case "durations_s":
			return list(number)
		case "stage", "task", "attempt", "tasks", "guaranteed", "input_bytes":
			return small.Draw(t, "whole")
		case "speculative", "spare":
			return rapid.SampledFrom([]string{"true", "false", "null"}).Draw(t, "truth")
		case "reads", "writes":
			return list(text)
		}
		return number.Draw(t, "number")
	}
	demands := []string{"cpu", "mem", "disk_read", "disk_write", "net_in", "net_out", "gpu"}
	stage := func() string {
		return object(append([]string{"tasks", "name", "duration_s", "durations_s", "estimate_s", "submit_s", "start_s",
			"end_s", "parents", "edge", "after"}, demands...), value)
	}
	task := func() string {
		return object(append([]string{"attempt", "queued_s", "start_s", "end_s", "duration_s", "status", "machine",
			"reason", "speculative", "spare"}, demands...), value)
	}
	line := object([]string{"id", "name", "user", "group", "submit_s", "start_s", "end_s", "status", "guaranteed",
		"input_bytes", "reads", "writes"}, value)
	if odd {
		line = strings.Replace(line, "name", "Name", 1)
	}
	line = `{"stages":[` + `{"tasks":3},` + stage() + `],"tasks":[{"stage":0,"task":1,` + task()[1:] + `],` + line[1:]
	for range rapid.SampledFrom([]int{0, 0, 0, 0, 1, 2}).Draw(t, "changes") {
		at := rapid.IntRange(0, len(line)).Draw(t, "at")
		line = line[:at] + rapid.SampledFrom([]string{"", " ", ",", `"`, "\\", "\x01", "{}", "]", "0"}).Draw(t,
			"change") + line[min(len(line), at+rapid.IntRange(0, 1).Draw(t, "drop")):]
	}
	return line
}

// outcome is what becomes of a record.
func outcome(rec *record, line *source.Line) string {
	tally := source.NewTally()
	run, rej := build(rec, line, tally)
	if rej != nil {
		return rej.Error()
	}
	return fmt.Sprintf("%+v %v", *run, tally.Repairs)
}

// same fails when the scanner makes something else of a line than encoding/json, and reports whether it took it.
func same(t interface{ Fatalf(string, ...any) }, s *scanner, text string) bool {
	line := &source.Line{File: source.BytesFile("f", nil), Number: 1, Bytes: []byte(text)}
	rec, ok := s.record(line.Bytes)
	if !ok {
		return false
	}
	want, field, err := decode(line.Bytes)
	if err != nil {
		t.Fatalf("%s\nis taken, but: %s: %v", text, field, err)
	}
	if got, want := outcome(rec, line), outcome(want, line); got != want {
		t.Fatalf("%s\nis   %s\nwant %s", text, got, want)
	}
	return true
}

// The scanner takes nothing that encoding/json reads otherwise, and most of what is in usual form.
func TestScannerIsAsEncodingJSON(t *testing.T) {
	s := newScanner()
	rapid.Check(t, func(t *rapid.T) { same(t, s, lineOf(t)) })
	const drawn = 1000 // the same ones every time: of few, too few are now and then in usual form
	taken, lines := 0, rapid.Custom(lineOf)
	for seed := range drawn {
		if same(t, s, lines.Example(seed)) {
			taken++
		}
	}
	if 4*taken < drawn {
		t.Errorf("only %d of %d lines were taken", taken, drawn)
	}
	for _, line := range []string{
		`{"id":"r","submit_s":0.250,"stages":[],"tasks":[]}`,
		` { "id" : "r" , "stages" : [ { "tasks" : null , "durations_s" : [ ] } ] } `,
		`{"id":"r\u00e9","name":"\"","stages":[{"tasks":2,"cpu":-0,"parents":[]}],"tasks":[{"stage":0,"task":1,"spare":true,"end_s":1e3}]}`,
		`{"id":"r","input_bytes":1e9,"reads":[],"end_s":123456789012345678}`,
	} {
		if !same(t, s, line) {
			t.Errorf("%s is not taken", line)
		}
	}
	for _, line := range []string{`{"id":"r","id":"s"}`, `{"ID":"r"}`, `{"id":"r"} x`, `{"id":"r",}`, `{"id":null}`, "",
		`{"id":"r"`, `{"id":"r","end_s":+1}`} {
		if same(t, s, line) {
			t.Errorf("%s is taken", line)
		}
	}
}

func FuzzScanner(f *testing.F) {
	f.Add(`{"id":"r","stages":[{"tasks":2,"cpu":0.5,"parents":[0]}],"tasks":[{"stage":0,"task":1,"spare":true,"end_s":1e3}]}`)
	f.Add(`{"id":"\u00e9","submit_s":-0.0,"reads":["a"],"guaranteed":null}`)
	f.Fuzz(func(t *testing.T, line string) {
		if !utf8.ValidString(line) {
			t.Skip("such lines are rejects before a scanner sees them")
		}
		same(t, newScanner(), line)
	})
}

func BenchmarkScanner(b *testing.B) {
	var line strings.Builder
	line.WriteString(`{"id":"run-000000000","name":"job-0-2026-01-01","submit_s":0.000,"stages":[{"name":"s0","tasks":50,"cpu":1}],"tasks":[`)
	for i := range 50 {
		if i > 0 {
			line.WriteByte(',')
		}
		fmt.Fprintf(&line, `{"stage":0,"task":%d,"start_s":0.181,"end_s":1.434,"machine":"m0"}`, i)
	}
	line.WriteString("]}")
	s, text := newScanner(), []byte(line.String())
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, ok := s.record(text); !ok {
			b.Fatal("the line is not taken")
		}
	}
}
