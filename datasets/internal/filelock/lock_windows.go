package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Folders says that the system locks folders. Windows locks files only, and renames no folder that is open.
const Folders = false

// lock locks one byte far behind the end of any file: locks of Windows keep others from reading and writing the bytes
// they cover.
func lock(f *os.File) error {
	at := windows.Overlapped{OffsetHigh: 1 << 30}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return errBusy
	}
	return err
}
