// Package attack holds the fault suite: tests that attack racecard as a process through its real command line, one file
// per kind of attack. `go test` runs a short form, `just attack` the long one.
//
// Interruptions: a command is killed, told to end, or given an I/O error at each of its calls that change the disk. The
// last complete version of its output is visible after each, and the same command then makes the same bytes and leaves
// nothing else.
//
// Flags: every flag for a number, of every command, gets extreme values, and in the long form the ends of its range.
// Commands end within 20 s and 1.5 GB, with an exit status of racecard and without a panic.
//
// Forgeries: every file of stores, models, tables and results is flipped, cut off, swapped, spliced and retyped, mostly
// with checksums that match again, and read by every command that reads such a folder. Damaged inputs: real files of
// every format are changed in the same ways and imported. Each command runs as a process within 1.5 GB of memory and 20
// s of a processor, ends with a status from 0 to 4 and without a panic; an import that succeeds accounts for every
// record, and one that does not leaves nothing.
package attack
