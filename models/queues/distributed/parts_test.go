package distributed

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

func TestTreeAndTimersFindTheLeast(t *testing.T) {
	OneGoroutine(t)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 600).Draw(t, "workers")
		tr, keys, h := newTree(n), make([]uint64, n), timers(nil)
		for i := range keys {
			keys[i] = none
		}
		var all []uint64
		for range rapid.IntRange(1, 60).Draw(t, "changes") {
			w, x := rapid.IntRange(0, n-1).Draw(t, "worker"), rapid.Uint64Range(0, 50).Draw(t, "key")
			keys[w] = x
			if x > 45 {
				keys[w] = none
			}
			tr.set(int32(w), keys[w])
			if rapid.Bool().Draw(t, "asked") && tr.least() != slices.Min(keys) {
				t.Fatalf("the least of %v is not %d", keys, tr.least())
			}
			h.push(x)
			all = append(all, x)
			if x%3 == 0 {
				slices.Sort(all)
				if got := h.pop(); got != all[0] {
					t.Fatalf("popped %d of %v", got, all)
				}
				all = all[1:]
			}
		}
	})
}

// TestMailGoesToWhomItIsFor sends and opens messages in all orders, and more than fit at once.
func TestMailGoesToWhomItIsFor(t *testing.T) {
	OneGoroutine(t)
	rapid.Check(t, func(t *rapid.T) {
		var m mail
		var sent [][]int32
		for i := range rapid.IntRange(1, 300).Draw(t, "steps") {
			if len(sent) > 0 && rapid.Bool().Draw(t, "open") {
				x, to := m.open()
				if int(x.n) != len(sent[0]) || !slices.Equal(to, sent[0]) {
					t.Fatalf("a message to %v reached %v", sent[0], to)
				}
				sent = sent[1:]
				continue
			}
			to := make([]int32, rapid.IntRange(1, 20).Draw(t, "workers"))
			for k := range to {
				to[k] = int32(20*i + k)
			}
			m.send(message{}, to)
			sent = append(sent, to)
		}
	})
}

func TestMailForgetsWhatHasLanded(t *testing.T) {
	var m mail
	for i := range 10_000 {
		m.send(message{}, make([]int32, 20))
		if i >= 3 {
			m.open()
		}
	}
	if cap(m.to) > 4*3*20 {
		t.Errorf("there is room for %d workers, where 60 are under way", cap(m.to))
	}
}

func TestAgendaTakesEndsInOrder(t *testing.T) {
	OneGoroutine(t)
	rapid.Check(t, func(t *rapid.T) {
		p, q := packingFor(rapid.SampledFrom([]int{1, 5, 1000}).Draw(t, "workers"), 1), &agenda{}
		spread := rapid.SampledFrom([]int64{1, 100, 1e6, 1e12}).Draw(t, "spread")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		var all []ending // that are not taken
		now := int64(0)
		for range rapid.IntRange(1, 1000).Draw(t, "steps") {
			if r.IntN(3) > 0 {
				x := ending{p.key(now+r.Int64N(spread), int32(r.Uint64N(p.mask+1))), r.Int32N(3)}
				q.push(x)
				all = append(all, x)
				continue
			}
			now += r.Int64N(spread) / 8
			for until := p.key(now, 0) | p.mask; len(q.near) > 0 || q.open(until); {
				slices.SortFunc(all, func(a, b ending) int {
					if a.before(b) {
						return -1
					}
					return 1
				})
				if x := q.near[len(q.near)-1]; x != all[0] {
					t.Fatalf("the first is %v, want %v of %d", x, all[0], len(all))
				} else if x.key > until {
					break
				}
				q.pop()
				all = all[1:]
			}
			if len(all) > 0 && slices.ContainsFunc(all, func(x ending) bool { return x.key <= p.key(now, 0)|p.mask }) {
				t.Fatal("an end that is due is not taken")
			}
		}
	})
}

func TestQueuesKeepTheirOrder(t *testing.T) {
	OneGoroutine(t)
	rapid.Check(t, func(t *rapid.T) {
		c := &Cluster{workers: make([]worker, 3)}
		var want [3][]int32
		next := int32(0)
		for range rapid.IntRange(1, 200).Draw(t, "changes") {
			w := rapid.Int32Range(0, 2).Draw(t, "worker")
			n := len(want[w])
			switch {
			case n > 0 && rapid.IntRange(0, 3).Draw(t, "take") == 0:
				from := rapid.IntRange(0, n-1).Draw(t, "from")
				to := rapid.IntRange(from+1, n).Draw(t, "to")
				c.compact(w, from, to)
				want[w] = slices.Delete(want[w], from, to)
			default:
				for range rapid.SampledFrom([]int{1, 3, 30}).Draw(t, "more") {
					next++
					*c.extend(w) = entry{job: next}
					want[w] = append(want[w], next)
				}
			}
			for w := range want {
				var got []int32
				for _, x := range c.live(int32(w)) {
					got = append(got, x.job)
				}
				if !slices.Equal(got, want[w]) {
					t.Fatalf("worker %d queues %v, want %v", w, got, want[w])
				}
			}
		}
	})
}

func TestStateFillsLinesOfTheCache(t *testing.T) {
	if n := unsafe.Sizeof(worker{}); n != 128 {
		t.Errorf("a worker takes %d bytes, want 128", n)
	}
	if n, m := unsafe.Sizeof(job{}), unsafe.Sizeof(wait{}); n != 64 || m != 64 {
		t.Errorf("a job takes %d bytes, the wait of a worker %d, want 64", n, m)
	}
}

func TestNumbersFindTheNext(t *testing.T) {
	OneGoroutine(t)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 63, 64, 65, 4096, 4097, 300_000}).Draw(t, "size")
		s, is := newNumbers(n), map[int32]bool{}
		for range rapid.IntRange(1, 50).Draw(t, "changes") {
			w := int32(rapid.IntRange(0, n-1).Draw(t, "number"))
			if is[w] {
				delete(is, w)
				s.remove(w)
			} else {
				is[w] = true
				s.add(w)
			}
			from, want := int32(rapid.IntRange(0, n).Draw(t, "from")), int32(-1)
			for x := range is {
				if x >= from && (want < 0 || x < want) {
					want = x
				}
			}
			if got := s.from(from); got != want {
				t.Fatalf("from %d comes %d, want %d", from, got, want)
			}
		}
	})
}

func TestVectorsFindClearBits(t *testing.T) {
	OneGoroutine(t)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 64, 511, 512, 513, 2000}).Draw(t, "workers")
		v := newVectors(n)
		share := rapid.SampledFrom([]float64{0, 0.5, 0.99, 1}).Draw(t, "set")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		var clear []int32
		for w := range int32(n) {
			if r.Float64() < share {
				v.set(w)
			} else {
				clear = append(clear, w)
			}
		}
		id := v.snapshot()
		v.set(0) // must not show
		if int(v.size(id)) != len(clear) {
			t.Fatalf("%d bits are clear, want %d", v.size(id), len(clear))
		}
		for k, w := range clear {
			if got := v.at(id, int32(k)); got != w {
				t.Fatalf("clear bit %d is %d, want %d", k, got, w)
			}
		}
	})
}

func TestVectorsStayWhileOthersAreCopied(t *testing.T) {
	OneGoroutine(t)
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 512, 513, 2000}).Draw(t, "workers")
		v, is := newVectors(n), make([]bool, n)
		type copied struct {
			id    int32
			clear []int32
		}
		held := make([]copied, 5) // by workers
		for range rapid.IntRange(1, 40).Draw(t, "copies") {
			for range rapid.IntRange(0, 4).Draw(t, "changes") {
				w := int32(rapid.IntRange(0, n-1).Draw(t, "worker"))
				if is[w] = !is[w]; is[w] {
					v.set(w)
				} else {
					v.unset(w)
				}
			}
			id := v.snapshot()
			h := &held[rapid.IntRange(0, len(held)-1).Draw(t, "holder")]
			v.give(&h.id, id)
			h.clear = nil
			for w := range n {
				if !is[w] {
					h.clear = append(h.clear, int32(w))
				}
			}
			for _, h := range held {
				if h.id == 0 {
					continue
				}
				if int(v.size(h.id)) != len(h.clear) {
					t.Fatalf("%d bits are clear, want %d", v.size(h.id), len(h.clear))
				}
				for k, w := range h.clear {
					if got := v.at(h.id, int32(k)); got != w {
						t.Fatalf("clear bit %d is %d, want %d", k, got, w)
					}
				}
			}
		}
		if kept := len(v.blocks) - 1 - len(v.spare); kept > (len(held)+1)*len(v.stale) {
			t.Fatalf("%d blocks are kept for %d vectors of %d", kept, len(held)+1, len(v.stale))
		}
	})
}

func TestVectorsAreSharedAndFreed(t *testing.T) {
	v := newVectors(100)
	var a, b int32
	first := v.snapshot()
	v.give(&a, first)
	v.give(&b, first)
	if v.snapshot() != first {
		t.Error("a copy of what has not changed is made")
	}
	v.set(3)
	second := v.snapshot()
	v.give(&a, second)
	if v.all[a].made <= v.all[b].made {
		t.Error("the newer vector is not told")
	}
	v.give(&b, second)
	v.set(4)
	if third := v.snapshot(); third != first {
		t.Errorf("a vector that nobody holds is not used again: %d", third)
	}
}

func TestDrawnWorkersAreDifferentWhileThereAreEnough(t *testing.T) {
	w := &Workload{}
	w.Add("a", 0, -1, 1)
	c, err := newCluster(w, &eagle{}, DefaultOptions(10))
	if err != nil {
		t.Fatal(err)
	}
	r := random(1)
	for n := range int32(40) {
		times := make([]int32, 10)
		for _, w := range c.draw(nil, &r, n, c.everyone()) {
			times[w]++
		}
		if slices.Min(times) < n/10 || slices.Max(times) > (n+9)/10 {
			t.Errorf("of %d draws, workers have %v", n, times)
		}
	}
	// Each of 10 workers is in a draw of 3 with probability 0.3: of 30,000, 9,000 +- 79; 5 standard errors are allowed.
	times := make([]float64, 10)
	for range 30_000 {
		for _, w := range c.draw(nil, &r, 3, c.everyone()) {
			times[w]++
		}
	}
	for w, n := range times {
		if n < 9000-400 || n > 9000+400 {
			t.Errorf("worker %d is drawn %g times, want about 9000", w, n)
		}
	}
}
