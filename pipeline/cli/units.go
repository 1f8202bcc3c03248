package cli

import (
	"math"

	"racecard/datasets/result"
)

// micros converts an instant of the manifest to seconds; nil is null.
func micros(us *int64) result.Number {
	if us == nil {
		return result.Number(math.NaN())
	}
	return result.Number(float64(*us) / 1e6)
}
