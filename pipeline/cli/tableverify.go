package cli

import (
	"errors"

	"racecard/datasets/words"

	"github.com/spf13/cobra"
)

// verified is a line that `table verify` prints.
type verified struct {
	Job   string `json:"job"`
	File  string `json:"file"`
	OK    bool   `json:"ok"`
	Error string `json:"error,omitempty"`
}

func tableVerifyCommand(e *env) *cobra.Command {
	return &cobra.Command{
		Use:   "verify TABLES",
		Short: "Check tables: checksums, and the laws they must keep",
		Args:  exactly(1, "one folder of tables, or a file"),
		RunE:  func(_ *cobra.Command, args []string) error { return e.verifyTables(args[0]) },
	}
}

func (e *env) verifyTables(path string) error {
	s, err := openTables(path)
	if err != nil {
		return err
	}
	all := []verified{}
	var errs []error
	var oldest, newest *float64 // ends of past runs
	for _, entry := range s.entries {
		v := verified{Job: entry.Job, File: entry.File}
		t, err := s.load(entry, true)
		if isReplaced(err) {
			return err
		}
		if err == nil {
			v.Job, v.OK = t.About.Job, true
			if a := &t.About; a.OldestS != nil && (oldest == nil || *a.OldestS < *oldest) {
				oldest = a.OldestS
			}
			if a := &t.About; a.NewestS != nil && (newest == nil || *a.NewestS > *newest) {
				newest = a.NewestS
			}
		} else {
			v.Error = err.Error()
			errs = append(errs, err)
		}
		all = append(all, v)
	}
	if err := e.printJSON(verifiedTables{all, len(errs)}); err != nil {
		return err
	}
	e.printf("%s, %s failed\n", words.Of(len(all), "table", "tables"), words.Count(len(errs)))
	if oldest != nil && newest != nil {
		e.printf("fitted to runs that ended %s; `racecard compare STORE` and `racecard backtest STORE` tell whether newer "+
			"ones still take as long\n", ended(oldest, newest))
	}
	if len(errs) > 0 {
		return refusedError{errors.Join(errs...)}
	}
	return nil
}
