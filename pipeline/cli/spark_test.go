package cli

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"racecard/pipeline/internal/work"
)

// pythonWithSpark is the variable with the path of a Python that has PySpark; see the recipe test-spark of the
// justfile.
const pythonWithSpark = "RACECARD_PYSPARK"

// cluster is a standalone master of Spark with two workers, all processes of this test.
type cluster struct {
	t         *testing.T
	dir, home string
	python    string
	env       []string
	master    string
	workers   []*exec.Cmd
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	python := os.Getenv(pythonWithSpark)
	if python == "" {
		t.Skipf("NOT TESTED: Spark as the engine; %s names no Python with PySpark (`just test-spark` does)",
			pythonWithSpark)
	}
	home, err := exec.CommandContext(t.Context(), python, "-c", "import os, pyspark; "+
		"print(os.path.dirname(pyspark.__file__))").Output()
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{t: t, dir: t.TempDir(), home: strings.TrimSpace(string(home)), python: python}
	libraries, err := filepath.Glob(filepath.Join(c.home, "jars", "scala-library-2.*.jar"))
	if err != nil || len(libraries) != 1 {
		t.Fatalf("%v: %d Scala libraries in %s", err, len(libraries), c.home)
	}
	scala := regexp.MustCompile(`2\.\d+`).FindString(filepath.Base(libraries[0]))
	c.env = append(os.Environ(), "SPARK_HOME="+c.home, "SPARK_SCALA_VERSION="+scala, "PYSPARK_PYTHON="+
		python, "SPARK_LOCAL_IP=127.0.0.1", "SPARK_LOCAL_DIRS="+filepath.Join(c.dir, "scratch"), asCommand+"=1")
	text := c.daemon("Master", "--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
	c.master = c.await(text, regexp.MustCompile(`spark://127\.0\.0\.1:\d+`))
	c.workers = nil
	for i := range 2 {
		log := c.daemon("Worker", "--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--webui-port", "0",
			"--work-dir", filepath.Join(c.dir, fmt.Sprint("work", i)), c.master)
		c.await(log, regexp.MustCompile(`Successfully registered`))
	}
	c.workers = c.workers[len(c.workers)-2:]
	return c
}

// daemon starts a daemon of Spark, which ends with the test, and returns the path of its log.
func (c *cluster) daemon(name string, args ...string) string {
	c.t.Helper()
	log, err := os.Create(filepath.Join(c.dir, fmt.Sprintf("%s-%d.log", name, len(c.workers))))
	if err != nil {
		c.t.Fatal(err)
	}
	cmd := exec.Command("java", append([]string{"-Xmx256m", "-cp", filepath.Join(c.home, "jars", "*"),
		"org.apache.spark.deploy." + strings.ToLower(name) + "." + name}, args...)...)
	cmd.Env, cmd.Stdout, cmd.Stderr = c.env, log, log
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.workers = append(c.workers, cmd)
	c.t.Cleanup(func() {
		_ = cmd.Process.Kill() // it may be dead
		_ = cmd.Wait()
		_ = log.Close()
	})
	return log.Name()
}

// await returns the match in a log, once it is there.
func (c *cluster) await(log string, form *regexp.Regexp) string {
	c.t.Helper()
	for range 3000 {
		text, err := os.ReadFile(log)
		if err != nil {
			c.t.Fatal(err)
		}
		if found := form.FindString(string(text)); found != "" {
			return found
		}
		time.Sleep(100 * time.Millisecond)
	}
	text, _ := os.ReadFile(log)
	c.t.Fatalf("%s: no %s in\n%s", log, form, text)
	return ""
}

// submit returns the command that runs the units of a plan on the cluster.
func (c *cluster) submit(folder string) *exec.Cmd {
	c.t.Helper()
	program := filepath.Join(c.dir, "racecard") // by its name there
	if _, err := os.Stat(program); err != nil {
		from, err := os.Open(os.Args[0])
		if err != nil {
			c.t.Fatal(err)
		}
		defer from.Close()
		to, err := os.OpenFile(program, os.O_CREATE|os.O_WRONLY, 0o755)
		if err != nil {
			c.t.Fatal(err)
		}
		if _, err := io.Copy(to, from); err != nil {
			c.t.Fatal(err)
		}
		if err := to.Close(); err != nil {
			c.t.Fatal(err)
		}
	}
	driver, err := work.Engine("spark")
	if err != nil {
		c.t.Fatal(err)
	}
	script := filepath.Join(c.dir, "racecard_work.py")
	if err := os.WriteFile(script, driver, 0o644); err != nil {
		c.t.Fatal(err)
	}
	cmd := exec.CommandContext(c.t.Context(), filepath.Join(c.home, "bin", "spark-submit"), "--master", c.master,
		"--conf", "spark.driver.host=127.0.0.1",
		"--conf", "spark.executorEnv."+asCommand+"=1", "--conf", "spark.speculation=true", "--conf",
		"spark.task.maxFailures=20", "--conf", "spark.ui.enabled=false",
		"--files", program, script, folder)
	cmd.Env = c.env
	return cmd
}

// executors returns the processes of executors: the children of the workers.
func (c *cluster) executors() []int {
	var all []int
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		c.t.Fatal(err)
	}
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it ended
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		for _, w := range c.workers {
			if len(fields) > 1 && fields[1] == strconv.Itoa(w.Process.Pid) {
				pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
				if err == nil {
					all = append(all, pid)
				}
			}
		}
	}
	return all
}

// Units that Spark runs merge to the bytes of one machine; with executors, a worker and the driver killed in between,
// too. Without RACECARD_LONG=1 (`just test-spark` sets it) Spark runs units in two waves and units of parts, and those
// that are killed or fail.
func TestSpark(t *testing.T) {
	t.Parallel()
	c := newCluster(t)
	dir := workshop(t)
	in := func(name string) string { return filepath.Join(dir, name) }
	mustRun(t, "fit", in("s.store"), "--all", "--min-runs", "5", "--out", in("models"), "--quiet")
	if err := os.WriteFile(in("long.jsonl"), []byte(runsOf("long", 6000)), 0o644); err != nil {
		t.Fatal(err)
	}
	mustRun(t, "import", in("long.jsonl"), "--out", in("long.store"), "--quiet")
	scattered(t, dir)
	for _, test := range []struct {
		name string
		plan []string
	}{
		{"import", []string{"import", in("traces")}},
		{"shards", []string{"import", in("rows"), "--format", "alibaba2018"}}, // in two waves
		{"analyze", []string{"analyze", in("s.store")}},
		{"tables", []string{"table", "build", in("models"), "--replicates", "20"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if os.Getenv("RACECARD_LONG") == "" && (test.name == "import" || test.name == "tables") {
				t.Skip("NOT TESTED on Spark: set RACECARD_LONG=1")
			}
			mustRun(t, append(test.plan, "--out", in(test.name), "--quiet")...)
			plan := append([]string{"work", "plan"}, append(test.plan, "--out", in(test.name+".work"))...)
			if test.plan[0] == "import" {
				plan = append(plan, "--batch", "1")
			}
			mustRun(t, plan...)
			begin := time.Now()
			if said, err := c.submit(in(test.name + ".work")).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, said)
			}
			t.Logf("%s took %v on Spark", test.name, time.Since(begin).Round(time.Millisecond))
			mustRun(t, "work", "merge", in(test.name+".work"), "--out", in(test.name+".many"))
			sameFolders(t, in(test.name), in(test.name+".many"))
		})
	}
	onSpark := func(t *testing.T, args ...string) { // all of it in one command
		t.Helper()
		cmd := racecard(t, args...)
		submit := c.submit("x").Args
		cmd.Env = append(slices.Clone(c.env), sparkSubmit+"="+strings.Join(submit[:slices.Index(submit, "--files")],
			" "))
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
	}
	t.Run("engine", func(t *testing.T) {
		if os.Getenv("RACECARD_LONG") == "" {
			t.Skip("NOT TESTED: table build with --engine spark; set RACECARD_LONG=1")
		}
		onSpark(t, "table", "build", in("models"), "--replicates", "20", "--engine", "spark", "--work",
			in("engine.work"), "--out", in("engine"))
		sameFolders(t, in("tables"), in("engine"))
	})
	t.Run("run", func(t *testing.T) { // a recipe whose import, analysis and sweep Spark runs
		if os.Getenv("RACECARD_LONG") == "" {
			t.Skip("NOT TESTED: a recipe on Spark; set RACECARD_LONG=1")
		}
		for _, name := range []string{"here", "there"} {
			text := "out: " + name + "\ntraces: {a: {paths: traces, format: jsonl}}\nsteps:\n  results: {analyze: " +
				"store}\n" +
				"  sweep: {simulate eagle: store, schedulers: [eagle, hawk], seeds: 1-2, vary: [\"load=70%,90%\"]}\n " +
				" report: {report: results}\n"
			if err := os.WriteFile(in(name+".yaml"), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		mustRun(t, "run", in("here.yaml"), "--quiet")
		onSpark(t, "run", in("there.yaml"), "--engine", "spark", "--work", in("run.work"), "--jobs", "1", "--quiet")
		for _, name := range []string{"store", "results", "sweep", "report"} {
			here, err := filepath.EvalSymlinks(in("here/latest/a/" + name))
			there, err2 := filepath.EvalSymlinks(in("there/latest/a/" + name))
			if err != nil || err2 != nil {
				t.Fatalf("%v, %v", err, err2)
			}
			sameFolders(t, here, there)
		}
		logs, err := filepath.Glob(in("there/objects/*/log.txt"))
		if err != nil {
			t.Fatal(err)
		}
		submitted := slices.DeleteFunc(logs, func(log string) bool {
			return !strings.Contains(string(read(t, log)), "Submitted application: racecard ")
		})
		if left, err := filepath.Glob(in("run.work/*")); err != nil || len(submitted) != 3 || len(left) > 0 {
			t.Errorf("%v: %d steps ran on Spark, want an import, an analysis and a sweep; left %v", err, len(submitted), left)
		}
	})
	t.Run("killed", func(t *testing.T) { c.killed(in) })
	t.Run("failing", func(t *testing.T) {
		mustRun(t, "work", "plan", "table", "build", in("models"), "--replicates", "5", "--out", in("failing"))
		p, err := work.Open(in("failing"))
		if err != nil {
			t.Fatal(err)
		}
		p.Units[2].Args = []string{"--job=nobody"}
		p.Identify()
		if err := work.Create(in("failing"), p); err != nil {
			t.Fatal(err)
		}
		said, err := c.submit(in("failing")).CombinedOutput()
		if err == nil || !strings.Contains(string(said), fmt.Sprintf("%d units done, 1 failed", len(p.Units)-1)) ||
			!strings.Contains(string(said), "no model of job") {
			t.Errorf("%v: %s", err, said)
		}
	})
}

// killed runs a sweep, kills an executor, a worker and the driver while it runs, and starts the driver again.
func (c *cluster) killed(in func(string) string) {
	t := c.t
	plan := []string{"work", "plan", "simulate", "eagle", in("long.store"), "--schedulers", "eagle,hawk", "--seeds",
		"1-20", "--vary", "load=70%,95%", "--out"}
	mustRun(t, append(plan, in("calm"))...)
	mustRun(t, append(plan, in("torn"))...)
	mustRun(t, "work", "do", in("calm"))
	mustRun(t, "work", "merge", in("calm"), "--out", in("calm.sweep"))
	driver := c.submit(in("torn"))
	driver.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // spark-submit starts Java, and that Python
	if err := driver.Start(); err != nil {
		t.Fatal(err)
	}
	wait := func(units int) {
		for begin := time.Now(); time.Since(begin) < 5*time.Minute; time.Sleep(20 * time.Millisecond) {
			if done, err := filepath.Glob(in("torn/done/*.unit")); err == nil && len(done) >= units {
				t.Logf("%d units were done", len(done))
				return
			}
		}
		t.Fatalf("%d units are not done after five minutes", units)
	}
	wait(4)
	for _, pid := range c.executors()[:1] {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Error(err)
		}
	}
	wait(12)
	if err := c.workers[0].Process.Kill(); err != nil {
		t.Error(err)
	}
	wait(20)
	if err := syscall.Kill(-driver.Process.Pid, syscall.SIGKILL); err != nil {
		t.Error(err)
	}
	_ = driver.Wait()
	said, err := c.submit(in("torn")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	t.Logf("%s", regexp.MustCompile(`racecard: .* units to run`).Find(said))
	mustRun(t, "work", "merge", in("torn"), "--out", in("torn.sweep"))
	sameFolders(t, in("calm.sweep"), in("torn.sweep"))
}
