// Package law predicts the time of the next run of a recurring job, as one predictive distribution, from the times,
// inputs, tokens and submissions of its past runs.
//
// The logarithm of the time of a run is a Gaussian process (C. E. Rasmussen and C. K. I. Williams, "Gaussian Processes
// for Machine Learning", 2006, sections 2.2, 2.7 and 5.4.1) with six parts:
//
//   - Effects of the input and of the tokens. Their slopes on logarithmic scales are near natural ones (0 or 1 for the
//     input; 0, -1/2 or -1 for tokens) or free. More tokens may help less and less. If a simulation predicts the effect
//     of tokens, its time replaces these slopes.
//   - A local term. Runs with similar inputs and tokens take similar times.
//   - A drift, which makes consecutive runs similar, or a trend. Runs that were under way together are at one time.
//   - A change. The level may change at one of the newest runs, a trend may begin there, or the run may be an outlier.
//     Runs may also have one of two levels at random.
//   - A period. Runs take similar times at the same time of the day, or of the week.
//   - Noise of an unknown size. It is the luck of tasks, which grows with tokens, or has other causes.
//
// Every combination of parts is a hypothesis, but a period is added to the likeliest alone. Hypotheses are averaged by
// how likely each makes the past runs (J. A. Hoeting et al., "Bayesian Model Averaging", Statistical Science 14, 1999),
// times a [Prior]. Older outliers weigh less.
package law
