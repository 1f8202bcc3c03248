package alibaba2018

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/groupby"
	"racecard/datasets/source"
)

func TestDecimal(t *testing.T) {
	for field, ok := range map[string]bool{
		"": true, "0": true, "7": true, "23.0": true, "0.05": true, "0.50": true, "100.1234567": true,
		"999999999999999": true,
		"007":             false, "00": false, "1.": false, ".5": false, "00.5": false, "+1": false, "-1": false,
		"1e3": false, "x": false, "1:": false,
		"1.12345678": false, "1000000000000000": false, "NaN": false, "1.2.3": false,
	} {
		d, next, got := decimalAt([]byte(field), 0)
		if got != ok || ok && next != len(field)+1 {
			t.Errorf("%q: ok %v, next %d", field, got, next)
		}
		if !ok {
			continue
		}
		if back := string(d.append(nil)); back != field {
			t.Errorf("%q is written %q", field, back)
		}
		if want, err := strconv.ParseFloat(field, 64); err == nil && d.float() != want {
			t.Errorf("%q: %v, want %v", field, d.float(), want)
		}
	}
}

// fieldOf draws fields as they are in the trace, and fields as they should not be.
func fieldOf(t *rapid.T) string {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"", "j_1", "M1", "R2_1", "Terminated", "Waiting", "Running", "Failed", "Done",
			"job_name", "0", "1", "12", `"M1"`, `j_123456"`, `"`}),
		rapid.StringMatching(`[0-9]{1,6}(\.[0-9]{1,3})?`), rapid.StringMatching(`[-+0-9.e]{0,5}`),
		rapid.StringMatching(`[a-zA-Z_0-9]{0,12}`),
	).Draw(t, "field")
}

// lineOf draws rows of both tables, most of which are well formed.
func lineOf(t *rapid.T) string {
	number := rapid.StringMatching(`([1-9][0-9]{0,6}|0)(\.[0-9]{1,2})?`)
	name := rapid.StringMatching(`[MRJ][1-4](_[1-4]){0,2}`)
	status := rapid.SampledFrom([]string{"Terminated", "Waiting", "Running", "Failed"})
	job := rapid.SampledFrom([]string{"j_1", "j_2"})
	f := []string{name.Draw(t, "name"), number.Draw(t, "n"), job.Draw(t, "job"), "1", status.Draw(t, "status")}
	if rapid.Bool().Draw(t, "instance") {
		f = []string{"i" + number.Draw(t, "n"), name.Draw(t, "name"), job.Draw(t, "job"), "1", status.Draw(t, "status")}
		f = append(f, number.Draw(t, "start"), number.Draw(t, "end"), "m_1", rapid.StringMatching("[1-3]").Draw(t,
			"seq"))
		for range 5 {
			f = append(f, number.Draw(t, "value"))
		}
	} else {
		for range 4 {
			f = append(f, number.Draw(t, "value"))
		}
	}
	for range rapid.IntRange(0, 2).Draw(t, "changes") {
		f[rapid.IntRange(0, len(f)-1).Draw(t, "which")] = fieldOf(t)
	}
	return strings.Join(f, ",")
}

// TestTextAt reads fields of all lengths, at all places of a line, with and without quotes.
func TestTextAt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := []byte(rapid.StringMatching(`[a,"\x7f\x80ÿ]?([a-c_\x00\xac\xa2]{0,20}[,"]?){0,4}`).Draw(t, "line"))
		at := rapid.IntRange(0, len(line)+1).Draw(t, "at")
		var want []byte
		if at <= len(line) {
			want, _, _ = bytes.Cut(line[at:], []byte{','})
		}
		got, next, ok := textAt(line, at)
		if ok == quoted(want) || ok && (!bytes.Equal(got, want) || next != at+len(want)+1) {
			t.Errorf("%q at %d: %q, next %d, ok %v, want %q", line, at, got, next, ok, want)
		}
	})
}

func TestPackedRowsAreTheLinesTheyWere(t *testing.T) {
	packed := 0
	rapid.Check(t, func(t *rapid.T) {
		line := lineOf(t)
		job, record, tag, ok := pack([]byte(line), nil)
		if !ok {
			return
		}
		packed++
		row := groupby.Row{Record: &groupby.Record{Tag: tag, Bytes: record}}
		if got := string(unpack(string(job), &row)); got != line {
			t.Errorf("got %q, want %q", got, line)
		}
	})
	if packed == 0 {
		t.Error("no row was packed")
	}
}

// TestPackingChangesNothing reads rows with and without packing them.
func TestPackingChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := rapid.SliceOfN(rapid.Custom(lineOf), 1, 12).Draw(t, "lines")
		files := []*source.File{source.BytesFile("f", []byte(strings.Join(lines, "\n")+"\n"))}
		var texts []string
		for _, pack := range []func(line, room []byte) ([]byte, []byte, uint8, bool){pack, nil} {
			lines := groupby.Lines{Key: key, Pack: pack, Unpack: unpack, NewBuild: func() groupby.Build {
				return newJob().build
			}}
			tally := source.NewTally()
			text := ""
			for run, err := range lines.Read(t.Context(), files, tally) {
				var rej *source.Reject
				switch {
				case errors.As(err, &rej):
					text += fmt.Sprintf("%v %q\n", err, rej.Raw)
				case err != nil:
					t.Fatal(err)
				default:
					text += fmt.Sprintf("%+v\n", *run)
				}
			}
			texts = append(texts, text+fmt.Sprint(tally.Read, tally.Used, tally.Ignored, tally.Rejected, tally.Repairs))
		}
		if texts[0] != texts[1] {
			t.Errorf("packed:\n%s\nnot packed:\n%s", texts[0], texts[1])
		}
	})
}
