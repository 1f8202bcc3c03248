// Package style is the look of racecard's reports in one place: colours, sizes and fonts, and how numbers and units are
// written. Figures and pages take everything visible from here, so that they agree with each other.
//
// Colours exist for a light and a dark ground. Figures are drawn with the light ones; where a drawing becomes part of a
// page, its colours are replaced by the page's variables of the same name, and follow the reader's preference. Tests
// hold that text is legible (WCAG 2.1, success criteria 1.4.3 and 1.4.11) and that the colours of series remain
// distinct to readers with protanopia, deuteranopia and tritanopia.
package style

import (
	"fmt"
	"image/color"
)

// Colour is a role in a report and the colours that play it.
type Colour struct {
	Name  string // lower case, such as "ink": the name of its variable in a page
	Light color.NRGBA
	Dark  color.NRGBA
}

// NRGBA returns the colour on a light ground.
func (c Colour) NRGBA() color.NRGBA { return c.Light }

// Alpha returns the colour on a light ground with the given opacity, in [0, 1].
func (c Colour) Alpha(opacity float64) color.NRGBA {
	out := c.Light
	out.A = uint8(opacity*255 + 0.5)
	return out
}

// Hex writes a colour as #rrggbb, without its opacity.
func Hex(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// Ink is the colour of text and of emphasis.
func Ink() Colour { return Colour{"ink", rgb(0x1a1d21), rgb(0xe7e9ec)} }

// Muted is the colour of explanations: labels of axes, notes, published values.
func Muted() Colour { return Colour{"muted", rgb(0x59616b), rgb(0xa3abb5)} }

// Faint is the colour of grids and rules.
func Faint() Colour { return Colour{"faint", rgb(0xd8dce1), rgb(0x343a42)} }

// Wash is the colour of quiet grounds: boxes, bands, banners.
func Wash() Colour { return Colour{"wash", rgb(0xf2f4f6), rgb(0x1f242a)} }

// Paper is the ground.
func Paper() Colour { return Colour{"paper", rgb(0xffffff), rgb(0x14171b)} }

// Alert is the colour of failures only. It is always accompanied by a hatch, an outline or a word with the same
// meaning.
func Alert() Colour { return Colour{"alert", rgb(0x9b1020), rgb(0xdb4a50)} }

// Series returns the colours of series and categories, in the order of their use. Neighbours differ most.
func Series() []Colour {
	return []Colour{
		{"blue", rgb(0x1f6fd0), rgb(0x7fb8ee)},
		{"orange", rgb(0xb0661a), rgb(0xde9a48)},
		{"teal", rgb(0x25a183), rgb(0x40c49e)},
		{"plum", rgb(0xc456b4), rgb(0xc766da)},
		{"navy", rgb(0x16365c), rgb(0x4a7c9e)},
		{"moss", rgb(0x94990a), rgb(0xd3d551)},
	}
}

// SeriesAt returns the colour of the i-th series; the colours repeat after the last. i must not be negative.
func SeriesAt(i int) Colour {
	s := Series()
	return s[i%len(s)]
}

// Palette returns every colour of the style. Names differ, and so do the light colours.
func Palette() []Colour {
	return append([]Colour{Ink(), Muted(), Faint(), Wash(), Paper(), Alert()}, Series()...)
}

func rgb(hex uint32) color.NRGBA {
	return color.NRGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 255}
}
