// Package serve answers schedulers over HTTP from tables of remaining times. It is a thin layer over package live.
//
//	GET    /v1/jobs             jobs that have a table
//	GET    /v1/tables/{job}     the table: JSON, Arrow or Parquet by Accept
//	GET    /v1/remaining        one look-up; POST answers a batch
//	POST   /v1/decide           one step of the control loop of an application
//	POST   /v1/decide/batch     steps of several applications
//	GET    /v1/apps             applications with a control loop, and their last decisions
//	DELETE /v1/apps/{app}       ends a control loop
//	POST   /v1/admit            whether jobs fit next to each other
//	GET    /healthz /readyz /metrics /openapi.json
//
// Every answer names the generation of tables that it comes from. Errors are problem documents (RFC 9457).
//
// Decisions are journalled: after a restart, a server reads its journal and resumes the control loops. Content of a
// request never reaches the file system, except as a line of the journal.
//
// SECURITY.md in the root states the promises that the tests of this package hold.
package serve
