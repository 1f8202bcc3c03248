package distributed

import "testing"

// A scheduler hears of the end of a task after a delay. Until then the wait of its worker, which falls while the task
// is estimated to run, must not become negative.
func TestWaitsBeforeAnEndIsKnown(t *testing.T) {
	o := DefaultOptions(2)
	o.Delay = 500
	for estimate := int64(0); estimate <= 2*o.Delay; estimate += 50 {
		x := newWaits(0, 2, packingFor(2, 1), &o, 0, true)
		const duration, waits = 100, 7
		x.set(0, estimate+waits, 2, 0)
		x.started(0, estimate, 0, duration)
		x.set(1, 100*Second, 1, 0)
		for now := int64(0); now < duration+o.Delay; now += 10 {
			x.advance(now)
			key := x.least(now)
			if want := max(0, estimate-now) + waits; x.worker(key) != 0 || x.time(key) != want {
				t.Fatalf("estimate %d, at %d: worker %d waits %d, want worker 0 and %d", estimate, now, x.worker(key),
					x.time(key), want)
			}
		}
	}
}
