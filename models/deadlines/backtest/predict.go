package backtest

import (
	"racecard/analyses/quantile"
	"racecard/datasets/modelfile"
	"racecard/models/deadlines/jobmodel"
)

// complete returns equally likely times of the next run of a job, in seconds. Tables and forecasts are made from
// them.
func complete(p *modelfile.Profile, tokens, inputBytes float64, without []string) (quantile.Sorted, error) {
	options := jobmodel.DefaultOptions()
	options.InputBytes, options.Without = inputBytes, without
	if tokens > 0 {
		options.Tokens = tokens
	}
	return jobmodel.NewJob(p).Complete(options)
}
