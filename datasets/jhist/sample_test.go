package jhist_test

import (
	"fmt"
	"strings"
	"testing"

	"racecard/datasets/jhist"
	"racecard/datasets/source"
	"racecard/datasets/source/sourcetest"
	"racecard/datasets/trace"
)

const schema = `{"type":"record","name":"Event","namespace":"org.apache.hadoop.mapreduce.jobhistory","fields":[{"name":"type","type":"string"},{"name":"event","type":[]}]}`

const head = "Avro-Json\n" + schema + "\n"

func read(t testing.TB, content string) *sourcetest.Result {
	return sourcetest.Read(t, jhist.Format(), source.BytesFile("x.jhist", []byte(content)))
}

// at is an instant, of the milliseconds that the samples hold.
func at(ms int64) trace.Instant { return trace.Instant(ms) * 1000 }

// event is a line: the body stands under the class.
func event(class, body string) string {
	return fmt.Sprintf(`{"type":"ANY","event":{"org.apache.hadoop.mapreduce.jobhistory.%s":{%s}}}`, class, body)
}

func submitted(more string) string {
	return event("JobSubmitted",
		`"jobid":"job_1_0001","jobName":"sorter","userName":"ann","submitTime":1000,"jobConfPath":"hdfs://x/job.xml","acls":{},"jobQueueName":"default"`+more)
}

func inited(maps, reduces int) string {
	return event("JobInited",
		fmt.Sprintf(`"jobid":"job_1_0001","launchTime":2000,"totalMaps":%d,"totalReduces":%d,"jobStatus":"INITED","uberized":false`, maps, reduces))
}

func taskStarted(task string, ms int) string {
	return event("TaskStarted",
		fmt.Sprintf(`"taskid":"task_1_0001_%s","taskType":"%s","startTime":%d,"splitLocations":""`, task, kindOf(task),
			ms))
}

func kindOf(task string) string {
	if strings.HasPrefix(task, "r") {
		return "REDUCE"
	}
	return "MAP"
}

func started(attempt string, ms int, more string) string {
	return event("TaskAttemptStarted",
		fmt.Sprintf(`"taskid":"task_1_0001_%s","taskType":"%s","attemptId":"attempt_1_0001_%s","startTime":%d,"trackerName":"tracker","httpPort":1`+more,
			attempt[:8], kindOf(attempt), attempt, ms))
}

func finished(attempt string, ms int, counts string) string {
	class := "MapAttemptFinished"
	if kindOf(attempt) == "REDUCE" {
		class = "ReduceAttemptFinished"
	}
	return event(class, fmt.Sprintf(`"taskid":"task_1_0001_%s","attemptId":"attempt_1_0001_%s","taskType":"%s","taskStatus":"SUCCEEDED","finishTime":%d,"hostname":"m1","rackname":"/default-rack","state":"","counters":%s`,
		attempt[:8], attempt, kindOf(attempt), ms, counters(counts)))
}

func unsuccessful(attempt, status string, ms int, more string) string {
	return event("TaskAttemptUnsuccessfulCompletion",
		fmt.Sprintf(`"taskid":"task_1_0001_%s","taskType":"%s","attemptId":"attempt_1_0001_%s","finishTime":%d,"hostname":"m2","status":"%s","error":"Error: java.lang.RuntimeException\n\tat x"`+more,
			attempt[:8], kindOf(attempt), attempt, ms, status))
}

// counters writes NAME=1,OTHER=2 as Hadoop does.
func counters(counts string) string {
	var list []string
	for c := range strings.SplitSeq(counts, ",") {
		if name, value, ok := strings.Cut(c, "="); ok {
			list = append(list, fmt.Sprintf(`{"name":"%s","displayName":"x","value":%s}`, name, value))
		}
	}
	return `{"name":"COUNTERS","groups":[{"name":"g","displayName":"G","counts":[` + strings.Join(list, ",") + `]}]}`
}

func jobFinished(ms int) string {
	return event("JobFinished", fmt.Sprintf(`"jobid":"job_1_0001","finishTime":%d,"finishedMaps":1,"totalCounters":%s`,
		ms, counters("HDFS_BYTES_READ=1")))
}

func jobFailed(status string, ms int) string {
	return event("JobUnsuccessfulCompletion", fmt.Sprintf(`"jobid":"job_1_0001","finishTime":%d,"jobStatus":"%s"`, ms,
		status))
}

// log puts events behind the header, with blank lines between them as Hadoop does.
func log(events ...string) string { return head + strings.Join(events, "\n\n") + "\n\n" }
