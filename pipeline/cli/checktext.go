package cli

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"strings"

	"racecard/datasets/result"
	"racecard/datasets/words"
)

// checkFormats write the result of a check.
var checkFormats = map[string]func(w *bytes.Buffer, doc *result.Check) error{
	"text": checkText, "json": checkJSON, "junit": checkJUnit, "github": checkGitHub, "prometheus": checkPrometheus,
}

// mostBreaches is how many breaches of a rule the text lists, unless all are asked for.
const mostBreaches = 10

func checkText(w *bytes.Buffer, doc *result.Check) error { return checkLines(w, doc, mostBreaches) }

func checkAll(w *bytes.Buffer, doc *result.Check) error { return checkLines(w, doc, math.MaxInt) }

// checkLines writes a line per breach, at most so many of a rule. They come by rule, the worst first.
func checkLines(w *bytes.Buffer, doc *result.Check, most int) error {
	for _, list := range []struct {
		what     string
		breaches []result.Breach
	}{{"", doc.Breaches}, {"known: ", doc.Known}, {"ended: ", doc.Ended}} {
		of := map[string]int{}
		for _, b := range list.breaches {
			of[b.Rule]++
		}
		listed := map[string]int{}
		for _, b := range list.breaches {
			if listed[b.Rule]++; listed[b.Rule] > most {
				continue
			}
			fmt.Fprintf(w, "%s%-9s %s\n", list.what, b.Rule, breachText(b))
			if more := of[b.Rule] - most; listed[b.Rule] == most && more > 0 {
				fmt.Fprintf(w, "%s%-9s and %s more (--all or --json lists them)\n", list.what, b.Rule,
					words.Count(more))
			}
		}
	}
	if len(doc.Breaches) == 0 {
		fmt.Fprintf(w, "%s: no new breach; rules: %s\n", words.Printable(doc.Store), strings.Join(doc.Rules, ", "))
	}
	return nil
}

// breachText is a breach without its rule, as a line.
func breachText(b result.Breach) string {
	if b.Job == "" {
		return words.Printable(b.What)
	}
	return words.Printable(b.Job) + ": " + words.Printable(b.What)
}

func checkJSON(w *bytes.Buffer, doc *result.Check) error { return encodeJSON(w, result.Versioned(doc)) }

// The elements of the report that JUnit's Ant task writes, as CI systems read it.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitFailure `xml:"failure"`
		Output  string        `xml:"system-out,omitempty"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
	}
)

// checkJUnit writes a suite per rule: a failed case per new breach, a passed one per known breach, and one where there
// are none.
func checkJUnit(w *bytes.Buffer, doc *result.Check) error {
	all := junitSuites{Name: "racecard check " + words.Printable(doc.Store)}
	for _, rule := range doc.Rules {
		s := junitSuite{Name: rule}
		for _, b := range doc.Breaches {
			if b.Rule == rule {
				s.Cases = append(s.Cases, junitCase{Class: rule, Name: caseName(b),
					Failure: &junitFailure{words.Printable(b.What), rule}})
				s.Failures++
			}
		}
		for _, b := range doc.Known {
			if b.Rule == rule {
				s.Cases = append(s.Cases, junitCase{Class: rule, Name: caseName(b), Output: "known: " +
					words.Printable(b.What)})
			}
		}
		if len(s.Cases) == 0 {
			s.Cases = []junitCase{{Class: rule, Name: rule}}
		}
		s.Tests = len(s.Cases)
		all.Suites = append(all.Suites, s)
		all.Tests, all.Failures = all.Tests+s.Tests, all.Failures+s.Failures
	}
	w.WriteString(xml.Header)
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return err
	}
	w.WriteByte('\n')
	return nil
}

func caseName(b result.Breach) string {
	if b.Job == "" {
		return "store"
	}
	return words.Printable(b.Job)
}

// checkGitHub writes workflow commands: an error per new breach, a notice per known one.
// https://docs.github.com/actions/reference/workflow-commands-for-github-actions
func checkGitHub(w *bytes.Buffer, doc *result.Check) error {
	data := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	property := strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
	write := func(w io.Writer, level string, b result.Breach) {
		fmt.Fprintf(w, "::%s title=%s::%s\n", level, property.Replace("racecard: "+b.Rule), data.Replace(breachText(b)))
	}
	for _, b := range doc.Breaches {
		write(w, "error", b)
	}
	for _, b := range doc.Known {
		write(w, "notice", b)
	}
	return nil
}

// checkPrometheus writes gauges for the textfile collector: all current breaches, new or known.
// https://prometheus.io/docs/instrumenting/exposition_formats/
func checkPrometheus(w *bytes.Buffer, doc *result.Check) error {
	label := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)
	store := label.Replace(strings.ToValidUTF8(doc.Store, "\ufffd"))
	counts := map[string]int{}
	fmt.Fprintf(w, "# HELP racecard_breach A rule that a job breaches.\n# TYPE racecard_breach gauge\n")
	for _, list := range [][]result.Breach{doc.Breaches, doc.Known} {
		for _, b := range list {
			counts[b.Rule]++
			fmt.Fprintf(w, "racecard_breach{store=\"%s\",rule=\"%s\",job=\"%s\"} 1\n", store, b.Rule,
				label.Replace(b.Job))
		}
	}
	fmt.Fprintf(w, "# HELP racecard_breaches Breaches of a rule.\n# TYPE racecard_breaches gauge\n")
	for _, rule := range doc.Rules {
		fmt.Fprintf(w, "racecard_breaches{store=\"%s\",rule=\"%s\"} %d\n", store, rule, counts[rule])
	}
	return nil
}
