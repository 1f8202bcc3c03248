// Package jsonl reads racecard JSON Lines, the form that is easy to write by hand and to exchange: one run per line.
//
//	{"id":"r7","name":"nightly-index","user":"ann","group":"search","submit_s":0,"start_s":1,"end_s":9,"status":"succeeded",
//	 "guaranteed":50,"input_bytes":1e9,"shuffle_bytes":2e8,"output_bytes":1e6,"reads":["a"],"writes":["b"],
//	 "stages":[{"name":"map","tasks":2,"duration_s":1.0,"cpu":0.04},
//	           {"name":"join","durations_s":[1,1.5,1],"cpu":0.21,"mem":1e9},
//	           {"name":"sum","tasks":1,"duration_s":0.1,"estimate_s":0.2,"parents":[0,1],"edge":"all_to_all","after":[]}],
//	 "tasks":[{"stage":0,"task":0,"attempt":0,"queued_s":0,"start_s":1,"end_s":2,"status":"succeeded","machine":"m1"}]}
//
// Only id and, for every stage, tasks or durations_s are required. Times are seconds: Unix time when any lies after
// 1973, else relative to the start of the trace. Sizes are bytes, cpu is in cores, rates are bytes/s.
//
//   - parents holds indices of the stages a stage waits for, in any order: stages are sorted topologically and keep
//     their names. edge is the kind of the edges from parents: all_to_all (the default), one_to_one or unknown. after
//     holds the stages that the driver waited for before it started this one.
//   - tasks is the number of tasks. duration_s is the duration of each of them, durations_s one duration per task. An
//     explicit null says that the trace does not hold the number.
//   - the list tasks of a run holds attempts. A stage without listed attempts takes them from its durations.
//   - status left out means succeeded when end_s is given, and unknown when it is not.
//   - an end before its start becomes null: a counted repair, since traces of real clusters hold such ends.
//   - stages may carry submit_s, start_s, end_s and every resource; tasks may carry every resource, duration_s,
//     speculative, spare and reason (why an attempt did not succeed).
//
// Unknown fields are an error that names the line and the field, so that a misspelt field is not silently dropped.
package jsonl
