package result

// Fitted compares families of distributions with a set of positive numbers.
type Fitted struct {
	Of   string `json:"of"`   // key of the set, such as "completion_s"
	What string `json:"what"` // the set in words
	Unit string `json:"unit"` // of the numbers: "s", or "" for counts
	N    int64  `json:"n"`    // numbers that are known
	// Further values with only a lower bound (right-censored), which are fitted, too.
	Open    int64 `json:"censored"`
	LeftOut int64 `json:"left_out"`          // numbers that were left out: those that are 0, unless 0 stands for a cell
	Lost    int64 `json:"censored_left_out"` // more of which not even a bound is known
	// Distinct is the number of different values, in bins of 0.1% if there are very many.
	Distinct int     `json:"distinct"`
	Step     float64 `json:"step"` // all numbers are multiples of it; 0 when of nothing
	// Coarse reports that the numbers lie on a coarse grid of steps. A number then stands for a cell, all values
	// that are read as it, and likelihoods are likelihoods of cells.
	Coarse bool `json:"coarse"`
	// Tested is the number of values in each test, and Resamples the number of samples drawn for it: 0 for censored
	// numbers, since the censoring of resamples is not known.
	Tested    int `json:"tested"`
	Resamples int `json:"resamples"`

	Families  []FamilyFit       `json:"families"` // by ascending AIC
	NotFitted map[string]string `json:"not_fitted,omitempty"`
	Tail      *TailFit          `json:"tail,omitempty"` // none for less than a hundred numbers or so
	Curve     []Point           `json:"curve"`          // the set itself
	At        []float64         `json:"at"`             // where the curves of the families are given, ascending
	Warnings  []string          `json:"warnings,omitempty"`
}

// FamilyFit is the likeliest member of a family.
type FamilyFit struct {
	Family        string             `json:"family"` // exponential, gamma, lognormal, pareto, weibull
	Params        map[string]float64 `json:"params"`
	LogLikelihood float64            `json:"log_likelihood"`
	AIC           float64            `json:"aic"`
	BIC           float64            `json:"bic"`
	DeltaAIC      float64            `json:"delta_aic"` // above the least AIC of the families
	// D of Kolmogorov and Smirnov, over all numbers; from the estimate of Kaplan and Meier where some are censored
	KS float64 `json:"ks"`
	AD Number  `json:"ad"` // A² of Anderson and Darling, over all numbers; null where some are censored
	// PKS and PAD are the shares of samples of the family that are as far from their own fit, by D and by A²:
	// parametric bootstrap over Tested values. Null when nothing was tested.
	PKS   Number    `json:"p_ks"`
	PAD   Number    `json:"p_ad"`
	Above []float64 `json:"above"` // share of the family that is, or is read as, at least each of At
}

// Point is a point of a curve: the share of a set of numbers that is at least X, estimated after Kaplan and Meier where
// some are censored.
type Point struct {
	X     float64 `json:"x"`
	Share float64 `json:"share"`
}

// TailFit is a Pareto distribution fitted to the largest numbers alone.
type TailFit struct {
	From  float64 `json:"from"` // least number of the tail
	Alpha float64 `json:"alpha"`
	N     int64   `json:"n"`     // numbers in the tail
	Share float64 `json:"share"` // of all numbers
	KS    float64 `json:"ks"`    // D within the tail
	P     Number  `json:"p_ks"`  // semi-parametric bootstrap; null when nothing was tested
}
