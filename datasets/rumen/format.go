package rumen

import (
	"bytes"
	"encoding/json"
	"strings"

	"racecard/datasets/source"
)

// Format describes the format to the registry of formats.
func Format() source.Format {
	return source.Format{
		Name:    "rumen",
		Summary: "Hadoop Rumen traces: a JSON object per MapReduce job, as GridMix, Mumak and SLS read them",
		Holds: "jobs with their map and reduce stage, every attempt with times, outcome and machine; input, shuffle " +
			"and output bytes; requested memory, and in later versions measured cpu and memory; machine names from a " +
			"topology beside the trace",
		Lacks: "names of datasets (no dependency between jobs), guarantees, disk and network demand, speculation",
		Spec: "https://hadoop.apache.org/docs/stable/hadoop-rumen/Rumen.html; " +
			"org.apache.hadoop.tools.rumen.LoggedJob in https://github.com/apache/hadoop",
		TimeBase: source.TimeBaseUnix,
		PerRun:   true,
		Apart:    true,
		OnceEach: true,
		Detect:   detect,
		Read:     Read,
	}
}

// jobKeys are the fields that LoggedJob alone has, and not the objects inside it. They are false where other formats
// have fields of that name.
func jobKeys() map[string]bool {
	return map[string]bool{
		"jobID": true, "submitTime": true, "launchTime": true, "totalMaps": true, "totalReduces": true, "outcome": true,
		"jobtype":  true,
		"mapTasks": true, "reduceTasks": true, "otherTasks": true, "heapMegabytes": true,
		"computonsPerMapInputByte":  true,
		"computonsPerMapOutputByte": true, "computonsPerReduceInputByte": true, "computonsPerReduceOutputByte": true,
		"directDependantJobs": true, "successfulMapAttemptCDFs": true, "failedMapAttemptCDFs": true,
		"successfulReduceAttemptCDF": true,
		"failedReduceAttemptCDF":     true, "mapperTriesToSucceed": true, "failedMapperFraction": true,
		"relativeTime": true,
		"clusterMapMB": true, "clusterReduceMB": true, "jobMapMB": true, "jobReduceMB": true,
		"priority": false, "jobName": false, "user": false, "queue": false, "jobProperties": false,
	}
}

// taskKeys are the fields of LoggedTask.
const taskKeys = " taskID taskType attempts startTime finishTime taskStatus numberMaps numberReduces " +
	"preferredLocations inputBytes inputRecords outputBytes outputRecords "

// enoughKeys is the number of job fields that an object needs if neither its id nor its tasks identify it as a
// job.
const enoughKeys = 4

// detect looks at the fields of the first object. A job has an id like job_..., a list of tasks or several other
// fields unique to jobs; the root of a topology has a name only it bears.
func detect(_ string, head []byte) bool {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), "[ \t\r\n")
	d := json.NewDecoder(bytes.NewReader(head))
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return false
	}
	keys, met, root := jobKeys(), 0, false
	for {
		token, err := d.Token()
		key, ok := token.(string)
		if err != nil || !ok {
			return false
		}
		if keys[key] {
			met++
		}
		text, inner, whole := value(d)
		root = root || key == "name" && text == topologyRoot
		switch {
		case met >= enoughKeys, key == "jobID" && strings.HasPrefix(text, "job_"), keys[key] && inner != "" &&
			strings.Contains(taskKeys, " "+inner+" "), key == "children" && root:
			return true
		case !whole:
			return false
		}
	}
}

// value passes over a value. It returns its text when it is a string, and the first field of the first object in it
// when it is a list of objects; whole tells whether all of it was there.
func value(d *json.Decoder) (text, inner string, whole bool) {
	for depth := 0; ; {
		token, err := d.Token()
		if err != nil {
			return text, inner, false
		}
		switch t := token.(type) {
		case json.Delim:
			if t == '{' || t == '[' {
				depth++
			} else {
				depth--
			}
		case string:
			if depth == 0 {
				text = t
			}
			if depth == 2 && inner == "" {
				inner = t
			}
		}
		if depth == 0 {
			return text, inner, true
		}
	}
}
