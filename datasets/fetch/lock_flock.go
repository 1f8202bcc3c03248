//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package fetch

import (
	"errors"
	"os"
	"syscall"
)

// locked locks a folder until it is closed, and reports false when someone else has locked it. File systems without locks
// are not locked.
func locked(folder *os.File) bool {
	return !errors.Is(syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}
