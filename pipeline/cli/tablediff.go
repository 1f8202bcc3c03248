package cli

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"racecard/datasets/lists"
	"racecard/datasets/remaining"
	"racecard/datasets/result"
	"racecard/datasets/words"
)

// Changes of a table from one folder to another.
const (
	tableAdded   = "added"
	tableRemoved = "removed"
	tableSame    = "same"
	tableChanged = "changed"
)

// tableChange is a line of `table diff`. Times are seconds at one quantile.
type tableChange struct {
	Job    string `json:"job"`
	Change string `json:"change"` // added, removed, same or changed
	Plan   bool   `json:"plan_changed"`
	// For a changed table: the differences of whole runs and of the cell that differs most, over allocations that both
	// grids cover.
	Least    int32         `json:"tokens,omitempty"` // of the fewest tokens that both have
	BeforeS  result.Number `json:"before_s"`         // whole runs with so many tokens
	AfterS   result.Number `json:"after_s"`
	LargestS result.Number `json:"largest_s"`    // largest difference of any cell
	Progress result.Number `json:"at_progress"`  // of that cell
	Tokens   int32         `json:"at_tokens"`    // of that cell
	Share    result.Number `json:"share_of_run"` // the difference as a share of a whole run of A with so many tokens
}

func tableDiffCommand(e *env) *cobra.Command {
	quantile := 0.9
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "Show how tables differ from others",
		Args:  exactly(2, "two folders of tables, or two files"),
		RunE: func(_ *cobra.Command, args []string) error {
			return e.diffTables(args[0], args[1], quantile)
		},
	}
	number(cmd.Flags(), &quantile, "quantile", unitRange(), "of the remaining time")
	return cmd
}

func (e *env) diffTables(a, b string, quantile float64) error {
	before, err := loadTables(a)
	if err != nil {
		return err
	}
	after, err := loadTables(b)
	if err != nil {
		return err
	}
	changes := []tableChange{}
	both := maps.Clone(before)
	maps.Copy(both, after)
	for _, job := range slices.Sorted(maps.Keys(both)) {
		changes = append(changes, compareTables(job, before[job], after[job], quantile))
	}
	head := []string{"JOB", "CHANGE", "TOKENS", "A RUN IN A", "IN B", "LARGEST DIFFERENCE", "OF A RUN"}
	e.rows(head, lists.Map(changes, func(c tableChange) []string {
		row := []string{words.Printable(c.Job), c.Change, "", "", "", "", ""}
		if c.Plan {
			row[1] += ", new plan"
		}
		if c.Change == tableChanged {
			row[2], row[3] = words.Count(c.Least), words.Seconds(c.BeforeS)
			row[4] = words.Seconds(c.AfterS)
			row[5] = fmt.Sprintf("%s at progress %s, %s", words.Seconds(c.LargestS),
				words.Percent(c.Progress), words.Of(c.Tokens, "token", "tokens"))
			row[6] = words.Percent(c.Share)
		}
		return row
	}))
	return e.printJSON(tableDiff{a, b, quantile, changes})
}

// loadTables returns the tables of a folder or file by job, each verified.
func loadTables(path string) (map[string]*remaining.Table, error) {
	s, err := openTables(path)
	if err != nil {
		return nil, err
	}
	all := map[string]*remaining.Table{}
	for _, entry := range s.entries {
		t, err := s.load(entry, false)
		if err != nil {
			return nil, err
		}
		all[t.About.Job] = t
	}
	return all, nil
}

// compareTables compares the two tables of a job. Either may be nil.
func compareTables(job string, a, b *remaining.Table, quantile float64) tableChange {
	nan := result.Number(math.NaN())
	c := tableChange{Job: job, Change: tableChanged, BeforeS: nan, AfterS: nan, LargestS: nan, Progress: nan, Share: nan}
	switch {
	case a == nil:
		c.Change = tableAdded
		return c
	case b == nil:
		c.Change = tableRemoved
		return c
	}
	c.Plan = a.About.Plan != b.About.Plan
	last := min(a.Allocations[len(a.Allocations)-1], b.Allocations[len(b.Allocations)-1])
	first := max(a.Allocations[0], b.Allocations[0])
	grid := slices.DeleteFunc(slices.Concat(a.Allocations, b.Allocations), func(x int32) bool {
		return x < first || x > last
	})
	slices.Sort(grid)
	largest := 0.0
	for _, tokens := range slices.Compact(grid) {
		whole := a.Remaining(0, float64(tokens), quantile)
		if c.Least == 0 {
			c.Least, c.BeforeS = tokens, result.Number(whole)
			c.AfterS = result.Number(b.Remaining(0, float64(tokens), quantile))
		}
		for i := range remaining.Steps {
			p := remaining.Progress(i)
			by := b.Remaining(p, float64(tokens), quantile) - a.Remaining(p, float64(tokens), quantile)
			if math.Abs(by) > math.Abs(largest) {
				largest, c.Progress, c.Tokens, c.Share = by, result.Number(p), tokens, result.Number(by/whole)
			}
		}
	}
	if largest == 0 && !c.Plan && slices.Equal(a.Allocations, b.Allocations) {
		c.Change, c.BeforeS, c.AfterS, c.Least = tableSame, nan, nan, 0
		return c
	}
	c.LargestS = result.Number(largest)
	return c
}
