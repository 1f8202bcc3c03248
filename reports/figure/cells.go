package figure

import (
	"cmp"
	"maps"
	"slices"

	"racecard/datasets/lists"
)

// cell is a range of columns [from, to) in a row of merged slots with the same busiest stage and the same load.
type cell struct {
	row, from, to int
	stage         int
	load          float64 // share of the row's slots that were busy, rounded up to one of loads()
}

// loads are the levels of load that are distinguished.
func loads() [3]float64 { return [3]float64{0.3, 0.65, 1} }

// rasterise merges attempts that are too many, or too short, to be drawn one by one: it divides slots into rows of
// `merge` slots, and time from 0 to end into columns. A cell shows the stage with the most busy time; of equal ones,
// the lowest. Cells are ordered by row and column, and there are at most rows x columns. Time O(attempts x columns that
// each covers).
func rasterise(attempts []attempt, slots, merge, columns int, end float64) []cell {
	byRow := make([][]int, (slots+merge-1)/merge)
	for i := range attempts {
		row := attempts[i].slot / merge
		byRow[row] = append(byRow[row], i)
	}
	var out []cell
	busy := make([]map[int]float64, columns) // column -> stage -> busy time, in columns
	for row, members := range byRow {
		clear(busy)
		for _, i := range members {
			attempts[i].spread(columns, end, func(k int, share float64) {
				if busy[k] == nil {
					busy[k] = map[int]float64{}
				}
				busy[k][attempts[i].stage] += max(share, 1e-6)
			})
		}
		size := min(merge, slots-row*merge)
		for k, stages := range busy {
			if len(stages) == 0 {
				continue
			}
			c := busiest(stages, size)
			c.row, c.from, c.to = row, k, k+1
			if n := len(out) - 1; n >= 0 && out[n].row == row && out[n].to == k && out[n].stage == c.stage &&
				out[n].load == c.load {
				out[n].to++
				continue
			}
			out = append(out, c)
		}
	}
	return out
}

// busiest returns a cell of the stage with most busy time and of the load of all of them on a number of slots.
func busiest(stages map[int]float64, slots int) cell {
	c, total, most := cell{}, 0.0, -1.0
	for _, stage := range slices.Sorted(maps.Keys(stages)) { // sums and ties must not depend on the order of the map
		total += stages[stage]
		if stages[stage] > most {
			most, c.stage = stages[stage], stage
		}
	}
	c.load = 1
	for _, degree := range loads() {
		if total/float64(slots) <= degree {
			c.load = degree
			break
		}
	}
	return c
}

// spread calls add with every column that an attempt runs in and its share of that column. The columns divide the time
// from 0 to end.
func (a *attempt) spread(columns int, end float64, add func(k int, share float64)) {
	per := end / float64(columns)
	column := func(at float64) int { return min(max(int(at/per), 0), columns-1) }
	for k := column(a.start); k <= column(a.end); k++ {
		add(k, max(0, min(a.end/per, float64(k+1))-max(a.start/per, float64(k))))
	}
}

// mostAtOnce returns the largest number of attempts that run at once. Attempts that overlap by no more than slack
// seconds do not count as running at once, as in pack.
func mostAtOnce(attempts []attempt, slack float64) (most int) {
	type change struct {
		at float64
		by int
	}
	changes := make([]change, 0, 2*len(attempts))
	for _, a := range attempts {
		if a.end > a.start {
			changes = append(changes, change{a.start, 1}, change{a.end - min(slack, (a.end-a.start)/2), -1})
		}
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.by, b.by)) })
	now, since := 0, 0.0
	for _, c := range changes {
		if c.at > since { // as many ran from since until now
			most = max(most, now)
		}
		now, since = now+c.by, c.at
	}
	return most
}

// occupied is one stage's part of the concurrency: the mean number of its running attempts in columns from,
// from+1, ...
type occupied struct {
	stage, from int
	mean        []float64
}

// occupancy returns the mean number of running attempts within columns of time from 0 to end, by stage. Attempts are
// ordered by start.
func occupancy(attempts []attempt, columns int, end float64) []occupied {
	stages := map[int]*occupied{}
	for _, a := range attempts {
		a.spread(columns, end, func(k int, share float64) {
			l := stages[a.stage]
			if l == nil {
				l = &occupied{stage: a.stage, from: k}
				stages[a.stage] = l
			}
			l.mean = append(l.mean, make([]float64, max(0, k-l.from+1-len(l.mean)))...)
			l.mean[k-l.from] += share
		})
	}
	return lists.Map(slices.Sorted(maps.Keys(stages)), func(stage int) occupied { return *stages[stage] })
}
