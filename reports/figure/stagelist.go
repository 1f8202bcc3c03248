package figure

import (
	"strconv"

	"racecard/reports/style"
)

const (
	listRow  = 14.5
	listHead = 3 * style.Gap
)

// list names the stages of a graph below its drawing, in columns, if the drawing itself has room for numbers only: for
// each its number, name, tasks and seconds. It is empty when a form names its stages itself or has too many.
func (d *graphDrawing) list(f form, width float64) sheet {
	n := len(d.graph.Stages)
	if f.detail != numbers || n > maxBoxed {
		return sheet{draw: func(*pen) {}}
	}
	columns := max(1, int(width/165))
	rows, pitch := (n+columns-1)/columns, width/float64(columns)
	return sheet{height: listHead + float64(rows)*listRow, draw: func(p *pen) {
		for i, s := range d.graph.Stages {
			x, baseline := float64(i/rows)*pitch, listHead+float64(i%rows)*listRow+8
			number := text{size: style.SmallSize, align: 1, bold: s.Critical}
			name, note := text{size: style.SmallSize, bold: s.Critical}, text{size: 9, colour: style.Muted().Light}
			p.text(strconv.Itoa(i), x+14, baseline, number)
			detail := stageNote(s.Tasks, float64(s.Seconds))
			room := pitch - 20 - 10
			label := p.fit(stageLabel(s.Name), max(room-p.width(detail, note)-5, room/3), name)
			p.text(label, x+20, baseline, name)
			indent := p.width(label, name) + 5
			p.text(p.fit(detail, room-indent, note), x+20+indent, baseline, note)
		}
	}}
}
