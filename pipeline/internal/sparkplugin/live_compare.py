#!/usr/bin/env python3
"""Compare steering by racecard with static allocations and with Spark's own dynamic allocation, on a real Spark.

Records runs of nightly/Nightly.java without disturbances, makes a table of them and serves it. Then every seed draws
a deadline, the day's input and disturbances (new tasks twice as slow from an instant on, executors killed, both or
none), and runs once under every policy. Runs of all policies alternate and some run side by side, so all of them meet
the same load. Each run adds a line to results.jsonl.

Tasks wait for most of their time and compute little, so that runs side by side hardly slow each other down. Needs a
JDK.

  python3 live_compare.py --racecard ./racecard --work /tmp/compare [--seeds 20] [--side 5] [--past LOGS]
"""

import argparse, concurrent.futures, glob, json, os, random, shutil, signal, statistics, subprocess, sys, time
import urllib.request

import pyspark

from cluster import HERE, HOME, Cluster, Summary, executors, free_port

SLOTS = 6  # most executors of an application, of one core each
JOB = "live-nightly"
MARGIN = 1.12  # of a deadline over a p90: slack and dead zone of the loop, and a little
POLICIES = ("steered", "twin", "twin+1", "dynamic")


def prepare(work):
    """Compile the application, and run it once with JVMs that keep archives of their classes: with these JVMs start in
    half the time. Return the options of the JVMs of drivers and of executors."""
    classes = os.path.join(work, "classes")
    jars = os.path.join(HOME, "jars", "*")
    subprocess.run(
        [
            "javac",
            "--release",
            "11",
            "-nowarn",
            "-cp",
            jars,
            "-d",
            classes,
            os.path.join(HERE, "nightly", "Nightly.java"),
        ],
        check=True,
        capture_output=True,
    )
    subprocess.run(
        ["jar", "--create", "--main-class", "Nightly", "--file", os.path.join(work, "nightly.jar"), "-C", classes, "."],
        check=True,
    )
    lean = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xlog:disable"
    names = [os.path.join(work, name) for name in ("driver.jsa", "executor.jsa")]
    keep = [f"{lean} -XX:ArchiveClassesAtExit={name}" for name in names]
    subprocess.run(
        [
            os.path.join(HOME, "bin", "spark-submit"),
            "--master",
            "local-cluster[1,1,512]",
            "--driver-java-options",
            keep[0],
            "--conf",
            f"spark.executor.extraJavaOptions={keep[1]}",
            "--conf",
            "spark.executor.memory=512m",
            "--conf",
            "spark.ui.enabled=false",
            os.path.join(work, "nightly.jar"),
            "1",
            "0",
            "0.001",
        ],
        env=dict(os.environ, SPARK_HOME=HOME, SPARK_LOCAL_IP="127.0.0.1"),
        capture_output=True,
    )
    return [f"{lean} -XX:SharedArchiveFile={name}" if os.path.exists(name) else lean for name in names]


def alone(work):
    """Make a home of Java whose programs each get a session, and return its path. Linux shares processors fairly
    between sessions, so executors get their shares as if each ran on a machine of its own."""
    home = os.path.join(work, "java")
    os.makedirs(os.path.join(home, "bin"))
    program = os.path.join(home, "bin", "java")
    with open(program, "w") as f:
        f.write(f'#!/bin/sh\nexec setsid {shutil.which("java")} "$@"\n')
    os.chmod(program, 0o755)
    return home


class Seed:
    """The deadline and the disturbances of a seed. Instants are seconds since the start of the application."""

    def __init__(self, number, low, high):
        rng = random.Random(number)
        self.number, self.deadline = number, rng.uniform(low, high)
        slow, kill = self.deadline * rng.uniform(0.25, 0.6), self.deadline * rng.uniform(0.25, 0.6)
        self.slow = slow if number % 4 in (1, 3) else 1e9
        self.kill = kill if number % 4 in (2, 3) else None
        self.twin = 0  # executors that the table chooses

    def __str__(self):
        text = f"seed {self.number}, deadline {self.deadline:.0f} s"
        if self.slow < 1e9:
            text += f", tasks twice as slow from {self.slow:.0f} s on"
        if self.kill:
            text += f", two executors killed at {self.kill:.0f} s"
        return text


class Trial:
    """A cluster, a server, and the runs."""

    def __init__(self, o):
        self.o, self.racecard = o, os.path.abspath(o.racecard)
        self.work = os.path.abspath(o.work)
        shutil.rmtree(self.work, ignore_errors=True)
        os.makedirs(self.work)
        self.jar = os.path.join(self.work, "racecard-spark.jar")
        with open(self.jar, "wb") as f:
            f.write(subprocess.run([self.racecard, "spark-plugin"], check=True, capture_output=True).stdout)
        self.driver_jvm, self.executor_jvm = prepare(self.work)
        self.java = alone(self.work)
        self.port = free_port()
        self.cluster = Cluster(self.work, SLOTS * (o.side + 1))
        self.server = None

    def run(self, *args):
        return subprocess.run([self.racecard, *args], cwd=self.work, check=True, capture_output=True, text=True).stdout

    def ask(self, path, body=None, method=None):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}",
            None if body is None else json.dumps(body).encode(),
            {"Content-Type": "application/json"},
            method=method,
        )
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.load(answer)

    def submit(self, name, conf, seed, slow):
        return self.cluster.submit(
            name,
            {
                "spark.executor.extraJavaOptions": self.executor_jvm,
                "spark.driver.extraJavaOptions": self.driver_jvm,
                "spark.executorEnv.JAVA_HOME": self.java,
                "spark.log.level": "WARN",
                **conf,
            },
            seed,
            slow,
            2,
            app=os.path.join(self.work, "nightly.jar"),
            job=JOB,
        )

    def record(self):
        """Runs of the past: ordinary days."""
        if self.o.past:
            for path in sorted(glob.glob(os.path.join(self.o.past, "past*"))):
                shutil.copytree(path, os.path.join(self.work, "logs", os.path.basename(path)))
            return

        def one(k):
            n = (2, 3, 4, 6)[k % 4]
            status = self.submit(f"past{k}", {"spark.cores.max": str(n)}, 1000 + k, 1e9).wait(900)
            print(f"        past run on {n} executors: {Summary(self.cluster, f'past{k}')}", flush=True)
            return status

        with concurrent.futures.ThreadPoolExecutor(self.o.side) as pool:
            if any(pool.map(one, range(self.o.runs))):
                sys.exit("a run of the past failed")

    def serve(self):
        self.run("import", "--out", "store", *sorted(glob.glob(os.path.join(self.work, "logs", "past*"))))
        self.run("fit", "store", "--all", "--min-runs", "3", "--out", "models")
        self.run(
            "table",
            "build",
            "models",
            "--out",
            "tables",
            "--replicates",
            "200",
            "--allocations",
            ",".join(str(n + 1) for n in range(SLOTS)),
        )
        self.server = subprocess.Popen(
            [self.racecard, "serve", "tables", "--listen", f"127.0.0.1:{self.port}", "--journal", "journal"],
            cwd=self.work,
            stdout=open(os.path.join(self.work, "server.log"), "a"),
            stderr=subprocess.STDOUT,
        )
        for _ in range(100):
            try:
                self.ask("/v1/jobs")
                return
            except OSError:
                time.sleep(0.2)
        sys.exit("the server does not answer")

    def chosen(self, seed):
        """The executors that the loop asks for before a run begins."""
        app = f"twin-{seed.number}"
        answer = self.ask(
            "/v1/decide",
            {
                "app": app,
                "job": JOB,
                "now_s": 0,
                "deadline_s": seed.deadline,
                "executors": 1,
                "slots": 1,
                "min_executors": 1,
                "max_executors": SLOTS,
                "progress": 0,
            },
        )
        self.ask(f"/v1/apps/{app}", method="DELETE")
        return answer["executors"]

    def once(self, seed, policy):
        """Run a seed under a policy; return what came of it."""
        name = f"seed{seed.number}-{policy}"
        twin = seed.twin if policy.startswith("twin") else 0
        conf = {"spark.cores.max": str(min(SLOTS, twin + int(policy[4:] or 0)) if twin else SLOTS)}
        if policy == "steered":
            conf |= {
                "spark.jars": self.jar,
                "spark.plugins": "io.racecard.RacecardPlugin",
                "spark.racecard.url": f"http://127.0.0.1:{self.port}",
                "spark.racecard.deadline": f"{seed.deadline:.3f}s",
                "spark.racecard.mode": "steer",
                "spark.racecard.period": "1s",
                "spark.racecard.executors.max": str(SLOTS),
            }
        elif policy == "dynamic":
            conf |= {
                "spark.dynamicAllocation.enabled": "true",
                "spark.dynamicAllocation.minExecutors": "1",
                "spark.dynamicAllocation.maxExecutors": str(SLOTS),
                "spark.dynamicAllocation.executorIdleTimeout": "5s",
            }
        load, begin = os.getloadavg()[0], time.time()
        process = self.submit(name, conf, seed.number, seed.slow)
        log, killed = None, 0
        while process.poll() is None:
            if time.time() > begin + 600:
                os.kill(process.pid, signal.SIGKILL)
            if not log:
                log = next(iter(glob.glob(os.path.join(self.work, "logs", name, "app-*"))), None)
                started = time.time() if log else None
            elif seed.kill and not killed and time.time() > started + seed.kill:
                app = os.path.basename(log).removesuffix(".inprogress")
                for pid in list(executors(self.cluster.processes[1].pid, app))[:2]:
                    os.kill(pid, signal.SIGKILL)
                    killed += 1
            time.sleep(0.2)
        s = Summary(self.cluster, name)
        result = {
            "seed": seed.number,
            "policy": policy,
            "deadline_s": seed.deadline,
            "slow_s": seed.slow if seed.slow < 1e9 else None,
            "kill_s": seed.kill,
            "static": int(conf["spark.cores.max"]) if twin else None,
            "status": process.returncode,
            "length_s": s.length,
            "met": process.returncode == 0 and s.length <= seed.deadline,
            "executor_s": s.seconds,
            "most": s.most,
            "started": s.added,
            "killed": killed,
            "repeated": s.resubmitted,
            "load": [load, os.getloadavg()[0]],
        }
        with open(os.path.join(self.work, "results.jsonl"), "a") as f:
            f.write(json.dumps(result) + "\n")
        size, verdict = f" ({conf['spark.cores.max']})" if twin else "", "met" if result["met"] else "MISSED"
        print(f"{seed}: {policy}{size}: {verdict}: {s}; load {load:.0f} to {os.getloadavg()[0]:.0f}", flush=True)
        return result

    def compare(self):
        ends = {}
        for n in range(1, SLOTS + 1):
            ends[n] = self.ask(f"/v1/remaining?job={JOB}&progress=0&tokens={n}")["remaining_s"]["p90"]
        print(f"p90 of the table by executors: {', '.join(f'{n}: {s:.0f} s' for n, s in ends.items())}", flush=True)
        low, high = MARGIN * ends[SLOTS - 1], MARGIN * ends[2]
        seeds = [Seed(n, low, high) for n in range(self.o.first, self.o.first + self.o.seeds)]
        for s in seeds:
            s.twin = self.chosen(s)
        order = [(s, POLICIES[(i + s.number) % len(POLICIES)]) for s in seeds for i in range(len(POLICIES))]
        with concurrent.futures.ThreadPoolExecutor(self.o.side) as pool:
            results = list(pool.map(lambda x: self.once(*x), order))
        table(results)

    def stop(self):
        if self.server:
            self.server.kill()
        self.cluster.stop()


def table(results):
    """Print a line per policy."""
    print("policy    runs  missed  executor-seconds: mean  median  of runs that met   load")
    for policy in POLICIES:
        rows = [r for r in results if r["policy"] == policy]
        if rows:
            spent = [r["executor_s"] for r in rows]
            met = [r["executor_s"] for r in rows if r["met"]]
            print(
                f"{policy:9} {len(rows):4}  {sum(not r['met'] for r in rows):6}  {statistics.mean(spent):22.0f}  "
                f"{statistics.median(spent):6.0f}  {statistics.mean(met) if met else float('nan'):16.0f}   "
                f"{statistics.median(r['load'][0] for r in rows):.0f}"
            )


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--racecard", required=True)
    p.add_argument("--work", required=True)
    p.add_argument("--runs", type=int, default=8, help="of the past")
    p.add_argument("--past", help="folder of event logs of runs that were recorded before, instead of recording")
    p.add_argument("--seeds", type=int, default=20)
    p.add_argument("--first", type=int, default=0, help="seed")
    p.add_argument("--side", type=int, default=5, help="runs side by side")
    o = p.parse_args()
    print(f"Spark {pyspark.__version__}, load {os.getloadavg()[0]:.1f}", flush=True)
    trial = Trial(o)
    try:
        trial.record()
        trial.serve()
        trial.compare()
    finally:
        trial.stop()


main()
