"""Answers two questions about a generated store with racecard and with DuckDB, side by side in one run.

    python3 pipeline/internal/local/duckdb_bench.py [RUNS,RUNS,...] [REPEATS]

Needs Go and DuckDB's Python package. Both read the same Parquet stores of RUNS runs and 28 times as many attempts, in a
process of their own; the tables show the fastest of REPEATS and the largest peak memory. The questions:

  cov          variation of the completion time per recurring job, with percentiles. racecard's analysis also counts names
               that it took for one, keeps the slowest and fastest run, and draws bootstrap intervals; DuckDB does not.
  parallelism  the most tasks that each run ran at once, and their quantiles. racecard's analysis also holds them against
               the guarantee, per user and group.
"""
import os, sys, tempfile

import generated

SIZES = [int(n) for n in (sys.argv[1] if len(sys.argv) > 1 else "250000").split(",")]
REPEATS = int(sys.argv[2]) if len(sys.argv) > 2 else 5

ASK = "import duckdb, sys; duckdb.sql('SET enable_progress_bar=false'); print(duckdb.sql(sys.argv[1]).fetchall())"

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


def best(command):
    """The fastest of some repetitions, the largest peak memory, and the output."""
    runs = [generated.measure(command) for _ in range(REPEATS)]
    return min(r[0] for r in runs), min(r[1] for r in runs), max(r[2] for r in runs), runs[0][3]


def main(work):
    racecard = generated.build(work)
    for runs in SIZES:
        store = generated.store(racecard, work, runs)
        print(f"{runs:,} runs; SYNTHETIC; {os.cpu_count()} cores; fastest of {REPEATS}")
        print(f"{'question':12} {'program':10} {'s':>7} {'CPU s':>7} {'runs/s':>12} {'peak MB':>8}")
        for name, analysis, query in (("cov", "cov", COV), ("parallelism", "allocation", PARALLELISM)):
            ours = best([racecard, "analyze", "-q", "--only", analysis, store])
            theirs = best([sys.executable, "-c", ASK, query.replace("{0}", store)])
            for program, (seconds, cpu, peak, _) in (("racecard", ours), ("DuckDB", theirs)):
                print(f"{name:12} {program:10} {seconds:7.2f} {cpu:7.2f} {runs / seconds:12,.0f} {peak:8.0f}")
            print(f"{name:12} racecard / DuckDB: {ours[0] / theirs[0]:.2f} of the time, {ours[1] / theirs[1]:.2f} of the processor time")
            print("  racecard: " + "\n            ".join(ours[3].strip().splitlines()[:4]) + f"\n  DuckDB: {theirs[3].strip()}", flush=True)


with tempfile.TemporaryDirectory(prefix="racecard-bench-") as folder:
    main(folder)
