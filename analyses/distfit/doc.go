// Package distfit fits families of distributions to positive numbers by maximum likelihood and says how well they fit.
//
// The steps of [Compare] are:
//
//  1. Values are sorted, with the number of times each occurs. Counts, and times of a clock that ticks coarsely, stand
//     for all that is read as them ([Sample]); were they taken as exact, a family that can pile up density at the least
//     value would win. Else zeros are left out and counted.
//  2. Each family of [Families] is fitted to all of them: exponential, lognormal, Weibull, gamma and Pareto. The fits
//     are ordered by Akaike's criterion, AIC = 2 x parameters - 2 ln L; the Bayesian one is given beside it.
//  3. Two distances say how far a fit is from the values: that of Kolmogorov and Smirnov, D, and that of Anderson and
//     Darling, A², which weighs the tails more.
//  4. How often a sample of the fitted distribution would be as far from its own fit is found by a parametric
//     bootstrap: samples of the same size are drawn from the fit, fitted anew, and their D and A² compared. The
//     textbook's p-values are for a distribution that was known beforehand; with parameters from the same values they
//     are much too large (H. W. Lilliefors, "On the Kolmogorov-Smirnov Test for Normality with Mean and Variance
//     Unknown", Journal of the American Statistical Association 62, 1967; W. Stute, W. González Manteiga and M. Presedo
//     Quindimil, "Bootstrap Based Goodness-of-Fit Tests", Metrika 40, 1993). Draws are read as the values were. Large
//     samples are tested on a random part of them.
//  5. Of what had not ended when it was last seen a bound from below is known: right-censored values ([Sample.Censor]).
//     To leave them out would favour short ones. They enter the likelihoods with the probability to lie above their
//     bound. D is then the distance from the estimate of Kaplan and Meier; there is no A², and there are no p-values,
//     since the bootstrap would have to know when each resample would have been cut off.
//  6. Of the tail alone, a Pareto distribution above the least value from which it fits best: [FitTail].
//
// A p-value of a large sample says little: with many values, no simple family is good enough. D says how wrong it is.
package distfit
