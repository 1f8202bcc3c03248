package fetch

import (
	"maps"
	"strings"
	"testing"
)

const sum256, sumMD5 = "6d5fade2d54faef3fcb6b2d3f41e73d18a14c7d1b28d4aa3c6579ba76dce2958",
	"d41d8cd98f00b204e9800998ecf8427e"

func TestReadSums(t *testing.T) {
	got, err := ReadSums(strings.NewReader("# made by hand\n"+sum256+" *job_events/part-00000-of-00500.csv.gz\r\n\n"+
		strings.ToUpper(sum256)+"  ./trace 2017.tgz\n"+sumMD5+"  c\n"), "SHA256SUM")
	want := Sums{"job_events/part-00000-of-00500.csv.gz": sum256, "trace 2017.tgz": sum256, "c": sumMD5}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	for _, bad := range []string{"<html>", sum256, sum256 + " ", sum256 + " *", sum256[1:] + "  a", " " + sum256 +
		"  a", "g" + sum256[1:] + "  a", strings.Repeat("a", 100_000)} {
		if _, err := ReadSums(strings.NewReader(sum256+"  a\n"+bad+"\n"), "LIST"); err == nil ||
			!strings.Contains(err.Error(), "LIST") {
			t.Errorf("%.50q: %v", bad, err)
		}
	}
	for _, test := range []struct {
		f    File
		want File
		ok   bool
	}{
		{File{Path: "c"}, File{Path: "c", MD5: sumMD5}, true},
		{File{Path: "trace 2017.tgz"}, File{Path: "trace 2017.tgz", SHA256: sum256}, true},
		{File{Path: "c", SHA256: sum256}, File{Path: "c", SHA256: sum256}, true},
		{File{Path: "d"}, File{Path: "d"}, false},
	} {
		f := test.f
		if ok := got.Apply(&f); ok != test.ok || f.SHA256 != test.want.SHA256 || f.MD5 != test.want.MD5 {
			t.Errorf("%+v becomes %+v, %v, want %+v", test.f, f, ok, test.want)
		}
	}
}

// Any list is read, or refused with an error; what is read are checksums of named files.
func FuzzReadSums(f *testing.F) {
	f.Add(sum256 + " *a/b.gz\n" + sumMD5 + "  c\n")
	f.Add("#\n\n" + sum256)
	f.Fuzz(func(t *testing.T, list string) {
		sums, err := ReadSums(strings.NewReader(list), "list")
		if err != nil {
			return
		}
		for name, sum := range sums {
			if name == "" || len(sum) != 64 && len(sum) != 32 || !isHex(sum, len(sum)) {
				t.Errorf("%q: %q", name, sum)
			}
		}
	})
}

func TestContentRange(t *testing.T) {
	for _, test := range []struct {
		in          string
		from, total int64
		ok          bool
	}{
		{"bytes 5-9/10", 5, 10, true}, {"bytes 0-0/*", 0, 0, true}, {"bytes 5-9", 0, 0, false}, {"5-9/10", 0, 0, false},
		{"bytes */10", 0, 0, false},
		{"bytes -5-9/10", 0, 0, false}, {"bytes 5-9/x", 5, 0, false}, {"bytes 10-9/10", 10, 10, false},
		{"", 0, 0, false},
	} {
		from, total, ok := contentRange(test.in)
		if ok != test.ok || ok && (from != test.from || total != test.total) {
			t.Errorf("%q: %d, %d, %v", test.in, from, total, ok)
		}
	}
}
