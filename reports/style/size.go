package style

// Sizes of figures and their parts, in units of a drawing: CSS pixels on a page, 1/72 inch on paper.
const (
	WideWidth   = 760.0 // figure on a desktop, in print and as a file
	NarrowWidth = 344.0 // figure on a phone

	TextSize  = 11.5 // labels and keys
	SmallSize = 10.0 // ticks and notes
	TitleSize = 15.0 // title of a figure that stands alone

	HairWidth  = 0.75 // grids and rules
	LineWidth  = 1.75 // curves
	HeavyWidth = 2.5  // emphasised lines
	DotRadius  = 3.5  // marked values
	Gap        = 8.0  // between parts; layouts use multiples of it
)

// SmallSample is the sample size below which reports call a sample small.
const SmallSample = 10

// FontFamily is the CSS font stack of text in figures. Figures are laid out with the metrics of Liberation Sans, which
// the first two share.
func FontFamily() string { return `Arial, "Liberation Sans", Helvetica, "Helvetica Neue", sans-serif` }
