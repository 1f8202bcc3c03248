package backtest

import (
	"racecard/analyses/quantile"
	"racecard/datasets/modelfile"
	"racecard/models/deadlines/jobmodel"
)

// complete returns equally likely times of the next run of a job, in seconds. Tables and forecasts are made from
// them.
func complete(p *modelfile.Profile, next *next, without []string) (quantile.Sorted, error) {
	options := jobmodel.DefaultOptions()
	options.InputBytes, options.Submit, options.Without = next.inputBytes, next.submit.Seconds(), without
	if next.tokens > 0 {
		options.Tokens = next.tokens
	}
	of, err := jobmodel.NewJob(p).Complete(options)
	return of.Times, err
}
