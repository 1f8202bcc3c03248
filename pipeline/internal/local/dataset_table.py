"""Imports every folder of a collection of traces, runs every analysis on it, and prints a Markdown table: dataset x analysis.

    python3 pipeline/internal/local/dataset_table.py [COLLECTION]

Needs Go. Where the collection is not there, it says so and does nothing. A cell is a headline number, or which columns the trace
lacks. A folder that no format takes is listed with the reason. Where more than 1% of
the records are rejected, because several samples of one trace have the same ids, say, the first column says so.
"""
import json, os, subprocess, sys, tempfile

import generated

COLLECTION = sys.argv[1] if len(sys.argv) > 1 else os.path.join("..", "shared", "data")


def number(x, digits=3):
    return "–" if x is None else f"{x:,.0f}" if abs(x) >= 1000 else f"{x:.{digits}g}"


def percent(x):
    return "–" if x is None else f"{100 * x:.{0 if x >= 0.1 else 1}f}%"


def recurrence(d):
    if not d["recurring"]:
        return f"0 recurring jobs of {d['runs']:,} runs"
    return f"{d['recurring']:,} jobs, CoV {percent(d['cov']['p50'])}, {percent(d['share_of_runs'])} of runs"


def dependency(d):
    return f"{percent(d['share_with_dependency'])} of {d['jobs']:,} runs"


def allocation(d):
    return f"use / guarantee {number(d['ratio']['p50'])}, {percent(d['share_below_guarantee'])} below"


def dag(d):
    return f"stages {number(d['stages']['mean'])}, path {number(d['critical_path_stages']['mean'])}, barriers {number(d['barriers']['mean'])}"


def leftover(d):
    known = [f"{name} {percent(r['share'])}" for name, r in d["resources"].items() if r["available"] and r["time_weighted"]["n"]]
    return ", ".join(known) or "nothing was held"


def workload(d):
    said = []
    if d["arrivals"]["available"]:
        said.append(f"{number(d['arrivals']['per_hour'])} runs/h")
    for fit in d["fits"]:
        if fit["families"] and fit["of"] in ("completion_s", "task_duration_s"):
            open_ones = f" ({fit['censored']:,} censored)" if fit["censored"] else ""
            said.append(f"{'runs' if fit['of'] == 'completion_s' else 'tasks'} {fit['families'][0]['family']}{open_ones}")
    if d["cutoff"]["available"] and d["cutoff"].get("suggested"):
        said.append(f"long above {number(d['cutoff']['suggested']['cutoff_s'])} s")
    return ", ".join(said) or f"{d['runs']:,} runs"


def timeline(d):
    return f"run {d['job_id']}, of {len(d['stages']):,} stages".replace("of 1 stages", "of one stage")


def health(d):
    worst = [c["severity"] for c in d["checks"] if c["count"]]
    return f"{worst.count('bad')} bad, {worst.count('warn')} warn, {worst.count('info')} info" if worst else "nothing odd"


HEADLINES = {f.__name__: f for f in (recurrence, dependency, allocation, dag, leftover, workload, timeline, health)}


def cell(name, doc):
    if not doc["available"]:
        return "not available (missing columns: " + ", ".join(doc["missing"]) + ")"
    return HEADLINES[name](doc)


def main(work):
    racecard = generated.build(work)
    print("| dataset | runs | attempts | " + " | ".join(HEADLINES) + " |\n|" + "---|" * (3 + len(HEADLINES)))
    for name in sorted(os.listdir(COLLECTION)):
        folder, store, note = os.path.join(COLLECTION, name), os.path.join(work, name), ""
        if not os.path.isdir(folder):
            continue
        command = [racecard, "import", "-q", "--out", store, folder]
        done = subprocess.run(command, capture_output=True, text=True)
        refused = done.returncode == 3
        if refused:
            done = subprocess.run(command + ["--max-rejects", "100%"], capture_output=True, text=True)
        if done.returncode:
            why = done.stderr.strip().splitlines()[-1].removeprefix("racecard: ").replace(COLLECTION + os.sep, "").replace("|", "/")
            print(f"| {name} | not imported: {why} |" + " |" * (1 + len(HEADLINES)), flush=True)
            continue
        docs = json.loads(subprocess.run([racecard, "analyze", "-q", "--json", store], check=True, capture_output=True, text=True).stdout)
        manifest = json.load(open(os.path.join(store, "racecard.json")))
        rows = manifest["rows"]
        if refused:
            note = f" (rejected: {sum(manifest['records_rejected'].values()):,} of {manifest['records_read']:,} records)"
        cells = [f"{rows.get('jobs', 0):,}", f"{rows.get('tasks', 0):,}"] + [cell(key, docs[key]) for key in HEADLINES]
        print(f"| {name}{note} | " + " | ".join(cells) + " |", flush=True)


if not os.path.isdir(COLLECTION):
    sys.exit(f"skipped: there is no {COLLECTION}")
with tempfile.TemporaryDirectory(prefix="racecard-table-") as folder:
    main(folder)
