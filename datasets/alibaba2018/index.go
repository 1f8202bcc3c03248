package alibaba2018

// index numbers keys in the order they come in. Most jobs have a handful of stages, which are found faster by looking
// at all of them than by a map.
type index[K comparable] struct {
	keys []K
	all  map[K]int32 // of the first of equal keys, when there are many
}

const few = 16

// add adds a key, whether it is there or not.
func (x *index[K]) add(k K) {
	x.keys = append(x.keys, k)
	n := len(x.keys)
	if n <= few {
		return
	}
	from := n - 1
	if n == few+1 { // the map begins
		if x.all == nil {
			x.all = map[K]int32{}
		}
		from = 0
	}
	for i := from; i < n; i++ {
		if _, ok := x.all[x.keys[i]]; !ok {
			x.all[x.keys[i]] = int32(i)
		}
	}
}

// find returns the number of the first key that equals k.
func (x *index[K]) find(k K) (int32, bool) {
	if len(x.keys) > few {
		n, ok := x.all[k]
		return n, ok
	}
	for i := range x.keys {
		if x.keys[i] == k {
			return int32(i), true
		}
	}
	return 0, false
}

// drop takes the last key back.
func (x *index[K]) drop() {
	n := len(x.keys) - 1
	if k := x.keys[n]; n >= few && x.all[k] == int32(n) {
		delete(x.all, k)
	}
	x.keys = x.keys[:n]
	if n == few {
		clear(x.all)
	}
}

func (x *index[K]) reset() {
	if len(x.keys) > few {
		clear(x.all)
	}
	clear(x.keys)
	x.keys = x.keys[:0]
}
