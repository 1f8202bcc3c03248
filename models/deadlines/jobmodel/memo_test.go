package jobmodel

import (
	"errors"
	"testing"
)

// Values are computed once, errors are not kept, and no more values than asked for.
func TestMemo(t *testing.T) {
	var m memo[int, int]
	computed := 0
	double := func(key, most int) int {
		v, err := m.get(key, most, func() (int, error) { computed++; return 2 * key, nil })
		if err != nil {
			t.Error(err)
		}
		return v
	}
	failed := errors.New("failed")
	if _, err := m.get(1, 2, func() (int, error) { return 0, failed }); !errors.Is(err, failed) {
		t.Errorf("%v, want %v", err, failed)
	}
	for range 2 {
		for key := range 3 {
			if v := double(key, 2); v != 2*key {
				t.Errorf("%d of %d", v, key)
			}
		}
	}
	if computed != 4 || len(m.of) != 2 { // 0 and 1 once, 2 twice
		t.Errorf("%d values were computed and %d kept, want 4 and 2", computed, len(m.of))
	}
}
