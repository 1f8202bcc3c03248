package swf_test

import (
	"testing"

	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/swf"
)

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		job, header + job + "\n", "", "\n;\n", job + "\r\n" + job, "\ufeff" + job, "1 5 -7 -3 0 -1 -2 2 600 -1 5 ann " +
			"- x -1 -1 3 -1 {a,b}\n",
		"1 2199023255552 2199023255552 2199023255552 2147483647 1 1e300 1 1 1e308 1 1 1 1 1 1 1 1\n",
		"3 10 5 60 4 -1 -1 4 -1 -1 2 1 1 1 -1 -1 -1 -1\n3 -1 9 20 4 -1 -1 4 -1 -1 3 1 1 1 -1 -1 -1 -1\n",
		"1 -0.4 0 0 1 1 1 1 1 1 5 1 1 1 1 1 1 1\n", "\x1f\x8b",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		swf.Format().Detect("fuzz", content)
		sourcetest.Read(t, swf.Format(), source.BytesFile("fuzz", content))
	})
}
