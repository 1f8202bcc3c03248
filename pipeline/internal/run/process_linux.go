package run

import (
	"fmt"
	"os"
	"strings"
	"syscall"
)

// dieWithParent has the system kill a process when the run dies.
func dieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} }

// peak returns the largest resident memory of a process that ended, in bytes; 0 where that is not known. Linux counts
// the memory of its parent, until the process began, as its own: own is the largest memory of this process after that.
func peak(p *os.ProcessState, own int64) int64 {
	u, ok := p.SysUsage().(*syscall.Rusage)
	if !ok || own == 0 || u.Maxrss<<10 <= own {
		return 0
	}
	return u.Maxrss << 10
}

// ownPeak returns the largest resident memory of this process up to now, in bytes; 0 where that is not known.
func ownPeak() int64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(text), "\nVmHWM:")
	var kilobytes int64
	if _, err := fmt.Sscanf(after, "%d kB", &kilobytes); err != nil {
		return 0
	}
	return kilobytes << 10
}
