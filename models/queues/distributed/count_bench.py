"""Counts the instructions, the accesses to memory, and the misses of a cache of 2 MB that a task takes in simulations of clusters of
different sizes, with cachegrind: unlike times, they do not depend on what else the machine does. Needs valgrind.

    python3 models/queues/distributed/count_bench.py [SCHEDULERS [SIZES]]
"""

import collections
import os
import subprocess
import sys
import tempfile

TASKS = 40  # per worker, in BenchmarkWorkers
QUIET = {"GODEBUG": "asyncpreemptoff=1", "GOMAXPROCS": "1", "GOGC": "off", "RACECARD_LONG": "1"}


def counts(path):
    """The events of package distributed, by name, without its tests."""
    names, ours, total = [], False, collections.Counter()
    for line in open(path):
        if line.startswith("events:"):
            names = line.split()[1:]
        elif line.startswith("fn="):
            ours = "racecard/models/queues/distributed." in line
        elif ours and line[0].isdigit():
            total.update(dict(zip(names, map(int, line.split()[1:]))))
    return total


def main():
    schedulers = (sys.argv[1] if len(sys.argv) > 1 else "eagle,hawk,sparrow,lwl").split(",")
    sizes = [int(n) for n in (sys.argv[2] if len(sys.argv) > 2 else "1000,10000,100000").split(",")]
    with tempfile.TemporaryDirectory() as folder:
        test, out = os.path.join(folder, "distributed.test"), os.path.join(folder, "out")
        subprocess.run(["go", "test", "-tags", "valgrind", "-c", "-o", test, "./models/queues/distributed"], check=True)
        print(f"{'scheduler':10}{'workers':>9}{'instructions':>14}{'accesses':>10}{'misses':>8}   per task")
        for scheduler in schedulers:
            for workers in sizes:
                subprocess.run(
                    ["valgrind", "--fair-sched=yes", "--tool=cachegrind", "--LL=2097152,16,64", f"--cachegrind-out-file={out}", test,
                     "-test.run", "-", "-test.bench", f"Workers/{scheduler}/workers={workers}$", "-test.benchtime", "1x"],
                    env=os.environ | QUIET, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                n, tasks = counts(out), TASKS * workers
                print(f"{scheduler:10}{workers:9,}{n['Ir'] / tasks:14,.0f}{(n['Dr'] + n['Dw']) / tasks:10,.0f}"
                      f"{(n['DLmr'] + n['DLmw']) / tasks:8.2f}", flush=True)


main()
