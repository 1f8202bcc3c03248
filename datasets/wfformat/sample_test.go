package wfformat

import (
	"math"
	"strings"
	"testing"

	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/trace"
)

// instance is of version 1.5: a splits "in" for b and c, whose results d joins. The tasks are not in topological order.
const instance = `{
  "name": "diamond-0.json",
  "description": "made by hand",
  "createdAt": "2020-12-30T02:25:02.572078",
  "schemaVersion": "1.5",
  "author": {"name": "cc", "email": "a@b.c"},
  "workflow": {
    "specification": {
      "tasks": [
        {"name": "join", "id": "d", "parents": ["b", "c"], "children": [], "inputFiles": ["b.out", "c.out"], "outputFiles": ["result"]},
        {"name": "split", "id": "a", "parents": [], "children": ["b", "c"], "inputFiles": ["in"], "outputFiles": ["b.in", "c.in"]},
        {"name": "work", "id": "b", "parents": ["a"], "children": ["d"], "inputFiles": ["b.in", "in"], "outputFiles": ["b.out"]},
        {"name": "work", "id": "c", "parents": ["a"], "children": ["d"], "inputFiles": ["c.in"], "outputFiles": ["c.out", "log"]}
      ],
      "files": [
        {"id": "in", "sizeInBytes": 100}, {"id": "b.in", "sizeInBytes": 60}, {"id": "c.in", "sizeInBytes": 40},
        {"id": "b.out", "sizeInBytes": 6}, {"id": "c.out", "sizeInBytes": 4}, {"id": "result", "sizeInBytes": 1}, {"id": "log", "sizeInBytes": 2}
      ]
    },
    "execution": {
      "makespanInSeconds": 90.5,
      "executedAt": "2020-12-25T20:10:08+00:00",
      "tasks": [
        {"id": "a", "runtimeInSeconds": 2.0, "command": {"program": "split", "arguments": ["in"]}, "coreCount": 1, "avgCPU": 50, "memoryInBytes": 1000, "readBytes": 100, "writtenBytes": 50, "machines": ["m1"], "priority": 1},
        {"id": "b", "runtimeInSeconds": 10, "avgCPU": 190.3},
        {"id": "c", "runtimeInSeconds": 0.0, "readBytes": 9, "machines": ["m2", "m1"]},
        {"id": "d", "runtimeInSeconds": 1.25}
      ],
      "machines": [
        {"nodeName": "m1", "system": "linux", "memoryInBytes": 131795960000, "cpu": {"vendor": "GenuineIntel", "coreCount": 48, "speedInMHz": 1200}},
        {"nodeName": "m2", "cpu": {"coreCount": 48}}
      ]
    }
  },
  "runtimeSystem": {"name": "Pegasus", "version": "5.0"}
}`

// old is the same workflow in version 1.2: jobs, names for references, kilobytes, and the runtime system behind.
const old = `{
  "name": "diamond", "schemaVersion": "1.2",
  "workflow": {
    "makespan": 90.5,
    "executedAt": "20201225T201008+0000",
    "machines": [{"nodeName": "m1", "memory": 1000, "cpu": {"count": 8, "speed": 1200}}],
    "jobs": [
      {"name": "join_ID4", "id": "ID4", "type": "compute", "parents": ["work_ID2", "work_ID3"], "runtime": 1.25, "files": [
        {"name": "b.out", "size": 6, "link": "input"}, {"name": "c.out", "size": 4, "link": "input"}, {"name": "result", "size": 1, "link": "output"}]},
      {"name": "split_ID1", "id": "ID1", "type": "compute", "runtime": 2, "cores": 1, "avgCPU": 50, "memory": 1, "bytesRead": 100, "bytesWritten": 50, "machine": "m1", "files": [
        {"name": "in", "size": 100, "link": "input"}, {"name": "b.in", "size": 60, "link": "output"}, {"name": "c.in", "size": 40, "link": "output"}]},
      {"name": "work_ID2", "id": "ID2", "type": "compute", "parents": ["split_ID1"], "runtime": "10", "files": [
        {"name": "b.in", "size": 60, "link": "input"}, {"name": "in", "size": 100, "link": "input"}, {"name": "b.out", "size": 6, "link": "output"}]},
      {"name": "work_ID3", "id": "ID3", "type": "compute", "parents": ["split_ID1"], "runtime": 0, "files": [
        {"name": "c.in", "size": 40, "link": "input"}, {"name": "c.out", "size": 4, "link": "output"}, {"name": "log", "size": 2, "link": "output"}]}
    ]
  },
  "wms": {"name": "Pegasus", "version": "4.9"}
}`

func read(t testing.TB, content string) *sourcetest.Result {
	return sourcetest.Read(t, Format(), source.BytesFile("dir/diamond-001.json.gz", []byte(content)))
}

func one(t *testing.T, content string) (*trace.Run, *source.Tally) {
	t.Helper()
	r := read(t, content)
	if len(r.Runs) != 1 || len(r.Rejects) != 0 || r.Tally.Read != 1 || r.Tally.Used != 1 {
		t.Fatalf("%d runs, rejects %v, tally %+v", len(r.Runs), r.Rejects, r.Tally)
	}
	return r.Runs[0], r.Tally
}

// change replaces text that must be there.
func change(t testing.TB, content, from, to string) string {
	t.Helper()
	if !strings.Contains(content, from) {
		t.Fatalf("the sample does not hold %q", from)
	}
	return strings.ReplaceAll(content, from, to)
}

// same compares a value with a wanted one, of which -1 is null.
func same(got, want float64) bool { return got == want || want == -1 && math.IsNaN(got) }
