package limit_test

import (
	"testing"

	"racecard/datasets/words"
	"racecard/models/limit"
)

func TestAnErrorNamesTheLimitAndWhatHelps(t *testing.T) {
	if err := limit.Stages(`run "a"`, limit.Table, limit.Table, ""); err != nil {
		t.Errorf("as many stages as can be taken are refused: %v", err)
	}
	err := limit.Stages(`run "a"`, 1_000_000, limit.Profile, "choose another")
	if want := `run "a" has 1,000,000 stages; at most 20,000 can be taken: choose another`; err == nil ||
		err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestText(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 123456: "123,456",
		7_000_000: "7,000,000"} {
		if got := words.Count(n); got != want {
			t.Errorf("%d is written %s, want %s", n, got, want)
		}
	}
}
