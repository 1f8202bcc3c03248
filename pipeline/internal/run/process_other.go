//go:build !linux

package run

import (
	"os"
	"syscall"
)

// dieWithParent does nothing: a process whose run dies goes on, and keeps the vault closed until it ends.
func dieWithParent() *syscall.SysProcAttr { return nil }

// peak returns 0: not measured.
func peak(*os.ProcessState, int64) int64 { return 0 }

// ownPeak returns 0: not measured.
func ownPeak() int64 { return 0 }
