package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"racecard/pipeline/internal/recipe"
	"racecard/pipeline/internal/work"
)

// Recipes among the examples are right.
func TestExampleRecipes(t *testing.T) {
	all, err := filepath.Glob(filepath.Join("..", "..", "examples", "*", "racecard.yaml"))
	if err != nil || len(all) == 0 {
		t.Fatalf("%v: %d recipes", err, len(all))
	}
	for _, path := range all {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		words := recipe.Words{Today: time.Now(), Env: os.LookupEnv}
		if _, err := recipe.Parse(text, path, filepath.Dir(path), recipe.Context{Kinds: kinds(), Words: words,
			Nearest: closest}); err != nil {
			t.Error(err)
		}
	}
}

// The nightly recipe learns from all days: a job that runs once a night has a model, though yesterday has one run.
func TestNightlyExampleHasModels(t *testing.T) {
	t.Setenv(asCommand, "1")
	dir := t.TempDir()
	for day := 1; day <= 6; day++ {
		of := filepath.Join(dir, fmt.Sprintf("2026-11-%02d", day))
		if err := os.Mkdir(of, 0o755); err != nil {
			t.Fatal(err)
		}
		put(t, of, "a.jsonl", fmt.Sprintf(`{"id":"r%d","name":"nightly","submit_s":%d,"end_s":%d,"guaranteed":1,`+
			`"stages":[{"durations_s":[9,9]}]}`+"\n", day, 1_793_500_000+day*86_400, 1_793_500_018+day*86_400))
	}
	_, text := nightly(t, "racecard.yaml")
	var steps []string
	for line := range strings.Lines(text) { // the others take longer, and need no history
		name, _, _ := strings.Cut(strings.TrimSpace(line), ":")
		if !slices.Contains([]string{"results", "tables", "report", "site"}, name) {
			steps = append(steps, line)
		}
	}
	text = strings.NewReplacer("/var/log/spark-events", dir, "/srv/racecard/out", filepath.Join(dir, "..", "out"), "spark",
		"jsonl").Replace(strings.Join(steps, ""))
	status, stdout, stderr := call(t, "run", put(t, t.TempDir(), "racecard.yaml", text), "--date", "2026-11-07")
	if status != ExitDone || !strings.Contains(stdout, "3 done") {
		t.Errorf("status %d: %s%s", status, stdout, stderr)
	}
}

// nightly returns the path and the text of an example.
func nightly(t *testing.T, name string) (path, text string) {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "..", "examples", "nightly", name))
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, string(data)
}

// commandOf checks that a command line of an example is one that racecard takes.
func commandOf(t *testing.T, line string) {
	t.Helper()
	_, rest, ok := strings.Cut(line, "racecard run ")
	if !ok {
		t.Errorf("%q starts no run", line)
		return
	}
	rest, _, _ = strings.Cut(rest, " > ")
	words := strings.Fields(strings.ReplaceAll(rest, "{{ data_interval_end | ds }}", "2026-11-22"))
	cmd, _, err := newRoot(&env{stdout: newScreen(full{}), stderr: newScreen(full{})}).Find([]string{"run"})
	if err == nil {
		err = cmd.ParseFlags(words)
	}
	if err != nil || len(cmd.Flags().Args()) != 1 {
		t.Errorf("%q: %v", line, err)
	}
}

// lineWith returns the line of a text that holds something.
func lineWith(t *testing.T, text, something string) string {
	t.Helper()
	for line := range strings.Lines(text) {
		if strings.Contains(line, something) {
			return strings.TrimSpace(line)
		}
	}
	t.Fatalf("there is no %q", something)
	return ""
}

// parsed runs the parser of the program that an example is for.
func parsed(t *testing.T, name string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	if said, err := exec.CommandContext(ctx, name, args...).CombinedOutput(); err != nil {
		t.Errorf("%s %s: %v: %s", name, strings.Join(args, " "), err, said)
	}
}

// found skips a test loudly where a program is not there.
func found(t *testing.T, name, what string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("NOT TESTED: %s; there is no %s here", what, name)
	}
}

// Examples are what the programs read that they are for, and start commands that racecard takes.
func TestExamplesParse(t *testing.T) {
	t.Run("crontab", func(t *testing.T) {
		path, text := nightly(t, "crontab")
		line := lineWith(t, text, "racecard run")
		if fields := strings.Fields(line); len(fields) < 6 || strings.Join(fields[:5], " ") != "30 2 * * *" {
			t.Errorf("%q", line)
		}
		commandOf(t, line)
		found(t, "crontab", "crontab -T of the crontab")
		parsed(t, "crontab", "-T", path)
	})
	t.Run("systemd", func(t *testing.T) {
		_, service := nightly(t, "racecard.service")
		_, timer := nightly(t, "racecard.timer")
		commandOf(t, lineWith(t, service, "ExecStart="))
		found(t, "systemd-analyze", "the service and the timer of systemd")
		dir := t.TempDir()
		for name, text := range map[string]string{"racecard.service": strings.Replace(service,
			"/usr/local/bin/racecard", "/bin/true", 1), "racecard.timer": timer} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		parsed(t, "systemd-analyze", "verify", filepath.Join(dir, "racecard.service"),
			filepath.Join(dir, "racecard.timer"))
		_, when, _ := strings.Cut(lineWith(t, timer, "OnCalendar="), "=")
		parsed(t, "systemd-analyze", "calendar", when)
	})
	t.Run("slurm", func(t *testing.T) {
		text, err := work.Engine("slurm")
		if err != nil {
			t.Fatal(err)
		}
		script := filepath.Join(t.TempDir(), "slurm.sh")
		if err := os.WriteFile(script, text, 0o755); err != nil {
			t.Fatal(err)
		}
		found(t, "bash", "the script of Slurm")
		parsed(t, "bash", "-n", script)
		found(t, "sbatch", "sbatch --test-only of the script; bash -n takes it")
		parsed(t, "sbatch", "--test-only", script, "work")
	})
	t.Run("airflow", func(t *testing.T) {
		path, text := nightly(t, "airflow_dag.py")
		_, command, _ := strings.Cut(lineWith(t, text, "bash_command="), `"`)
		command, _, _ = strings.Cut(command, `"`)
		commandOf(t, command)
		if !strings.Contains(text, fmt.Sprintf("skip_on_exit_code=%d,", ExitRefused)) {
			t.Error("a breached check is tried again")
		}
		pythons := filepath.SplitList(os.Getenv("RACECARD_AIRFLOW"))
		if len(pythons) == 0 {
			t.Skip("NOT TESTED: the import of the DAG; RACECARD_AIRFLOW names no Python with Airflow (`just " +
				"check-examples` does)")
		}
		t.Setenv("AIRFLOW__CORE__LOAD_EXAMPLES", "False")
		for _, python := range pythons {
			t.Setenv("AIRFLOW_HOME", t.TempDir())
			parsed(t, python, "-W", "ignore", "-c", `
import importlib.util, sys
spec = importlib.util.spec_from_file_location("dag", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
dag = module.dag
assert dag.dag_id == "racecard" and [t.task_id for t in dag.tasks] == ["run"], dag.tasks
assert dag.tasks[0].retries == 2 and dag.max_active_runs == 1
assert 4 in dag.tasks[0].skip_on_exit_code`, path)
		}
	})
	t.Run("github", func(t *testing.T) {
		path, text := nightly(t, "workflow.yml")
		commandOf(t, lineWith(t, text, "run: racecard run"))
		if _, after, _ := strings.Cut(text, "actions/cache/save"); !strings.HasPrefix(after, "@v4\n        if: always()\n") {
			t.Error("the next run would take the steps again that a failed run finished")
		}
		long(t, "actionlint of the workflow")
		parsed(t, "go", "run", "github.com/rhysd/actionlint/cmd/actionlint@v1.7.12", "-shellcheck=", path)
	})
	t.Run("kubernetes", func(t *testing.T) {
		path, text := nightly(t, "cronjob.yaml")
		commandOf(t, strings.NewReplacer("[", "", "]", "", ",", "").Replace(lineWith(t, text, "command:")))
		long(t, "the types of Kubernetes on its manifests")
		job, err := work.Engine("kubernetes")
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		for name, text := range map[string]string{"go.mod": "module check\n\ngo 1.25\n", "main.go": kubernetesCheck,
			"job.yaml": string(job)} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		t.Chdir(dir)
		parsed(t, "go", "get", "k8s.io/api@v0.34.1", "sigs.k8s.io/yaml@v1.6.0")
		parsed(t, "go", "mod", "tidy")
		parsed(t, "go", "run", ".", "CronJob", path)
		parsed(t, "go", "run", ".", "Job", "job.yaml")
	})
}

// kubernetesCheck decodes a manifest strictly into the types of Kubernetes, and looks at what its server checks
// besides.
const kubernetesCheck = `package main

import (
	"fmt"
	"os"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

func main() {
	text, err := os.ReadFile(os.Args[2])
	check(err)
	var kind string
	var pod core.PodTemplateSpec
	switch os.Args[1] {
	case "CronJob":
		var c batch.CronJob
		check(yaml.UnmarshalStrict(text, &c))
		kind, pod = c.Kind, c.Spec.JobTemplate.Spec.Template
	case "Job":
		var j batch.Job
		check(yaml.UnmarshalStrict(text, &j))
		kind, pod = j.Kind, j.Spec.Template
		if *j.Spec.CompletionMode != batch.IndexedCompletion || *j.Spec.Completions < 1 || j.Spec.BackoffLimitPerIndex == nil {
			check(fmt.Errorf("it is no Indexed Job"))
		}
	}
	if kind != os.Args[1] || pod.Spec.RestartPolicy != core.RestartPolicyNever || len(pod.Spec.Containers) != 1 {
		check(fmt.Errorf("kind %s, restart policy %s, %d containers", kind, pod.Spec.RestartPolicy, len(pod.Spec.Containers)))
	}
	volumes := map[string]bool{}
	for _, v := range pod.Spec.Volumes {
		volumes[v.Name] = v.PersistentVolumeClaim != nil
	}
	for _, m := range pod.Spec.Containers[0].VolumeMounts {
		if !volumes[m.Name] {
			check(fmt.Errorf("there is no volume %s", m.Name))
		}
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
`

// long skips a test loudly unless RACECARD_LONG is set: it downloads a program.
func long(t *testing.T, what string) {
	t.Helper()
	if os.Getenv("RACECARD_LONG") == "" {
		t.Skipf("NOT TESTED: %s; RACECARD_LONG=1 downloads the program for it", what)
	}
}
