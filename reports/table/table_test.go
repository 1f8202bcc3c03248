package table_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"racecard/reports/table"
)

func errors() *table.Table {
	return &table.Table{ID: "table-errors", Title: "Predictions by job", Note: "Error: median.",
		Columns: []table.Column{{Name: "Job"}, {Name: "Runs", Number: true}, {Name: "Error", Number: true},
			{Name: "Cause",
				Minor: true}},
		Rows: [][]table.Cell{{{Text: "nightly-index"}, {Text: "18"}, {Text: "6.8%", Sub: "[5–9%]"}, {Text: "queueing"}},
			{{Text: "a \"b\"<i>", Inner: true}, {Text: "2"}, {Text: "–"}, {Text: "not known", Sub: "49%"}}}}
}

func Example() {
	t := errors()
	if err := t.Text(os.Stdout, 0); err != nil {
		fmt.Println(err)
	}
	if err := t.Text(os.Stdout, 34); err != nil { // without the minor column
		fmt.Println(err)
	}
	if err := t.CSV(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// Predictions by job
	// JOB            RUNS        ERROR  CAUSE
	// nightly-index    18  6.8% [5–9%]  queueing
	//   a "b"<i>        2            –  not known (49%)
	// Predictions by job
	// JOB            RUNS        ERROR
	// nightly-index    18  6.8% [5–9%]
	//   a "b"<i>        2            –
	// Job,Runs,Error,"Error, detail",Cause,"Cause, detail"
	// nightly-index,18,6.8%,[5–9%],queueing,
	// "a ""b""<i>",2,–,,not known,49%
}

func TestHTML(t *testing.T) {
	of := errors()
	of.Label, of.File = "Table 3", "tables/errors.csv"
	html, err := of.HTML()
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`id="table-errors"`, `<th scope="col" class="number">Runs</th>`,
		`<th scope="row" class="inner">a &#34;b&#34;&lt;i&gt;</th>`,
		`<span class="sub">[5–9%]</span>`, `Error: median. <span class="files"><a href="tables/errors.csv">CSV</a>`,
		"Table 3"} {
		if !strings.Contains(string(html), part) {
			t.Errorf("no %s in %s", part, html)
		}
	}
}

// A page shows the first rows, and says how many there are.
func TestRest(t *testing.T) {
	of := &table.Table{Columns: []table.Column{{Name: "N"}}, All: "dag.json"}
	for range table.MostRows + 1 {
		of.Rows = append(of.Rows, table.Cells("x"))
	}
	if got, want := of.Rest(), "The first 25 of 26 rows; all are in dag.json."; got != want ||
		len(of.Shown()) != table.MostRows {
		t.Errorf("%q and %d rows, want %q", got, len(of.Shown()), want)
	}
	if of.Folded = true; of.Rest() != "" || len(of.Shown()) != 26 {
		t.Errorf("%q and %d rows of a folded table", of.Rest(), len(of.Shown()))
	}
}

func TestPlainAligns(t *testing.T) {
	of := table.Plain([]string{"NAME", "RUNS", "CHANGE", "KIND"}, [][]string{{"a", "1,200", "−3%", "4 or so"},
		{"b", "–", "<0.1%",
			"x"}})
	for i, want := range []bool{false, true, true, false} {
		if of.Columns[i].Number != want {
			t.Errorf("column %s is aligned right: %v", of.Columns[i].Name, !want)
		}
	}
}

// Whatever cells hold, every line of text has the columns at the same places, no line is longer than the width if it
// can be helped, and CSV gives the cells back.
func TestAnyCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of := &table.Table{Columns: []table.Column{{Name: "first"}, {Name: "second", Number: true}, {Name: "third",
			Minor: true}}}
		word := rapid.StringMatching(`[a-zà-ÿ0-9 ,"<]{0,30}`)
		for range rapid.IntRange(0, 6).Draw(t, "rows") {
			of.Rows = append(of.Rows, table.Cells(word.Draw(t, "a"), word.Draw(t, "b"), word.Draw(t, "c")))
		}
		var text strings.Builder
		if err := of.Text(&text, 60); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
		if len(lines) != len(of.Rows)+1 {
			t.Fatalf("%d lines of %d rows", len(lines), len(of.Rows))
		}
		for _, l := range lines {
			if n := utf8.RuneCountInString(l); n > 60 {
				t.Fatalf("%d characters: %q", n, l)
			}
		}
		var out strings.Builder
		if err := of.CSV(&out); err != nil {
			t.Fatal(err)
		}
		back, err := csv.NewReader(strings.NewReader(out.String())).ReadAll()
		if err != nil || len(back) != len(of.Rows)+1 {
			t.Fatalf("%d lines of CSV, %v", len(back), err)
		}
		for i, r := range of.Rows {
			for k, c := range r {
				if back[i+1][k] != c.Text {
					t.Fatalf("%q came back as %q", c.Text, back[i+1][k])
				}
			}
		}
	})
}

// Spreadsheets take cells that begin with certain characters for formulas; numbers may begin with a sign.
func TestCSVHoldsNoFormula(t *testing.T) {
	for cell, want := range map[string]string{"=1+1": "'=1+1", "+cmd|' /C calc'!A0": "'+cmd|' /C calc'!A0",
		"-1+1": "'-1+1", "@SUM(A1)": "'@SUM(A1)",
		"\t=1": "'\t=1", "\r=1": "'\r=1", "-3%": "-3%", "+2.5": "+2.5", "-1e9": "-1e9", "−3%": "−3%", "a=b": "a=b",
		"": ""} {
		of := &table.Table{Columns: []table.Column{{Name: "n"}, {Name: "m"}},
			Rows: [][]table.Cell{{{Text: cell}, {Text: "x"}}}}
		var out strings.Builder
		if err := of.CSV(&out); err != nil {
			t.Fatal(err)
		}
		var quoted strings.Builder
		w := csv.NewWriter(&quoted)
		if err := w.Write([]string{want, "x"}); err != nil {
			t.Fatal(err)
		}
		w.Flush()
		if _, rows, _ := strings.Cut(out.String(), "\n"); rows != quoted.String() {
			t.Errorf("%q is written as %q, want %q", cell, rows, quoted.String())
		}
	}
}

// In a narrow terminal names are cut, but not until two of them look alike.
func TestCutNamesDiffer(t *testing.T) {
	of := &table.Table{Columns: []table.Column{{Name: "Job"}, {Name: "Why"}}}
	for _, name := range []string{"nightly-warehouse-load-eu", "nightly-warehouse-load-us", "short"} {
		of.Rows = append(of.Rows, []table.Cell{{Text: name}, {Text: "a longer text that says why"}})
	}
	var out strings.Builder
	if err := of.Text(&out, 40); err != nil {
		t.Fatal(err)
	}
	want := `JOB                        WHY
nightly-warehouse-load-eu  a longer tex…
nightly-warehouse-load-us  a longer tex…
short                      a longer tex…
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
