// Package jhist reads the job history files of MapReduce v2 on YARN, in their JSON form.
//
// The first line is Avro-Json, the second the Avro schema. Every further line is an event: an object with its
// type and, under the name of its class, its fields. Blank lines stand between events. Specification:
// Events.avpr and the classes EventWriter and EventReader of org.apache.hadoop.mapreduce.jobhistory in
// https://github.com/apache/hadoop. Versions differ in the fields of events; a value of a nullable type is
// wrapped in the name of its type. Times are milliseconds since the Unix epoch, -1 if unknown. Files in the
// binary form (Avro-Binary, the default of Hadoop 3) are rejected with a hint.
//
// # Tables
//
// A file holds one job, which becomes a run as package [racecard/datasets/mapreduce] tells. In detail:
//
//   - jobs: job_id is jobid, name jobName, user userName, submit submitTime of JobSubmitted; group is the queue, of
//     JobSubmitted or of the last JobQueueChange; start is the later of launchTime (JobInited) and the first attempt,
//     end finishTime and status the kind of JobFinished or the jobStatus of JobUnsuccessfulCompletion. Without either
//     the job had not ended: running, with a warning. guaranteed is null.
//   - stages: map and reduce, with totalMaps and totalReduces tasks of JobInited.
//   - tasks: one row per attempt of a map or reduce that an event tells of. start is the startTime of
//     TaskAttemptStarted, end the finishTime of MapAttemptFinished, ReduceAttemptFinished, TaskAttemptFinished or
//     TaskAttemptUnsuccessfulCompletion. An attempt that succeeded and is declared unsuccessful later has lost its
//     output with its machine: lost. machine is the host name or, while an attempt runs, the tracker's. speculative
//     follows avataar (2.4 and later). queued of the first attempt of a map is the time of TaskStarted, when its
//     container is asked for; reduces are held back until enough maps are done, which is not logged: null. cpu is
//     CPU_MILLISECONDS over the duration, mem PHYSICAL_MEMORY_BYTES; both are null where the memory is 0, since then
//     neither was measured.
//   - input_bytes sums the counters <SCHEME>_BYTES_READ, output_bytes <SCHEME>_BYTES_WRITTEN, over the schemes but
//     FILE; shuffle_bytes REDUCE_SHUFFLE_BYTES or MAP_OUTPUT_BYTES. Counters are of attempts.
//   - not available: io, allocations, machines, requested memory, disk and network demand, edges between jobs. Setup
//     and cleanup tasks and the application master are left out.
//
// # Records
//
// A record is a line. Blank lines, the two header lines, and events that say nothing of a map or reduce task or of the
// job are ignored, counted by their class. A line that is not JSON, or an event without a field it needs, is rejected.
// When a run cannot be used (its id occurred before), all its events become rejected. A file that holds several logs,
// one behind the other, is parted where a header stands.
package jhist
