package serve

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The Python client gets the answers that the server gives, and holds where there is none.
func TestPythonClient(t *testing.T) {
	if err := exec.Command("python3", "-c", "import sys; assert sys.version_info >= (3, 8)").Run(); err != nil {
		t.Skipf("no python3 of version 3.8 or later: %v", err)
	}
	c, err := parseCredentials([]byte("0123456789abcdef read,decide"))
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, func(o *Options) { o.Credentials = &c })
	program := `
import sys
from racecard_client import Client, RacecardError
c = Client(sys.argv[1], token="0123456789abcdef")
print([j["job"] for j in c.jobs()])
print(c.remaining("a", 0, 2, quantile=0.5), c.remaining("a", 0, 2, elapsed_s=0.25)["p50"])
print([a["remaining_s"] for a in c.remaining_batch([{"job": "b/c", "progress": 0.5, "tokens": 1, "quantile": 0.5}])])
print([j["fits"] for j in c.admit(8, [{"job": "a", "deadline_s": 100}])["jobs"]])
print(c.table("b/c")[:6], c.table("b/c", parquet=True)[:4])
run = c.run("x", "a", deadline_s=80, max_executors=8)
d = run.decide(0, 2, done=[0, 0])
print(d.hold, d.executors, d.end_s)
print(run.decide(5, 2).why)
run.end()
try:
    c.remaining("q", 0, 1)
except RacecardError as e:
    print(e.status)
try:
    Client(sys.argv[1]).jobs()
except RacecardError as e:
    print(e.status)
down = Client("http://127.0.0.1:9", timeout_s=0.5).run("x", "a", 80, slots=2).decide(0, 3, progress=0.5)
print(down.hold, down.executors, down.tokens)
`
	const want = `['a', 'b/c']
{'p50': 50} 49.75
[{'p50': 50}]
[True]
b'ARROW1' b'PAR1'
False 2 50
no stages, fractions or progress given
404
401
True 3 6
`
	dir, err := filepath.Abs("python")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("python3", "-B", "-W", "error", "-c", program, r.url)
	cmd.Env = append(os.Environ(), "PYTHONPATH="+dir)
	out, err := cmd.CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != strings.TrimSpace(want) {
		t.Errorf("%v\n%s\nwant\n%s", err, out, want)
	}
}
