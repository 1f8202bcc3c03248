package spark

import "testing"

func TestDescribe(t *testing.T) {
	const ids = "id = cfbfe176-d5e5-4573-9f67-8bfe4a4de5ca\nrunId = c96e8b82-7273-40c4-ac7c-7b8e17640b4c\n"
	for _, test := range []struct{ in, want string }{
		{"", ""},
		{"nightly sums", "nightly sums"},
		{"select a\n\tfrom  t", "select a from t"},
		{"counts\n" + ids + "batch = 12", "counts, batch 12"},
		{"\n" + ids + "batch = init", "batch init"}, // a query without a name
		{ids + "batch = 0", "batch 0"},
		{"counts<br/>id = 1-2<br/>runId = 3-4<br/>batch = 5", "counts, batch 5"}, // before Spark 3.0
		{"id = 7", "id = 7"},
		{"bad \xff byte", "bad \ufffd byte"},
	} {
		if got := describe(test.in); got != test.want {
			t.Errorf("%q: %q, want %q", test.in, got, test.want)
		}
	}
}

func TestScopeName(t *testing.T) {
	for in, want := range map[string]string{
		`{"id":"3","name":"Exchange"}`:      "Exchange",
		`{"id":"4","name":"Scan parquet "}`: "Scan parquet",
		`{"id":"5"}`:                        "",
		`{`:                                 "",
	} {
		if got := scopeName([]byte(in)); got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}
