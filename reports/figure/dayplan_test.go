package figure

import "testing"

// Ends are rounded up to the minute, as in the text of a plan: an end at 02:40:29 is not one by 02:40.
func TestClockTime(t *testing.T) {
	for s, want := range map[float64]string{9637: "02:41", 9629: "02:40", 86370: "00:00", -1800: "23:30"} {
		if got := clockTime(s); got != want {
			t.Errorf("%v s: %s, want %s", s, got, want)
		}
	}
	for s, want := range map[float64]string{9637: "02:41", 9629: "02:41", 9600.4: "02:40", 86370: "00:00"} {
		if got := endTime(s); got != want {
			t.Errorf("an end at %v s: by %s, want %s", s, got, want)
		}
	}
}
