package distributed

import "testing"

// OneGoroutine skips a test under -short, with which the race detector runs: it has nothing to find in what runs on one
// goroutine. Without it all tests run. What runs side by side is in TestSimulationsShareAWorkload and package study.
func OneGoroutine(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("on one goroutine; it is run without -short")
	}
}
