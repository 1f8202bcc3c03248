// Package backtest says how well past runs of recurring jobs would have predicted the next one: it fits a model to the
// runs that had ended when a run was submitted, predicts that run at the tokens and on the input that it really had,
// and compares.
//
//  1. [Builder.Add] gathers the runs of a store by job.
//  2. For every run with enough past ones, a profile is fitted to those (package models/deadlines/profile), turned into
//     a plan for the run's tokens and input (models/deadlines/jobmodel), and simulated many times
//     (models/deadlines/sim), each time with another slowness of the whole run.
//  3. Of the simulated times the share below the observed one is kept (the probability integral transform: uniform, if
//     predictions are right; A. P. Dawid, "Statistical Theory: The Prequential Approach", Journal of the Royal
//     Statistical Society A 147, 1984), and quantiles, of which the median is the prediction.
//  4. Calibration, sharpness and errors are summed up, over all runs and per job, beside those of simple predictions
//     ("baselines.go").
//
// Asked for, the remaining time of every run is predicted while it runs ("within.go"), by the table that such a fit
// would build.
//
// Nothing that was not known when a run was submitted is used but its input and its tokens: how many it held at most.
package backtest
