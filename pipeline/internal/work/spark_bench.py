"""Measures what units of work cost on a standalone Spark of this machine, and compares every byte with one machine's.

    python3 spark_bench.py --racecard BINARY --python PYTHON_WITH_PYSPARK --work FOLDER [--sims 1000] [--tables 200]

For a sweep of simulations and a build of tables it runs the units in three ways: `racecard work do` in one process, xargs with a
process per unit, and Spark with two workers of one core each and speculation. While Spark works, an executor, a worker and the
driver are killed with SIGKILL, once each; the driver is then started again. Then it measures empty units, and units undisturbed.
It prints a JSON line per measurement. Every process that it starts ends with it.
"""

import argparse
import hashlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time


def cpu_of_children():
    r = resource.getrusage(resource.RUSAGE_CHILDREN)
    return r.ru_utime + r.ru_stime


def digest(folder):
    """The SHA-256 of all names and contents below a folder."""
    all_files = hashlib.sha256()
    for top, dirs, files in os.walk(folder):
        dirs.sort()
        for name in sorted(files):
            path = os.path.join(top, name)
            with open(path, "rb") as f:
                all_files.update(f"{os.path.relpath(path, folder)} {hashlib.sha256(f.read()).hexdigest()}\n".encode())
    return all_files.hexdigest()


class Cluster:
    """A standalone master with two workers of one core each."""

    def __init__(self, python, folder):
        self.home = subprocess.check_output([python, "-c", "import os, pyspark; print(os.path.dirname(pyspark.__file__))"], text=True).strip()
        self.version = subprocess.check_output([python, "-c", "import pyspark; print(pyspark.__version__)"], text=True).strip()
        scala = next(re.search(r"scala-library-(2\.\d+)", n).group(1) for n in os.listdir(os.path.join(self.home, "jars")) if n.startswith("scala-library-2."))
        self.env = dict(os.environ, SPARK_HOME=self.home, SPARK_SCALA_VERSION=scala, PYSPARK_PYTHON=python, SPARK_LOCAL_IP="127.0.0.1",
                        SPARK_LOCAL_DIRS=os.path.join(folder, "scratch"))
        self.folder, self.daemons, self.drivers = folder, [], []
        self.master = self.daemon("Master", ["--host", "127.0.0.1", "--port", "0", "--webui-port", "0"], r"spark://127\.0\.0\.1:\d+")
        self.workers = []
        for i in range(2):
            self.daemon("Worker", ["--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--webui-port", "0",
                                   "--work-dir", os.path.join(folder, f"spark{i}"), self.master], "Successfully registered")
            self.workers.append(self.daemons[-1])

    def daemon(self, name, args, form):
        path = os.path.join(self.folder, f"{name}-{len(self.daemons)}.log")
        with open(path, "w") as log:
            self.daemons.append(subprocess.Popen(["java", "-Xmx256m", "-cp", os.path.join(self.home, "jars", "*"),
                                                  f"org.apache.spark.deploy.{name.lower()}.{name}"] + args, env=self.env, stdout=log, stderr=log))
        for _ in range(1200):
            with open(path) as f:
                if found := re.search(form, f.read()):
                    return found.group(0)
            time.sleep(0.1)
        raise SystemExit(f"{name} does not start: see {path}")

    def executors(self):
        pids = {w.pid for w in self.workers}
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{pid}/stat") as f:
                    if int(f.read().rpartition(") ")[2].split()[1]) in pids:
                        found.append(int(pid))
            except OSError:
                pass  # it ended
        return found

    def submit(self, racecard, work):
        script = os.path.join(self.folder, "racecard_work.py")
        with open(script, "wb") as f:
            f.write(subprocess.check_output([racecard, "work", "engine", "spark"]))
        log = open(work + ".log", "a")
        self.drivers.append(subprocess.Popen([os.path.join(self.home, "bin", "spark-submit"), "--master", self.master, "--conf", "spark.driver.host=127.0.0.1",
                                 "--conf", "spark.speculation=true", "--conf", "spark.task.maxFailures=20", "--conf", "spark.ui.enabled=false",
                                 "--files", racecard, script, work, os.path.basename(racecard)], env=self.env, stdout=log, stderr=log, start_new_session=True))
        return self.drivers[-1]

    def run(self, racecard, work):
        if self.submit(racecard, work).wait() != 0:
            raise SystemExit(f"the driver failed: see {work}.log")

    def stop(self):
        for d in self.drivers:
            if d.poll() is None:
                os.killpg(d.pid, signal.SIGKILL)
                d.wait()
        for d in self.daemons:
            d.terminate()
        for d in self.daemons:
            try:
                d.wait(20)
            except subprocess.TimeoutExpired:
                d.kill()
                d.wait()


def done(work):
    try:
        return len([n for n in os.listdir(os.path.join(work, "done")) if n.endswith(".unit")])
    except FileNotFoundError:
        return 0


def killed(cluster, racecard, work, units):
    """Runs units while an executor, a worker and the driver are killed, and starts the driver again. Returns units done at each kill."""
    driver = cluster.submit(racecard, work)
    kills = []
    for share, what in ((0.1, "executor"), (0.3, "worker"), (0.6, "driver")):
        while done(work) < share * units and driver.poll() is None:
            time.sleep(0.02)
        kills.append((what, done(work)))
        if what == "executor":
            os.kill(cluster.executors()[0], signal.SIGKILL)
        elif what == "worker":
            cluster.workers[0].kill()
        else:
            os.killpg(driver.pid, signal.SIGKILL)
    driver.wait()
    cluster.run(racecard, work)
    return kills


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--racecard", required=True)
    p.add_argument("--python", required=True)
    p.add_argument("--work", required=True)
    p.add_argument("--sims", type=int, default=1000)
    p.add_argument("--tables", type=int, default=200)
    o = p.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # which stops the cluster
    work = os.path.abspath(o.work)
    racecard = os.path.abspath(o.racecard)
    os.makedirs(work, exist_ok=True)

    def call(*args):
        subprocess.run([racecard, *args, "--quiet"], check=True, stdout=subprocess.DEVNULL)

    def at(name):
        return os.path.join(work, name)

    if not os.path.exists(at("runs.store")):
        with open(at("runs.jsonl"), "w") as f:
            for i in range(6000):
                f.write(json.dumps({"id": f"r{i}", "name": f"job-{'abcdefghij'[i % 10]}", "submit_s": 10 * i, "start_s": 10 * i, "end_s": 10 * i + 5 + i % 3,
                                    "stages": [{"durations_s": [1, 2, 1 + i % 4]}, {"tasks": 1, "duration_s": 1, "parents": [0]}]}) + "\n")
        call("import", "--synthetic", "--out", at("runs.store"), at("runs.jsonl"))
        letters = "abcdefghijklmnopqrst"
        with open(at("jobs.jsonl"), "w") as f:
            for i in range(12 * o.tables):
                job = i % o.tables
                f.write(json.dumps({"id": f"r{i}", "name": f"job-{letters[job // 20 % 20]}{letters[job % 20]}", "submit_s": 10 * i, "start_s": 10 * i, "end_s": 10 * i + 60 + i % 7,
                                    "stages": [{"durations_s": [5 + (i * k) % 11 for k in range(12)]}, {"durations_s": [3 + (i + k) % 5 for k in range(6)], "parents": [0]}]}) + "\n")
        call("import", "--synthetic", "--out", at("jobs.store"), at("jobs.jsonl"))
        call("fit", at("jobs.store"), "--all", "--out", at("models"))
    half = o.sims // 2
    plans = {
        "sweep": (["simulate", "eagle", at("runs.store"), "--schedulers", "eagle,hawk", "--seeds", f"1-{half}", "--vary", "load=70%,95%"], 2 * half),
        "tables": (["table", "build", at("models"), "--replicates", "20"], o.tables),
    }

    def plan(kind, name):
        call("work", "plan", *plans[kind][0], "--out", at(name))
        return at(name)

    def merged(folder):
        call("work", "merge", folder, "--out", folder + ".out")
        return digest(folder + ".out")

    def timed(what, kind, run, **more):
        begin, cpu = time.time(), cpu_of_children()
        run()
        line = {"what": what, "kind": kind, "units": plans[kind][1], "seconds": round(time.time() - begin, 1)}
        spent = round(cpu_of_children() - cpu, 1)
        if spent:
            line["cpu_s"] = spent
        line.update(more)
        return line

    sums = {}
    version = ""
    for kind in plans:
        one = plan(kind, f"{kind}.one")
        if done(one) == 0:
            line = timed("one process", kind, lambda: call("work", "do", one))
            line["sha256"] = sums[kind] = merged(one)
            print(json.dumps(line), flush=True)
            xargs = plan(kind, f"{kind}.xargs")
            line = timed("xargs -P2", kind, lambda: subprocess.run(
                f"seq 0 {plans[kind][1] - 1} | xargs -P2 -I I {racecard} work do {xargs} --index I --quiet > {work}/xargs.log", shell=True, check=True))
            line["same"] = merged(xargs) == sums[kind]
            print(json.dumps(line), flush=True)
        else:
            sums[kind] = merged(one)
    begin, cpu = time.time(), cpu_of_children()
    cluster = Cluster(os.path.abspath(o.python) if os.path.exists(o.python) else o.python, work)
    version = cluster.version
    try:
        for kind in plans:
            calm = plan(kind, f"{kind}.spark{version}")
            line = timed(f"Spark {version}", kind, lambda: cluster.run(racecard, calm))
            line["same"] = merged(calm) == sums[kind]
            print(json.dumps(line), flush=True)
            # all units are done: what a driver costs that has nothing to do, and one that runs each unit again in vain
            line = timed(f"Spark {version}, nothing to do", kind, lambda: cluster.run(racecard, calm))
            print(json.dumps(line), flush=True)
        for kind in plans:
            torn = plan(kind, f"{kind}.torn{version}")
            kills = []
            line = timed(f"Spark {version}, executor, worker and driver killed", kind, lambda: kills.extend(killed(cluster, racecard, torn, plans[kind][1])))
            line["done at kills"] = dict(kills)
            line["same"] = merged(torn) == sums[kind]
            print(json.dumps(line), flush=True)
            if kind != list(plans)[-1]:
                cluster.workers[0].wait()
                cluster.stop()
                cluster = Cluster(o.python, work)
    finally:
        cluster.stop()
    print(json.dumps({"what": f"all of Spark {version}, with its daemons", "seconds": round(time.time() - begin, 1), "cpu_s": round(cpu_of_children() - cpu, 1)}))


if __name__ == "__main__":
    sys.exit(main())
