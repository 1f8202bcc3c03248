package catalogue

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"racecard/datasets/fetch"
	"racecard/datasets/formats"
	"racecard/datasets/source/sourcetest"
)

// The embedded catalogue is sound: fields are known, formats exist, every file can be asked for, and no two addresses
// of a trace lead to one name or one file to two.
func TestCatalogue(t *testing.T) {
	entries, err := Read(strings.NewReader(string(embedded)))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"alibaba2017", "alibaba2018", "google2011", "google2019", "philly", "swim", "wta",
		"pwa"} {
		if _, err := Named(want); err != nil {
			t.Error(err)
		}
	}
	if !slices.EqualFunc(All(), entries, func(a, b Entry) bool { return a.Name == b.Name }) {
		t.Error("All differs from what is embedded")
	}
	for _, e := range entries {
		if _, err := formats.Named(e.Format, 0); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
		paths, urls := map[string]bool{}, map[string]bool{}
		all := e.Files()
		if sums, ok := e.SumsFile(); ok {
			all = append(all, sums)
		}
		for _, f := range all {
			size := f.Bytes
			if f.Approximate {
				size = 0
			}
			if err := (fetch.File{Path: f.Path, URLs: f.URLs, Size: size, SHA256: f.SHA256,
				MD5: f.MD5}).Validate(); err != nil {
				t.Errorf("%s: %v", e.Name, err)
			}
			if paths[f.Path] {
				t.Errorf("%s: %s occurs twice", e.Name, f.Path)
			}
			paths[f.Path] = true
			for _, u := range f.URLs {
				if urls[u] || strings.ContainsAny(u, "{} ") {
					t.Errorf("%s: address %s", e.Name, u)
				}
				urls[u] = true
				if strings.HasPrefix(u, "http:") && f.SHA256 == "" {
					t.Errorf("%s: %s is neither encrypted nor checked", e.Name, u)
				}
			}
		}
		picked, err := e.Select(nil, nil)
		if err != nil || len(picked) == 0 && e.ByHand == "" {
			t.Errorf("%s: nothing is fetched by default: %v", e.Name, err)
		}
	}
	if _, err := Named("nosuch"); err == nil || !strings.Contains(err.Error(), "alibaba2018") {
		t.Errorf("an unknown trace: %v", err)
	}
}

// Where there is a copy of a published file beside the project, the catalogue's size is its size, and its checksum the
// one that the publisher states.
func TestCatalogueAgainstCopies(t *testing.T) {
	root := sourcetest.Shared(t, ".")
	sums, err := os.Open(sourcetest.Shared(t, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	defer sums.Close()
	known, err := fetch.ReadSums(sums, "SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for name, folder := range map[string]string{
		"alibaba-gpu2020": "alibaba-gpu-2020/", "alibaba-gpu2023": "alibaba-gpu-2023/", "google2011": "google-2011/",
		"swim":      "swim-facebook/",
		"wta-shell": "wta/shell/", "pwa": "swf/",
	} {
		e, err := Named(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range e.Files() {
			info, err := os.Stat(root + "/" + folder + f.Path)
			if err != nil {
				continue
			}
			checked++
			if f.Bytes > 0 && !f.Approximate && f.Bytes != info.Size() {
				t.Errorf("%s: %s has %d bytes, the copy %d", name, f.Path, f.Bytes, info.Size())
			}
			if f.SHA256 != "" && known[folder+f.Path] != f.SHA256 {
				t.Errorf("%s: %s has sha256 %s, the copy %s", name, f.Path, f.SHA256, known[folder+f.Path])
			}
		}
	}
	if checked < 20 { // 16 parts of google2011, 3 files of swim, 1 of alibaba-gpu2020, ...
		t.Errorf("only %d files were compared", checked)
	}
}

// entry is a sound entry whose files are given as JSON.
func entry(files string) string {
	return `{"name":"a-1","title":"t","publisher":"p","licence":"l","terms":"t","home":"https://h/","cite":"c","format":"f","analyses":[],
		"supports":"s","bases":["https://one/x/","http://two/"],"files":[` + files + `]}`
}

const sha = "6d5fade2d54faef3fcb6b2d3f41e73d18a14c7d1b28d4aa3c6579ba76dce2958"

func TestReadRefuses(t *testing.T) {
	good := entry(`{"path":"a/b.gz","bytes":5,"sha256":"` + sha +
		`"},{"path":"p-{part}","bytes":null,"sha256":null,"parts":{"first":0,"last":9,"digits":3}}`)
	if _, err := Read(strings.NewReader("[" + good + "]")); err != nil {
		t.Fatal(err)
	}
	swap := func(old, new string) string {
		s := strings.Replace(good, old, new, 1)
		if s == good {
			t.Fatalf("%q is not in the entry", old)
		}
		return s
	}
	for name, bad := range map[string]string{
		"no JSON": "{", "unknown field": swap(`"title"`, `"tilte"`), "unknown field of a file": swap(`"bytes"`,
			`"size"`),
		"twice the same": good + "," + good, "name": swap("a-1", "A 1"), "empty title": swap(`"title":"t"`,
			`"title":""`),
		"two lines": swap(`"cite":"c"`, `"cite":"c\nd"`), "home": swap("https://h/", "h"),
		"base without slash": swap("http://two/", "http://two"),
		"ftp":                swap("http://two/", "ftp://two/"), "no files": entry(""), "path outside": swap("a/b.gz",
			"../b.gz"), "absolute path": swap("a/b.gz", "/b.gz"),
		"query in the path": swap("a/b.gz", "b.gz?x"), "no bases": swap(`"https://one/x/","http://two/"`, ""),
		"urls and bases": swap(`"bytes":5`, `"urls":["https://u/b.gz"],"bytes":5`), "0 bytes": swap(`"bytes":5`,
			`"bytes":0`),
		"about null": swap(`"bytes":null`, `"bytes":null,"approximate":true`), "short checksum": swap(sha, sha[1:]),
		"capital checksum": swap(sha, strings.ToUpper(sha)),
		"checksum for md5": swap(`"sha256":"`+sha, `"md5":"`+sha), "series without placeholder": swap("p-{part}", "p"),
		"placeholder without series": swap("a/b.gz", "a/{part}.gz"),
		"series with checksum":       swap(`"sha256":null,"parts"`, `"sha256":"`+sha+`","parts"`),
		"series with exact size":     swap(`"bytes":null`, `"bytes":5`), "parts backwards": swap(`"first":0,"last":9`,
			`"first":9,"last":0`),
		"endless series": swap(`"last":9`, `"last":999999999`), "no digits": swap(`"digits":3`, `"digits":0`),
		"same path twice": entry(`{"path":"a","bytes":1,"sha256":null},{"path":"a","bytes":1,"sha256":null}`),
		"sums without bases": strings.Replace(entry(""), `"bases":["https://one/x/","http://two/"]`,
			`"by_hand":"x","sums":"S"`, 1),
	} {
		if _, err := Read(strings.NewReader("[" + bad + "]")); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := Read(strings.NewReader("[" + good + "] []")); err == nil {
		t.Error("text behind the array: no error")
	}
	byHand := strings.Replace(entry(""), `"supports":"s"`, `"supports":"s","by_hand":"ask"`, 1)
	if _, err := Read(strings.NewReader("[" + byHand + "]")); err != nil {
		t.Errorf("an entry to be had by hand only: %v", err)
	}
}

func TestFiles(t *testing.T) {
	entries, err := Read(strings.NewReader("[" + strings.Replace(entry(`
		{"path":"t/p-{part}-of-4.gz","what":"w","bytes":7,"approximate":true,"sha256":null,"parts":{"first":2,"last":3,"digits":2}},
		{"path":"b.gz","at":"elsewhere/b?download=1","bytes":5,"sha256":"`+sha+`","optional":true}`), `"supports"`, `"sums":"d/SHA256SUM","supports"`, 1) + "]"))
	if err != nil {
		t.Fatal(err)
	}
	want := []File{
		{Path: "t/p-02-of-4.gz", URLs: []string{"https://one/x/t/p-02-of-4.gz", "http://two/t/p-02-of-4.gz"}, What: "w",
			Bytes: 7, Approximate: true, Part: 2},
		{Path: "t/p-03-of-4.gz", URLs: []string{"https://one/x/t/p-03-of-4.gz", "http://two/t/p-03-of-4.gz"}, What: "w",
			Bytes: 7, Approximate: true, Part: 3},
		{Path: "b.gz", URLs: []string{"https://one/x/elsewhere/b?download=1", "http://two/elsewhere/b?download=1"},
			Bytes: 5, SHA256: sha, Optional: true, Part: -1},
	}
	if got := entries[0].Files(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	sums, ok := entries[0].SumsFile()
	if !ok || sums.Path != "SHA256SUM" || !slices.Equal(sums.URLs, []string{"https://one/x/d/SHA256SUM",
		"http://two/d/SHA256SUM"}) {
		t.Errorf("%+v, %v", sums, ok)
	}
}

func TestSelect(t *testing.T) {
	e, err := Named("google2011")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		globs []string
		parts string
		files int
		first string
		wrong string
	}{
		{nil, "", 1001, "job_events/part-00000-of-00500.csv.gz", ""}, // two series of 500, and machine_events
		{nil, "0-9", 21, "job_events/part-00000-of-00500.csv.gz", ""},
		{nil, "0,499", 5, "job_events/part-00000-of-00500.csv.gz", ""},
		{nil, "500", 0, "", "has no parts 500"},
		{[]string{"job_events/*"}, "7", 1, "job_events/part-00007-of-00500.csv.gz", ""},
		{[]string{"task_usage/*"}, "7", 1, "task_usage/part-00007-of-00500.csv.gz", ""}, // optional, but asked for
		{[]string{"part-00007-*"}, "", 3, "job_events/part-00007-of-00500.csv.gz", ""},
		{[]string{"machine_events/*", "job_events/*"}, "0", 2, "job_events/part-00000-of-00500.csv.gz", ""},
		// matches the last element of every path
		{[]string{"*"}, "", 1501, "job_events/part-00000-of-00500.csv.gz", ""},
		{[]string{"job_events/*"}, "500-600", 0, "", "has no parts 500-600"},
		{[]string{"machine_events/*"}, "0", 0, "", "no numbered parts"},
		{[]string{"job_event"}, "", 0, "", "no file of google2011 matches"},
		{[]string{"job_events/*", "nosuch"}, "", 0, "", "nosuch"},
		{[]string{"["}, "", 0, "", "not a pattern"},
	} {
		var parts Ranges
		if test.parts != "" {
			if parts, err = ParseRanges(test.parts); err != nil {
				t.Fatal(err)
			}
		}
		got, err := e.Select(test.globs, parts)
		if test.wrong != "" {
			if err == nil || !strings.Contains(err.Error(), test.wrong) {
				t.Errorf("%v %s: %v, want %q", test.globs, test.parts, err, test.wrong)
			}
			continue
		}
		if err != nil || len(got) != test.files || got[0].Path != test.first {
			t.Errorf("%v %s: %d files, %v, want %d from %s", test.globs, test.parts, len(got), err, test.files,
				test.first)
		}
	}
}

func TestParseRanges(t *testing.T) {
	for in, want := range map[string][]int{"0": {0}, "3-5": {3, 4, 5}, "0,2,4-5": {0, 2, 4, 5}} {
		r, err := ParseRanges(in)
		if err != nil || r.String() != in {
			t.Errorf("%q: %v, %v", in, r, err)
		}
		for n := range 10 {
			if r.Contains(n) != slices.Contains(want, n) {
				t.Errorf("%q and %d", in, n)
			}
		}
	}
	for _, bad := range []string{"", "a", "1-", "-1", "5-3", "1,,2", "1-2-3", "99999999999", " 1"} {
		if r, err := ParseRanges(bad); err == nil {
			t.Errorf("%q is %v", bad, r)
		}
	}
}

// An entry that is written is read again as it was.
func TestEntriesRoundTrip(t *testing.T) {
	first, err := json.Marshal(All())
	if err != nil {
		t.Fatal(err)
	}
	again, err := Read(strings.NewReader(string(first)))
	if err != nil {
		t.Fatal(err)
	}
	second, err := json.Marshal(again)
	if err != nil || string(first) != string(second) {
		t.Errorf("%v: the catalogue changes when it is written and read", err)
	}
}
