package generate_test

import (
	"bytes"
	"context"
	"testing"

	"racecard/datasets/alibaba2018"
	"racecard/datasets/generate"
	"racecard/datasets/jsonl"
	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/swim"
	"racecard/datasets/tr"
)

// What is generated in a format, the reader of that format reads without a reject.
func TestReadersReadWhatIsGenerated(t *testing.T) {
	formats := map[string]source.Format{"alibaba2018": alibaba2018.Format(0), "tr": tr.Format(), "swim": swim.Format(), "jsonl": jsonl.Format()}
	for _, k := range generate.Kinds() {
		const rows = 6000
		var a, b bytes.Buffer
		n, err := k.Write(context.Background(), &a, rows, 7, nil)
		if err != nil || n < rows || n > rows+30 {
			t.Errorf("%s: %d rows, %v, want %d", k.Name, n, err, rows)
		}
		if _, err := k.Write(context.Background(), &b, rows, 7, nil); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Errorf("%s: the same seed gives other bytes", k.Name)
		}
		if !formats[k.Name].Detect(generate.Prefix+k.Ending, a.Bytes()[:4096]) {
			t.Errorf("%s: the format is not recognised", k.Name)
		}
		r := sourcetest.Read(t, formats[k.Name], source.BytesFile(generate.Prefix+k.Ending, a.Bytes()))
		if len(r.Rejects) != 0 || r.Tally.Used != n || r.Err != nil {
			t.Errorf("%s: %d used of %d, rejects %v, %v", k.Name, r.Tally.Used, n, r.Rejects, r.Err)
		}
		if k.Name == "alibaba2018" && r.Tally.Repairs[alibaba2018.RepairUnknownParent]+r.Tally.Repairs[alibaba2018.RepairCycle] > 0 {
			t.Errorf("repairs %v", r.Tally.Repairs)
		}
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, k := range generate.Kinds() {
		if _, err := k.Write(ctx, &bytes.Buffer{}, 1<<13, 1, nil); err == nil {
			t.Errorf("%s: did not stop", k.Name)
		}
	}
}
