package settings

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestRead(t *testing.T) {
	for _, tc := range []struct{ file, says string }{
		{"slower: 10%\n", ""},
		{"", ""},
		{"failures: 1\nslow: 10%\n", `r.yaml:2: unknown key "slow"; there are slower, failures`},
		{"slower: [1]\n", "r.yaml: line 1: cannot unmarshal"},
		{"a\nb: [", "r.yaml: yaml: line 2"},
	} {
		var into struct {
			Slower   string `yaml:"slower"`
			Failures int    `yaml:"failures"`
		}
		err := Read(fstest.MapFS{"r.yaml": {Data: []byte(tc.file)}}, "r.yaml", &into)
		if tc.says == "" && err != nil || tc.says != "" && (err == nil || !strings.Contains(err.Error(), tc.says)) {
			t.Errorf("%q: %v, want %q", tc.file, err, tc.says)
		}
	}
}
