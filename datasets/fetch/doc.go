// Package fetch downloads files over HTTP. A file appears under its name only when it is complete and right.
//
// A file arrives in NAME.part next to its target. An interrupted download resumes where it stopped, in the same
// call or a later one (Range, RFC 9110 section 14). NAME.part.json keeps the validator of the remote file (ETag
// or Last-Modified), which is sent as If-Range: if the remote file has changed, or the server knows no ranges,
// the download restarts. Temporary failures (a broken connection, a stall, status 408, 429 and 5xx) are retried
// after a wait that doubles, or as long as Retry-After asks. Other failures (status 404, a web page instead of a
// file, a wrong length) lead to the next mirror at once.
//
// A whole file is compared with the size and the checksums that its publisher gives, where there are any, synced, and
// renamed. Where there are none, the checksum of the first download is trusted from then on (trust on first use): it is
// kept in [RecordFile], and a later download that differs is an error. gzip, zip and Parquet files without a published
// checksum must also be whole by their own account. What no one can notice is a text file without published size or
// checksum that a server cuts short while it states the shorter length.
//
// Redirects are followed ten deep, never from https to http. Nothing is written outside the folder, not through
// symbolic links either ([os.Root]). Two downloads into one folder at a time, in whatever processes, are an error where
// the system has flock, and must not be tried elsewhere.
package fetch
