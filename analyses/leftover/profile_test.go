package leftover

import (
	"testing"

	"pgregory.net/rapid"
)

// A profile answers as an array of instants does, also when it has many blocks.
func TestProfileAgainstArray(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const n = 1500
		var p profile
		p.reset(2)
		var slow [n + 1]vector
		raises := rapid.IntRange(1, 600).Draw(t, "raises")
		// Numbers by a generator of the test's own: drawing each would be slow.
		x := rapid.Uint64().Draw(t, "seed")
		next := func(below int) int {
			x = x*6364136223846793005 + 1442695040888963407
			return int(x>>33) % below
		}
		longest := 1 + next(80)
		for range raises {
			from := next(n - 1)
			to := min(n, from+1+next(longest))
			by := vector{int64(next(3)), int64(next(3))}
			p.raise(int64(from), int64(to), &by)
			for i := from; i < to; i++ {
				slow[i][0] += by[0]
				slow[i][1] += by[1]
			}
			room := vector{int64(next(12)), int64(next(12))}
			end, d := next(n)+1, next(longest)
			want := end - d
			for i := end - 1; d > 0 && i >= max(want, 0); i-- {
				if slow[i][0] > room[0] || slow[i][1] > room[1] {
					want = i - d
				}
			}
			if got := p.latest(int64(end), int64(d), &room); got != int64(want) {
				t.Fatalf("latest(%d, %d, %v) is %d, want %d", end, d, room[:2], got, want)
			}
		}
		at := -1
		var before vector
		p.each(func(from int64, held *vector) {
			for i := max(at, 0); at >= -1 && i < min(int(max(from, 0)), n); i++ {
				if slow[i] != before {
					t.Fatalf("at %d the profile holds %v, want %v", i, before[:2], slow[i][:2])
				}
			}
			if at >= 0 && *held == before {
				t.Fatalf("steps at %d and %d hold the same", at, from)
			}
			at, before = int(max(from, 0)), *held
		})
		if before != (vector{}) {
			t.Errorf("after its last step the profile holds %v", before[:2])
		}
	})
}
