// Package distfit fits families of distributions to positive numbers by maximum likelihood and measures the goodness of
// fit.
//
// The steps of [Compare] are:
//
//  1. Values are sorted, with the number of times each occurs. Counts, and times of a coarse clock, stand for all
//     values that are rounded to them ([Sample]); if they were taken as exact, a family that concentrates density at
//     the least value would win. Otherwise zeros are left out and counted.
//  2. Each family of [Families] is fitted to all of them: exponential, lognormal, Weibull, gamma and Pareto. The fits
//     are ordered by Akaike's criterion, AIC = 2 x parameters - 2 ln L; the Bayesian criterion is given as well.
//  3. Two distances measure a fit: the Kolmogorov-Smirnov distance D, and the Anderson-Darling distance A², which gives
//     more weight to the tails.
//  4. The p-values come from a parametric bootstrap: samples of the same size are drawn from the fit and fitted again,
//     and their D and A² are compared with those of the sample. Textbook p-values hold for a distribution that is known
//     beforehand; with parameters estimated from the same values they are much too large (H. W. Lilliefors, "On the
//     Kolmogorov-Smirnov Test for Normality with Mean and Variance Unknown", Journal of the American Statistical
//     Association 62, 1967; W. Stute, W. González Manteiga and M. Presedo Quindimil, "Bootstrap Based Goodness-of-Fit
//     Tests", Metrika 40, 1993). Draws are read as the values were. Large samples are tested on a random part of them.
//  5. Runs and attempts that had not ended are right-censored values: only a lower bound is known ([Sample.Censor]).
//     Leaving them out would favour short ones. They enter the likelihoods with the probability of exceeding their
//     bound. D is then the distance from the Kaplan-Meier estimate. There is no A², and there are no p-values, since
//     the censoring of resamples is not known.
//  6. The tail alone is fitted by a Pareto distribution above the threshold at which it fits best: [FitTail].
//
// The p-value of a large sample means little: with many values, no simple family is good enough. D measures the error.
package distfit
