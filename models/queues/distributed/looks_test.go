package distributed

import (
	"context"
	"strings"
	"testing"

	"racecard/models/limit"
)

// A simulation whose workers have looked at as many waiting tasks as they may ends with an error, if they look at any
// more; workers that take the first one do not look.
func TestLooksAreBounded(t *testing.T) {
	for name, refused := range map[string]bool{"eagle": true, "hawk": false} {
		w := &Workload{}
		for range 3 {
			w.Add("a", 0, Second, Second)
		}
		o := DefaultOptions(1)
		s, err := New(name, o)
		if err != nil {
			t.Fatal(err)
		}
		c, err := newCluster(w, s, o)
		if err != nil {
			t.Fatal(err)
		}
		c.looks = limit.Looks
		if name == "eagle" && c.o.MostLooks != limit.Looks {
			t.Errorf("%d looks by default", c.o.MostLooks)
		}
		err = c.run(context.Background())
		if refused != (err != nil) || refused && !strings.Contains(err.Error(), "take more machines") {
			t.Errorf("%s: %v; want an error: %v", name, err, refused)
		}
	}
}
