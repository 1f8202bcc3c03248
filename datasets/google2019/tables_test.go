package google2019

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	pq "racecard/datasets/parquetio/parquetiotest"
)

// table is the job as columns.
func table() (names []string, rows [][]string) {
	names = []string{"", "time", "type", "collection_id", "instance_index", "machine_id", "resource_request", "user",
		"collection_logical_name", "start_after_collection_ids", "collection_type", "note"}
	row := func(time, event, index, machine, request, user, logical string) {
		rows = append(rows, []string{fmt.Sprint(len(rows)), time, event, "7", index, machine, request, user, logical,
			"[]", "0", "[0.1 0.2\n 0.3]"})
	}
	row("700", "0", "", "", "", "ann", "l/1=")
	row("800", "3", "", "", "", "ann", "l/1=")
	row("990", "FINISH", "", "", "", "ann", "l/1=")
	row("700", "0", "0", "0", "{'cpus': 0.5, 'memory': 0.25}", "", "")
	row("800", "3", "0", "11", "{'cpus': 0.5, 'memory': 0.25}", "", "")
	row("900", "4", "0", "11", "{'cpus': 0.5, 'memory': None}", "", "")
	row("900", "0", "0", "0", "None", "", "")
	row("901", "1", "0", "nan", "{}", "", "")
	row("910", "2", "0", "", "", "", "")
	row("920", "schedule", "0", "12", "{'memory': 0.5,\n 'cpus': 0.25}", "", "")
	row("980", "6", "0", "12", "", "", "")
	row("700", "0", "1", "0", "{'cpus': 1, 'memory': 1}", "", "")
	row("810", "3", "1", "-1", "", "", "")
	row("990", "7", "1", "-1", "", "", "")
	return names, rows
}

// csvOf writes a table as CSV; pick says which columns, in which order.
func csvOf(names []string, rows [][]string, pick []int) string {
	var b strings.Builder
	write := func(row []string) {
		for i, k := range pick {
			if i > 0 {
				b.WriteByte(',')
			}
			if s := row[k]; strings.ContainsAny(s, ",\"\n") {
				b.WriteString(`"` + strings.ReplaceAll(s, `"`, `""`) + `"`)
			} else {
				b.WriteString(s)
			}
		}
		b.WriteByte('\n')
	}
	write(names)
	for _, row := range rows {
		write(row)
	}
	return b.String()
}

func TestCSV(t *testing.T) {
	names, rows := table()
	all := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	content := csvOf(names, rows, all)
	checkJob(t, "in order", readFiles(t, content))
	checkJob(t, "CRLF", readFiles(t, strings.ReplaceAll(content, "\n", "\r\n")))
	checkJob(t, "no line end at the end", readFiles(t, strings.TrimSuffix(content, "\n")))
	checkJob(t, "byte-order mark", readFiles(t, "\ufeff"+content))
	slices.Reverse(all)
	checkJob(t, "columns backwards", readFiles(t, csvOf(names, rows, all)))
	checkJob(t, "columns missing", readFiles(t, csvOf(names, rows, []int{3, 1, 2, 4, 5, 6, 7, 8})))
	// Where a column holds nulls, pandas makes its whole numbers floating-point ones.
	for _, row := range rows {
		for _, k := range []int{1, 4, 5} {
			if row[k] != "" && row[k] != "nan" {
				row[k] += ".0"
			}
		}
	}
	checkJob(t, "floating-point numbers", readFiles(t, csvOf(names, rows, all)))
	names = slices.Clone(names)
	names[2], names[6] = "instance_events_type", "Resource_Request"
	checkJob(t, "other names", readFiles(t, csvOf(names, rows, all)))
}

func TestParquet(t *testing.T) {
	names, rows := table()
	columns := map[string]*pq.Column{}
	var text, nested, flat []pq.Column
	for k, name := range names[1:] {
		c := pq.Column{Name: name, Type: pq.Text}
		for _, row := range rows {
			if row[k+1] == "" {
				c.Rows = append(c.Rows, nil)
			} else {
				c.Rows = append(c.Rows, row[k+1])
			}
		}
		text = append(text, c)
		columns[name] = &c
	}
	whole := func(name string, into pq.Type) pq.Column {
		c := pq.Column{Name: name, Type: into}
		for _, cell := range columns[name].Rows {
			var n int
			if s, _ := cell.(string); s == "" || s == "nan" {
				c.Rows = append(c.Rows, nil)
			} else if _, err := fmt.Sscan(s, &n); err != nil {
				c.Rows = append(c.Rows, map[string]int{"FINISH": 6, "schedule": 3}[s])
			} else {
				c.Rows = append(c.Rows, n)
			}
		}
		return c
	}
	cpus, memory := pq.Column{Name: "resource_request.cpus", Type: pq.Float}, pq.Column{Name: "resource_request.memory",
		Type: pq.Float}
	for _, cell := range columns["resource_request"].Rows {
		var c cells
		s, _ := cell.(string)
		c.set(colRequest, 0, s)
		var rec record
		rec.event.CPU, rec.event.Mem = math.NaN(), math.NaN()
		c.request(&rec.event)
		for _, part := range []struct {
			x    float64
			into *pq.Column
		}{{rec.event.CPU, &cpus}, {rec.event.Mem, &memory}} {
			if math.IsNaN(part.x) {
				part.into.Rows = append(part.into.Rows, nil)
			} else {
				part.into.Rows = append(part.into.Rows, part.x)
			}
		}
	}
	after := pq.Column{Name: "start_after_collection_ids", List: "element"}
	for i := range rows {
		after.Rows = append(after.Rows, []any{nil, []any{}}[i%2])
	}
	common := []pq.Column{
		whole("time", pq.Int64), whole("type", pq.Int32), whole("collection_id", pq.Int64),
		whole("instance_index", pq.Double), whole("machine_id", pq.Int64),
		*columns["user"], *columns["collection_logical_name"], after,
	}
	nested = append(slices.Clone(common), cpus, memory)
	cpus.Name, memory.Name = "resource_request_cpus", "resource_request_memory"
	flat = append([]pq.Column{memory, cpus}, common...)
	for name, c := range map[string][]pq.Column{"text": text, "nested": nested, "flat": flat} {
		for _, o := range []pq.Options{{}, {Plain: true, Version2: true, GroupRows: 3}} {
			checkJob(t, fmt.Sprintf("%s, %+v", name, o), readFiles(t, string(pq.File(t, o, c...))))
		}
	}
}
