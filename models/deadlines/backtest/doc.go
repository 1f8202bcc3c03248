// Package backtest measures how well past runs of recurring jobs would have predicted the next one. It fits a model to
// the runs that had ended when a run was submitted, predicts that run with its actual tokens and input, and compares
// the prediction with the observed time.
//
//  1. [Builder.Add] gathers the runs of a store by job.
//  2. For every run with enough past ones, a profile is fitted to those (package models/deadlines/profile), turned into
//     a plan for the run's tokens and input (models/deadlines/jobmodel), and simulated many times
//     (models/deadlines/sim), each time with another slowness of the whole run.
//  3. It keeps the share of simulated times below the observed one (the probability integral transform, which is
//     uniform if predictions are right; A. P. Dawid, "Statistical Theory: The Prequential Approach", Journal of the
//     Royal Statistical Society A 147, 1984), and quantiles of the simulated times; the median is the prediction.
//  4. Calibration, sharpness and errors are summarised over all runs and per job, next to the same measures of simple
//     predictors ("baselines.go").
//
// Optionally, the remaining time of every run is predicted at several points of the run ("within.go"), with the table
// built from the same fit.
//
// A prediction uses only what was known when the run was submitted, except for the run's input and the most tokens that
// it held.
package backtest
