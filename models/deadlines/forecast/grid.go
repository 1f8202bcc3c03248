package forecast

import (
	"context"

	"racecard/datasets/result"
)

// Grid forecasts the next run of a job as [Of] does, once per deadline in seconds after submission. Runs are fitted and
// simulated once for all deadlines. The first document is for the deadline of o.
func Grid(ctx context.Context, job string, p *Past, o Options, deadlines []float64) ([]*result.Forecast, error) {
	f, err := newForecaster(job, p, o)
	if err != nil {
		return nil, err
	}
	var out []*result.Forecast
	for _, due := range append([]float64{f.o.DeadlineS}, deadlines...) {
		d := *f.doc
		d.DeadlineS, d.Cores, d.Fewest = result.Number(due), []result.ForecastCores{}, nil
		one := forecaster{model: f.model, o: f.o, doc: &d, most: f.most, held: f.held, times: f.times, seen: f.seen}
		one.o.DeadlineS = due
		if err := one.answer(ctx); err != nil {
			return nil, err
		}
		out = append(out, &d)
	}
	return out, nil
}
