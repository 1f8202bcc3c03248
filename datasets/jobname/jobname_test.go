package jobname

import (
	"maps"
	"testing"

	"pgregory.net/rapid"
)

func TestNormalize(t *testing.T) {
	for name, want := range map[string]string{
		"":                                         "",
		"nightly-index":                            "nightly-index",
		"sales-rollup-2026-11-03":                  "sales-rollup-#",
		"sales_rollup_2026_11_03":                  "sales_rollup_#",
		"sales/2026/11/03/part":                    "sales/#/part",
		"sales-20261103":                           "sales-#",
		"etl 03.11.2026 daily":                     "etl # daily",
		"junoHourly-2016-10-05:21":                 "junoHourly-#",
		"load 2016-10-05T21:30:00.123Z end":        "load # end",
		"load 2016-10-05 21:30":                    "load #",
		"at 23:59:01 sharp":                        "at # sharp",
		"at 7:05":                                  "at #",
		"run-550e8400-e29b-41d4-a716-446655440000": "run-#",
		// no UUID, but a hexadecimal word and a long number
		"job 550E8400-E29B-41D4-A716-446655440000x": "job #-E29B-41D4-A716-#x",
		"commit deadbeef1 build":                    "commit # build",
		"deadbeef":                                  "deadbeef", // a word without a digit
		"facade12":                                  "#",
		"facade1":                                   "facade1", // seven characters
		"shard 1234":                                "shard 1234",
		"shard 12345":                               "shard #",
		"q17-100g-e40":                              "q17-100g-e40",
		"x12345y":                                   "x#y",
		"2026-11-03 2026-11-04":                     "# #",
		"2026-11-03_2026-11-04":                     "#_#",
		"x_2026-11-03_213000":                       "x_#",
		"x 2026-11-03T2130":                         "x #",
		"0:00 0:00:00":                              "# #",
		"1:23 score":                                "# score",
		"ratio 3:4":                                 "ratio 3:4",
		"2026-13-45":                                "2026-13-45", // no date
	} {
		if got := Normalize(name); got != want {
			t.Errorf("Normalize(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestNormalizeIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-f0-9:T\-_ /.]{0,40}`).Draw(t, "name")
		once := Normalize(name)
		if twice := Normalize(once); twice != once {
			t.Errorf("%q becomes %q, then %q", name, once, twice)
		}
	})
}

// The value of a name as read is for its job, too, unless the job has its own. Of two names the first counts.
func TestWithJobs(t *testing.T) {
	got := WithJobs(map[string]int{"a-2026-10-02": 2, "a-2026-10-01": 1, "b-2026-10-01": 3, "b-#": 4, "c-2026-10-0*": 5, "d": 6})
	want := map[string]int{"a-2026-10-02": 2, "a-2026-10-01": 1, "a-#": 1, "b-2026-10-01": 3, "b-#": 4, "c-2026-10-0*": 5,
		"d": 6}
	if !maps.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
