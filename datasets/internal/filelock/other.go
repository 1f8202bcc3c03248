//go:build !(linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package filelock

import (
	"errors"
	"os"
)

// Works says that the system has locks.
const Works = false

func lock(*os.File) error { return errors.ErrUnsupported }
