package ingest

import (
	"testing"

	"racecard/datasets/trace"
)

func TestJobKey(t *testing.T) {
	for _, test := range []struct {
		key, name, property, want string
		fits                      bool
	}{
		{"", "etl-2026-10-30", "", "etl-#", true},
		{"", "", "", "", true},
		{`^team/([a-z]+)`, "team/etl/7", "", "etl", true},
		{`^team/([a-z]+)`, "other-2026-10-30", "", "other-#", false}, // no match
		{`x()`, "x", "", "x", false},                                 // an empty group names nothing
		{"spark.airflow.dag_id", "Spark shell", "sales", "sales", true},
		{"spark.airflow.dag_id", "Spark shell", "", "Spark shell", false},
	} {
		var k jobKey
		if err := k.parse(test.key); err != nil {
			t.Fatal(err)
		}
		run := trace.NewRun("r")
		run.Name, run.Job = test.name, test.property
		if fits := k.name(run); run.Job != test.want || fits != test.fits {
			t.Errorf("%q of %q: got %q, %v, want %q, %v", test.key, test.name, run.Job, fits, test.want, test.fits)
		}
	}
	for _, bad := range []string{"(", "(a)(b)", "(?:a)", "a b", "^x$"} {
		if ParseJobKey(bad) == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
