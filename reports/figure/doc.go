// Package figure draws results: from the documents and tables of an analysis to a [Figure], which is written as SVG,
// for a page or for a file, and as PNG. It is the only package that imports gonum.org/v1/plot.
//
// Every figure states its sample size, its units and its source, either in the drawing or in the caption beside it, and
// holds the numbers that it shows as [Value], so that a change of data and a change of looks can be told apart. A
// drawing is laid out for a width, so that it is legible on a phone as on a desktop. What it draws is thinned to what
// the eye can see: a file does not grow with the number of observations beyond that. The same results give the same
// bytes.
//
// Figures never fail on what a trace holds. Values that are NaN or infinite are left out and counted in the caption; a
// figure without anything to show says so.
package figure
