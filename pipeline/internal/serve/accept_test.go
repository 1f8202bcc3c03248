package serve

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// The Accept header chooses by its weights, and the most exact range of a type counts.
func TestAccept(t *testing.T) {
	for _, test := range []struct{ header, want string }{
		{"", jsonType},
		{"*/*", jsonType},
		{arrowType, arrowType},
		{"Application/Vnd.Apache.Parquet", parquetType},
		{parquetType + ";q=0.2, " + arrowType + ";q=0.9", arrowType},
		{arrowType + ";q=0.2," + parquetType + ";q=0.9", parquetType},
		{arrowType + ", " + jsonType, jsonType},
		{arrowType + ";q=0, */*", jsonType},
		{arrowType + ";q=0, application/*;q=0.5, " + jsonType + ";q=0.1", parquetType},
		{jsonType + ";q=0, */*;q=0.1", arrowType},
		{"text/html", ""},
		{arrowType + ";q=0", ""},
		{arrowType + ";q=2, " + parquetType + ";q=x, text/html", ""},
		{"*/*;q=0", ""},
		{"junk, /, ;, application/*;q=0.001", jsonType},
	} {
		q := httptest.NewRequest(http.MethodGet, "/", nil)
		if test.header != "" {
			q.Header.Set("Accept", test.header)
		}
		if got := accepted(q, jsonType, arrowType, parquetType); got != test.want {
			t.Errorf("Accept: %s: %q, want %q", test.header, got, test.want)
		}
	}
	r := newRig(t, nil)
	if status, _ := r.ask(t, "GET", "/v1/tables/a", "", "Accept", "text/csv"); status != http.StatusNotAcceptable {
		t.Errorf("text/csv: status %d, want %d", status, http.StatusNotAcceptable)
	}
	if status, text := r.ask(t, "GET", "/v1/tables/a", "", "Accept", arrowType+";q=0.1, "+jsonType); status != 200 ||
		text[0] != '{' {
		t.Errorf("JSON preferred: status %d, %.20s", status, text)
	}
}

// A client may name several versions of a table, or any, and as weak tags.
func TestUnchanged(t *testing.T) {
	r := newRig(t, nil)
	arrow, _ := r.tables.Current().Table("a").Sums()
	for header, want := range map[string]int{
		`"` + arrow + `"`:          http.StatusNotModified,
		`"x", W/"` + arrow + `"`:   http.StatusNotModified,
		`*`:                        http.StatusNotModified,
		`"x"`:                      http.StatusOK,
		`"` + arrow[:len(arrow)-1]: http.StatusOK,
	} {
		if status, _ := r.ask(t, "GET", "/v1/tables/a", "", "Accept", arrowType, "If-None-Match", header); status != want {
			t.Errorf("If-None-Match: %s: status %d, want %d", header, status, want)
		}
	}
}
