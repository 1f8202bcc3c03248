package jhist

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"racecard/datasets/trace"
)

// counters holds the used values of JhCounters: sums in bytes and milliseconds, [trace.None] for a missing
// counter.
type counters struct {
	given                             bool
	read, written, mapOutput, fetched int64
	cpuMillis, memory                 int64
}

// UnmarshalJSON takes a JhCounters, also one that is wrapped in the name of its type, or null. Most of a log is
// counters, so they are walked over by hand: every object that has a name and a whole number for its value is a
// counter. data is valid JSON, as [encoding/json.Unmarshaler] promises.
func (c *counters) UnmarshalJSON(data []byte) error {
	if data[0] != '{' {
		return nil
	}
	*c = counters{
		given: true, read: trace.None, written: trace.None, mapOutput: trace.None, fetched: trace.None,
		cpuMillis: trace.None, memory: trace.None,
	}
	var key, name []byte
	value := int64(-1)
	for i := 0; i < len(data); {
		switch b := data[i]; {
		case b == '"':
			text := quoted(data[i:])
			i += len(text)
			text = text[1 : len(text)-1]
			if bytes.HasPrefix(bytes.TrimLeft(data[i:min(i+8, len(data))], " \t"), []byte{':'}) {
				key = text
			} else if string(key) == "name" {
				name = text
			}
			continue
		case b == '{':
			name, value = nil, -1
		case b == '}':
			if name != nil && value >= 0 {
				c.add(name, value)
			}
			name, value = nil, -1
		case b == '-' || b >= '0' && b <= '9':
			n := 1
			for i+n < len(data) && strings.IndexByte("+-.0123456789Ee", data[i+n]) >= 0 {
				n++
			}
			if v, err := strconv.ParseInt(string(data[i:i+n]), 10, 64); err == nil && string(key) == "value" {
				value = v
			}
			i += n
			continue
		}
		i++
	}
	return nil
}

// quoted returns the string at the start of data, quotes included.
func quoted(data []byte) []byte {
	for i := 1; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return data[:i+1]
		}
	}
	return data // never, of valid JSON
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
