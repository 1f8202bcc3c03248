// Package sparkplugin holds the plugin by which a Spark driver asks `racecard serve` for predictions and executors: its
// sources (java/) and the jar that build.sh made of them. One jar serves Scala 2.12 and 2.13, as methods whose
// signatures
// differ are called by reflection. The jar is kept because building it needs a JDK and the jars of Spark, which
// users of racecard need not have; a test holds that it was made of these sources.
package sparkplugin

import (
	"embed"
	_ "embed"
)

// Jar is the plugin, for spark.jars or --jars.
//
//go:embed racecard-spark.jar
var Jar []byte

// Sources are the files that the jar was made of.
//
//go:embed java/io/racecard/*.java
var Sources embed.FS
