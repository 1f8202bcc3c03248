package run

import (
	"errors"
	"fmt"
	"testing"
)

// full is a log on a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// What a step says reaches the record also where its log cannot be written.
func TestStepsAreHeardOnAFullDisk(t *testing.T) {
	w := &watcher{log: full{}, say: func(string) {}}
	for _, part := range []string{"racecard: ", "the store: no space left on device\n", "  choose another folder\n"} {
		if _, err := fmt.Fprint(w, part); err != nil {
			t.Error(err)
		}
	}
	if got, want := w.failure("exit status 1"), "the store: no space left on device\nchoose another folder"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
