package ingest

import (
	"fmt"
	"regexp"
	"strings"

	"racecard/datasets/trace"
)

// jobKey names the recurring job of a run: its normalised name, a group of a regular expression over its name, or
// properties.
type jobKey struct {
	pattern  *regexp.Regexp // nil for none
	property string         // "" for none
}

// optionJobKey is the key of the manifest's options under which the job key is kept.
const optionJobKey = "job_key"

// ParseJobKey checks a job key. A text with a parenthesis is a regular expression (RE2) with exactly one group, which
// is matched against the name of a run; any other text names properties of the trace's format, such as
// spark.airflow.dag_id or user,requested_time.
func ParseJobKey(text string) error { return new(jobKey).parse(text) }

func (k *jobKey) parse(text string) error {
	switch {
	case text == "":
		return nil
	case !strings.Contains(text, "("):
		if strings.ContainsAny(text, " \t*[]+?^$|\\") {
			return fmt.Errorf("want a regular expression with one group, such as '^(.*)-[0-9]+$', or the name of a " +
				"property, such as spark.airflow.dag_id")
		}
		k.property = text
		return nil
	}
	pattern, err := regexp.Compile(text)
	if err != nil {
		return fmt.Errorf("want a regular expression with one group: %w", err)
	}
	if n := pattern.NumSubexp(); n != 1 {
		return fmt.Errorf("want a regular expression with exactly one group, got %d; (?:...) groups without counting",
			n)
	}
	k.pattern = pattern
	return nil
}

// name sets the job of a run. A run that the pattern does not match, or that lacks the property, has its normalised
// name: the key does not fit it.
func (k *jobKey) name(run *trace.Run) (fits bool) {
	switch {
	case k.pattern != nil:
		if m := k.pattern.FindStringSubmatch(run.Name); m != nil && m[1] != "" {
			run.Job = m[1]
			return true
		}
	case k.property != "" && run.Job != "":
		return true
	}
	run.Job = ""
	run.Job = run.JobName(false)
	return k.pattern == nil && k.property == ""
}

// kept returns the options that the manifest keeps, nil for none.
func (im *importer) kept() map[string]string {
	o := map[string]string{}
	if im.Strict {
		o["strict"] = "true"
	}
	if im.JobKey != "" {
		o[optionJobKey] = im.JobKey
	}
	if len(o) == 0 {
		return nil
	}
	return o
}

func describeJobKey(key string) string {
	if key == "" {
		return "without --job-key"
	}
	return fmt.Sprintf("with --job-key %q", key)
}
