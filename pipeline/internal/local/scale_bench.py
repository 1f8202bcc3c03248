"""Runs all analyses at once over generated stores of growing size, and shows what they take.

    python3 pipeline/internal/local/scale_bench.py [RUNS,RUNS,...] [FOLDER]

Needs Go. FOLDER keeps the stores for the next time. Time grows in line with the number of runs when "us/run" stays the same, and
both cores work when "cores" is near 2. The target: under 2,000 MB at 1,000,000 runs.
"""
import os, sys, tempfile

import generated

SIZES = [int(n) for n in (sys.argv[1] if len(sys.argv) > 1 else "250000,500000,1000000").split(",")]


def main(work):
    racecard = generated.build(work)
    print(f"analyze, every analysis; SYNTHETIC; {os.cpu_count()} cores")
    print(f"{'runs':>10} {'attempts':>11} {'s':>7} {'CPU s':>7} {'cores':>6} {'CPU us/run':>11} {'peak MB':>8}")
    for runs in SIZES:
        seconds, cpu, peak, _ = generated.measure([racecard, "analyze", "-q", generated.store(racecard, work, runs)])
        print(f"{runs:10,} {28 * runs:11,} {seconds:7.1f} {cpu:7.1f} {cpu / seconds:6.2f} {cpu / runs * 1e6:11.1f} {peak:8,.0f}", flush=True)


if len(sys.argv) > 2:
    os.makedirs(sys.argv[2], exist_ok=True)
    main(sys.argv[2])
else:
    with tempfile.TemporaryDirectory(prefix="racecard-bench-") as folder:
        main(folder)
