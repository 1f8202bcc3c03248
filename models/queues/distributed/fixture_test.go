package distributed_test

import (
	"testing"

	"racecard/models/queues/distributed"
	"racecard/models/queues/distributed/disttest"
)

func TestSchedulersReproduceSchedulesWorkedOutByHand(t *testing.T) {
	met := map[string]bool{}
	for _, f := range disttest.Fixtures() {
		for name := range f.Want {
			met[name] = true
			t.Run(f.Name+"/"+name, func(t *testing.T) {
				s, err := distributed.New(name, f.Options)
				if err != nil {
					t.Fatal(err)
				}
				if err := f.Check(name, s); err != nil {
					t.Error(err)
				}
			})
		}
	}
	for _, k := range distributed.Kinds() {
		if !met[k.Name] {
			t.Errorf("no schedule for %s was worked out by hand", k.Name)
		}
	}
}
