// Racecard reads the traces that data-parallel clusters leave behind and says how their jobs behave. See README.md.
package main

import (
	"os"

	"racecard/pipeline/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdout, os.Stderr)) }
