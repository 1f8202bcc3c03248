// Package result holds the documents that analyses return and reports show: numbers with units and sample sizes.
//
// Each analysis has one document type here. Its JSON form is the output of `racecard analyze --json`, and of
// `analyze --out DIR` in DIR/<analysis>.json; its table, one row per entity, goes to DIR/<analysis>.parquet.
// Reports import this package and nothing else of racecard, so a page can be drawn from files alone.
package result
