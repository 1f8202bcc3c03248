package swf_test

import (
	"slices"
	"testing"

	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/swf"
	"racecard/datasets/trace"
)

// The numbers of jobs are those of the README beside the traces; comments and unknown fields were counted with awk.
func TestSharedTraces(t *testing.T) {
	for _, test := range []struct {
		name           string
		jobs, comments int64
		header         string
		started        int // jobs with a start
		succeeded      int
		starts         int // warnings that submit times are starts
	}{
		{"swf/NASA-iPSC-1993-3.1-cln.swf.gz", 18239, 32, "MaxProcs: 128", 18239, 0, 1},
		{"swf/LCG.swf.gz", 188041, 188, "UnixStartTime: 1132444805", 0, 0, 0},
		{"swf/lublin_256.swf", 10000, 7, "MaxNodes: 256", 0, 10000, 0},
		{"gwf-swf-tiny/trace.swf", 5, 1, "Excerpt from the PWA: CTC-SP2-1996-3.1-cln.swf", 5, 4, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			if testing.Short() && test.jobs > 100_000 {
				t.Skip("long")
			}
			f := sourcetest.SharedFile(t, test.name)
			if head, err := f.Head(t.Context()); err != nil || !swf.Format().Detect(f.Name, head) {
				t.Errorf("not detected, %v", err)
			}
			tally := source.NewTally()
			started, succeeded, attempts := 0, 0, int64(0)
			for run, err := range swf.Read(t.Context(), []*source.File{f}, tally) {
				if err != nil {
					t.Fatal(err)
				}
				if err := run.Validate(); err != nil {
					t.Fatal(err)
				}
				if run.Start.Known() {
					started++
				}
				if run.Status == trace.Succeeded {
					succeeded++
				}
				attempts += int64(len(run.Attempts))
			}
			if tally.Used != test.jobs || attempts != test.jobs || tally.Ignored[swf.IgnoredComment] != test.comments ||
				tally.Read != test.jobs+test.comments {
				t.Errorf("%d attempts, tally %+v; want %d jobs, %d comments", attempts, tally, test.jobs, test.comments)
			}
			if started != test.started || succeeded != test.succeeded || len(tally.Repairs) != 0 ||
				len(tally.Warnings) != test.starts {
				t.Errorf("%d started, %d succeeded, repairs %v, warnings %v", started, succeeded, tally.Repairs,
					tally.Warnings)
			}
			if !slices.Contains(tally.Header, test.header) {
				t.Errorf("the header %q lacks %q", tally.Header, test.header)
			}
			if err := tally.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestSharedOthersAreRefused(t *testing.T) {
	for _, name := range []string{"gwf-swf-tiny/trace.gwf", "hawk-eagle-tr/YH_small.tr",
		"hawk-eagle-tr/GOOG_subtrace.tr.gz", "dax-synthetic/inspiral-100.xml"} {
		f := sourcetest.SharedFile(t, name)
		if head, err := f.Head(t.Context()); err != nil || swf.Format().Detect(f.Name, head) {
			t.Errorf("%s is taken for swf, %v", name, err)
		}
	}
}
