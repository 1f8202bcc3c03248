"""Imports a generated batch_task file with racecard and with DuckDB, side by side in one run.

    python3 pipeline/internal/ingest/duckdb_bench.py [ROWS] [REPEATS]

Needs Go and DuckDB's Python package. DuckDB sorts by job and writes one zstd Parquet file of the input's nine columns, with
types given; racecard writes its canonical tables (jobs, stages with their resources, edges between stages) and a manifest
with checksums. Each runs in a process of its own; the table shows the fastest of REPEATS and the largest peak memory.
"""
import gzip, os, shutil, subprocess, sys, tempfile, time

ROWS = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000_000
REPEATS = int(sys.argv[2]) if len(sys.argv) > 2 else 3

DUCKDB = """
import duckdb, sys
source, out = sys.argv[1:]
duckdb.sql(f'''COPY (SELECT * FROM read_csv('{source}', header = false, auto_detect = false, columns = {{
  'task_name': 'VARCHAR', 'instance_num': 'DOUBLE', 'job_name': 'VARCHAR', 'task_type': 'VARCHAR', 'status': 'VARCHAR',
  'start_time': 'BIGINT', 'end_time': 'BIGINT', 'plan_cpu': 'DOUBLE', 'plan_mem': 'DOUBLE'}})
  ORDER BY job_name) TO '{out}' (FORMAT parquet, COMPRESSION zstd)''')
"""


def measure(command):
    """Seconds and peak MB of a command."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{command[0]} failed with status {status}")
    return time.monotonic() - start, usage.ru_maxrss / 1024


def best(make_command, clean):
    seconds, peak = [], []
    for _ in range(REPEATS):
        clean()
        s, m = measure(make_command())
        seconds.append(s)
        peak.append(m)
    return min(seconds), max(peak)


def size(path):
    if os.path.isfile(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(d, f)) for d, _, files in os.walk(path) for f in files)


def main():
    work = tempfile.mkdtemp(prefix="racecard-bench-")
    try:
        racecard = os.path.join(work, "racecard")
        subprocess.run(["go", "build", "-o", racecard, "."], check=True)
        plain = subprocess.run([racecard, "generate", "alibaba2018", "--rows", str(ROWS), "--out", work, "-q"],
                               check=True, capture_output=True, text=True).stdout.strip()
        zipped = plain + ".gz"
        with open(plain, "rb") as source, gzip.open(zipped, "wb", compresslevel=6) as target:
            shutil.copyfileobj(source, target, 1 << 20)
        store, parquet = os.path.join(work, "store"), os.path.join(work, "duckdb.parquet")

        def clean():
            shutil.rmtree(store, ignore_errors=True)
            if os.path.exists(parquet):
                os.remove(parquet)

        print(f"{ROWS:,} rows, {os.path.getsize(plain) / 1e6:.0f} MB, {os.path.getsize(zipped) / 1e6:.0f} MB gzip; SYNTHETIC; "
              f"{os.cpu_count()} cores; fastest of {REPEATS}")
        print(f"{'input':8} {'program':10} {'s':>7} {'rows/s':>12} {'MB/s':>7} {'peak MB':>8} {'output MB':>10}")
        for name, source in (("plain", plain), ("gzip", zipped)):
            ours = best(lambda: [racecard, "import", "-q", "--out", store, source], clean)
            row(name, "racecard", *ours, size(store), os.path.getsize(plain))
            theirs = best(lambda: [sys.executable, "-c", DUCKDB, source, parquet], clean)
            row(name, "DuckDB", *theirs, size(parquet), os.path.getsize(plain))
            print(f"{name:8} racecard / DuckDB: {ours[0] / theirs[0]:.2f}")
    finally:
        shutil.rmtree(work)


def row(name, program, seconds, peak, out, raw):
    print(f"{name:8} {program:10} {seconds:7.2f} {ROWS / seconds:12,.0f} {raw / 1e6 / seconds:7.0f} {peak:8.0f} {out / 1e6:10.1f}")


main()
