package tablefile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// mark comes before the digits of a checksum, and nowhere else in a file.
const mark = "racecard-sha256:"

const digits = 2 * sha256.Size

var zeros = strings.Repeat("0", digits)

// places returns where the digits of the checksum are.
func places(data []byte) []int {
	var at []int
	for from := 0; ; {
		i := bytes.Index(data[from:], []byte(mark))
		if i < 0 {
			return at
		}
		from += i + len(mark)
		at = append(at, from)
	}
}

// sum returns the checksum of a file with zeros at some places.
func sum(data []byte, at []int) string {
	h := sha256.New()
	from := 0
	for _, i := range at {
		h.Write(data[from:i])
		h.Write([]byte(zeros))
		from = i + digits
	}
	h.Write(data[from:])
	return hex.EncodeToString(h.Sum(nil))
}

// sign writes the checksum to the so many places where a file has zeros for it.
func sign(data []byte, want int) error {
	at := places(data)
	if len(at) != want {
		return fmt.Errorf("a file with %d checksums, want %d", len(at), want)
	}
	s := sum(data, at)
	for _, i := range at {
		copy(data[i:i+digits], s)
	}
	return nil
}

// checkSum compares a file with its checksum.
func checkSum(data []byte) error {
	at := places(data)
	if len(at) == 0 {
		return errors.New("there is no checksum: not a table of racecard, or cut off")
	}
	for k, i := range at {
		if i+digits > len(data) || k > 0 && i < at[k-1]+digits {
			return errors.New("the checksum is cut off")
		}
	}
	want := sum(data, at)
	for _, i := range at {
		if string(data[i:i+digits]) != want {
			return errors.New("damaged: the content does not match the checksum in it; build the table again")
		}
	}
	return nil
}
