package words

import "testing"

func TestOf(t *testing.T) {
	for _, test := range []struct {
		n    int64
		want string
	}{{0, "0 runs"}, {1, "1 run"}, {2, "2 runs"}, {13042, "13,042 runs"}, {-1000, "−1,000 runs"},
		{1234567, "1,234,567 runs"}} {
		if got := Of(test.n, "run", "runs"); got != test.want {
			t.Errorf("%d: %s, want %s", test.n, got, test.want)
		}
	}
}

func TestCapital(t *testing.T) {
	for text, want := range map[string]string{"": "", "a": "A", "éclair": "Éclair", "7 jobs": "7 jobs", "Done": "Done"} {
		if got := Capital(text); got != want {
			t.Errorf("Capital(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestWhen(t *testing.T) {
	if got := When(2 > 1, ", %s late", Of(2, "run", "runs")); got != ", 2 runs late" {
		t.Errorf("what holds is %q", got)
	}
	if got := When(2 < 1, ", %s late", "one"); got != "" {
		t.Errorf("what does not hold is %q", got)
	}
}

func TestEither(t *testing.T) {
	for _, holds := range []bool{true, false} {
		want := map[bool]string{true: "met", false: "missed"}[holds]
		if got := Either(holds, "met", "missed"); got != want {
			t.Errorf("Either(%t) = %q, want %q", holds, got, want)
		}
	}
}
