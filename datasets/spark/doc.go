// Package spark reads the event logs of Apache Spark, 1.x to 4.x: what the history server shows, as tables.
//
// A log holds one JSON object per line, one per SparkListener event, as org.apache.spark.util.JsonProtocol writes them;
// org.apache.spark.deploy.history.EventLogFileWriters lays them out in files. Specification:
// https://spark.apache.org/docs/latest/monitoring.html ("Viewing After the Fact", "Applying compaction on rolling event
// log files") and those two sources in https://github.com/apache/spark. Fields are only ever added to the protocol, so
// one reader serves all versions; whatever a version lacks becomes null.
//
// # Inputs
//
// A log is one file, or the files events_<N>_<application>[.codec] of a folder, read in the order of N. A file
// events_<N>_<application>.compact replaces the files numbered up to N, which are read and ignored. The empty
// markers appstatus_<application> hold no events. Logs of running applications (.inprogress) are read up to
// their end. One attempt of an application is one run; one application is in memory at a time. A file of several
// concatenated logs is split where a log starts anew (LogStart).
//
// # Jobs
//
// job_id is App ID, followed by _ and App Attempt ID when there is one, since attempts share the App ID. A log that
// never says it is named by its file. name is App Name, or spark.app.name. submit is the Timestamp of ApplicationStart,
// start the earliest start of a Spark job, stage or task, end the Timestamp of ApplicationEnd.
//
// status is running without ApplicationEnd. With it, failed when an ExitCode other than 0 is stated or when the Spark
// job that ended last has failed; succeeded otherwise, also without Spark jobs: the driver survived failures before the
// last.
//
// input_bytes, shuffle_bytes and output_bytes sum Bytes Read, Shuffle Bytes Written and Bytes Written over the last
// succeeded attempt of each task, so that a retry does not count twice; over all succeeded attempts of a retried stage
// where Partition ID is not logged. They are null when no task carries metrics.
// guaranteed is the static request, in tasks: see [Format]. With dynamic allocation it is null.
//
// # Stages and edges
//
// A stage of the table is a stage id that was submitted; it also counts when only its end or its tasks are logged,
// since Spark drops events under load. All attempts of a stage are one stage: submit is the first submission, start the
// earliest launch of a task, end the last completion (null while the last attempt is not complete), tasks the largest
// Number of Tasks of its attempts. cpu is spark.task.cpus, 1 unless set; null when the environment is not logged.
//
// description is the job description of the first job that lists the stage, on one line. Spark describes the jobs of a
// query by its SQL. Of a stream, the name of the query and the number of the batch are kept. plan names the nodes of
// the query's plan that the stage executes: the scopes in RDD Info, each once, at most 50. cluster of the run is the
// cluster id that Databricks and EMR state among the properties.
//
// Parent IDs give all_to_all edges: a stage ends where data are shuffled. A stage that is listed by a job but
// never submitted was skipped, because an earlier job left its output. It stands for the latest stage with a
// lower id that computed the same RDD (the first of RDD Info). So the plans of adaptive execution, which runs
// every query stage as a separate job, keep their edges. If no such stage is logged, its children wait for its
// nearest submitted ancestors.
//
// The driver program orders jobs, too. Among the jobs that had ended when a job begins, the one that ended last
// counts; if several ended at that instant, all of these count. Driver edges lead from their final stages to the root
// stages of the new job, which no other stage of it feeds. Jobs without submitted stages are passed over, and so are
// stages that an earlier job brought along. A pair with a data edge gets none. Times order jobs if every job has them;
// otherwise the order of events does (Spark 1.0 to 1.2).
//
// # Tasks
//
// A row is a Task ID seen in a TaskStart or TaskEnd. task is Index. When a stage was retried and Partition ID is
// logged (3.3 and later), task is the Index at which that partition was first seen, because a retry renumbers
// the tasks it repeats. attempt is Attempt, counted on over the attempts of the stage. start and end are Launch
// Time and Finish Time. machine is "<host>/<executor id>": tasks are lost by executor.
//
// status follows Task End Reason: Success is succeeded; TaskKilled killed; ExecutorLostFailure lost; Resubmitted, which
// names an earlier attempt that had succeeded and whose output was lost with its executor, makes that one lost;
// anything else failed. reason is Reason, and behind a colon the class of the exception, unless it is Success. Without
// a reason the flags Failed and Killed decide, without a TaskEnd it is running. queued is the submission of the stage
// attempt for the first attempt of a task, the end of the failed attempt before it for a retry, and null for
// speculative copies and after lost output, whose time is not logged.
//
// # Allocations and machines
//
// Each ExecutorAdded and ExecutorRemoved makes a row of allocations: tokens are tasks that fit on the executors, by
// their cores and by their other resources, such as GPUs, as configured; machines are executors. Logs without them (1.0
// to 1.2, local mode before 3.0) are served by block managers, with tokens null. Every executor is a row of machines,
// named as in tasks. Plain logs name no datasets: io is empty.
//
// # Records
//
// A record is a line. Events of other kinds are ignored, counted by their class. A line that is not JSON is rejected,
// except the last one of a log that was cut off. Missing and contradicting events are warnings; see the kinds of
// Warn... and Repair... constants.
package spark
