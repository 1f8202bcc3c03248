package formats_test

import (
	"strings"
	"testing"

	"racecard/datasets/source"
)

// Names may be of any script and length.
func TestVariantsOfNames(t *testing.T) {
	names := map[string]string{ // what stands for a name in a sample
		"spark": `report-`, "google2019": "u1", "google2011": "", "jsonl": "job-", "wfformat": "family",
		"rumen": "sorter", "jhist": "nightly-",
		"philly": "application_", "pai": "openb-pod", "alibaba2018": "j_", "swim": "job", "tr": "", "swf": "",
		"alibaba2017": "",
	}
	for _, name := range []string{"größe_作业_🚀", "ñ́", strings.Repeat("long", 25_000), "<b>&amp;'", `back/slash`} {
		for _, s := range samples(t) {
			old := names[s.format]
			if old == "" || !strings.Contains(s.content, old) {
				continue
			}
			want := strings.ReplaceAll(described(s.read(t, source.BytesFile(s.name, []byte(s.content))).Runs), old,
				name)
			r := s.read(t, source.BytesFile(s.name, []byte(strings.ReplaceAll(s.content, old, name))))
			if got := described(r.Runs); got != want || len(r.Rejects) > 0 || r.Err != nil {
				t.Errorf("%s %s, name %.20q: rejects %.300v, %v; %s", s.format, s.name, name, r.Rejects, r.Err,
					difference(got, want))
			}
		}
	}
}

// What a format does not allow is rejected row by row, with a reason, and nothing is lost on the way.
func TestVariantsThatAreRejected(t *testing.T) {
	line := func(change func(line string) string) func(s *sample) string {
		return func(s *sample) string {
			var b strings.Builder
			for _, l := range strings.SplitAfter(s.content, "\n") {
				if l != "" && l[0] != ';' {
					l = change(strings.TrimSuffix(l, "\n")) + "\n"
				}
				b.WriteString(l)
			}
			return b.String()
		}
	}
	for _, v := range []struct {
		name    string
		fits    func(s *sample) bool
		change  func(s *sample) string
		rejects int // -1: as many as there are rows
	}{
		{"quoted fields without a header", func(s *sample) bool { return !s.quotes() }, line(func(l string) string {
			return `"` + strings.ReplaceAll(l, ",", `","`) + `"`
		}), -1},
		{"one more field", func(s *sample) bool { return s.commas && s.lines && !s.header },
			line(func(l string) string { return l + "," }), -1},
		{"one field less", func(s *sample) bool { return s.commas && s.lines && !s.header },
			line(func(l string) string { return l[strings.IndexByte(l, ',')+1:] }), -1},
		{"semicolons", func(s *sample) bool { return s.commas && s.lines && !s.header }, line(func(l string) string {
			return strings.ReplaceAll(l, ",", ";")
		}), -1},
		{"a header where there is none", func(s *sample) bool {
			return s.format == "swim" || s.format == "tr" ||
				s.format == "swf"
		}, func(s *sample) string {
			return "job submit wait run\n" + s.content
		}, 1},
		{"a field that is not known", func(s *sample) bool { return s.format == "jsonl" }, line(func(l string) string {
			return `{"zzz":1,` + l[1:]
		}), -1},
	} {
		for _, s := range samples(t) {
			if !v.fits(&s) {
				continue
			}
			r := s.read(t, source.BytesFile(s.name, []byte(v.change(&s))))
			_, rows := s.parts()
			want := v.rejects
			if want < 0 {
				want = len(rows) - int(r.Tally.Ignored["header"]) // a first row without numbers is taken for one
			}
			if len(r.Rejects) != want || r.Err != nil {
				t.Errorf("%s: %s %s: %d rejects, want %d; %v", v.name, s.format, s.name, len(r.Rejects), want, r.Err)
			}
			for _, rej := range r.Rejects {
				if rej.Reason == "" || rej.File != s.name || rej.Line == 0 {
					t.Errorf("%s: %s %s: reject %+v", v.name, s.format, s.name, rej)
				}
			}
		}
	}
}
