package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// texts are the flags that hold names, paths and prose: whatever they hold is right, or checked against the data.
var texts = []string{"out", "job", "run", "title", "note", "from", "follow", "files", "parts", "explain", "user",
	"group", "job-key", "history-url", "work", "rules", "deadline", "state",
	"models", "store", "tables", "app", "journal", "listen", "flight", "vary", "client-ca", "tls-cert", "tls-key",
	"token-file"}

// Every flag for a number has a range, which its help shows: pflag's own numbers cannot be declared.
func TestEveryNumberHasARange(t *testing.T) {
	declared := 0
	commands(t, func(path string, cmd *cobra.Command) {
		if strings.HasPrefix(path, "completion") || path == "help" {
			return // cobra's
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			v, ok := f.Value.(*option)
			switch {
			case ok && v.of != nil:
				declared++
				r := v.of
				if !(r.High > r.Low) {
					t.Errorf("%s: --%s has no range", path, f.Name)
				}
				if f.Name != "seed" && !strings.Contains(f.Usage, r.String()) {
					t.Errorf("%s: the help of --%s does not show %s", path, f.Name, r)
				}
				value := f.DefValue
				if value == "all cores" {
					value = f.Value.String()
				}
				if value != "0" && value != "" {
					if err := v.Set(value); err != nil {
						t.Errorf("%s: the default of --%s is %s: %v", path, f.Name, value, err)
					}
				}
			case ok:
			default:
				switch kind := f.Value.Type(); {
				case kind == "bool":
				case (kind == "string" || kind == "stringSlice" || kind == "stringArray") &&
					slices.Contains(texts, f.Name):
				default:
					t.Errorf("%s: --%s is a %s: declare it with number, numbers, choice or checked", path, f.Name, kind)
				}
			}
		})
	})
	if declared < 80 {
		t.Errorf("only %d flags for numbers were found", declared)
	}
}

// extremes are values that no flag for a number takes, whatever its range.
var extremes = []string{"", "NaN", "inf", "-inf", "-1", "1e308", "9223372036854775807", "18446744073709551616",
	"-9223372036854775808", "0x7f", "1_0", "five", "\x1b[31m1"}

// Numbers outside of their range are wrong usage of every command, before anything is read, and the message names flag,
// value and range.
func TestExtremeNumbersAreWrongUsage(t *testing.T) {
	t.Parallel()
	commands(t, func(path string, cmd *cobra.Command) {
		if strings.HasPrefix(path, "completion") || path == "help" {
			return
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if v, ok := f.Value.(*option); !ok || v.of == nil {
				return
			}
			for _, x := range extremes {
				if f.Name == "seed" && x == "9223372036854775807" {
					continue
				}
				status, stdout, stderr := call(t, append(strings.Fields(path), "--"+f.Name+"="+x)...)
				if status != ExitUsage || stdout != "" || !strings.Contains(stderr, "--"+f.Name+" ") ||
					strings.Contains(stderr, "strconv") {
					t.Errorf("%s --%s=%q: exit status %d, %q, %q", path, f.Name, x, status, stdout, stderr)
				}
			}
		})
	})
}

// One grammar serves all flags.
func TestGrammarOfFlags(t *testing.T) {
	store := importJSONL(t, `{"id":"r","name":"n","submit_s":0,"end_s":3,"stages":[{"name":"a","durations_s":[1,2]}]}`+
		"\n")
	for _, test := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"simulate", "jockey", store, "--deadline", "45"}, ExitUsage, "45x is 45 times the critical path, " +
			"45m is 45 minutes"},
		{[]string{"fit", store, "--all", "--out", "x", "--half-life", "168"}, ExitUsage, "168s is seconds, 168m is " +
			"minutes"},
		{[]string{"simulate", "jockey", store, "--period", "60"}, ExitUsage, "60s is seconds"},
		{[]string{"simulate", "jockey", store, "--period", "1ns"}, ExitUsage, "want 1ms to 30d"},
		{[]string{"simulate", "jockey", store, "--period-share", "1e-308"}, ExitUsage, "want 0, or 0.01% to 100%"},
		{[]string{"simulate", "eagle", store, "--machines", "2", "--cutoff", "1.5s", "--heartbeat", "9s",
			"--network-delay", "500us", "--general", "83%", "--json"}, ExitDone, ""},
		{[]string{"simulate", "eagle", store, "--machines", "2", "--cutoff", "1.5", "--heartbeat", "9", "--general",
			"83", "--json"}, ExitDone, ""},
		{[]string{"simulate", "carbyne", store, "--capacity", "cpu=4,mem=24GB,net=1.25GB", "--load", "40%",
			"--interarrival", "20s", "--json"}, ExitDone, ""},
		{[]string{"simulate", "carbyne", store, "--capacity", "cpu=4GB"}, ExitUsage, "want a number"},
		{[]string{"simulate", "carbyne", store, "--machines", "1e11"}, ExitUsage, "1 to 200,000"},
		{[]string{"analyze", store, "--names", "Raw"}, ExitUsage, "did you mean raw?"},
		{[]string{"analyze", store, "--only", "recurence"}, ExitUsage, "did you mean recurrence?"},
		{[]string{"import", store, "--out", "x", "--format", "sprak"}, ExitUsage, "did you mean spark?"},
		{[]string{"simulate", "eagle", store, "--schedulers", "hwak"}, ExitUsage, "did you mean hawk?"},
		{[]string{"simulate", "carbyne", store, "--leftover", "tmie"}, ExitUsage, "did you mean time?"},
		{[]string{"import", store, "--ouf", "x"}, ExitUsage, "did you mean --out?"},
	} {
		status, _, stderr := call(t, test.args...)
		if status != test.status || !strings.Contains(stderr, test.says) {
			t.Errorf("%v: exit status %d, want %d; %q does not say %q", test.args, status, test.status, stderr,
				test.says)
		}
	}
}
