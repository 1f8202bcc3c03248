package fetch

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Sums are checksums in hexadecimal by file name, as a publisher lists them.
type Sums map[string]string

// ReadSums reads what sha256sum and md5sum print: a checksum, blanks, perhaps a star, and a file name, one per line.
// name is used in messages.
func ReadSums(r io.Reader, name string) (Sums, error) {
	sums := Sums{}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimRight(lines.Text(), "\r")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		sum, file, ok := strings.Cut(line, " ")
		sum, file = strings.ToLower(sum), strings.TrimPrefix(strings.TrimLeft(file, " "), "*")
		if !ok || file == "" || sum == "" || !isHex(sum, 64) && !isHex(sum, 32) {
			return nil, fmt.Errorf("%s:%d: %.80q is not a checksum and a file name", name, n, line)
		}
		sums[strings.TrimPrefix(file, "./")] = sum
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return sums, nil
}

// Apply gives a file the checksum that is listed for its path, unless it has a checksum already, and reports
// whether the list has one.
func (s Sums) Apply(f *File) bool {
	sum := s[f.Path]
	switch {
	case f.published() || sum == "":
	case len(sum) == 64:
		f.SHA256 = sum
	default:
		f.MD5 = sum
	}
	return f.published()
}
