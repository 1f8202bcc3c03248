// Package publish writes the folders that racecard leaves behind: stores, results, models, tables, reports and
// generated traces. It is the only package that creates, renames and removes files at a place that a user named; a test
// of the whole program holds that.
//
// A version of a folder grows in a staging folder next to its place, .NAME.partial-N, or .NAME.partial for an
// import that can be resumed. [Folder.Publish] syncs it and exchanges it with the current version, in one step
// where the system can (renameat2 with RENAME_EXCHANGE on Linux). Elsewhere the older version steps aside under
// the name of the staging folder with .old added. If the second rename fails, it comes back; if the process dies
// in between, [Rescue] brings it back. So the last complete version is visible throughout.
//
// A process holds a lock on its staging folder, and the lock dies with the process. [Begin] removes what dead processes
// left. While two processes publish at one place, each locks the version that it replaces, so no update is lost.
//
// A version replaces only files that racecard wrote, which the index of the older version tells ([Kind.Own]); other
// files are carried over as hard links. A symbolic link to a folder stays a link, and its target is replaced.
//
// A folder may lie in a bucket: s3://BUCKET/PATH, gs://... or azblob://.... Its versions are staged on this machine,
// and numbered in the bucket; the highest number is the folder (remote.go).
//
// [Open] reads a folder from one version, even while it is replaced. [TemporaryFile] and [TemporaryFolder] are gone
// when the process ends, or are removed by the next one.
package publish
