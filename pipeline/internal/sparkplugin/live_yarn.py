#!/usr/bin/env python3
"""Hold a real Spark on YARN to its deadlines: a mini cluster of one node, and app.py under the plugin.

Records runs of app.py on 1, 2 and 4 executors, makes a table of them, serves it, and runs the application again: with
a deadline that one executor would miss, with one that few executors meet, and with the server killed.

Needs: a PySpark (`pip install pyspark==3.5.9`), a JDK 17, a racecard binary, and the jars of yarn/jars.txt, which
--download fetches (98 MB) from a Maven repository.

  python3 live_yarn.py --racecard ./racecard --work /tmp/yarn --jars /tmp/hadoop [--download URL] [--past LOGS]
"""

import argparse, glob, hashlib, json, os, shutil, signal, subprocess, sys, time, urllib.request

import pyspark

from cluster import HERE, HOME, Cluster, Summary, check, conclude, end, free_port

SLOTS = 4  # most executors of an application
SIZES = 1, 2, 4  # executors of the runs of the past
SECONDS = 2.0  # that a task waits
LEAN = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # JVMs that start with less work


def jars(folder, repository):
    """Whether the folder holds the jars of the mini cluster; a repository has those missing. Checksums are verified."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(HERE, "yarn", "jars.txt")) as f:
        for line in f:
            sha256, path = line.split()
            to = os.path.join(folder, os.path.basename(path))
            if not os.path.exists(to) and repository:
                urllib.request.urlretrieve(repository.rstrip("/") + "/" + path, to + ".part")
                os.rename(to + ".part", to)
            if not os.path.exists(to):
                return False
            with open(to, "rb") as jar:
                if hashlib.sha256(jar.read()).hexdigest() != sha256:
                    sys.exit(f"{to}: another checksum than in yarn/jars.txt")
    return True


class Yarn(Cluster):
    """A YARN of one node, and Spark's shuffle service beside it."""

    def __init__(self, work, folder):
        self.work, self.url, port = work, "yarn", free_port()
        self.conf = {
            "spark.shuffle.service.enabled": "true",
            "spark.shuffle.service.port": str(port),
            "spark.yarn.jars": f"local:{HOME}/jars/*",
            "spark.yarn.am.memory": "512m",
            "spark.executor.extraJavaOptions": LEAN,
            "spark.yarn.am.extraJavaOptions": LEAN,
            "spark.driver.extraJavaOptions": LEAN,
        }
        classes = os.path.join(work, "classes")
        subprocess.run(
            [
                "javac",
                "-nowarn",
                "-cp",
                os.path.join(folder, "*"),
                "-d",
                classes,
                os.path.join(HERE, "yarn", "MiniYarn.java"),
            ],
            check=True,
        )
        env = dict(
            os.environ,
            SPARK_HOME=HOME,
            SPARK_NO_DAEMONIZE="1",
            SPARK_LOCAL_IP="127.0.0.1",
            SPARK_LOCAL_DIRS=work,
            SPARK_DAEMON_MEMORY="256m",
            SPARK_SHUFFLE_OPTS=" ".join(f"-D{k}={v}" for k, v in self.conf.items()),
        )
        log = open(os.path.join(work, "yarn.log"), "w")
        self.processes = [
            subprocess.Popen(
                [
                    "java",
                    "-Xmx512m",
                    "--add-opens",
                    "java.base/java.lang=ALL-UNNAMED",
                    "-cp",
                    f"{classes}:{folder}/*",
                    "MiniYarn",
                    work,
                    "16384",
                    "16",
                ],
                cwd=work,
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
            ),
            subprocess.Popen(
                [os.path.join(HOME, "bin", "spark-class"), "org.apache.spark.deploy.ExternalShuffleService"],
                env=env,
                stdout=open(os.path.join(work, "shuffle.log"), "w"),
                stderr=subprocess.STDOUT,
                start_new_session=True,
            ),
        ]
        os.environ["HADOOP_CONF_DIR"] = work
        for _ in range(600):
            if os.path.exists(os.path.join(work, "yarn-site.xml")):
                with open(os.path.join(work, "yarn.log")) as f:
                    if "ready\n" in f:
                        return
            if self.processes[0].poll() is not None:
                break
            time.sleep(0.5)
        self.stop()
        sys.exit(f"the mini cluster does not start; see {work}/yarn.log")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--racecard", required=True)
    p.add_argument("--work", required=True)
    p.add_argument("--jars", required=True, help="folder with the jars of yarn/jars.txt")
    p.add_argument("--download", metavar="URL", help="Maven repository that has the jars which are missing")
    p.add_argument("--past", help="folder of event logs of runs that were recorded before, instead of recording")
    o = p.parse_args()
    folder, work, racecard = os.path.abspath(o.jars), os.path.abspath(o.work), os.path.abspath(o.racecard)
    if not jars(folder, o.download):
        print(f"SKIPPED: no mini cluster in {folder}; --download URL fetches it from a Maven repository", file=sys.stderr)
        return
    shutil.rmtree(work, ignore_errors=True)
    os.makedirs(work)
    begin = time.time()
    cluster, server = Yarn(work, folder), None
    print(
        f"Spark {pyspark.__version__}, YARN ready after {time.time() - begin:.0f} s, load {os.getloadavg()[0]:.1f}",
        flush=True,
    )

    def run(*args):
        return subprocess.run([racecard, *args], cwd=work, check=True, capture_output=True).stdout

    def decisions(app):
        """What the server answered to an application."""
        with open(os.path.join(work, "journal")) as f:
            return [r for r in map(json.loads, filter(lambda line: line.endswith("\n"), f)) if r.get("app") == app]

    def steered(name, deadline, start, during=None):
        """Run under the plugin; return the exit status, the summary and the executors wanted, in order."""
        process = cluster.submit(
            name,
            {
                "spark.jars": os.path.join(work, "racecard-spark.jar"),
                "spark.plugins": "io.racecard.RacecardPlugin",
                "spark.racecard.url": f"http://127.0.0.1:{port}",
                "spark.racecard.deadline": f"{deadline:.0f}s",
                "spark.racecard.mode": "steer",
                "spark.racecard.period": "1s",
                "spark.racecard.executors.max": str(SLOTS),
                "spark.executor.instances": str(start),
            },
            "inf",
            SECONDS,
        )
        if during:
            during(process)
        status = process.wait(900)
        s = Summary(cluster, name)
        app = next(e["App ID"] for e in cluster.events(name) if e["Event"] == "SparkListenerApplicationStart")
        wanted = [r["executors"] for r in decisions(app) if r.get("executors")]
        print(
            f"        {name}, deadline {deadline:.0f} s: {s}; started with {start}, "
            f"wanted {min(wanted, default=0)} to {max(wanted, default=0)}; "
            f"load {os.getloadavg()[0]:.1f}",
            flush=True,
        )
        return status, s, wanted

    try:
        with open(os.path.join(work, "racecard-spark.jar"), "wb") as f:
            f.write(run("spark-plugin"))
        times = {}
        if o.past:
            for path in sorted(glob.glob(os.path.join(o.past, "past*"))):
                shutil.copytree(path, os.path.join(work, "logs", os.path.basename(path)))
        else:
            past = [cluster.submit(f"past{n}", {"spark.executor.instances": str(n)}, "inf", SECONDS) for n in SIZES]
            if any([process.wait(900) for process in past]):
                sys.exit(f"a run of the past failed; see {work}/past*.driver.log")
        for n in SIZES:
            s = Summary(cluster, f"past{n}")
            times[n] = s.length
            print(f"        past run on {n} executors: {s}", flush=True)
        run("import", "--out", "store", *sorted(glob.glob(os.path.join(work, "logs", "past*"))))
        run("fit", "store", "--all", "--min-runs", "3", "--out", "models")
        run("table", "build", "models", "--out", "tables", "--replicates", "200", "--allocations", "1,2,3,4")
        port = free_port()
        server = subprocess.Popen(
            [racecard, "serve", "tables", "--listen", f"127.0.0.1:{port}", "--journal", "journal"],
            cwd=work,
            stdout=open(os.path.join(work, "server.log"), "w"),
            stderr=subprocess.STDOUT,
        )
        time.sleep(2)
        deadline = times[2]
        status, s, wanted = steered("raised", deadline, 1)
        check(
            "YARN: executors rise to what the deadline needs",
            status == 0 and s.added > 1 and max(wanted, default=0) > 1,
            f"1 to {s.most}",
        )
        check("YARN: the deadline is met", s.length <= deadline, f"{s.length:.0f} of {deadline:.0f} s")
        deadline = 2 * times[2]
        status, s, wanted = steered("lowered", deadline, SLOTS)
        check("YARN: executors are given back", status == 0 and s.last < SLOTS, f"{s.last} at the end of {SLOTS}")
        check("YARN: no finished task is repeated", s.resubmitted == 0)
        check("YARN: no surplus executor replaces those given back", s.added <= SLOTS, f"{s.added} started")
        check(
            "YARN: the deadline is met with executors given back",
            s.length <= deadline,
            f"{s.length:.0f} of {deadline:.0f} s",
        )

        def end_server(process):
            while process.poll() is None and not glob.glob(os.path.join(work, "logs", "server-killed", "*")):
                time.sleep(0.5)
            time.sleep(10)
            server.send_signal(signal.SIGKILL)
            server.wait()

        status, s, _ = steered("server-killed", deadline, 2, end_server)
        check("YARN: the application ends normally when the server is killed", status == 0 and s.tasks >= 52)
    finally:
        end(cluster, server)
    conclude()


main()
