// Package clouds lets a program open s3://, gs:// and azblob:// through package publish, as image/png lets one decode
// PNG: import it for its effect. A program without it is built in a fraction of the time, and says so when it is to
// open such a URL. The build tags nos3, nogs and noazblob leave out one driver each.
package clouds
