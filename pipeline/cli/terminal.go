package cli

import (
	"math"
	"slices"
	"strings"

	"racecard/datasets/lists"
	"racecard/datasets/result"
)

// bold is the code of a terminal for bold text.
const bold = "1"

// colours are the codes of a terminal for severities.
func colours() map[string]string {
	return map[string]string{result.HealthBad: "1;31", result.HealthWarn: "33", result.HealthInfo: "2"}
}

// sparkWidth is the number of characters of a line of blocks.
const sparkWidth = 64

// resample joins values of equal periods into at most n cells, as sums or as means. All cells have one length, and the
// last may go on after the values. It also returns how many values a cell joins.
func resample(values []float64, n int, sum bool) (cells []float64, per int) {
	per = max(1, (len(values)+n-1)/n)
	for part := range slices.Chunk(values, per) {
		x := lists.Sum(part)
		if !sum {
			x /= float64(per)
		}
		cells = append(cells, x)
	}
	return cells, per
}

// sparkline draws values as blocks of up to the height of a line, the largest as a full one. A blank is 0.
func sparkline(values []float64) string {
	blocks := []rune(" ▁▂▃▄▅▆▇█")
	most := 0.0
	for _, v := range values {
		most = max(most, v)
	}
	var b strings.Builder
	for _, v := range values {
		b.WriteRune(blocks[int(math.Ceil(8*v/max(most, 1e-300)))])
	}
	return b.String()
}
