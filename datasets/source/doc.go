// Package source is the common ground of all trace formats: inputs that are opened, checksummed and
// decompressed; lines and their positions; and the account of every record.
//
// A [File] is one input: a file on disk, a member of an embedded file system, or a member of a tar archive. [Expand]
// finds the files behind the paths a user names. [File.Open] decompresses the content by its first bytes (gzip, zstd,
// bzip2, LZ4 and Snappy, also in Spark's framing), and hashes the raw bytes on the way.
//
// A format reader turns files into runs and keeps a [Tally]: every record it reads is used, ignored under a named kind,
// or rejected with a reason, so that read = used + ignored + rejected always holds. A record that cannot be used is a
// [*Reject] in the stream of runs; any other error ends the stream.
package source
