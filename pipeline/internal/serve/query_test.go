package serve

import (
	"net/url"
	"testing"
)

// Of several wrong parameters, the first by name is refused, whatever the order of the map.
func TestParseQueryIsRepeatable(t *testing.T) {
	for range 50 {
		_, err := parseQuery(url.Values{"tokens": {"y"}, "progress": {"x"}, "quantile": {"z"}, "unknown": {"1"}})
		if err == nil || err.Error() != "progress: want a number" {
			t.Fatalf("%v", err)
		}
	}
	q, err := parseQuery(url.Values{"job": {"a"}, "tokens": {"4"}, "progress": {"0.5"}, "since_s": {"2"}})
	if err != nil || q.Job != "a" || q.Tokens != 4 || *q.Progress != 0.5 || *q.SinceS != 2 || q.Quantile != nil {
		t.Errorf("%+v, %v", q, err)
	}
	for _, wrong := range []url.Values{{"job": {"a", "b"}}, {"tokens": {"1", "2"}}, {"tokens": {""}}, {"x": {"1"}}} {
		if _, err := parseQuery(wrong); err == nil {
			t.Errorf("%v is taken", wrong)
		}
	}
}
