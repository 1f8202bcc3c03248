// Package schema holds the published schemas of racecard's documents and tables. `go test ./pipeline/cli -run Schema
// -regen` writes the files from the types and comments of the code.
package schema

import "embed"

// Files are the schemas: NAME.json for each document, and tables.json for the columns of all tables.
//
//go:embed *.json
var Files embed.FS // constant
