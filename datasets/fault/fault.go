// Package fault marks programming errors, which no input should reach. An unrecovered panic ends a Go program
// with status 2, which means wrong usage here, and prints text for programmers.
package fault

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"
)

// Debug is the variable of the environment that has reports show the stack.
const Debug = "RACECARD_DEBUG"

// Trap ends the program with status 1 and a report when the goroutine that defers it panics. Every goroutine begins
// with it. In tests it lets panics through.
func Trap() {
	p := recover()
	if p == nil {
		return
	}
	if flag.Lookup("test.v") != nil {
		panic(p)
	}
	Report(os.Stderr, p)
	os.Exit(1)
}

// Report writes what somebody needs who is to mend the fault. It is called by the function that recovered p.
func Report(w io.Writer, p any) {
	fmt.Fprintf(w, "racecard: a fault in racecard, not in what you did: %v\n", p)
	if os.Getenv(Debug) == "" {
		fmt.Fprintf(w, "racecard: please report it with the command, and with what it prints when %s=1 is set\n", Debug)
		return
	}
	fmt.Fprintf(w, "%s\n", debug.Stack())
}
