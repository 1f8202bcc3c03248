#!/usr/bin/env python3
"""Record racecard's sample: real PySpark runs of four recurring applications.

The input data is generated here (seeded); the runs are real.  The script starts
a small standalone Spark cluster (one master, one to three one-core workers on
loopback addresses of their own, so that Spark takes them for different hosts),
runs the four applications in turn as a nightly schedule would, and leaves

    OUT/<app>-<NN>.zst   the event log of one run, cleaned (see clean) and compressed
    OUT/../runs.json     what was varied in each run, so that tests can check it

Some runs are disturbed on purpose, and runs.json says which: a CPU load
beside the run, task attempts that raise an exception, an executor killed, and
one run whose job fails for good.

Needs Java 17, `pip install pyspark zstandard`, and Linux (/proc, 127.0.0.0/8).
"""
import argparse, collections, datetime, json, os, random, re, shutil
import signal, socket, subprocess, sys, tempfile, threading, time

sys.dont_write_bytecode = True
from applications import APPS, make_pools, write_input

HERE = os.path.dirname(os.path.abspath(__file__))
MASTER_HOST = "127.0.0.10"                       # master and drivers
WORKER_HOSTS = ["127.0.0.11", "127.0.0.12", "127.0.0.13"]
FIRST_NIGHT = datetime.date(2026, 11, 3)         # date in sales-rollup's first name
FAILS_FOR_GOOD = ("customer-360", 18)            # this run fails; one run is added
LOST_EXECUTOR = {"customer-360": 7, "page-importance": 12, "clicks-by-customer": 9}

# Every application gets these settings; SETTINGS adds to them.  Adaptive
# execution and broadcast joins are off so that an application has the same
# stages every night.  No waiting for locality, or short tasks on cached data
# all run on one executor.  The C1 compiler alone, or compiling takes half the
# processor time of runs as short as these.
COMMON = {
    "spark.eventLog.enabled": "true", "spark.eventLog.rolling.enabled": "false",
    "spark.eventLog.compress": "false", "spark.ui.enabled": "false",
    "spark.executor.cores": "1", "spark.executor.memory": "1g",
    "spark.scheduler.minRegisteredResourcesRatio": "1.0",
    "spark.default.parallelism": "12", "spark.sql.shuffle.partitions": "12",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.autoBroadcastJoinThreshold": "-1",
    "spark.sql.execution.pythonUDF.arrow.enabled": "false",
    "spark.sql.maxPlanStringLength": "1500",
    "spark.locality.wait": "0s",
    "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    "spark.executor.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmn500m",
    "spark.driver.host": MASTER_HOST, "spark.driver.bindAddress": MASTER_HOST,
}
SETTINGS = {
    "sales-rollup": {"spark.sql.files.maxPartitionBytes": "2500k"},
    "customer-360": {"spark.sql.files.maxPartitionBytes": "2m"},
    "page-importance": {},
    # Without "efficiency" off Spark would not copy a task that is slow because it has much to do.
    "clicks-by-customer": {"spark.speculation": "true", "spark.speculation.multiplier": "2",
                           "spark.speculation.quantile": "0.75",
                           "spark.speculation.efficiency.enabled": "false"},
}

# ---------------------------------------------------------------------- plan

def plan(runs, seed):
    """What each run gets: input factor, executors, disturbances.  Round-robin over the applications.

    Of 18 runs six have about the same input (factor .97-1.03), five are near
    .78 and four near 1.24; the rest lie anywhere in .7-1.3.
    """
    cells = ([(1.0, n) for n in (2, 2, 2, 2, 1, 3)] + [(.78, n) for n in (1, 1, 1, 2, 3)]
             + [(1.24, n) for n in (3, 3, 3, 1)] + [(None, n) for n in (1, 2, 3)])
    nights = collections.defaultdict(list)
    for app in APPS:
        rng = random.Random(f"{seed} plan {app}")
        total = runs + (1 if app == FAILS_FOR_GOOD[0] and runs >= FAILS_FOR_GOOD[1] else 0)
        order = (cells * (runs // len(cells) + 1))[:max(runs, len(cells))]
        rng.shuffle(order)
        order += [order[runs - 1]] * (total - runs)
        undisturbed = [k for k in range(1, runs + 1) if k != LOST_EXECUTOR.get(app) and (app, k) != FAILS_FOR_GOOD]
        chosen = rng.sample(undisturbed, min(len(undisturbed), 7 * runs // 18))
        loaded, failing = set(chosen[::2]), set(chosen[1::2] + chosen[:1])   # one run has both
        for k in range(1, total + 1):
            factor, executors = order[k - 1]
            factor = rng.uniform(.7, 1.3) if factor is None else factor * rng.uniform(.97, 1.03)
            if k > runs:
                factor = last                        # the failed run is repeated
            last = round(factor, 4)
            run = {"app": app, "run": k, "factor": last, "executors": executors,
                   "load": None, "bad": {}, "kill_after_s": None}
            if k in loaded:
                run["load"] = {"processes": rng.choice((1, 2)), "start_s": rng.randrange(5), "seconds": rng.randrange(8, 14)}
            if k in failing or (app, k) == FAILS_FOR_GOOD:
                steps = APPS[app][1]
                step = list(steps)[-1] if (app, k) == FAILS_FOR_GOOD else rng.choice(sorted(steps))
                run["bad"] = {"step": step, "after": steps[step], "always": (app, k) == FAILS_FOR_GOOD,
                              "tasks": sorted(rng.sample(range(8), rng.randrange(2, 5)))}
            if k == LOST_EXECUTOR.get(app):
                run["executors"], run["kill_after_s"] = max(2, executors), 5
            nights[k].append(run)
    return [run for k in sorted(nights) for run in nights[k]]

# ------------------------------------------------------------------- cluster

class Cluster:
    """One standalone master and up to three one-core workers, stopped by stop().

    The first two workers, and so their executors, are bound to one processor
    each: one executor is one core and two are two.  A third one shares.
    """

    def __init__(self, tmp):
        import pyspark
        self.home, self.tmp = os.path.dirname(pyspark.__file__), tmp
        with socket.socket() as s:
            s.bind((MASTER_HOST, 0))
            port = s.getsockname()[1]
        self.url = f"spark://{MASTER_HOST}:{port}"
        self.master = self.start(MASTER_HOST, "org.apache.spark.deploy.master.Master", "--port", str(port), "--webui-port", "0")
        time.sleep(4)
        self.workers = []

    def resize(self, n):
        """Have n workers.  The next application waits until they have registered."""
        while len(self.workers) > n:
            self.end(self.workers.pop())
        every = sorted(os.sched_getaffinity(0))
        while len(self.workers) < n:
            i = len(self.workers)
            os.sched_setaffinity(0, every[i:i + 1] or every)      # inherited by the worker
            self.workers.append(self.start(
                WORKER_HOSTS[i], "org.apache.spark.deploy.worker.Worker", "--cores", "1", "--memory", "1200m",
                "--webui-port", "0", "--work-dir", f"{self.tmp}/work", self.url))
            os.sched_setaffinity(0, every)
        if any(p.poll() is not None for p in [self.master] + self.workers):
            sys.exit(f"the cluster is not running; see {self.tmp}/*.out")

    def env(self, host):
        return dict(os.environ, SPARK_HOME=self.home, SPARK_LOCAL_IP=host, PYSPARK_PYTHON=sys.executable,
                    SPARK_LOCAL_DIRS=f"{self.tmp}/scratch")

    def start(self, host, main, *args):
        with open(f"{self.tmp}/{main}-{host}.out", "a") as out:
            return subprocess.Popen([f"{self.home}/bin/spark-class", main, "--host", host, *args],
                                    env=self.env(host), stdout=out, stderr=out)

    def executors(self):
        """The process ids of the executors that our workers started."""
        ours, found = {str(w.pid) for w in self.workers}, []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/stat") as stat, open(f"/proc/{pid}/cmdline") as cmd:
                    if stat.read().rsplit(")", 1)[1].split()[1] in ours and "CoarseGrainedExecutorBackend" in cmd.read():
                        found.append(int(pid))
            except OSError:
                pass                                 # the process has ended
        return sorted(found)

    def wait(self, condition, seconds, what):
        end = time.time() + seconds
        while not condition():
            if time.time() > end:
                sys.exit(f"waited {seconds} s in vain for {what}")
            time.sleep(.2)

    def end(self, process):
        process.terminate()
        process.wait(30)

    def stop(self):
        for process in self.workers + [self.master]:
            self.end(process)

def disturb(cluster, run, driver, logs):
    """Beside the run: the CPU load and the lost executor, timed from the first job's start."""
    def begun():
        for log in os.listdir(logs):
            try:
                with open(f"{logs}/{log}", encoding="utf-8") as f:
                    if '"SparkListenerJobStart"' in f.read():
                        return True
            except OSError:
                pass                                 # Spark renames it at the end
        return driver.poll() is not None
    cluster.wait(begun, 120, "the first job")
    if run["kill_after_s"]:
        time.sleep(run["kill_after_s"])
        os.kill(cluster.executors()[0], signal.SIGKILL)
    if run["load"]:
        time.sleep(run["load"]["start_s"])
        burn = "import hashlib\nwhile True: hashlib.sha256(b'x' * 4096).digest()"
        burners = [subprocess.Popen([sys.executable, "-c", burn]) for _ in range(run["load"]["processes"])]
        try:
            driver.wait(run["load"]["seconds"])
        except subprocess.TimeoutExpired:
            pass
        for burner in burners:
            burner.kill()
            burner.wait()
    run["disturbed"] = True

# ------------------------------------------------------------------ cleaning

def cleaner(tmp, spark_home):
    """The one cleaning step, as a function from a log line to a log line.

    1. File paths become /data/..., wherever they occur (settings, call sites,
       stack traces, plan descriptions): this run's temporary directory, the
       Spark and Python installations, this script.
    2. Host names and IP addresses become host-1 (master and driver), host-2, ...,
       without a port after them.
    3. SparkListenerApplicationStart: the user becomes "recorder".
    4. SparkListenerEnvironmentUpdate: only the Spark properties, without those
       that name a path, host, user or port (spark.master stays), and the Java
       and Scala versions are kept.
    5. In job and stage properties the port numbers of the driver become 0.
    Every other byte stays as Spark wrote it.
    """
    prefix = os.path.realpath(sys.prefix)
    paths = [(tmp, "/data"), (spark_home, "/data/spark"), (os.path.dirname(spark_home), "/data/python"),
             (prefix, "/data/python"), (sys.prefix, "/data/python"), (HERE, "/data"), (os.path.expanduser("~"), "/data/home")]
    paths = sorted({(a, b) for a, b in paths if len(a) > 1}, key=lambda ab: -len(ab[0]))
    hosts = {host: f"host-{i + 1}" for i, host in enumerate([MASTER_HOST] + WORKER_HOSTS)}
    own = {socket.gethostname(), socket.getfqdn()} - {"localhost"}
    own |= {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None)} | {"127.0.0.1"}
    hosts.update({name: "host-1" for name in own if name not in hosts})
    host = re.compile(r"(?<![\w.-])(" + "|".join(sorted(map(re.escape, hosts), key=len, reverse=True)) + r")(?![\w-]|\.\w)")
    private = re.compile(r"/data|host-\d|\.(port|host|bindAddress|user)$|\.(port|host|bindAddress|user)=")

    def clean(line):
        for path, public in paths:
            line = line.replace(path, public)
        line = host.sub(lambda m: hosts[m.group(1)], line)
        line = re.sub(r"\b(host-\d):\d+", r"\1", line)
        line = re.sub(r'("spark\.[\w.]*port":)"\d+"', r'\1"0"', line)
        if line.startswith('{"Event":"SparkListenerApplicationStart"'):
            line = re.sub(r'"User":"[^"]*"', '"User":"recorder"', line)
        if line.startswith('{"Event":"SparkListenerEnvironmentUpdate"'):
            event = json.loads(line)
            kept = {k: v for k, v in event["Spark Properties"].items()
                    if k == "spark.master" or not private.search(f"{k}={v}") and not private.search(k)}
            jvm = {k: v for k, v in event["JVM Information"].items() if k in ("Java Version", "Scala Version")}
            line = json.dumps({"Event": event["Event"], "JVM Information": jvm, "Spark Properties": kept},
                              separators=(",", ":")) + "\n"
        return line
    return clean

def check(lines, run, user_words):
    """Does the log show what the plan says?  Fails loudly if not."""
    events = collections.Counter(re.match(r'{"Event":"([^"]*)"', line).group(1).split(".")[-1] for line in lines)
    jobs_failed = sum('"SparkListenerJobEnd"' in l and '"JobSucceeded"' not in l for l in lines)
    injected = sum('"Event":"SparkListenerTaskEnd"' in l and "injected failure" in l for l in lines)
    lost = sum('"Event":"SparkListenerTaskEnd"' in l and '"ExecutorLostFailure"' in l for l in lines)
    wrong = []
    if not run.get("disturbed"): wrong.append("not disturbed as planned")
    if events["SparkListenerApplicationEnd"] != 1: wrong.append("no end of the application")
    if events["SparkListenerExecutorAdded"] < run["executors"]: wrong.append("too few executors")
    if (jobs_failed > 0) != bool(run["bad"].get("always")): wrong.append(f"{jobs_failed} failed jobs")
    if (injected > 0) != bool(run["bad"]): wrong.append(f"{injected} injected failures")
    if run["kill_after_s"] and not (lost and events["SparkListenerExecutorRemoved"]): wrong.append("no executor lost")
    if not run["kill_after_s"] and events["SparkListenerExecutorRemoved"]: wrong.append("an executor lost")
    for line in lines:
        for m in re.finditer(user_words, line):
            wrong.append("left in the log: " + line[max(0, m.start() - 60):m.end() + 40])
    if wrong:
        sys.exit(f"{run['app']} run {run['run']}: " + "; ".join(wrong[:8]))
    return events["SparkListenerTaskEnd"], injected + lost

# ---------------------------------------------------------------------- main

def record(cluster, run, pools, tmp, out, seed):
    import zstandard
    app, k = run["app"], run["run"]
    file = f"{app}-{k:02d}.zst"
    name = f"{app}-{FIRST_NIGHT + datetime.timedelta(k - 1)}" if app == "sales-rollup" else app
    # The repetition of the failed run reads the same input again.
    rng = random.Random(f"{seed} input {app} {min(k, FAILS_FOR_GOOD[1]) if app == FAILS_FOR_GOOD[0] else k}")
    src, dst, logs = f"{tmp}/in", f"{tmp}/out", f"{tmp}/events"
    for folder in (src, dst, logs):
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
    cluster.wait(lambda: not cluster.executors(), 60, "the last run's executors to end")
    cluster.resize(run["executors"])
    rows, size = write_input(app, run["factor"], rng, pools, src)
    settings = dict(COMMON, **SETTINGS[app])
    settings.update({"spark.cores.max": str(run["executors"]), "spark.eventLog.dir": f"file:{logs}"})
    job = dict(app=app, name=name, master=cluster.url, settings=settings, src=src, dst=dst, bad=run["bad"])
    with open(f"{tmp}/{file}.out", "w") as log:
        driver = subprocess.Popen([sys.executable, f"{HERE}/applications.py", json.dumps(job)],
                                  cwd=tmp, env=cluster.env(MASTER_HOST), stdout=log, stderr=log)
    beside = threading.Thread(target=disturb, args=(cluster, run, driver, logs))
    beside.start()
    began, code = time.time(), driver.wait()
    beside.join()
    if (code != 0) != bool(run["bad"].get("always")):
        with open(f"{tmp}/{file}.out") as log:
            sys.exit(f"{file} ended with code {code}:\n{log.read()[-6000:]}")
    [log] = os.listdir(logs)
    clean = cleaner(tmp, cluster.home)
    with open(f"{logs}/{log}", encoding="utf-8", newline="\n") as raw:
        lines = [clean(line) for line in raw]
    words = (r"/tmp|/root|/home|/work\b|/usr|(?<![\w.-])root(?![\w.-])|(?<![\w.])\d{1,3}(\.\d{1,3}){3}(?![\w.])"
             r"|(?<![\w-])" + re.escape(socket.gethostname()) + r"(?![\w-])")
    tasks, failed = check(lines, run, words)
    data = "".join(lines).encode()
    with open(f"{out}/{file}", "wb") as packed:
        packed.write(zstandard.ZstdCompressor(level=19).compress(data))
    print(f"{file:26} x{run['factor']:.2f} on {run['executors']}: {time.time() - began:5.1f} s, {tasks} tasks, "
          f"{failed} failed, {len(data) // 1000} kB -> {os.path.getsize(f'{out}/{file}') // 1000} kB"
          + "".join(" " + key for key in ("load", "bad", "kill_after_s") if run[key]), flush=True)
    return {"file": file, "app": app, "name": name, "run": k, "input_rows": rows, "input_bytes": size,
            "executors": run["executors"], "background_load": run["load"], "injected_failures": run["bad"] or None,
            "executor_killed_after_s": run["kill_after_s"], "succeeded": not run["bad"].get("always", False)}

def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", default=f"{HERE}/logs")
    parser.add_argument("--runs", type=int, default=18, help="runs of each application")
    parser.add_argument("--seed", type=int, default=20261103)
    parser.add_argument("--only", choices=APPS, help="record this application alone")
    args = parser.parse_args()
    out = os.path.abspath(args.out)
    os.makedirs(out, exist_ok=True)
    tmp = tempfile.mkdtemp(prefix="record-")
    runs = [run for run in plan(args.runs, args.seed) if args.only in (None, run["app"])]
    print("generating input pools", flush=True)
    pools = make_pools({run["app"] for run in runs}, args.seed)
    manifest = []
    beside = f"{os.path.dirname(out)}/runs.json"
    if args.only and os.path.exists(beside):
        with open(beside) as f:
            manifest = json.load(f)
    cluster = Cluster(tmp)
    try:
        for run in runs:
            done = record(cluster, run, pools, tmp, out, args.seed)
            manifest = [other for other in manifest if other["file"] != done["file"]] + [done]
            with open(beside, "w") as f:
                f.write("[\n" + ",\n".join(map(json.dumps, manifest)) + "\n]\n")
    finally:
        cluster.stop()
    shutil.rmtree(tmp)

if __name__ == "__main__":
    main()
