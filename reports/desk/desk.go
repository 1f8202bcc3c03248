// Package desk writes the planner's desk: one page about cost, demand, jobs, deadlines, plans and runs.
//
// The page is one file with its data (as columns in JSON), its style and its scripts; its Content-Security-Policy
// allows nothing else. Numbers are computed beforehand; scripts filter, sort, sum over periods and draw. Names of jobs
// are always inserted as text. Without scripts, the HTML tables can be read.
package desk

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"

	"racecard/reports/style"
)

//go:embed page.html desk.css js
var files embed.FS // constant

// scripts are the files of the script, in their order.
var scripts = []string{ // constant
	"format", "dom", "state", "chart", "table", "today", "demand", "jobs", "job", "run", "plan", "machines", "serve",
	"main",
}

// view is the data of the template.
type view struct {
	*Data
	Policy, Period string
	Style, Script  template.HTML // from files of this package
	JSON           template.HTML // the data, without angle brackets
	Sections       []section
}

// Write writes the page.
func Write(w io.Writer, d *Data) error {
	page, err := template.ParseFS(files, "page.html")
	if err != nil {
		return err
	}
	css, err := sheet()
	if err != nil {
		return err
	}
	script, err := program()
	if err != nil {
		return err
	}
	data, packed, err := encode(d)
	if err != nil {
		return err
	}
	connect := "'none'"
	if d.Served {
		connect = "'self'"
	}
	v := view{Data: d, Sections: sections(d), Period: period(d)}
	v.JSON = template.HTML(`<script type="application/json" id="data">` + data + `</script>` + //nolint:gosec // escaped by json.Marshal, and base64
		`<script type="application/gzip" id="packed">` + packed + `</script>`)
	v.Style = template.HTML("<style>" + css + "</style>")       //nolint:gosec // of this package
	v.Script = template.HTML("<script>" + script + "</script>") //nolint:gosec // of this package
	v.Policy = fmt.Sprintf("default-src 'none'; script-src '%s'; style-src '%s'; connect-src %s; img-src data:; "+
		"base-uri 'none'; form-action 'none'", hash(script), hash(css), connect)
	return page.Execute(w, v)
}

// mostPlain is the size of data, in bytes, above which they are packed.
const mostPlain = 500_000

// encode returns the data as JSON, with < > & as \u003c and so on. Data of many jobs are packed: gzip in base64.
func encode(d *Data) (data, packed string, err error) {
	plain, err := json.Marshal(d)
	if err != nil || len(plain) <= mostPlain {
		return string(plain), "", err
	}
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return "", "", err
	}
	if _, err := z.Write(plain); err != nil {
		return "", "", err
	}
	if err := z.Close(); err != nil {
		return "", "", err
	}
	return "", base64.StdEncoding.EncodeToString(b.Bytes()), nil
}

// hash returns the Content-Security-Policy source that allows a text.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// program returns the script.
func program() (string, error) {
	var b strings.Builder
	b.WriteString("(async () => {\n'use strict';\n")
	for _, name := range scripts {
		text, err := files.ReadFile("js/" + name + ".js")
		if err != nil {
			return "", err
		}
		b.Write(text)
	}
	b.WriteString("})();\n")
	return b.String(), nil
}

// sheet returns the style, with the colours of reports.
func sheet() (string, error) {
	text, err := files.ReadFile("desk.css")
	if err != nil {
		return "", err
	}
	var light, dark strings.Builder
	for _, c := range style.Palette() {
		fmt.Fprintf(&light, "--%s:%s;", c.Name, style.Hex(c.Light))
		fmt.Fprintf(&dark, "--%s:%s;", c.Name, style.Hex(c.Dark))
	}
	return fmt.Sprintf(":root{%s}\n@media (prefers-color-scheme: dark){@media screen{:root{%s}}}\n%s", light.String(),
		dark.String(), text), nil
}
