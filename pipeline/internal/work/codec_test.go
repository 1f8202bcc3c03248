package work

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/result"
	"racecard/datasets/sample/sampletest"
	"racecard/datasets/trace"
	"racecard/datasets/trace/tracetest"
	"racecard/pipeline/internal/stage"
)

// A partial result that went through its encoding merges and finishes as the one that did not, and encodes to the same bytes again.
func TestPartialsSurvive(t *testing.T) {
	for _, a := range stage.Analyses(stage.DefaultOptions()) {
		t.Run(a.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				runs := drawRuns(t)
				parts := rapid.IntRange(1, 4).Draw(t, "parts")
				plain, coded := a.New(), a.New()
				for k := range parts {
					straight, travelled := a.New(), a.New()
					for i, r := range runs {
						if i*parts/len(runs) == k {
							straight.Add(r)
							travelled.Add(r)
						}
					}
					data, err := Encode(stage.State(travelled))
					if err != nil {
						t.Fatal(err)
					}
					fresh := a.New()
					if err := Decode(data, stage.State(fresh)); err != nil {
						t.Fatal(err)
					}
					again, err := Encode(stage.State(fresh))
					if err != nil || !bytes.Equal(data, again) {
						t.Fatalf("%v: %d bytes, and %d bytes after they were read", err, len(data), len(again))
					}
					plain.Merge(straight)
					coded.Merge(fresh)
				}
				if got, want := finished(t, coded), finished(t, plain); got != want {
					t.Errorf("got  %s\nwant %s", got, want)
				}
			})
		})
	}
}

func finished(t *rapid.T, p stage.Partial) string {
	doc, err := p.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(result.Form(doc))
	if err != nil {
		t.Fatal(err)
	}
	if table := doc.Table(); table != nil && table.Len() > 0 {
		var b bytes.Buffer
		if err := table.WriteParquet(&b); err != nil {
			t.Fatal(err)
		}
		text = append(text, b.Bytes()...)
	}
	return string(text)
}

type inner struct {
	Name  string
	level int8
}

type outer struct {
	opts   int `partial:"-"`
	flag   bool
	x      float64
	n      []int64
	none   []int64
	text   []byte
	of     map[string]*inner
	fixed  [2]uint16
	points *inner
	nobody *inner
}

func TestCodec(t *testing.T) {
	in := outer{opts: 7, flag: true, x: math.Inf(-1), n: []int64{1, -2, math.MinInt64}, text: []byte("ab"), fixed: [2]uint16{3, 65535},
		of: map[string]*inner{"b": {"y", -1}, "a": nil, "": {"z", 127}}, points: &inner{"p", 2}}
	data, err := Encode(&in)
	if err != nil {
		t.Fatal(err)
	}
	out := outer{opts: 9, none: []int64{1}, nobody: &inner{}}
	if err := Decode(data, &out); err != nil {
		t.Fatal(err)
	}
	in.opts = 9 // is not encoded
	if got, want := fmt.Sprintf("%+v %+v %+v", out, *out.points, *out.of["b"]), fmt.Sprintf("%+v %+v %+v", in, *in.points, *in.of["b"]); len(got) != len(want) ||
		out.none != nil || out.nobody != nil || out.of["a"] != nil || out.of[""].level != 127 {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for at := range data {
		for _, damaged := range [][]byte{data[:at], append(bytes.Clone(data[:at]), append([]byte{data[at] ^ 1}, data[at+1:]...)...)} {
			if Decode(damaged, &outer{}) == nil {
				t.Fatalf("damaged at byte %d: no error", at)
			}
		}
	}
	if Decode(data, &inner{}) == nil {
		t.Error("another type: no error")
	}
	type list struct{ Next *struct{ F func() } }
	if _, err := Encode(&list{}); err == nil {
		t.Error("a function was encoded")
	}
}

// Values that no encoder wrote are an error, or are values: never a panic.
func FuzzDecode(f *testing.F) {
	data, err := Encode(&outer{n: []int64{1}, of: map[string]*inner{"a": {}}})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		var out outer
		d := decoder{b: data}
		d.value(valueOf(&out))
		if d.err != nil {
			return
		}
		if _, err := Encode(&out); err != nil {
			t.Error(err)
		}
	})
}

func drawRuns(t *rapid.T) []*trace.Run {
	n := rapid.IntRange(1, 30).Draw(t, "runs")
	runs := make([]*trace.Run, n)
	for i := range runs {
		runs[i] = tracetest.Run(t, fmt.Sprintf("run-%d", i))
	}
	return runs
}

func TestOutputs(t *testing.T) {
	o := &Output{Unit: Unit{ID: "00", Label: "a"}, Files: []File{{"x", []byte("one")}, {"y/z", nil}}}
	data, err := o.encode()
	if err != nil {
		t.Fatal(err)
	}
	decode := func(data []byte) (*Output, error) {
		r, err := newReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return nil, err
		}
		return r.all()
	}
	got, err := decode(data)
	if err != nil || len(got.Files) != 2 || got.Unit.Label != "a" || string(got.Files[0].Data) != "one" || got.Files[1].Name != "y/z" {
		t.Errorf("%v: %+v", err, got)
	}
	for at := range data {
		damaged := bytes.Clone(data)
		damaged[at] ^= 0x20
		if _, err := decode(damaged); err == nil {
			t.Fatalf("damaged at byte %d: no error", at)
		}
		if _, err := decode(data[:at]); err == nil {
			t.Fatalf("cut off at byte %d: no error", at)
		}
	}
}

// A partial result of the real sample takes at most 200 bytes per run and analysis.
func TestPartialsAreSmall(t *testing.T) {
	byJob := sampletest.ByJob(t)
	for _, a := range stage.Analyses(stage.DefaultOptions()) {
		p, n := a.New(), 0
		for range 10 { // as runs of a part are more than those of the sample
			for _, job := range sampletest.Jobs {
				for _, r := range byJob[job] {
					p.Add(r)
					n++
				}
			}
		}
		data, err := Encode(stage.State(p))
		if err != nil {
			t.Fatal(err)
		}
		perRun := len(data) / n
		t.Logf("%s: %d bytes per run, with %d attempts per run", a.Name, perRun, 6800/73)
		if a.Name != "leftover" && a.Name != "workload" && perRun > 200 { // these two grow with attempts
			t.Errorf("%s: %d bytes per run", a.Name, perRun)
		}
	}
}
