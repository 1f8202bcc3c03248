// Package figure draws the documents and tables of an analysis as a [Figure], which is written as SVG, for a page or
// for a file, and as PNG. It is the only package that imports gonum.org/v1/plot.
//
// Every figure states its sample size, its units and its source, either in the drawing or in its caption. It holds its
// numbers as [Value], so that tests distinguish a change of data from a change of looks. A drawing is laid out for a
// width, so that it is legible on a phone and on a desktop. Its content is thinned to the visible resolution, so that
// files do not grow with the number of observations. The same results give the same bytes.
//
// Most figures are declarations: a [chart] of panels, each with axes and layers (lines, areas, boxes, spans, marks,
// rules, names). The grid follows from the width and from the space that labels need; the ends of axes, the key, the
// values and the alternative text derive from the layers. Two series never differ by colour alone. Text has the width
// for which it was laid out in any sans-serif font. To add a figure, write a function from a result to a chart and
// call [chart.figure]. Stage graphs and the attempts of a run are drawn by separate code.
//
// Figures never fail on the content of a trace. Values that are NaN or infinite are left out and counted in the
// caption; an empty figure says so.
package figure
