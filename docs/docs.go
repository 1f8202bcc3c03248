// Package docs holds the pages of the documentation that the program shows, too.
package docs

import _ "embed" // for the pages

// Figures is figures.md: how to read each figure.
//
//go:embed figures.md
var Figures string // constant
