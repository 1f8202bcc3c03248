package cli

import (
	"strings"

	"racecard/datasets/lists"
	"racecard/datasets/remaining"
	"racecard/datasets/words"
)

// heatLevels are the shades of a heat map, from nothing to the largest value.
const heatLevels = " .:-=+*%@#"

// heatMap draws a quantile of the remaining time of a table: a line per allocation, a column per progress, as wide as
// the terminal. There is a shade for 0, and one for each ninth of the longest time.
func (e *env) heatMap(t *remaining.Table, quantile float64) {
	grid := lists.Thin(t.Allocations, 24)
	label := len("TOKENS")
	for _, a := range grid {
		label = max(label, len(words.Count(a)))
	}
	width := min(remaining.Steps, max(20, e.stdout.width()-label-5))
	most := t.Remaining(0, float64(grid[0]), quantile)
	e.printf("\n  %*s  PROGRESS 0%% TO 100%%, each shade of '%s' is %s more\n", label, "TOKENS", heatLevels,
		words.Seconds(most/float64(len(heatLevels)-1)))
	for _, a := range grid {
		var line strings.Builder
		for i := range width {
			x := t.Remaining(float64(i)/float64(width-1), float64(a), quantile)
			line.WriteByte(heatLevels[shade(x, most)])
		}
		e.printf("  %*s |%s|\n", label, words.Count(a), line.String())
	}
}

// shade returns the level of a value between 0 and most: 0 for 0 only.
func shade(x, most float64) int {
	if !(x > 0) || !(most > 0) {
		return 0
	}
	return min(len(heatLevels)-1, 1+int(x/most*float64(len(heatLevels)-1)))
}
