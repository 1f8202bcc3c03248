package trace

import "time"

// ClockTimes returns when clocks in a zone show a time on a date, given in seconds after midnight: once, or twice where
// they are set back. Where they are set forward over it, it is the time that they would have shown.
func ClockTimes(year int, month time.Month, day, seconds int, zone *time.Location) []time.Time {
	t := time.Date(year, month, day, 0, 0, seconds, 0, zone)
	var out []time.Time
	_, offset := t.Zone()
	for _, other := range []time.Time{t.AddDate(0, 0, -1), t.AddDate(0, 0, 1)} {
		_, o := other.Zone()
		at := t.Add(time.Duration(offset-o) * time.Second)
		if at.Format(time.DateTime) == t.Format(time.DateTime) && (len(out) == 0 || at.After(out[0])) {
			out = append(out, at)
		}
	}
	if len(out) == 0 {
		out = append(out, t)
	}
	return out
}

// NextClock returns the first time after another at which clocks in its zone show a time of the day, given in seconds
// after midnight.
func NextClock(after time.Time, seconds int) time.Time {
	for day := after.Day(); ; day++ {
		for _, t := range ClockTimes(after.Year(), after.Month(), day, seconds, after.Location()) {
			if t.After(after) {
				return t
			}
		}
	}
}
