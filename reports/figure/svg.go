package figure

import (
	"bytes"
	"fmt"
	"html"
	"image/color"
	"strconv"
	"strings"
	"unicode/utf8"

	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"

	"racecard/datasets/lists"
	"racecard/datasets/words"
	"racecard/reports/style"
)

// svg is a [vg.Canvas] that writes compact SVG: shapes that follow each other and look the same become one path, and in
// a page colours are classes rather than values. gonum's own SVG canvas writes one element with inline colours per
// shape, and fonts without alternatives. Figures are drawn without images and transforms: those panic.
type svg struct {
	vg.Canvas // nil
	w, h      float64
	inline    bool
	out       bytes.Buffer
	look      string   // attributes of the path that is being collected
	path      pathData // its data
	classes   map[color.NRGBA]string
	colour    color.Color
	width     float64 // of lines
	dash      string
}

func newSVG(w, h float64, inline bool) *svg {
	c := &svg{w: w, h: h, inline: inline, classes: map[color.NRGBA]string{}}
	for _, role := range style.Palette() {
		c.classes[role.Light] = role.Name
	}
	vg.Initialize(c)
	return c
}

// document ends the drawing and returns it. name describes the drawing in words.
func (c *svg) document(name string) string {
	c.flush()
	var b strings.Builder
	kind, size := `class="drawing"`, ""
	if !c.inline {
		kind = `xmlns="http://www.w3.org/2000/svg"`
		size = fmt.Sprintf(`width="%s" height="%s" `, num(c.w), num(c.h))
	}
	fmt.Fprintf(&b, "<svg %s role=\"img\" aria-label=\"%s\" %sviewBox=\"0 0 %s %s\" font-family='%s'>\n", kind,
		html.EscapeString(words.Printable(name)), size, num(c.w), num(c.h), style.FontFamily())
	b.Write(c.out.Bytes())
	b.WriteString("</svg>\n")
	return b.String()
}

// num writes a coordinate with at most two decimals.
func num(x float64) string {
	s := strconv.FormatFloat(x, 'f', 2, 64)
	s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	if s == "-0" {
		return "0"
	}
	if rest, ok := strings.CutPrefix(s, "0."); ok {
		return "." + rest
	}
	return s
}

// paint returns the attributes of the current colour used as fill or stroke.
func (c *svg) paint(as string) string {
	n := color.NRGBAModel.Convert(c.colour).(color.NRGBA)
	opaque := n
	opaque.A = 255
	look := fmt.Sprintf(`%s="%s"`, as, style.Hex(n))
	if role, ok := c.classes[opaque]; ok && c.inline {
		look = fmt.Sprintf(`class="%c-%s"`, as[0], role)
	}
	if n.A != 255 {
		look += fmt.Sprintf(` %s-opacity="%s"`, as, num(float64(n.A)/255))
	}
	if as == "stroke" && (!c.inline || !strings.HasPrefix(look, "class")) {
		look += ` fill="none"`
	}
	return look
}

// shape adds a path of the given look, to the last one if it looks the same.
func (c *svg) shape(look string, path vg.Path) {
	if look != c.look {
		c.flush()
		c.look = look
	}
	c.trace(path)
}

func (c *svg) flush() {
	if c.path.Len() > 0 {
		fmt.Fprintf(&c.out, "<path %s d=\"%s\"/>\n", c.look, c.path.Bytes())
	}
	c.path.reset()
	c.look = ""
}

// Stroke implements [vg.Canvas].
func (c *svg) Stroke(path vg.Path) {
	if c.width <= 0 {
		return
	}
	look := c.paint("stroke") + fmt.Sprintf(` stroke-width="%s"`, num(c.width))
	if c.dash != "" {
		look += fmt.Sprintf(` stroke-dasharray="%s"`, c.dash)
	}
	c.shape(look, path)
}

// Fill implements [vg.Canvas].
func (c *svg) Fill(path vg.Path) { c.shape(c.paint("fill"), path) }

// FillString implements [vg.Canvas]. The text has the width for which it was laid out in any sans-serif font: wider or
// narrower letters are condensed or stretched.
func (c *svg) FillString(f font.Face, at vg.Point, s string) {
	if f.Font.Size == 0 || strings.TrimSpace(s) == "" {
		return
	}
	c.flush()
	x, y := c.place(at)
	look := c.paint("fill")
	if f.Font.Weight == xfont.WeightBold {
		look += ` font-weight="bold"`
	}
	if utf8.RuneCountInString(s) > 2 {
		look += fmt.Sprintf(` textLength="%s" lengthAdjust="spacingAndGlyphs"`, num(textWidth(f, s)))
	}
	fmt.Fprintf(&c.out, "<text x=\"%s\" y=\"%s\" font-size=\"%s\" %s>%s</text>\n",
		num(x), num(y), num(f.Font.Size.Points()), look, html.EscapeString(words.Printable(s)))
}

// SetLineWidth implements [vg.Canvas].
func (c *svg) SetLineWidth(w vg.Length) { c.width = w.Points() }

// SetLineDash implements [vg.Canvas].
func (c *svg) SetLineDash(pattern []vg.Length, _ vg.Length) {
	c.dash = strings.Join(lists.Map(pattern, func(d vg.Length) string { return num(d.Points()) }), " ")
}

// SetColor implements [vg.Canvas].
func (c *svg) SetColor(colour color.Color) {
	if colour == nil {
		colour = color.Black
	}
	c.colour = colour
}

// place returns a point of the canvas in the coordinates of SVG, which run downwards. It panics if they are not finite.
func (c *svg) place(p vg.Point) (x, y float64) {
	x, y = p.X.Points(), c.h-p.Y.Points()
	if !finite(x, y) {
		panic("figure: a coordinate is not a number")
	}
	return x, y
}
