package table

import (
	"embed"
	"html/template"
	"strings"
)

//go:embed table.html
var source embed.FS // constant

// HTML returns the table as an element of a page. Cells are escaped.
func (t *Table) HTML() (template.HTML, error) {
	tmpl, err := template.ParseFS(source, "table.html")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := tmpl.Execute(&b, t); err != nil {
		return "", err
	}
	return template.HTML(b.String()), nil
}
