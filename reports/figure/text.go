package figure

import (
	"cmp"
	"image/color"
	"sort"
	"strings"

	"golang.org/x/image/font"
	plotfont "gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"

	"racecard/datasets/words"
	"racecard/reports/style"
)

// faces are the fonts of figures, Liberation Sans. They measure text before there is anything to draw on.
type faces struct{ cache *plotfont.Cache }

func newFaces() faces { return faces{plotfont.NewCache(liberation.Collection())} }

// text is how text is set; zero means the style's text size, regular weight, ink and aligned left.
type text struct {
	size   float64
	bold   bool
	colour color.Color
	align  float64 // share of the text's width that lies left of its place: 0 left, 0.5 centre, 1 right
}

// smallText is the style of labels and notes.
func smallText() text { return text{size: style.SmallSize, colour: style.Muted().Light} }

// centred is the style of centred text: labels of axes, and the note of an empty plot.
func centred() text { return text{colour: style.Muted().Light, align: 0.5} }

func (t text) font() plotfont.Font {
	f := plotfont.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Points(cmp.Or(t.size, style.TextSize))}
	if t.bold {
		f.Weight = font.WeightBold
	}
	return f
}

// text sets one line with its baseline at y.
func (p *pen) text(s string, x, y float64, t text) {
	if s == "" {
		return
	}
	f := t.font()
	face := p.cache.Lookup(f, f.Size)
	p.c.SetColor(cmp.Or[color.Color](t.colour, style.Ink().Light))
	p.c.FillString(face, p.at(x-t.align*p.width(s, t), y), s)
}

// width returns the width of a line of text. Characters outside the alphabets that the fonts are made for count as a
// square each: a browser takes them from another font.
func (f faces) width(s string, t text) float64 {
	font := t.font()
	return textWidth(f.cache.Lookup(font, font.Size), s)
}

// textWidth returns the width of a line of text in a face.
func textWidth(face plotfont.Face, s string) float64 {
	foreign := 0
	known := strings.Map(func(r rune) rune {
		if r > 0x2300 {
			foreign++
			return -1
		}
		return r
	}, s)
	return face.Width(known).Points() + 1.05*float64(foreign)*face.Font.Size.Points()
}

// fit cuts text to a width; the result may be empty.
func (f faces) fit(s string, width float64, t text) string {
	s = words.Printable(s)
	if f.width(s, t) <= width {
		return s
	}
	n := sort.Search(len([]rune(s))-1, func(n int) bool { return f.width(words.Shorten(s, n+1), t) > width })
	if n < 2 {
		return ""
	}
	return words.Shorten(s, n)
}

// wrap divides text into lines of at most a width, at spaces; a word that is wider is cut.
func (f faces) wrap(s string, width float64, t text) []string {
	var lines []string
	for _, word := range strings.Fields(words.Printable(s)) {
		if n := len(lines); n > 0 && f.width(lines[n-1]+" "+word, t) <= width {
			lines[n-1] += " " + word
		} else {
			lines = append(lines, f.fit(word, width, t))
		}
	}
	return lines
}

// widest returns the width of the widest of some texts.
func (f faces) widest(t text, all ...string) float64 {
	w := 0.0
	for _, s := range all {
		w = max(w, f.width(s, t))
	}
	return w
}
