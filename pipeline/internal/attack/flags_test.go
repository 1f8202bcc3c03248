package attack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// Limits of a case: seconds, and bytes of memory.
const (
	mostTime   = 20 * time.Second
	mostMemory = 1500 << 20
)

// numberFlag is a flag for numbers, as the help of its command shows it.
type numberFlag struct {
	command, name string
	low, high     string // of its range
}

// rangeInHelp is a flag with a range: its name, and the ends.
var rangeInHelp = regexp.MustCompile(`--([a-z-]+) [a-z]+ .*\[(?:each )?(?:0, or )?(?:more than |at least )?([-0-9.,e]+[a-zµA-Z%]*)(?: to |, less than |, at most )([-0-9.,e]+[a-zµA-Z%]*)`)

// numberFlags returns the flags for numbers of a command.
func numberFlags(t *testing.T, dir, command string) []numberFlag {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], append(strings.Fields(command), "--help")...)
	c.Env = append(environment(dir), "COLUMNS=1000") // a flag is one line
	help, err := c.Output()
	if err != nil {
		t.Fatalf("%s --help: %v", command, err)
	}
	var all []numberFlag
	for line := range strings.Lines(string(help)) {
		if m := rangeInHelp.FindStringSubmatch(line); m != nil {
			all = append(all, numberFlag{command, m[1], strings.ReplaceAll(m[2], ",", ""), strings.ReplaceAll(m[3], ",",
				"")})
		}
	}
	return all
}

// outcome is what became of a case.
type outcome struct {
	status  int
	took    time.Duration
	memory  int64
	printed string
}

// try runs racecard with a limit on its address space. After a while it is interrupted, and has to end soon.
func try(t *testing.T, dir string, args []string, patience time.Duration) outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	limited := append([]string{"-c", `ulimit -v 8000000; exec "$0" "$@"`, os.Args[0]}, args...)
	c := exec.CommandContext(ctx, "sh", limited...)
	c.Env = append(environment(dir), "GODEBUG=")
	c.Dir = dir
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = mostTime - patience
	began := time.Now()
	printed, err := c.CombinedOutput()
	o := outcome{took: time.Since(began), printed: string(printed)}
	if len(o.printed) > 2000 {
		o.printed = o.printed[:1000] + " ... " + o.printed[len(o.printed)-1000:]
	}
	var exit *exec.ExitError
	switch {
	case errors.Is(err, exec.ErrWaitDelay):
		o.status = -1
	case errors.As(err, &exit):
		if o.status = exit.ExitCode(); ctx.Err() != nil && o.status == 128+int(syscall.SIGINT) {
			o.status = 0 // as it was asked to
		}
	case err != nil && ctx.Err() == nil:
		t.Fatal(err)
	}
	if u, ok := c.ProcessState.SysUsage().(*syscall.Rusage); ok {
		o.memory = u.Maxrss << 10
	}
	return o
}

// wrong says what is wrong with an outcome, "" if nothing is.
func (o outcome) wrong() string {
	switch {
	case o.status < 0 || o.status > 4:
		return fmt.Sprintf("exit status %d", o.status)
	case o.took > mostTime:
		return fmt.Sprintf("it took %v", o.took)
	case o.memory > mostMemory:
		return fmt.Sprintf("it took %d MB", o.memory>>20)
	case strings.Contains(o.printed, "panic:") || strings.Contains(o.printed, "a fault in racecard") ||
		strings.Contains(o.printed, "goroutine "):
		return "it panicked"
	case strings.Contains(o.printed, "strconv") || strings.Contains(o.printed, "runtime error"):
		return "it leaks what Go says"
	}
	return ""
}

// smallTrace is a trace of two recurring jobs with all that commands read.
func smallTrace() string {
	var lines strings.Builder
	for i := range 24 {
		fmt.Fprintf(&lines, `{"id":"r%d","name":"job%d","submit_s":%d,"start_s":%d,"end_s":%d,"status":"succeeded","guaranteed":4,"input_bytes":%d,`+
			`"stages":[{"name":"map","durations_s":[1,2,3,2,1,4],"cpu":1,"mem":1e9},{"name":"sum","durations_s":[2,3],"parents":[0],"cpu":1,"mem":1e9}]}`+"\n",
			i, i%2, 100*i, 100*i, 100*i+9+i%5, 1_000_000*(i+1))
	}
	return lines.String()
}

// Flags for numbers, with extreme values, in every command: on a small store each ends within 20 s and 1.5 GB, with a
// status of its own and without a panic. In the long form, the ends of every range are tried too; what takes long by
// request is interrupted and ends soon.
func TestFlagsWithExtremeValues(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "x.jsonl")
	if err := os.WriteFile(in, []byte(smallTrace()), 0o644); err != nil {
		t.Fatal(err)
	}
	store, models, tables := filepath.Join(dir, "s"), filepath.Join(dir, "m"), filepath.Join(dir, "t")
	racecard(t, "import", "--out", store, in)
	racecard(t, "fit", store, "--all", "--out", models)
	racecard(t, "table", "build", models, "--replicates", "20", "--out", tables)
	commands := map[string][]string{
		"import": {"--out", "NEW", in}, "inspect": {store}, "analyze": {store}, "fit": {store, "--all", "--out", "NEW"},
		"backtest": {store, "--replicates", "20"},
		"whatif":   {store, "--run", "r3"}, "generate": {"tr-yahoo", "--out", "NEW"},
		"fetch":       {"google2011", "--dry-run"},
		"table build": {models, "--out", "NEW"}, "table show": {tables, "--job", "job0"},
		"table lookup": {tables, "--job", "job0", "--progress", "0", "--allocation", "1"},
		"table admit":  {tables, "--tokens", "3", "job0=1h", "job1=1h"}, "table explain": {models, "--job", "job0",
			"--replicates", "20", "--runs", "5"},
		"simulate jockey": {models, "--replicates", "1", "--simulations", "20", "--bound", "0"},
		"simulate eagle":  {store}, "simulate carbyne": {store},
	}
	values := []string{"0", "1e11", "1e-308", "1ns", "9223372036854775807", ""}
	if long() {
		values = append(values, "-1", "NaN", "inf", "-inf", "1e308", "18446744073709551616", "1e300h", "-1ns",
			"0x7fffffff", "1e15x", "99999999999999GB",
			"1e-308%", "1,2,3,1e11", strings.Repeat("9", 100_000))
	}
	flags := 0
	var made atomic.Int64
	attack := func(t *testing.T, f numberFlag, value string, patience time.Duration) {
		args := append(strings.Fields(f.command), commands[f.command]...)
		for i := range args {
			if args[i] == "NEW" {
				args[i] = filepath.Join(dir, fmt.Sprint("new", made.Add(1)))
			}
		}
		o := try(t, dir, append(args, "--"+f.name+"="+value), patience)
		if why := o.wrong(); why != "" {
			t.Errorf("racecard %s --%s=%.40s: %s (%v, %d MB): %s", f.command, f.name, value, why, o.took, o.memory>>20,
				o.printed)
		}
	}
	for command := range commands {
		t.Run(strings.ReplaceAll(command, " ", "_"), func(t *testing.T) {
			for _, f := range numberFlags(t, dir, command) {
				flags++
				for _, value := range values {
					attack(t, f, value, mostTime-5*time.Second)
				}
				if long() {
					attack(t, f, f.low, 8*time.Second)
					attack(t, f, f.high, 8*time.Second)
				}
			}
		})
	}
	if flags < 70 {
		t.Errorf("only %d flags were found", flags)
	}
}
