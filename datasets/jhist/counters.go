package jhist

import (
	"bytes"
	"math"
	"strconv"

	"racecard/datasets/internal/jsonscan"
	"racecard/datasets/trace"
)

// counters holds the used values of JhCounters: sums in bytes and milliseconds, [trace.None] for a missing
// counter.
type counters struct {
	given                             bool
	read, written, mapOutput, fetched int64
	cpuMillis, memory                 int64
}

// counters reads a JhCounters, also one that is wrapped in the name of its type, or null.
func (s *scanner) counters(c *counters) {
	*c = counters{
		given: s.Peek() == '{', read: trace.None, written: trace.None, mapOutput: trace.None, fetched: trace.None,
		cpuMillis: trace.None, memory: trace.None,
	}
	s.count(c)
}

// count adds the counters in a value: all objects with a name and a whole number for their value.
func (s *scanner) count(c *counters) {
	switch s.Peek() {
	case '[':
		for more := s.Open('['); more; more = s.More(']') {
			s.count(c)
		}
	case '{':
		var name []byte
		value := int64(-1)
		for more := s.Open('{'); more; more = s.More('}') {
			switch key := s.Key(); {
			case string(key) == "name" && s.Peek() == '"':
				name, _ = s.Quoted()
			case string(key) == "value" && jsonscan.BeginsNumber(s.Peek()):
				if n, err := strconv.ParseInt(string(s.Number()), 10, 64); err == nil {
					value = n
				}
			default:
				s.count(c)
			}
		}
		if name != nil && value >= 0 && s.Bad == nil {
			c.add(name, value)
		}
	default:
		s.Skip()
	}
}

func (c *counters) add(name []byte, value int64) {
	sum := func(into *int64) {
		if *into == trace.None {
			*into = 0
		}
		*into += min(value, math.MaxInt64-*into)
	}
	switch string(name) {
	case "REDUCE_SHUFFLE_BYTES":
		c.fetched = value
	case "MAP_OUTPUT_BYTES":
		c.mapOutput = value
	case "CPU_MILLISECONDS":
		c.cpuMillis = value
	case "PHYSICAL_MEMORY_BYTES":
		c.memory = value
	case "FILE_BYTES_READ", "FILE_BYTES_WRITTEN": // the local disk, where maps leave their output
	default:
		if scheme, ok := bytes.CutSuffix(name, []byte("_BYTES_READ")); ok && len(scheme) > 0 {
			sum(&c.read)
		} else if scheme, ok := bytes.CutSuffix(name, []byte("_BYTES_WRITTEN")); ok && len(scheme) > 0 {
			sum(&c.written)
		}
	}
}
