// Package result holds what analyses return and reports show: plain documents with numbers, units and sample sizes.
//
// Each analysis has one document type here. Its JSON form is what `racecard analyze --json` prints and what
// `analyze --out DIR` writes to DIR/<analysis>.json; its table, one row per entity, goes to DIR/<analysis>.parquet.
// Reports import this package and nothing else of racecard, so a page can be drawn from files alone.
package result
