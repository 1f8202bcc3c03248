package style

import (
	"image/color"
	"math"
	"testing"
)

// linear returns the linear light of an sRGB colour.
func linear(c color.NRGBA) [3]float64 {
	var out [3]float64
	for i, v := range [3]uint8{c.R, c.G, c.B} {
		x := float64(v) / 255
		if x <= 0.04045 {
			out[i] = x / 12.92
		} else {
			out[i] = math.Pow((x+0.055)/1.055, 2.4)
		}
	}
	return out
}

// contrast is the contrast ratio of WCAG 2.1.
func contrast(a, b color.NRGBA) float64 {
	lum := func(c color.NRGBA) float64 {
		l := linear(c)
		return 0.2126*l[0] + 0.7152*l[1] + 0.0722*l[2]
	}
	x, y := lum(a), lum(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func grounds() map[string]func(Colour) color.NRGBA {
	return map[string]func(Colour) color.NRGBA{
		"light": func(c Colour) color.NRGBA { return c.Light },
		"dark":  func(c Colour) color.NRGBA { return c.Dark },
	}
}

func TestContrast(t *testing.T) {
	for ground, of := range grounds() {
		for _, back := range []Colour{Paper(), Wash()} {
			for _, c := range []Colour{Ink(), Muted()} {
				if got := contrast(of(c), of(back)); got < 4.5 {
					t.Errorf("%s: %s on %s has contrast %.2f, want at least 4.5", ground, c.Name, back.Name, got)
				}
			}
		}
		for _, c := range append(Series(), Alert()) {
			if got := contrast(of(c), of(Paper())); got < 3 {
				t.Errorf("%s: %s has contrast %.2f, want at least 3", ground, c.Name, got)
			}
		}
	}
}

// deficiencies are the matrices for full dichromacy of G. M. Machado, M. M. Oliveira and L. A. F. Fernandes, "A
// Physiologically-based Model for Simulation of Color Vision Deficiency", IEEE TVCG 15(6), 2009, for linear light.
func deficiencies() map[string][3][3]float64 {
	return map[string][3][3]float64{
		"full colour vision": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
		"protanopia": {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216},
			{-0.003882, -0.048116, 1.051998}},
		"deuteranopia": {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413},
			{-0.011820, 0.042940, 0.968881}},
		"tritanopia": {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602},
			{0.004733, 0.691367, 0.303900}},
	}
}

// lab returns CIE L*a*b* (D65) of a colour as someone with the deficiency sees it.
func lab(c color.NRGBA, m [3][3]float64) [3]float64 {
	l := linear(c)
	var s [3]float64
	for i := range s {
		s[i] = min(1, max(0, m[i][0]*l[0]+m[i][1]*l[1]+m[i][2]*l[2]))
	}
	f := func(t float64) float64 {
		if t > 0.008856 {
			return math.Cbrt(t)
		}
		return 7.787*t + 16.0/116
	}
	x := f((0.4124*s[0] + 0.3576*s[1] + 0.1805*s[2]) / 0.9505)
	y := f(0.2126*s[0] + 0.7152*s[1] + 0.0722*s[2])
	z := f((0.0193*s[0] + 0.1192*s[1] + 0.9505*s[2]) / 1.089)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

// Ten units of L*a*b* are told apart at a glance; around two is the least that can be seen.
func TestSeriesAreDistinctWithoutColourVision(t *testing.T) {
	for ground, of := range grounds() {
		for deficiency, m := range deficiencies() {
			all := append(Series(), Alert())
			for i := range all {
				for j := range i {
					a, b := lab(of(all[i]), m), lab(of(all[j]), m)
					if d := math.Hypot(math.Hypot(a[0]-b[0], a[1]-b[1]), a[2]-b[2]); d < 10 {
						t.Errorf("%s, %s: %s and %s differ by %.1f, want at least 10",
							ground, deficiency, all[i].Name, all[j].Name, d)
					}
				}
			}
		}
	}
}

func TestPaletteNamesAndColoursDiffer(t *testing.T) {
	names, colours := map[string]bool{}, map[color.NRGBA]bool{}
	for _, c := range Palette() {
		if names[c.Name] || colours[c.Light] {
			t.Errorf("%s occurs twice", c.Name)
		}
		names[c.Name], colours[c.Light] = true, true
	}
}

func TestColour(t *testing.T) {
	if got, want := Hex(Ink().Light), "#1a1d21"; got != want {
		t.Errorf("Hex(ink) = %q, want %q", got, want)
	}
	if got, want := Ink().Alpha(0.5).A, uint8(128); got != want {
		t.Errorf("Alpha(0.5) = %d, want %d", got, want)
	}
	if got, want := SeriesAt(6), SeriesAt(0); got != want {
		t.Errorf("SeriesAt(6) = %v, want %v", got, want)
	}
}
