package work

import (
	"embed"
	"slices"
)

//go:embed engines
var engines embed.FS

// SparkDriver is the name of the driver for spark-submit.
const SparkDriver = "racecard_work.py"

// engineFiles are the files of engines.
func engineFiles() map[string]string {
	return map[string]string{"spark": SparkDriver, "kubernetes": "kubernetes.yaml", "slurm": "slurm.sh"}
}

// Engines names the engines for which there is a driver or a manifest.
func Engines() []string {
	var all []string
	for name := range engineFiles() {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// Engine returns the driver or manifest of an engine that [Engines] names.
func Engine(name string) ([]byte, error) { return engines.ReadFile("engines/" + engineFiles()[name]) }
