package order

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"racecard/models/machines/internal/cluster"
)

// slowJob is a job of a queue that looks at everything.
type slowJob struct {
	id     int32
	key    float64
	stages []int32
	levels map[int32]float64
	open   bool
}

// few are demands of stages, of which many are equal.
func few(stage int32) *cluster.Vector {
	return &cluster.Vector{int64(stage % 3), int64(stage / 3 % 4), int64(stage % 5)}
}

// TestWaitingAgainstSlice compares every answer with that of a search through all jobs.
func TestWaitingAgainstSlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w Waiting
		size := rapid.Int32Range(1, 60).Draw(t, "jobs")
		all := make([]*slowJob, size) // by id: rapid repeats a failure only where the order of checks does not change
		for range rapid.IntRange(1, 120).Draw(t, "steps") {
			id := rapid.Int32Range(0, size-1).Draw(t, "id")
			j := all[id]
			switch what := rapid.IntRange(0, 9).Draw(t, "what"); {
			case what == 0:
				w.Remove(id)
				all[id] = nil
			case what == 1 && j != nil:
				w.Open(id)
				j.open = true
			case what == 2 && j != nil:
				w.Close(id)
				j.open = false
			case what == 3 && j != nil:
				x := float64(rapid.IntRange(0, 3).Draw(t, "level"))
				w.Level(id, func(stage int32) float64 { return x + float64(stage%2) })
				for _, i := range j.stages {
					j.levels[i] = x + float64(i%2)
				}
			default:
				j = setBoth(t, &w, j, id)
				all[id] = j
			}
			compareFirst(t, &w, all)
			compareBest(t, &w, all)
			checkBoxes(t, &w)
		}
	})
}

// setBoth sets a job in both.
func setBoth(t *rapid.T, w *Waiting, j *slowJob, id int32) *slowJob {
	old := j
	if j == nil {
		old = &slowJob{}
	}
	j = &slowJob{id: id, key: drawKey(t), open: old.open, levels: map[int32]float64{}}
	j.stages = rapid.SliceOfNDistinct(rapid.Int32Range(0, 30), 0, 12, func(i int32) int32 {
		return i
	}).Draw(t, "stages")
	for _, i := range j.stages {
		j.levels[i] = old.levels[i]
	}
	w.Set(id, j.key, j.stages, few)
	return j
}

// drawKey draws keys. Many are equal, and many lie in the span of another.
func drawKey(t *rapid.T) float64 { return float64(rapid.IntRange(0, 20).Draw(t, "key")) / 4 }

func drawRoom(t *rapid.T) (v cluster.Vector) {
	for r := range 3 {
		v[r] = rapid.Int64Range(-1, 5).Draw(t, "room")
	}
	return v
}

func compareFirst(t *rapid.T, w *Waiting, all []*slowJob) {
	room := drawRoom(t)
	s := Search{Key: drawKey(t), ID: rapid.Int32Range(0, 60).Draw(t, "from id"),
		Room:  &room,
		Level: float64(rapid.IntRange(0, 5).Draw(t, "up to level"))}
	if rapid.Bool().Draw(t, "some") {
		s.OK = func(job, stage int32) bool { return (job+stage)%3 != 0 }
	}
	if rapid.Bool().Draw(t, "beyond") {
		known := drawRoom(t)
		s.Beyond = &known
	}
	if rapid.Bool().Draw(t, "refusing") {
		refused := drawRoom(t)
		s.Refused = func(demand *cluster.Vector) bool { return refused.Fits(demand) }
	}
	best, job := math.Inf(1), int32(none)
	for _, j := range all {
		if j == nil || before(j.key, j.id, s.Key, s.ID) || !before(j.key, j.id, best, job) {
			continue
		}
		if j.open || slices.ContainsFunc(j.stages, func(i int32) bool {
			return few(i).Fits(&room) && (s.Beyond == nil || !few(i).Fits(s.Beyond)) &&
				(s.Refused == nil || !s.Refused(few(i))) &&
				j.levels[i] <= s.Level && (s.OK == nil || s.OK(j.id, i))
		}) {
			best, job = j.key, j.id
		}
	}
	if got, _, ok := w.First(&s); ok != (job != none) || got != job {
		t.Fatalf("got %d, %v, want %d", got, ok, job)
	}
	for _, j := range all {
		if j == nil {
			continue
		}
		want := j.id
		if before(best, job, j.key, j.id) {
			want = job
		}
		if got, _ := w.Sooner(&s, j.id); got != want {
			t.Fatalf("got %d, want %d, sooner than %d", got, want, j.id)
		}
	}
}

// scores is a Best that scores by what is demanded, less the key. Of equal scores, the first job counts.
type scores struct {
	w    *Waiting
	best float64
	key  float64 // of job
	job  int32
}

func (b *scores) Bound(most *cluster.Vector, key float64) float64 {
	return float64(most[0]) + 2*float64(most[1]) + 3*float64(most[2]) - key
}

func (b *scores) Look(job, stage int32) (float64, int32) {
	key := b.w.Key(job)
	score := b.Bound(few(stage), key)
	if score > b.best || score == b.best && before(key, job, b.key, b.job) {
		b.best, b.key, b.job = score, key, job
	}
	return b.best, b.job
}

func compareBest(t *rapid.T, w *Waiting, all []*slowJob) {
	room, key, id := drawRoom(t), drawKey(t), rapid.Int32Range(0, 60).Draw(t, "to id")
	got := scores{w, math.Inf(-1), math.Inf(1), none}
	want := got
	for _, j := range all {
		if j == nil {
			continue
		}
		for _, i := range j.stages {
			if !before(key, id, j.key, j.id) && few(i).Fits(&room) {
				want.Look(j.id, i)
			}
		}
	}
	if w.Best(&room, key, id, &got); got != want {
		t.Fatalf("got %+v, want %+v", got, want)
	}
}

// TestRemoveInside removes a demand in the middle of others, alone at the lowest level.
func TestRemoveInside(t *testing.T) {
	var w Waiting
	for id := range int32(3) {
		w.Set(id, float64(id), []int32{0}, func(int32) *cluster.Vector { return &cluster.Vector{int64(id), int64(id)} })
		w.Level(id, func(int32) float64 { return math.Abs(float64(id - 1)) })
	}
	w.Remove(1)
	rapid.Check(t, func(t *rapid.T) { checkBoxes(t, &w) })
	room := cluster.Vector{9, 9}
	if id, _, ok := w.First(&Search{Key: math.Inf(-1), Room: &room, Level: 0.5}); ok {
		t.Errorf("job %d is found at a level of 0.5; want none, as both are at 1", id)
	}
}

// checkBoxes checks that every box is the one of its points.
func checkBoxes(t *rapid.T, w *Waiting) {
	b := &w.boxes
	var walk func(i, parent int32) []point
	walk = func(i, parent int32) []point {
		n := &b.nodes[i]
		var points []point
		if n.left != 0 {
			points = append(walk(n.left, i), walk(n.right, i)...)
		} else {
			points = slices.Clone(n.leaf())
			for k := range points {
				if b.where[points[k].number] != (place{i, int32(k)}) {
					t.Fatalf("point %d of node %d is said to be at %v", k, i, b.where[points[k].number])
				}
			}
		}
		want := box{}
		for k := range points {
			want.include(&points[k])
		}
		if n.parent != parent || n.count != want.count || n.count > 0 &&
			(n.least != want.least || n.most != want.most || n.key != want.key || n.job != want.job ||
				n.level != want.level || n.lastKey != want.lastKey || n.last != want.last) {
			t.Fatalf("node %d is %+v, want %+v", i, *n, want)
		}
		return points
	}
	if b.root != 0 {
		walk(b.root, 0)
	}
}

// TestWideJobs checks that a job of very many stages is found by what they demand at least.
func TestWideJobs(t *testing.T) {
	var w Waiting
	stages := make([]int32, MaxIndexed+1)
	for i := range stages {
		stages[i] = int32(i)
	}
	demand := func(stage int32) *cluster.Vector { return &cluster.Vector{int64(stage) + 2} }
	w.Set(3, 1, stages, demand)
	find := func(room int64) bool {
		asked := int32(0)
		_, _, ok := w.First(&Search{Room: &cluster.Vector{room}, Level: math.Inf(1), OK: func(_, stage int32) bool {
			asked = stage
			return true
		}})
		if ok && asked != Any {
			t.Errorf("asked of stage %d, want any", asked)
		}
		return ok
	}
	if find(1) || !find(2) {
		t.Error("want the job where there is room for its least task, and no less")
	}
	for id := int32(10); id < 50; id++ { // more than a leaf
		w.Set(id, 1, stages[:1], func(int32) *cluster.Vector { return &cluster.Vector{600} })
	}
	if best := (&wideBest{}); w.Best(&cluster.Vector{500}, 9, 9, best) == 0 || best.asked != Any || best.bound < 500 {
		t.Errorf("asked of stage %d, bounded by %d of 500; want any, of which some may demand that", best.asked,
			best.bound)
	}
	for id := int32(10); id < 50; id++ {
		w.Remove(id)
	}
	w.Set(3, 1, stages[1:], demand)
	if got, _, ok := w.First(&Search{Room: &cluster.Vector{3}, Level: math.Inf(1)}); !ok || got != 3 ||
		w.boxes.nodes[w.boxes.root].count != MaxIndexed {
		t.Errorf("got %d, %v of %d points; want the job by each of %d", got, ok, w.boxes.nodes[w.boxes.root].count,
			MaxIndexed)
	}
	w.Remove(3)
	if _, ok := w.Least(); ok {
		t.Error("something is left")
	}
}

// wideBest remembers what it was asked.
type wideBest struct {
	asked int32
	bound int64
}

func (b *wideBest) Bound(most *cluster.Vector, _ float64) float64 {
	b.bound = max(b.bound, most[0])
	return float64(most[0])
}

func (b *wideBest) Look(job, stage int32) (float64, int32) {
	b.asked = stage
	return 0, job
}

func TestRanking(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r Ranking
		keys := map[int32]float64{}
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			id := rapid.Int32Range(0, 15).Draw(t, "id")
			if rapid.IntRange(0, 3).Draw(t, "what") == 0 {
				r.Remove(id)
				delete(keys, id)
			} else {
				keys[id] = float64(rapid.IntRange(0, 3).Draw(t, "key"))
				r.Set(id, keys[id])
			}
		}
		var ids []int32
		for id := range keys {
			ids = append(ids, id)
		}
		slices.SortFunc(ids, func(a, b int32) int {
			if before(keys[a], a, keys[b], b) {
				return -1
			}
			return 1
		})
		for k := range len(ids) + 2 {
			id, ok := r.Select(k)
			if ok != (len(ids) > 0) || ok && id != ids[min(k, len(ids)-1)] {
				t.Fatalf("%d: got %d, %v of %v", k, id, ok, ids)
			}
		}
		key, from := float64(rapid.IntRange(0, 3).Draw(t, "from key")), rapid.Int32Range(0, 16).Draw(t, "from")
		k := slices.IndexFunc(ids, func(id int32) bool { return !before(keys[id], id, key, from) })
		if id, _, ok := r.From(key, from); ok != (k >= 0) || ok && id != ids[k] {
			t.Fatalf("from %v, %d: got %d, %v of %v", key, from, id, ok, ids)
		}
	})
}
