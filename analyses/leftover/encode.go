package leftover

import (
	"encoding/binary"
	"errors"
	"math/bits"
	"slices"

	"racecard/analyses/internal/rangecode"
	"racecard/datasets/gcd"
	"racecard/datasets/trace"
)

// Steps are most of a partial result: a row per start or end of an attempt. They are encoded as
//
//	mask      the resources that have columns, one bit each
//	rows      uvarint
//	tick      greatest common divisor of the instants, uvarint
//	shifts    per column of amounts, the zero bits that all its amounts end with
//	rows      range code: the difference to the instant before, in ticks; events; per resource the changes of held
//	          amounts and of leftover
//
// The changes of a row are correlated: an attempt that starts and could start later adds one token to both. So each
// number has a model for every case of the number before it in the row.

// cases is the number of cases of a number, in zigzag form, for which the next number has separate models; the last
// case is all other values.
const cases = 8

// rowModels are the models of a row's numbers.
type rowModels struct {
	at     rangecode.Model
	events rangecode.Model
	alloc  [trace.NumResources][cases]amountModel
	spare  [trace.NumResources][cases]amountModel
}

type amountModel struct{ lo, hi rangecode.Model }

// Encodable packs the rows.
func (s *steps) Encodable() error {
	mask := byte(0)
	for r := range s.alloc {
		if s.alloc[r] != nil {
			mask |= 1 << r
		}
	}
	tick := uint64(0)
	for _, at := range s.at {
		tick = gcd.Of(tick, at)
	}
	tick = max(tick, 1)
	head := binary.AppendUvarint(binary.AppendUvarint([]byte{mask}, uint64(len(s.at))), tick)
	var shift [trace.NumResources][2]uint8
	for r := range s.alloc {
		if s.alloc[r] != nil {
			shift[r] = [2]uint8{zeroBits(s.alloc[r]), zeroBits(s.spare[r])}
			head = append(head, shift[r][0], shift[r][1])
		}
	}
	e, m := rangecode.NewEncoder(), new(rowModels)
	last := int64(0)
	for i, at := range s.at {
		at /= int64(tick)
		e.Number(&m.at, uint64(at-last)) // wraps around for descending instants; decoding wraps back
		last = at
		e.Number(&m.events, uint64(s.events[i]))
		which := min(int(s.events[i]), cases-1)
		for r := range s.alloc {
			if s.alloc[r] == nil {
				continue
			}
			next := encodeAmount(e, &m.alloc[r][which], s.alloc[r][i], shift[r][0])
			encodeAmount(e, &m.spare[r][next], s.spare[r][i], shift[r][1])
		}
	}
	s.packed = slices.Concat(head, e.Bytes())
	return nil
}

// errPacked is returned for rows that Encodable did not pack.
var errPacked = errors.New("the steps of leftover are damaged")

// Decoded unpacks the rows.
func (s *steps) Decoded() error {
	data := s.packed
	if s.packed = nil; len(data) == 0 {
		return errPacked
	}
	mask := data[0]
	data = data[1:]
	rows, k := binary.Uvarint(data)
	if k <= 0 || mask >= 1<<trace.NumResources {
		return errPacked
	}
	data = data[k:]
	tick, k := binary.Uvarint(data)
	if k <= 0 || tick == 0 || tick > 1<<62 {
		return errPacked
	}
	data = data[k:]
	var shift [trace.NumResources][2]uint8
	for r := range shift {
		if mask>>r&1 == 0 {
			continue
		}
		if len(data) < 2 || data[0] > 127 || data[1] > 127 {
			return errPacked
		}
		shift[r] = [2]uint8{data[0], data[1]}
		data = data[2:]
		s.alloc[r], s.spare[r] = []amount{}, []amount{}
	}
	d, m := rangecode.NewDecoder(data), new(rowModels)
	last := int64(0)
	for range rows {
		last += int64(d.Number(&m.at))
		events := d.Number(&m.events)
		if d.Over() || events >= 1<<32 {
			return errPacked
		}
		s.at, s.events = append(s.at, last*int64(tick)), append(s.events, uint32(events))
		which := min(int(events), cases-1)
		for r := range shift {
			if mask>>r&1 == 0 {
				continue
			}
			a, next := decodeAmount(d, &m.alloc[r][which], shift[r][0])
			b, _ := decodeAmount(d, &m.spare[r][next], shift[r][1])
			s.alloc[r], s.spare[r] = append(s.alloc[r], a), append(s.spare[r], b)
		}
	}
	if !d.Whole() {
		return errPacked
	}
	return nil
}

// encodeAmount writes an amount in zigzag form and returns its case.
func encodeAmount(e *rangecode.Encoder, m *amountModel, a amount, shift uint8) int {
	a = a.shiftRight(shift)
	sign := uint64(int64(a.hi) >> 63)
	hi, lo := (a.hi<<1|a.lo>>63)^sign, a.lo<<1^sign
	e.Number(&m.lo, lo)
	e.Number(&m.hi, hi)
	return caseOf(hi, lo)
}

func decodeAmount(d *rangecode.Decoder, m *amountModel, shift uint8) (a amount, which int) {
	lo, hi := d.Number(&m.lo), d.Number(&m.hi)
	sign := -(lo & 1)
	return amount{hi>>1 ^ sign, (lo>>1 | hi<<63) ^ sign}.shiftLeft(shift), caseOf(hi, lo)
}

func caseOf(hi, lo uint64) int {
	if hi != 0 || lo >= cases {
		return cases - 1
	}
	return int(lo)
}

// zeroBits returns the number of zero bits that all amounts end with.
func zeroBits(all []amount) uint8 {
	var or amount
	for _, a := range all {
		or = amount{or.hi | a.hi, or.lo | a.lo}
	}
	switch {
	case or.lo != 0:
		return uint8(bits.TrailingZeros64(or.lo))
	case or.hi != 0:
		return uint8(64 + bits.TrailingZeros64(or.hi))
	}
	return 0
}

// shiftRight divides an amount by a power of two that divides it.
func (a amount) shiftRight(by uint8) amount {
	switch {
	case by >= 64:
		return amount{uint64(int64(a.hi) >> 63), uint64(int64(a.hi) >> (by - 64))}
	case by == 0:
		return a
	}
	return amount{uint64(int64(a.hi) >> by), a.lo>>by | a.hi<<(64-by)}
}

// shiftLeft multiplies an amount by a power of two.
func (a amount) shiftLeft(by uint8) amount {
	switch {
	case by >= 64:
		return amount{a.lo << (by - 64), 0}
	case by == 0:
		return a
	}
	return amount{a.hi<<by | a.lo>>(64-by), a.lo << by}
}
