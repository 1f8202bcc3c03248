package glob

import "testing"

func TestMatch(t *testing.T) {
	for _, tc := range []struct {
		pattern, name string
		job, machine  bool
	}{
		{"*", "grep/m4.2xlarge/100", true, true},
		{"grep/*", "grep/m4.2xlarge/100", true, true},
		{"grep", "grep/m4.2xlarge/100", false, false},
		{"host-*", "host-2/0", true, true},
		{"host-?", "host-2/0", false, true},
		{"host-2", "host-2/0", false, true},
		{"host-[0-3]", "host-4/0", false, false},
		{"host-*/1", "host-2/0", false, false},
		{"m5-*", "m4-1", false, false},
		{"[", "[", false, false},
	} {
		if got := Match(tc.pattern, tc.name); got != tc.job {
			t.Errorf("Match(%q, %q) = %v", tc.pattern, tc.name, got)
		}
		if got := MatchMachine(tc.pattern, tc.name); got != tc.machine {
			t.Errorf("MatchMachine(%q, %q) = %v", tc.pattern, tc.name, got)
		}
	}
	if Check("[") == nil || Check("a/*[0-9]") != nil {
		t.Error("Check does not tell malformed patterns from others")
	}
}

func TestKey(t *testing.T) {
	of := map[string]int{"*": 1, "nightly-*": 2, "nightly-?": 3, "nightly-b": 4, "n[": 5}
	for name, want := range map[string]string{"nightly-b": "nightly-b", "nightly-a": "nightly-*", "nightly-xy": "nightly-*",
		"audit": "*", "n[": "n["} {
		if got, found := Key(of, name); got != want || !found {
			t.Errorf("%s: %q, %v, want %q", name, got, found, want)
		}
	}
	if got, found := Key(map[string]int{"a*": 1}, "b"); found {
		t.Errorf("%q", got)
	}
}
