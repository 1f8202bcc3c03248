package run

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"racecard/datasets/publish"
	"racecard/pipeline/internal/recipe"
)

// asStep makes the test binary be a step that takes this number of megabytes of memory.
const asStep = "RACECARD_TEST_AS_STEP"

func TestMain(m *testing.M) {
	if os.Getenv(asStep) == "killed" {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	if megabytes, err := strconv.Atoi(os.Getenv(asStep)); err == nil {
		fmt.Println(touch(megabytes))
		return
	}
	os.Exit(m.Run())
}

// touch takes some megabytes of memory, and returns a byte of them.
func touch(megabytes int) byte {
	all := make([]byte, megabytes<<20)
	for i := 0; i < len(all); i += 4096 {
		all[i] = byte(i >> 12)
	}
	return all[len(all)-1]
}

// alone returns a runner whose steps are this test binary.
func alone(t *testing.T) *runner {
	t.Helper()
	vault, err := publish.OpenVault(filepath.Join(t.TempDir(), "out"), "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := vault.Close(); err != nil {
			t.Error(err)
		}
	})
	return &runner{Options: Options{Program: os.Args[0]}, recipe: &recipe.Recipe{Dir: t.TempDir()}, vault: vault}
}

// A step that the system kills says so, and what may have been the reason.
func TestKilledSteps(t *testing.T) {
	t.Setenv(asStep, "killed")
	r, s := &Result{ID: "0123"}, &recipe.Step{Name: "step", Kind: &recipe.Kind{Name: "inspect"}}
	state, err := alone(t).process(context.Background(), s, r, func(string) {})
	if state != Failed || err == nil || !strings.Contains(err.Error(), "signal 9 (killed), as the system does where memory") {
		t.Errorf("%v, %v", state, err)
	}
}

// Linux counts the memory of the parent as that of a child that takes less: then the peak of a step is not known. A
// step that takes more has its own.
func TestPeakIsThatOfTheStep(t *testing.T) {
	touch(100)
	x := alone(t)
	for _, test := range []struct {
		megabytes string
		least     int64
		most      int64
	}{{"1", 0, 0}, {"300", 300 << 20, 1 << 30}} {
		t.Setenv(asStep, test.megabytes)
		r, s := &Result{ID: "0123"}, &recipe.Step{Name: "step", Kind: &recipe.Kind{Name: "inspect"}}
		if state, err := x.process(context.Background(), s, r, func(string) {}); err != nil || state != Done {
			t.Fatal(state, err)
		}
		if r.PeakBytes < test.least || r.PeakBytes > test.most {
			t.Errorf("a step of %s MB has the peak %d, want %d to %d", test.megabytes, r.PeakBytes, test.least, test.most)
		}
	}
}
