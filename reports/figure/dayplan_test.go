package figure

import "testing"

// The figure and the text of a plan round to the same minute: an end at 02:40:37 is not one by 02:40.
func TestClockTime(t *testing.T) {
	for s, want := range map[float64]string{9637: "02:41", 9629: "02:40", 86370: "00:00", -1800: "23:30"} {
		if got := clockTime(s); got != want {
			t.Errorf("%v s: %s, want %s", s, got, want)
		}
	}
}
