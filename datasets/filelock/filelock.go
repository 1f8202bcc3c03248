// Package filelock keeps two processes from writing to one place at once.
package filelock

import "os"

// Try locks a file or folder until it is closed or the process ends, and reports false when somebody else has locked it.
// File systems and systems without such locks lock nothing, and report true.
func Try(f *os.File) bool { return try(f) }
