package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"racecard/datasets/result"
	"racecard/datasets/words"
)

// README.md and docs/accuracy.md state how accurate predictions of the sample's runs are. They state what backtest says.
func TestStatedAccuracy(t *testing.T) {
	t.Parallel()
	_, out, says := call(t, "backtest", sampleStore(t), "--within", "--json", "--quiet")
	var told struct{ Backtest result.Backtest }
	if err := json.Unmarshal([]byte(out), &told); err != nil || len(told.Backtest.Coverage) < 3 {
		t.Fatalf("%v: %s", err, says)
	}
	doc := &told.Backtest
	e, at90 := doc.Errors["racecard"], doc.Coverage[2]
	first := fmt.Sprintf("predicts %d runs of four jobs, each from the 3 to 17 before it: half to within %s of the time they "+
		"took (mean of the last five runs: %s, last run: %s), and %s end within the predicted p90 (95%% interval %s)",
		doc.Predicted, words.Percent(e.MedianAbsolute), words.Percent(doc.Errors["mean5"].MedianAbsolute),
		words.Percent(doc.Errors["last"].MedianAbsolute), words.Percent(at90.Share),
		words.PercentRange(at90.Interval[0], at90.Interval[1]))
	var own, published, c0 []string
	for _, w := range doc.Within {
		own = append(own, strings.TrimSuffix(words.Percent(w.MedianAbsolute), "%"))
		published = append(published, strings.TrimSuffix(words.Percent(w.Methods["published"].MedianAbsolute), "%"))
		c0 = append(c0, strings.TrimSuffix(words.Percent(w.Methods["c0"].MedianAbsolute), "%"))
	}
	list := func(of []string) string { return strings.Join(of[:4], ", ") + " and " + of[4] + "%" }
	for name, wants := range map[string][]string{
		"README.md": {first},
		"docs/accuracy.md": {first, "relative CRPS is " + words.Percent(e.RelativeCRPS),
			list(own) + " at 10, 25, 50, 75 and 90%",
			"(`published`) the error is " + list(published), "(`c0`) " + list(c0)},
	} {
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), want) {
				t.Errorf("%s does not say: %s", name, want)
			}
		}
	}
}
