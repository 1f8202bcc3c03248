"""Runs the units of a plan of racecard on Spark, one task per unit.

    racecard work plan analyze STORE --out WORK
    racecard work engine spark > racecard_work.py
    spark-submit --files $(command -v racecard) racecard_work.py WORK
    racecard work merge WORK --out RESULTS

WORK and what it reads lie on a file system that all machines share, at the same path, or in a bucket (s3://BUCKET/PATH). Spark starts units, repeats those that failed,
and may run copies of slow ones; outputs are put in place in one step, so none of that changes a byte. A unit whose output is there is
not run again, so a driver that died is started again as it was.
"""

import json
import os
import shutil
import stat
import subprocess
import sys


def main(folder, program):
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.appName("racecard " + os.path.basename(folder.rstrip("/"))).getOrCreate()
    # Which opens buckets, and takes no output that was cut for one that is there.
    try:
        asked = subprocess.run([found(program), "work", "status", folder, "--json"], capture_output=True, text=True)
    except LookupError as missing:
        sys.exit(f"racecard: {missing}")
    if asked.returncode:
        sys.exit(asked.stderr.strip())
    status = json.loads(asked.stdout)
    left = status["left"]
    print(f"racecard: {len(left)} of {status['units']} units to run", flush=True)
    if not left:
        spark.stop()
        return 0
    done, failed = 0, []
    try:
        for wave in sorted({u.get("wave", 0) for u in left}):  # units read the outputs of the wave before theirs
            ids = [u["id"] for u in left if u.get("wave", 0) == wave]
            results = spark.sparkContext.parallelize(ids, len(ids)).map(lambda unit: run(folder, unit, program)).collect()
            failed = [r for r in results if r[1] != 0]
            done += len(results) - len(failed)
            if failed:
                break
    finally:
        spark.stop()
    print(f"racecard: {done} units done, {len(failed)} failed", flush=True)
    for unit, _, said in failed[:5]:
        print(f"racecard: unit {unit}: {said}", flush=True)
    return 1 if failed else 0


def found(name):
    """Returns the path of the program, which came with --files or is on every machine."""
    from pyspark import SparkFiles

    program = SparkFiles.get(name)
    if not os.path.exists(program):
        if shutil.which(name):
            return name
        raise LookupError(f"{name} is neither among the --files of spark-submit nor on the path of {os.uname().nodename}: want spark-submit --files "
                          f"/PATH/{name} racecard_work.py WORK, and the name of the program after WORK if it is another")
    if not os.access(program, os.X_OK):  # Spark does not keep the run bit of files
        os.chmod(program, os.stat(program).st_mode | stat.S_IXUSR)
    return program


def run(folder, unit, name):
    """Runs one unit and returns its id, its exit status and its last words. A unit that fails does not fail the job."""
    done = subprocess.run([found(name), "work", "do", folder, "--unit", unit, "--quiet"], capture_output=True, text=True)
    if done.returncode < 0:  # killed: Spark is to try again
        raise RuntimeError(f"unit {unit} was killed by signal {-done.returncode}")
    return unit, done.returncode, done.stderr.strip()[-500:]


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: spark-submit --files racecard racecard_work.py WORK [NAME OF THE PROGRAM]")
    where = sys.argv[1] if "://" in sys.argv[1] else os.path.abspath(sys.argv[1])
    sys.exit(main(where, sys.argv[2] if len(sys.argv) == 3 else "racecard"))
