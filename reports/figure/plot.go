package figure

import (
	"image/color"

	"gonum.org/v1/plot"
	plottext "gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"racecard/reports/style"
)

// newPlot returns an empty plot in the house style: a thin rule with ticks below, no rule at the left, no ground.
func newPlot(p *pen, x axis, room float64, label string, write func(float64) string) *plot.Plot {
	out := plot.New()
	out.BackgroundColor = nil
	out.TextHandler = p.handler()
	out.Title.TextStyle = textStyle(p, text{})
	ax := &out.X
	ax.Min, ax.Max, ax.Scale = x.min, x.max, x.scale
	ax.Padding = 0
	ax.LineStyle = lineStyle(style.Muted().Light, style.HairWidth)
	ax.Label.Text, ax.Label.Padding = label, 4
	ax.Label.TextStyle = textStyle(p, text{size: style.TextSize, colour: style.Muted().Light})
	ax.Label.TextStyle.XAlign = draw.XCenter
	small := smallText()
	ax.Tick.Label = textStyle(p, small)
	ax.Tick.Label.XAlign, ax.Tick.Label.YAlign = draw.XCenter, draw.YTop
	ax.Tick.Length, ax.Tick.LineStyle = 4, ax.LineStyle
	ax.Tick.Marker = ticker{x, room, write, func(s string) float64 { return p.width(s, small) }}
	out.Y.Min, out.Y.Max, out.Y.Padding = 0, 1, 0
	out.Y.LineStyle = lineStyle(color.Transparent, 0)
	out.Y.Tick.Label = textStyle(p, small)
	out.Y.Tick.Label.XAlign, out.Y.Tick.Label.YAlign = draw.XRight, draw.YCenter
	out.Y.Tick.Length = 0
	out.Y.Label.TextStyle = ax.Label.TextStyle
	out.Legend.TextStyle = ax.Tick.Label
	return out
}

func textStyle(p *pen, t text) plottext.Style {
	if t.colour == nil {
		t.colour = style.Ink().Light
	}
	return plottext.Style{Color: t.colour, Font: t.font(), Handler: p.handler()}
}

func lineStyle(c color.Color, width float64) draw.LineStyle {
	return draw.LineStyle{Color: c, Width: vg.Points(width)}
}

// shares labels a vertical axis of shares: [plot.Ticker].
type shares struct{ labels bool }

// Ticks implements [plot.Ticker].
func (s shares) Ticks(float64, float64) []plot.Tick {
	var out []plot.Tick
	for _, y := range []float64{0, 0.25, 0.5, 0.75, 1} {
		t := plot.Tick{Value: y}
		if s.labels {
			t.Label = style.Percent(y)
		}
		out = append(out, t)
	}
	return out
}

// grid draws faint rules at quarters of a vertical axis of shares: [plot.Plotter].
type grid struct{}

// Plot implements [plot.Plotter].
func (grid) Plot(c draw.Canvas, p *plot.Plot) {
	_, y := p.Transforms(&c)
	for _, share := range []float64{0.25, 0.5, 0.75, 1} {
		c.StrokeLine2(lineStyle(style.Faint().Light, style.HairWidth), c.Min.X, y(share), c.Max.X, y(share))
	}
}
