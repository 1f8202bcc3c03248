package figure

import (
	"strconv"

	"racecard/reports/style"
)

// stageList names the stages of a graph below its drawing, in columns, if the drawing itself has room for numbers only.
type stageList struct {
	columns, rows int
	width         float64 // of a column
}

const (
	listRow  = 14.5
	listHead = 3 * style.Gap
)

// list returns the list that a form of the drawing needs; nothing when it names its stages itself or has too many.
func (d *graphDrawing) list(f form, width float64) stageList {
	n := len(d.graph.Stages)
	if f.detail != numbers || n > maxBoxed {
		return stageList{}
	}
	columns := max(1, int(width/165))
	return stageList{columns, (n + columns - 1) / columns, width / float64(columns)}
}

func (l stageList) height() float64 {
	if l.rows == 0 {
		return 0
	}
	return listHead + float64(l.rows)*listRow
}

// draw writes the list with its upper edge at y: number, name, tasks and seconds, column by column.
func (l stageList) draw(p *pen, y float64, d *graphDrawing) {
	if l.rows == 0 {
		return
	}
	for i, s := range d.graph.Stages {
		x, baseline := float64(i/l.rows)*l.width, y+listHead+float64(i%l.rows)*listRow+8
		number := text{size: style.SmallSize, align: 1, bold: s.Critical}
		name, note := text{size: style.SmallSize, bold: s.Critical}, text{size: 9, colour: style.Muted().Light}
		p.text(strconv.Itoa(i), x+14, baseline, number)
		detail := stageNote(s.Tasks, float64(s.Seconds))
		room := l.width - 20 - 10
		label := p.fit(stageLabel(s.Name), max(room-p.width(detail, note)-5, room/3), name)
		p.text(label, x+20, baseline, name)
		indent := p.width(label, name) + 5
		p.text(p.fit(detail, room-indent, note), x+20+indent, baseline, note)
	}
}
