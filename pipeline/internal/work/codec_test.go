package work

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"racecard/datasets/result"
	"racecard/datasets/sample/sampletest"
	"racecard/datasets/trace"
	"racecard/datasets/trace/tracetest"
	"racecard/pipeline/internal/stage"
)

// A partial result that went through its encoding merges and finishes as the one that did not, and encodes to the same
// bytes again.
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
	sorted [][]int64 `partial:"multiset"`
	deltas []int64   `partial:"deltas"`
}

func TestCodec(t *testing.T) {
	in := outer{opts: 7, flag: true, x: math.Inf(-1), n: []int64{1, -2, math.MinInt64}, text: []byte("ab"),
		fixed: [2]uint16{3, 65535},
		of:    map[string]*inner{"b": {"y", -1}, "a": nil, "": {"z", 127}}, points: &inner{"p", 2},
		sorted: [][]int64{{1, 5, 7}}, deltas: []int64{3, 1, 9}}
	data, err := Encode(&in)
	if err != nil {
		t.Fatal(err)
	}
	out := outer{opts: 9, none: []int64{1}, nobody: &inner{}}
	if err := Decode(data, &out); err != nil {
		t.Fatal(err)
	}
	in.opts = 9 // is not encoded
	if got, want := fmt.Sprintf("%+v %+v %+v", out, *out.points, *out.of["b"]), fmt.Sprintf("%+v %+v %+v", in,
		*in.points, *in.of["b"]); len(got) != len(want) ||
		out.none != nil || out.nobody != nil || out.of["a"] != nil || out.of[""].level != 127 {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for at := range data {
		for _, damaged := range [][]byte{data[:at], append(bytes.Clone(data[:at]), append([]byte{data[at] ^ 1},
			data[at+1:]...)...)} {
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

// Forms that take less room keep every number.
func TestForms(t *testing.T) {
	type forms struct {
		sorted [][]int64 `partial:"multiset"`
		deltas []int64   `partial:"deltas"`
	}
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.OneOf(rapid.Int64(), rapid.Int64Range(-5, 5), rapid.Custom(func(t *rapid.T) int64 {
			return 1000 * rapid.Int64Range(0, 1e12).Draw(t, "ms")
		}))
		in := forms{sorted: [][]int64{rapid.SliceOf(number).Draw(t, "one"), nil, rapid.SliceOf(number).Draw(t, "two")},
			deltas: rapid.SliceOf(number).Draw(t, "deltas")}
		data, err := Encode(&in)
		if err != nil {
			t.Fatal(err)
		}
		var out forms
		if err := Decode(data, &out); err != nil {
			t.Fatal(err)
		}
		want := slices.Sorted(slices.Values(slices.Concat(in.sorted...)))
		if len(out.sorted) != 1 || !slices.Equal(out.sorted[0], want) || !slices.Equal(out.deltas, in.deltas) {
			t.Errorf("got  %v\nwant %v", out, in)
		}
		again, err := Encode(&out)
		if err != nil || !bytes.Equal(data, again) {
			t.Errorf("%v: %d bytes, and %d after they were read", err, len(data), len(again))
		}
	})
}

// Floats come back bit by bit.
func TestFloatsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(-1),
			0.1, 1 << 48 / 1e6, 1e300}),
			rapid.Map(rapid.Int64(), func(us int64) float64 { return float64(us) / 1e6 })).Draw(t, "x")
		var e encoder
		e.float(x)
		d := decoder{b: e.b}
		if got := d.float(); math.Float64bits(got) != math.Float64bits(x) || d.err != nil || len(d.b) > 0 {
			t.Errorf("%v: %v, %v", x, got, d.err)
		}
	})
}

// Instants come back.
func TestInstantsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		us := rapid.OneOf(rapid.Int64(), rapid.SampledFrom([]int64{0, -1, 1, -1000, 1000, math.MinInt64,
			math.MaxInt64}),
			rapid.Map(rapid.Int32(), func(ms int32) int64 { return int64(ms) * 1000 })).Draw(t, "us")
		var e encoder
		e.instant(us)
		d := decoder{b: e.b}
		if got := d.instant(); got != us || d.err != nil || len(d.b) > 0 {
			t.Errorf("%d: %d, %v", us, got, d.err)
		}
	})
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
	o := &Output{Unit: Unit{ID: "00", Label: "a"}, Files: []File{{Name: "x", Data: []byte("one")}, {Name: "y/z"}}}
	var object bytes.Buffer
	if err := o.writeTo(&object); err != nil {
		t.Fatal(err)
	}
	data := object.Bytes()
	decode := func(data []byte) (*Output, error) {
		r, err := newReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return nil, err
		}
		return r.all()
	}
	got, err := decode(data)
	if err != nil || len(got.Files) != 2 || got.Unit.Label != "a" || string(got.Files[0].Data) != "one" ||
		got.Files[1].Name != "y/z" {
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

// A partial result takes at most 200 bytes per run, also of runs of 93 attempts each, all of which differ: the runs of
// the real sample over and over, at other times of one busy day, each attempt up to 10% longer or shorter.
func TestPartialsAreSmall(t *testing.T) {
	byJob := sampletest.ByJob(t)
	sizes := []int{8, 48}
	for _, a := range stage.Analyses(stage.DefaultOptions()) {
		var total, runs []int
		for _, times := range sizes {
			random := rand.New(rand.NewPCG(1, 2))
			p, n := a.New(), 0
			for k := range times {
				for _, job := range sampletest.Jobs {
					for _, r := range byJob[job] {
						p.Add(varied(r, k, random))
						n++
					}
				}
			}
			data, err := Encode(stage.State(p))
			if err != nil {
				t.Fatal(err)
			}
			total, runs = append(total, len(data)), append(runs, n)
		}
		small, large := total[0]/runs[0], total[1]/runs[1]
		t.Logf("%-10s %4d bytes per run of %d, %4d of %d, %4d for each further run; %d attempts per run", a.Name, small,
			runs[0], large, runs[1],
			(total[1]-total[0])/(runs[1]-runs[0]), 6800/73)
		if large > 200 {
			t.Errorf("%s: %d bytes per run", a.Name, large)
		}
	}
}

// varied returns a run at another time, with other durations.
func varied(r *trace.Run, k int, random *rand.Rand) *trace.Run {
	c := r.Clone()
	c.ID = fmt.Sprintf("%s-%d", r.ID, k)
	const day = 86_400_000 // milliseconds
	begin := r.Submit
	if !begin.Known() {
		begin = r.Start
	}
	to := trace.Instant(1_700_000_000_000_000 + random.Int64N(day/16)*1000)
	stretch := 0.9 + 0.2*random.Float64()
	move := func(at *trace.Instant) {
		if at.Known() {
			*at = to + trace.Instant(float64(*at-begin)*stretch/1000)*1000
		}
	}
	for _, at := range []*trace.Instant{&c.Submit, &c.Start, &c.End} {
		move(at)
	}
	for i := range c.Stages {
		for _, at := range []*trace.Instant{&c.Stages[i].Submit, &c.Stages[i].Start, &c.Stages[i].End} {
			move(at)
		}
	}
	for i := range c.Attempts {
		a := &c.Attempts[i]
		move(&a.Queued)
		move(&a.Start)
		if a.Start.Known() && a.End.Known() {
			a.Duration = trace.Duration(float64(a.Duration)*(0.9+0.2*random.Float64())/1000) * 1000
			a.End = a.Start + trace.Instant(a.Duration)
		}
	}
	for i := range c.Allocations {
		move(&c.Allocations[i].At)
	}
	for i := range c.IO {
		move(&c.IO[i].At)
	}
	return c
}
