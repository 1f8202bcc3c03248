package ingest

import (
	"testing"

	"racecard/datasets/trace"
)

func TestJobKey(t *testing.T) {
	for _, test := range []struct{ key, name, property, want string }{
		{"", "etl-2026-10-30", "", "etl-#"},
		{"", "", "", ""},
		{`^team/([a-z]+)`, "team/etl/7", "", "etl"},
		{`^team/([a-z]+)`, "other-2026-10-30", "", "other-#"}, // no match
		{`x()`, "x", "", "x"},                                 // an empty group names nothing
		{"spark.airflow.dag_id", "Spark shell", "sales", "sales"},
		{"spark.airflow.dag_id", "Spark shell", "", "Spark shell"},
	} {
		var k jobKey
		if err := k.parse(test.key); err != nil {
			t.Fatal(err)
		}
		run := trace.NewRun("r")
		run.Name, run.Job = test.name, test.property
		k.name(run)
		if run.Job != test.want {
			t.Errorf("%q of %q: got %q, want %q", test.key, test.name, run.Job, test.want)
		}
	}
	for _, bad := range []string{"(", "(a)(b)", "(?:a)", "a b", "^x$"} {
		if ParseJobKey(bad) == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
