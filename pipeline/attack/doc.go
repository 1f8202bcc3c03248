// Package attack holds the fault suite: tests that attack racecard as a process through its real command line, one file per
// kind of attack. `go test` runs a short form, `just attack` the long one.
//
// Interruptions: a command is killed, told to end, or given an I/O error at each of its calls that change the disk. The last
// complete version of its output is visible after each, and the same command then makes the same bytes and leaves nothing else.
//
// Flags: every flag for a number, of every command, gets extreme values, and in the long form the ends of its range. Commands end within
// 20 s and 1.5 GB, with a status of their own and without a panic.
package attack
