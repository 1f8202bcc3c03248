package run

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"racecard/datasets/publish"
	"racecard/pipeline/internal/recipe"
)

// asStep makes the test binary be a step that takes this number of megabytes of memory.
const asStep = "RACECARD_TEST_AS_STEP"

func TestMain(m *testing.M) {
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

// Linux counts the memory of the parent as that of a child that takes less: then the peak of a step is not known. A
// step that takes more has its own.
func TestPeakIsThatOfTheStep(t *testing.T) {
	touch(100)
	x := &runner{Options: Options{Program: os.Args[0]}, recipe: &recipe.Recipe{Dir: t.TempDir()}}
	var err error
	if x.vault, err = publish.OpenVault(filepath.Join(t.TempDir(), "out"), "test"); err != nil {
		t.Fatal(err)
	}
	defer x.vault.Close()
	for _, test := range []struct {
		megabytes string
		least     int64
		most      int64
	}{{"1", 0, 0}, {"300", 300 << 20, 400 << 20}} {
		t.Setenv(asStep, test.megabytes)
		r := &Result{ID: "0123"}
		s := &recipe.Step{Name: "step", Kind: &recipe.Kind{Name: "inspect"}}
		if state, err := x.process(context.Background(), s, r, func(string) {}); err != nil || state != Done {
			t.Fatal(state, err)
		}
		if r.PeakBytes < test.least || r.PeakBytes > test.most {
			t.Errorf("a step of %s MB has the peak %d, want %d to %d", test.megabytes, r.PeakBytes, test.least, test.most)
		}
	}
}
