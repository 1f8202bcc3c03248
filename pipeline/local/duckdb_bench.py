"""Answers two questions about a generated store with racecard and with DuckDB, side by side in one run.

    python3 pipeline/local/duckdb_bench.py [RUNS] [REPEATS]

Needs Go and DuckDB's Python package. Both read the same Parquet store of RUNS runs and 28 times as many attempts, in a
process of their own; the table shows the fastest of REPEATS and the largest peak memory. The questions:

  cov          variation of the completion time per recurring job, with percentiles. racecard's analysis also counts names
               that it took for one, keeps the slowest and fastest run, and draws bootstrap intervals; DuckDB does not.
  parallelism  the most tasks that each run ran at once, and their quantiles. racecard's analysis also holds them against
               the guarantee, per user and group.
"""
import os, shutil, subprocess, sys, tempfile, time

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 250_000
REPEATS = int(sys.argv[2]) if len(sys.argv) > 2 else 3

COV = """
SELECT count(*), quantile_cont(cov, [0.1, 0.5, 0.9, 0.99]) FROM (
  SELECT stddev_samp(s) / avg(s) AS cov, quantile_cont(s, [0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99]) FROM (
    SELECT regexp_replace(name, '[0-9]{4}-[0-9]{2}-[0-9]{2}', '#') AS job, (epoch_us("end") - epoch_us(submit)) / 1e6 AS s
    FROM '{0}/jobs/*.parquet' WHERE status = 'succeeded')
  GROUP BY job HAVING count(*) >= 10)
"""
PARALLELISM = """
SELECT count(*), quantile_cont(most, [0.1, 0.5, 0.9, 0.99]) FROM (
  SELECT job_id, max(running) AS most FROM (
    SELECT job_id, sum(change) OVER (PARTITION BY job_id ORDER BY moment, change) AS running FROM (
      SELECT job_id, start AS moment, 1 AS change FROM '{0}/tasks/*.parquet' WHERE start IS NOT NULL
      UNION ALL SELECT job_id, "end", -1 FROM '{0}/tasks/*.parquet' WHERE start IS NOT NULL))
  GROUP BY job_id)
"""


def measure(command):
    """Seconds, peak MB and output of a command."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{command[0]} failed with status {status}")
    return time.monotonic() - start, usage.ru_maxrss / 1024, out


def best(command):
    runs = [measure(command) for _ in range(REPEATS)]
    return min(r[0] for r in runs), max(r[1] for r in runs), runs[0][2]


def main():
    work = tempfile.mkdtemp(prefix="racecard-bench-")
    try:
        racecard, store = os.path.join(work, "racecard"), os.path.join(work, "store")
        subprocess.run(["go", "build", "-o", racecard, "."], check=True)
        trace = subprocess.run([racecard, "generate", "jsonl", "--rows", str(RUNS), "--out", work, "-q"],
                               check=True, capture_output=True, text=True).stdout.strip()
        subprocess.run([racecard, "import", "-q", "--out", store, trace], check=True, stdout=subprocess.DEVNULL)
        os.remove(trace)
        print(f"{RUNS:,} runs; SYNTHETIC; {os.cpu_count()} cores; fastest of {REPEATS}")
        print(f"{'question':12} {'program':10} {'s':>7} {'runs/s':>12} {'peak MB':>8}")
        for name, analysis, query in (("cov", "cov", COV), ("parallelism", "allocation", PARALLELISM)):
            ours = best([racecard, "analyze", "-q", "--only", analysis, store])
            theirs = best([sys.executable, "-c", "import duckdb, sys; duckdb.sql('SET enable_progress_bar=false'); print(duckdb.sql(sys.argv[1]).fetchall())", query.replace('{0}', store)])
            for program, (seconds, peak, _) in (("racecard", ours), ("DuckDB", theirs)):
                print(f"{name:12} {program:10} {seconds:7.2f} {RUNS / seconds:12,.0f} {peak:8.0f}")
            print(f"{name:12} racecard / DuckDB: {ours[0] / theirs[0]:.2f}")
            print("  racecard: " + "\n            ".join(ours[2].strip().splitlines()[:4]) + f"\n  DuckDB: {theirs[2].strip()}")
    finally:
        shutil.rmtree(work)


main()
