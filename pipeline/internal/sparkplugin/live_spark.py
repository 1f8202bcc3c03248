#!/usr/bin/env python3
"""Hold a real Spark to its deadlines, and check the mechanics of the plugin.

Starts a standalone Spark of PySpark (master, one worker with an external shuffle service) on loopback, records runs of app.py,
makes a table of them, serves it, and runs the application under the plugin: with an easy and a tight deadline, with an executor
killed, with the server killed, absent, and without a table of the job.

Needs: a PySpark (`pip install pyspark==3.5.9`), Java 17, and a racecard binary. Everything goes to --work.

  python3 live_spark.py --racecard ./racecard --work /tmp/live [--slots 6] [--held 1,2,3,4,6,1 | --past LOGS]
"""
import argparse, glob, json, os, shutil, signal, subprocess, sys, time

import pyspark

from cluster import Cluster, Summary, check, conclude, end, executors, free_port


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--racecard", required=True)
    p.add_argument("--work", required=True)
    p.add_argument("--slots", type=int, default=6, help="executors of one core that the worker offers")
    p.add_argument("--held", default="1,2,3,4,6,1", help="executors of the runs that are recorded first, separated by commas")
    p.add_argument("--easy", type=float, default=1.5, help="the easy deadline, times the longest recorded run")
    p.add_argument("--only", default="", help="of easy, tight, losses, unknown, watch, killed (the last one ends the server), separated by commas; "
                   "all when left out")
    p.add_argument("--past", help="folder of event logs of runs that were recorded before, instead of recording")
    o = p.parse_args()
    racecard, slots = os.path.abspath(o.racecard), o.slots
    shutil.rmtree(o.work, ignore_errors=True)
    os.makedirs(o.work)
    print(f"Spark {pyspark.__version__}, load {os.getloadavg()[0]:.1f}", flush=True)

    def run(*args):
        return subprocess.run([racecard, *args], cwd=o.work, check=True, capture_output=True, text=True).stdout

    with open(os.path.join(o.work, "racecard-spark.jar"), "wb") as f:
        f.write(subprocess.run([racecard, "spark-plugin"], check=True, capture_output=True).stdout)
    cluster = Cluster(o.work, slots)
    server = None

    def serve():
        s = subprocess.Popen([racecard, "serve", "tables", "--listen", f"127.0.0.1:{port}", "--journal", "journal"], cwd=o.work,
                             stdout=open(os.path.join(o.work, "server.log"), "a"), stderr=subprocess.STDOUT)
        time.sleep(1)
        return s

    def steered(name, deadline, during=None, job="live-sums", args=(), mode="steer", start=slots):
        """Run under the plugin; during(process) is called while it runs. Return the exit status and the summary."""
        jar = os.path.join(o.work, "racecard-spark.jar")
        process = cluster.submit(name, {
            "spark.jars": jar, "spark.plugins": "io.racecard.RacecardPlugin", "spark.racecard.url": f"http://127.0.0.1:{port}",
            "spark.racecard.deadline": deadline, "spark.racecard.mode": mode, "spark.racecard.period": "1s", "spark.racecard.job": job,
            "spark.racecard.executors.max": str(slots), "spark.cores.max": str(start)}, *args)
        if during:
            during(process)
        status = process.wait(600)
        s = Summary(cluster, name)
        print(f"        {name}: {s}; load {os.getloadavg()[0]:.1f}", flush=True)
        return status, s

    try:
        times = {}
        if o.past:
            for path in sorted(glob.glob(os.path.join(o.past, "*"))):
                name = os.path.basename(path)
                shutil.copytree(path, os.path.join(o.work, "logs", name))
                s = Summary(cluster, name)
                times.setdefault(s.most, []).append(s.length)
        for k, n in enumerate([] if o.past else map(int, o.held.split(","))):
            if cluster.submit(f"past{k}", {"spark.cores.max": str(n)}).wait(900) != 0:
                sys.exit(f"run {k} of the past failed; see {o.work}/past{k}.driver.log")
            s = Summary(cluster, f"past{k}")
            times.setdefault(n, []).append(s.length)
            print(f"        past run on {n} executors: {s}", flush=True)
        run("import", "--out", "store", *sorted(glob.glob(os.path.join(o.work, "logs", "past*"))))
        run("fit", "store", "--all", "--min-runs", "2", "--out", "models")
        run("table", "build", "models", "--out", "tables", "--replicates", "200", "--allocations", ",".join(map(str, range(1, slots + 1))))
        port = free_port()
        server = serve()
        longest, shortest = max(map(max, times.values())), min(map(min, times.values()))
        easy, tight = f"{longest * o.easy:.0f}s", f"{shortest * 1.6:.0f}s"

        def decisions():
            """The decisions of the latest application."""
            with open(os.path.join(o.work, "journal")) as f:
                records = [r for r in (json.loads(line) for line in f if line.endswith("\n")) if r["event"] == "decide"]
            return [r for r in records if r["app"] == records[-1]["app"]]

        def asked_for():
            """The executors that the loop asked for beyond those it wanted before."""
            wanted = [r["wanted_executors"] for r in decisions()]
            return sum(max(0, b - a) for a, b in zip(wanted, wanted[1:]))

        def check_easy():
            status, s = steered("easy", easy)
            check("executors are given back early", status == 0 and s.last < slots, f"{s.last} at the end of {slots}")
            check("no finished task is repeated", s.resubmitted == 0)
            raised = asked_for()
            check("no surplus executor replaces those given back", s.added <= slots + raised,
                  f"{s.added} started, of {slots} at first and {raised} that the loop asked for later")

        def check_tight():
            status, s = steered("tight", tight)
            verdict = "met" if s.length < shortest * 1.6 else "missed"
            print(f"        a tight deadline of {tight} is {verdict}: no check, as it depends on the load", flush=True)
            check("the application ends normally under a tight deadline", status == 0 and s.resubmitted == 0)

        def progress():
            """The progress of the last decision; 0 where it is not known."""
            with open(os.path.join(o.work, "journal")) as f:
                records = [json.loads(line) for line in f if line.endswith("\n")]
            return records[-1].get("progress") or 0 if records else 0

        def check_losses():
            killed = []
            seen = progress()

            def kill(process):
                worker = cluster.processes[1].pid
                while process.poll() is None and (progress() == seen or not 0.1 < progress() < 0.9):
                    time.sleep(0.2)
                killed.extend(list(executors(worker))[:2])
                for pid in killed:
                    os.kill(pid, signal.SIGKILL)

            status, s = steered("losses", tight, kill)
            check("the application outlives two killed executors", status == 0 and len(killed) == 2)
            check("executors come back after losses", s.added > s.most, f"{s.added} started, {s.most} at most at once")
            raised = asked_for()
            check("no surplus executor replaces those killed", s.added <= slots + len(killed) + raised,
                  f"{s.added} started, of {slots} at first, {len(killed)} killed and {raised} that the loop asked for later")

        def check_killed():
            def end_server(process):
                time.sleep(12)
                server.kill()
                server.wait()

            status, s = steered("server-killed", easy, end_server)
            check("the application ends normally when the server is killed", status == 0 and s.tasks >= 52)
            status, s = steered("server-absent", easy)
            check("the application ends normally without a server", status == 0 and s.tasks >= 52 and s.added == slots, f"{s.added} executors")

        def check_unknown():
            status, s = steered("unknown-job", easy, job="unheard-of")
            check("an unknown job keeps its executors", status == 0 and s.added == slots and s.last == slots)

        def check_watch():
            status, s = steered("watch", easy, mode="watch")
            with open(os.path.join(o.work, "watch.driver.log")) as f:
                text = f.read()
            check("watching changes nothing and predicts the end", status == 0 and s.added == s.last == slots and "% done; ends after" in text)

        scenarios = {"easy": check_easy, "tight": check_tight, "losses": check_losses, "unknown": check_unknown, "watch": check_watch,
                     "killed": check_killed}
        for name in o.only.split(",") if o.only else scenarios:
            scenarios[name]()
    finally:
        end(cluster, server)
    conclude()


main()
