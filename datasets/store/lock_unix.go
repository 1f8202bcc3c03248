//go:build unix

package store

import (
	"errors"
	"os"
	"syscall"
)

// lock locks a file, which it makes, until it is closed or the process ends. It fails while another process has it.
func lock(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		if errors.Is(err, syscall.EWOULDBLOCK) {
			err = errors.New("another process writes this store: wait until it is done")
		}
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}
