package jobmodel

import "sync"

// memo keeps values that take long to compute. Several goroutines may use it at once: one computes, others wait.
// The zero value is empty.
type memo[K comparable, V any] struct {
	mutex sync.Mutex
	of    map[K]V
}

// get returns the value of a key, computed or kept; at most so many are kept. A value with an error is not.
func (m *memo[K, V]) get(key K, most int, compute func() (V, error)) (V, error) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if v, ok := m.of[key]; ok {
		return v, nil
	}
	v, err := compute()
	if err == nil && len(m.of) < most {
		if m.of == nil {
			m.of = map[K]V{}
		}
		m.of[key] = v
	}
	return v, err
}
