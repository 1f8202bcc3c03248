package spark

import (
	"context"
	"errors"
	"testing"

	"racecard/datasets/source"
)

// FuzzRead feeds bytes as one log. Whatever they are, nothing panics, every record is accounted for, and every run is
// valid. The seeds in testdata are named for the defect they hold.
func FuzzRead(f *testing.F) {
	f.Add(lines(appStart("a", 1000), jobBegin(0, 1000, info(0, 0, "", ""), info(1, 0, "0", "")), submit(0, 0, 1000, ""),
		tk{from: 1000, to: 1100}.both(),
		complete(0, 0, 1000, 1100, ""), submit(1, 0, 1100, "0"), complete(1, 0, 1100, 1200, "0"),
		jobDone(0, 1200, "JobSucceeded"), appEnd(2000)))
	f.Add(lines(env(`"spark.master":"local[*]"`), execAdded("driver", 1000, 4), execRemoved("driver", 1100),
		blocksAdded("1", 5), blocksRemoved("1", 6)))
	f.Fuzz(func(t *testing.T, content []byte) {
		tally := source.NewTally()
		for run, err := range Read(context.Background(), files("fuzz.log", content), tally) {
			var reject *source.Reject
			switch {
			case errors.As(err, &reject):
				if reject.Reason == "" {
					t.Error("a reject without a reason")
				}
			case err != nil:
				return // the bytes announced a compression, and were not compressed
			default:
				if err := run.Validate(); err != nil {
					t.Error(err)
				}
				for _, a := range run.Attempts {
					if a.Queued.Known() && a.Start.Known() && a.Queued > a.Start {
						t.Errorf("attempt %+v waits after its start", a)
					}
				}
			}
		}
		if err := tally.Close(); err != nil {
			t.Error(err)
		}
	})
}
