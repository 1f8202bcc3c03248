"""A standalone Spark of PySpark on loopback, applications submitted to it, and what their event logs say."""

import glob, json, os, signal, socket, subprocess, sys, time

import pyspark

HERE = os.path.dirname(os.path.abspath(__file__))
HOME = os.path.dirname(pyspark.__file__)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Cluster:
    """A standalone master and a worker."""

    def __init__(self, work, slots):
        """Start one that offers so many executors of one core."""
        self.work, self.processes = work, []
        self.port = free_port()
        shuffle = free_port()
        self.url = f"spark://127.0.0.1:{self.port}"
        self.conf = {"spark.shuffle.service.enabled": "true", "spark.shuffle.service.port": str(shuffle)}
        env = dict(
            os.environ,
            SPARK_HOME=HOME,
            SPARK_NO_DAEMONIZE="1",
            SPARK_LOCAL_IP="127.0.0.1",
            SPARK_LOCAL_DIRS=os.path.join(work, "scratch"),
            SPARK_DAEMON_MEMORY="256m",
            SPARK_WORKER_OPTS=" ".join(f"-D{k}={v}" for k, v in self.conf.items()),
        )
        for name, args in (
            ("Master", ["--host", "127.0.0.1", "--port", str(self.port), "--webui-port", "0"]),
            (
                "Worker",
                [
                    "--host",
                    "127.0.0.1",
                    "--cores",
                    str(slots),
                    "--memory",
                    f"{slots}g",
                    "--webui-port",
                    "0",
                    "--work-dir",
                    os.path.join(work, "executors"),
                    self.url,
                ],
            ),
        ):
            log = open(os.path.join(work, name + ".log"), "w")
            self.processes.append(
                subprocess.Popen(
                    [os.path.join(HOME, "bin", "spark-class"), f"org.apache.spark.deploy.{name.lower()}.{name}", *args],
                    env=env,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                )
            )
            time.sleep(4)

    def stop(self):
        for p in reversed(self.processes):
            os.killpg(p.pid, signal.SIGTERM)
            p.wait(30)

    def submit(self, name, conf, *args, app="app.py", job="live-sums"):
        """Start an application of this folder; return the process."""
        all_conf = {
            "spark.eventLog.enabled": "true",
            "spark.eventLog.rolling.enabled": "false",
            "spark.eventLog.compress": "false",
            "spark.eventLog.dir": "file://" + os.path.join(self.work, "logs", name),
            "spark.app.name": job,
            "spark.executor.cores": "1",
            "spark.executor.memory": "512m",
            "spark.ui.enabled": "false",
            "spark.driver.host": "127.0.0.1",
            "spark.locality.wait": "0s",
            **self.conf,
            **conf,
        }
        os.makedirs(os.path.join(self.work, "logs", name))
        command = [os.path.join(HOME, "bin", "spark-submit"), "--master", self.url]
        for k, v in all_conf.items():
            command += ["--conf", f"{k}={v}"]
        log = open(os.path.join(self.work, name + ".driver.log"), "w")
        return subprocess.Popen(
            [*command, os.path.join(HERE, app), *map(str, args)],
            stdout=log,
            stderr=log,
            start_new_session=True,
            env=dict(
                os.environ,
                SPARK_HOME=HOME,
                SPARK_LOCAL_IP="127.0.0.1",
                SPARK_LOCAL_DIRS=os.path.join(self.work, "scratch"),
                PYSPARK_PYTHON=sys.executable,
            ),
        )

    def events(self, name):
        for path in glob.glob(os.path.join(self.work, "logs", name, "*")):
            with open(path) as f:
                for line in f:
                    yield json.loads(line)


def end(cluster, server):
    """Stop the server, where there is one, and the cluster."""
    if server:
        server.kill()
    cluster.stop()


failures = []


def check(what, ok, detail=""):
    """Print and count one check."""
    print(("ok      " if ok else "FAILED  ") + what + (f" ({detail})" if detail else ""), flush=True)
    if not ok:
        failures.append(what)


def conclude():
    """Print how many checks failed and exit with 1 if any did."""
    print(f"{len(failures)} checks failed", flush=True)
    sys.exit(1 if failures else 0)


def executors(parent, app=""):
    """The executors among the descendants of a process, all or those of an application."""
    parents, names = {}, {}
    for path in glob.glob("/proc/[0-9]*"):
        try:
            with open(path + "/stat") as f, open(path + "/cmdline") as g:
                parents[int(path[6:])], names[int(path[6:])] = int(f.read().rsplit(")", 1)[1].split()[1]), g.read()
        except OSError:
            continue
    for pid, name in names.items():
        above = pid
        while above in parents and above != parent:
            above = parents[above]
        if above == parent and "CoarseGrainedExecutorBackend" in name and app in name:
            yield pid


class Summary:
    """What the event log of one run says."""

    def __init__(self, cluster, name):
        self.added = self.resubmitted = self.failed = self.tasks = self.most = self.held = 0
        self.seconds, begin, up, last = 0.0, 0, {}, 0
        for e in cluster.events(name):
            kind = e["Event"]
            if kind == "SparkListenerApplicationStart":
                begin = e["Timestamp"]
            elif kind == "SparkListenerExecutorAdded":
                self.added += 1
                up[e["Executor ID"]] = e["Timestamp"]
                self.most = max(self.most, len(up))
            elif kind == "SparkListenerExecutorRemoved":
                if e["Executor ID"] in up:
                    self.seconds += (e["Timestamp"] - up.pop(e["Executor ID"])) / 1e3
            elif kind == "SparkListenerTaskEnd":
                reason = e["Task End Reason"]["Reason"]
                self.tasks += reason == "Success"
                self.resubmitted += reason == "Resubmitted"
                self.failed += reason not in ("Success", "Resubmitted")
            elif kind == "SparkListenerApplicationEnd":
                last = e["Timestamp"]
        self.seconds += sum(last - at for at in up.values()) / 1e3
        self.length, self.last = (last - begin) / 1e3, len(up)

    def __str__(self):
        return (
            f"{self.length:.1f} s, {self.seconds:.0f} executor-seconds, {self.tasks} tasks, {self.failed} attempts lost, "
            f"{self.resubmitted} finished tasks repeated, {self.added} executors started, {self.most} at most, "
            f"{self.last} at the end"
        )
