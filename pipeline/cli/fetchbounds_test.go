package cli

import (
	"io"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"racecard/datasets/catalogue"
)

// Sums of what servers say do not overflow: two files of 2^62 bytes once needed no consent.
func TestSizesThatOverflow(t *testing.T) {
	entry, err := catalogue.Named("google2011")
	if err != nil {
		t.Fatal(err)
	}
	p, err := newPlan(entry, fetchFlags{out: filepath.Join(t.TempDir(), "out")})
	if err != nil {
		t.Fatal(err)
	}
	for i := range p.files {
		p.files[i].Bytes, p.files[i].Approximate = 1<<62, true
	}
	e := &env{stdin: strings.NewReader(""), stdout: newScreen(io.Discard), stderr: newScreen(io.Discard)}
	if bytes, _ := p.missing(); bytes != math.MaxInt64 || len(p.files) < 2 {
		t.Errorf("%d files of 2^62 bytes are %d bytes", len(p.files), bytes)
	}
	if err := e.consent(t.Context(), p, false); err == nil {
		t.Error("nothing was asked")
	}
	if r := request(p.files[0]); r.Limit < 1<<62 {
		t.Errorf("at most %d bytes may arrive", r.Limit)
	}
}

// A part of a file of unknown size says nothing about how much is to come.
func TestPartsOfUnknownSizeAreAskedFor(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "x.tr.part", "1 2 3")
	p := &plan{dir: dir, files: []catalogue.File{{Path: "x.tr"}}}
	if _, unknown := p.missing(); unknown != 1 {
		t.Errorf("%d files of unknown size, want 1", unknown)
	}
}

// Nothing that --from holds beside the address of the mirror is in the plan that is shown and stored.
func TestFromWithCredentials(t *testing.T) {
	const from = "https://ann:hunter2@mirror.example.org/traces?token=sig#x"
	status, stdout, stderr := call(t, "fetch", "swim", "--dry-run", "--from", from, "--json")
	if all := stdout + stderr; status != ExitDone || strings.Contains(all, "hunter2") || strings.Contains(all, "sig") ||
		!strings.Contains(all, "https://mirror.example.org/traces/") {
		t.Errorf("exit status %d: %s", status, all)
	}
	status, stdout, stderr = call(t, "fetch", "swim", "--dry-run", "--from", "ftp://ann:hunter2@mirror.example.org/")
	if all := stdout + stderr; status != ExitUsage || strings.Contains(all, "hunter2") {
		t.Errorf("exit status %d: %s", status, all)
	}
	entry, err := catalogue.Named("swim")
	if err != nil {
		t.Fatal(err)
	}
	p, err := newPlan(entry, fetchFlags{from: from})
	if err != nil {
		t.Fatal(err)
	}
	if password, _ := p.access.User.Password(); password != "hunter2" || p.access.Query != "token=sig" {
		t.Errorf("the mirror is sent %+v", p.access)
	}
}
