package cli

import (
	"strings"
	"syscall"
	"testing"
)

// mount mounts a small file system in memory, or skips the test where that is not allowed.
func mount(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	var flags uintptr
	if options == "ro" {
		flags, options = syscall.MS_RDONLY, ""
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", flags, options); err != nil {
		t.Skipf("mounting a file system (%s) needs root: %v", strings.TrimSpace(options), err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}
