package page

import (
	"racecard/datasets/result"
	"racecard/reports/style"
)

// summaryCells returns a row for a summary: its title, its n and some percentiles with their intervals.
func summaryCells(title, key string, all result.Intervals, of result.Summary, write func(float64) string, percentiles ...string) []cell {
	row := plain(title, style.Count(int64(of.N)))
	for _, p := range percentiles {
		if of.N == 0 {
			row = append(row, cell{Text: style.None})
			continue
		}
		x := map[string]float64{"p10": of.P10, "p50": of.P50, "p90": of.P90, "p95": of.P95, "max": of.Max}[p]
		c := cell{Text: write(x)}
		if i, ok := all.Of[key][p]; ok && known(i[0]) && known(i[1]) {
			if between := style.Range(i[0], i[1], write); between != c.Text {
				c.Sub = "[" + between + "]"
			}
		}
		row = append(row, c)
	}
	return row
}
