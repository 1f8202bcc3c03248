package serve

import (
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
)

// fullDisk is a journal on a disk that is full, while there is an error.
type fullDisk struct {
	memory
	err error
}

func (f *fullDisk) Write(line []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return f.memory.Write(line)
}

// On a full disk decisions go on. All lost lines are counted; the log has a line when the fault begins, when it changes
// and when it ends.
func TestFullDisk(t *testing.T) {
	log, disk := &lockedBuffer{}, &fullDisk{}
	r := newRig(t, func(o *Options) {
		o.Journal, o.Logger = disk, slog.New(slog.NewTextHandler(log, nil))
	})
	full, gone := errors.New("no space left on device"), errors.New("input/output error")
	for i, err := range []error{nil, full, full, full, gone, full, full, nil, nil} {
		disk.err = err
		if d := r.decision(t, step("x", float64(i), 0)); d.Tokens < 1 {
			t.Errorf("%+v", d)
		}
	}
	if _, text := r.ask(t, "GET", "/metrics", ""); !strings.Contains(text, "racecard_journal_errors_total 6") {
		t.Error("the lost lines are not counted")
	}
	for want, times := range map[string]int{"journal not written": 3, "no space left": 2, "input/output error": 1,
		`msg="journal is written again" lost=6`: 1} {
		if got := strings.Count(log.String(), want); got != times {
			t.Errorf("%q is there %d times, want %d:\n%s", want, got, times, log)
		}
	}
}

// A path that is asked for with another method says which it has.
func TestOtherMethods(t *testing.T) {
	r := newRig(t, nil)
	for path, want := range map[string]string{"/v1/decide": "POST", "/v1/remaining": "GET, HEAD, POST",
		"/v1/apps/x": "DELETE", "/healthz": "GET, HEAD", "/nope": ""} {
		q, err := http.NewRequest(http.MethodPatch, r.url+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		a, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		if got := a.Header.Get("Allow"); got != want || (a.StatusCode == http.StatusMethodNotAllowed) != (want != "") {
			t.Errorf("%s: status %d, Allow %q, want %q", path, a.StatusCode, got, want)
		}
	}
}
