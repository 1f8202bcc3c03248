#!/bin/sh
# usage: build.sh SPARK_JARS. Compiles the plugin against the jars of a Spark (of PySpark: site-packages/pyspark/jars) and writes
# racecard-spark.jar. The same sources and javac give the same bytes; the manifest holds the checksum of the sources.
set -eu
cd "$(dirname "$0")"
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
javac --release 8 -nowarn -g:source,lines -cp "$1/*" -d "$out/classes" java/io/racecard/*.java 2>"$out/log" || { cat "$out/log" >&2; exit 1; }
sum=$(cat java/io/racecard/*.java | sha256sum | cut -d' ' -f1)
printf 'Sources: %s\nImplementation-Title: racecard\n' "$(echo "$sum" | cut -c1-60)" >"$out/manifest"
jar --create --date=2000-01-01T00:00:00Z --file racecard-spark.jar --manifest "$out/manifest" -C "$out/classes" .
