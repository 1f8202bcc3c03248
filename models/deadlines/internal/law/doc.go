// Package law predicts the time of the next run of a recurring job, as one predictive distribution, from the times,
// inputs and tokens of its past runs.
//
// The logarithm of the time of a run is a Gaussian process (C. E. Rasmussen and C. K. I. Williams, "Gaussian Processes
// for Machine Learning", 2006, sections 2.2, 2.7 and 5.4.1) with five parts:
//
//   - effects of the input and of the tokens. Their slopes on logarithmic scales are near natural ones (0 or 1 for the
//     input; 0, -1/2 or -1 for tokens) or free; more tokens may help less and less. If a simulation predicts the effect
//     of tokens, its time replaces these slopes.
//   - a local term: runs with similar inputs and tokens take similar times, beyond those slopes
//   - a drift (consecutive runs take similar times) or a trend
//   - a change of level, or a trend that begins, at one of the newest runs, or an outlier among them
//   - noise of an unknown size, which is the luck of tasks, larger on more tokens, or has other causes
//
// Every combination of parts is a hypothesis. Hypotheses are averaged by how likely each makes the past runs (J. A.
// Hoeting et al., "Bayesian Model Averaging", Statistical Science 14, 1999), times a [Prior]. Older outliers weigh
// less.
package law
