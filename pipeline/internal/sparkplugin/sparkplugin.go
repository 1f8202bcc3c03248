// Package sparkplugin holds the plugin with which a Spark driver gets predictions and numbers of executors from
// `racecard serve`: its sources (java/) and the jar that build.sh builds from them. One jar serves Scala 2.12 and 2.13:
// methods with different signatures are called by reflection. The jar is kept because building it needs a JDK and the
// jars of Spark, which users of racecard need not have; a test checks that it was built from these sources.
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
