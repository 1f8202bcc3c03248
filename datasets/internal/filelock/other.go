//go:build !(windows || linux || darwin || freebsd || netbsd || openbsd || dragonfly)

package filelock

import (
	"errors"
	"os"
)

// Folders says that the system locks folders, too.
const Folders = false

func lock(*os.File) error { return errors.ErrUnsupported }
