"""Imports every shared trace with recurring jobs, predicts its runs with `racecard backtest`, and prints a Markdown table.

    python3 pipeline/internal/local/judge.py [--collection FOLDER] [--only WORD,...] [--last N] [--racecard BINARY] [--within] [--json FILE]
    python3 pipeline/internal/local/judge.py --ablate [PART,...]

Needs Go, or --racecard a binary. The table has a row per corpus and a column per method. A cell is the median absolute relative
error / the relative CRPS; for methods that predict a distribution also the shares of runs at most p50 and p90. The best simple
method has the smallest value among the baselines that predict every run.
--ablate prints, per corpus and part of the model, the relative CRPS without the part, divided by the relative CRPS with it: above 1,
the part helps.
Every corpus is judged with the same default options. A corpus whose files are not there is left out, and said so.
"""
import argparse, json, math, os, subprocess, sys, tempfile

import generated

HELD = ["--leave-out", "tokens", "--min-runs", "3"]
WALK = ["--min-runs", "4"]
PARTS = ["input", "tokens", "simulation", "contention", "outermost", "scatter", "unused", "farther",
         "replays", "surprise", "shared", "plain", "bend", "local", "drift", "trend", "plans", "changes", "outliers", "modes", "periods"]
TPCH = ["2g", "10g", "50g", "100g"]
# Name, paths below the collection, arguments of backtest.
CORPORA = [
    ("sample", None, WALK),
    ("recurring Spark", ["spark-recurring-jsonl"], WALK),
    *((f"C3O {name}", [f"c3o-jsonl/{name}.jsonl.gz"], WALK) for name in ("grep", "kmeans", "sort")),
    *((f"C3O {name}, machines left out", [f"c3o-jsonl/{name}.jsonl.gz"], HELD) for name in ("grep", "kmeans", "sort")),
    ("Google 2011", ["google-2011/job_events"], ["--min-runs", "10", "--last", "10"]),
    ("Rumen GridMix", ["hadoop-rumen/gridmix"], WALK),
    ("NASA iPSC/860", ["swf/NASA-iPSC-1993-3.1-cln.swf.gz"], ["--min-runs", "10", "--last", "10"]),
    *((f"TPC-H {scale}: all others -> 20, 50", [f"tpch-jsonl/tpch-{scale}.jsonl.gz"], HELD + ["--at-tokens", "20,50"]) for scale in TPCH),
    *((f"TPC-H {scale}: 10 -> {at}", [f"tpch-jsonl/tpch-{scale}.jsonl.gz"], HELD + ["--after", "1", "--from-tokens", "10", "--at-tokens", at])
      for scale in TPCH for at in ("20", "40", "100")),
    *((f"TPC-H {scale}: 2, 5, 10 -> 80", [f"tpch-jsonl/tpch-{scale}.jsonl.gz"], HELD + ["--from-tokens", "2,5,10", "--at-tokens", "80"])
      for scale in TPCH),
    *((f"TPC-H {scale}: 20, 40, 60 -> {at}", [f"tpch-jsonl/tpch-{scale}.jsonl.gz"], HELD + ["--from-tokens", "20,40,60", "--at-tokens", at])
      for scale in TPCH for at in ("10", "2")),
]


def percent(x):
    return "–" if x is None else f"{100 * x:.{0 if x >= 0.0995 else 1}f}%"


def share(coverage, level):
    return next((f"{100 * c['share']:.0f}%" for c in coverage if c["level"] == level), "–")


def cell(e):
    if not e["n"]:
        return "–"
    text = f"{percent(e['median_absolute'])} / {percent(e['relative_crps'])}"
    if e.get("coverage"):
        text += f" ({share(e['coverage'], 0.5)}, {share(e['coverage'], 0.9)})"
    return text


def best(doc, key):
    """The baseline with the smallest value, of those that predict every run."""
    n = doc["predicted"]
    all_of = [(e[key], m) for m, e in doc["errors"].items() if m != "racecard" and e["n"] >= n and e[key] is not None]
    return min(all_of, default=(None, "–"))


def ratio(x, y):
    return "–" if x is None or not y else f"{x / y:.2f}"


def judge(racecard, collection, stores, work, wanted, last, options):
    for name, paths, args in CORPORA:
        if wanted and not any(w.lower() in name.lower() for w in wanted):
            continue
        key = "sample" if paths is None else " ".join(paths)
        if key not in stores:
            stores[key] = store(racecard, collection, work, f"store{len(stores)}", paths)
        if stores[key] is None:
            print(f"{name}: no {key} in {collection}", file=sys.stderr)
            continue
        command = [racecard, "backtest", stores[key], "--json", *options, *args]
        if last and "--last" not in args:
            command += ["--last", str(last)]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{name}: {' '.join(command)}: {done.stderr}")
        doc = json.loads(done.stdout)["backtest"]
        if not doc["available"]:
            print(f"{name}: not available: {', '.join(doc['missing'])}", file=sys.stderr)
            continue
        yield name, doc


def store(racecard, collection, work, name, paths):
    out = os.path.join(work, name)
    if paths is None:
        paths = [os.path.join("datasets", "sample", "logs")]
    else:
        paths = [os.path.join(collection, p) for p in paths]
    if not all(os.path.exists(p) for p in paths):
        return None
    done = subprocess.run([racecard, "import", "--quiet", "--max-rejects", "100%", "--out", out, *paths], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"import {' '.join(paths)}: {done.stderr}")
    return out


def print_within(documents):
    """A row per corpus and share of the run time: median error of the remaining time, and shares of runs at most p50 and p90.
    Corpora without such forecasts have no row: those where numbers of tokens are left out."""
    print("\n| corpus | elapsed | n | racecard | published | c0 | simulations |\n|" + "---|" * 7)
    for name, doc in documents.items():
        for w in (w for w in doc.get("within", []) if w["n"]):
            cells = [f"{percent(e['median_absolute'])} ({percent(e['p50_share'])}, {percent(e['p90_share'])})"
                     for e in (w, *(w["methods"][m] for m in ("published", "c0", "simulations")))]
            print(f"| {name} | {percent(w['elapsed'])} | {w['n']} | " + " | ".join(cells) + " |")


def ablate(run, parts):
    """A row per corpus: its relative CRPS, and by which factor it grows without each part."""
    crps = lambda doc: doc["errors"]["racecard"]["relative_crps"]
    full = {name: crps(doc) for name, doc in run([])}
    without = {part: {name: crps(doc) for name, doc in run(["--without", part])} for part in parts}
    print("| corpus | relative CRPS | " + " | ".join(parts) + " |\n|" + "---|" * (len(parts) + 2))
    for name, x in full.items():
        print(f"| {name} | {percent(x)} | " + " | ".join(f"{without[part][name] / x:.2f}" for part in parts) + " |")
    mean = lambda part: math.exp(sum(math.log(without[part][name] / x) for name, x in full.items()) / len(full))
    print("| geometric mean | | " + " | ".join(f"{mean(part):.2f}" for part in parts) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--collection", default=os.path.join("..", "shared", "data"))
    parser.add_argument("--only", default="", help="words of names of corpora, separated by commas")
    parser.add_argument("--last", type=int, default=0, help="runs of a job that are predicted, at most")
    parser.add_argument("--racecard", help="binary to judge; else it is built")
    parser.add_argument("--within", action="store_true", help="also print a table of the remaining time within runs")
    parser.add_argument("--ablate", nargs="?", const=",".join(PARTS), help="print the ablation of parts of the model, separated by commas; all by default")
    parser.add_argument("--json", help="file to write the documents to, by name of the corpus")
    a = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        racecard = os.path.abspath(a.racecard) if a.racecard else generated.build(work)
        documents = {}
        wanted = [w for w in a.only.split(",") if w]
        stores = {}
        run = lambda options: judge(racecard, a.collection, stores, work, wanted, a.last, options)
        if a.ablate:
            ablate(run, a.ablate.split(","))
            return
        for name, doc in run(["--within"] if a.within else []):
            if not documents:
                simple = doc["methods"][1:]
                head = ["corpus", "n", "racecard", "error / best", "CRPS / best", *simple]
                print("| " + " | ".join(head) + " |\n|" + "---|" * len(head))
            documents[name] = doc
            mine = doc["errors"]["racecard"]
            error, by_error = best(doc, "median_absolute")
            crps, by_crps = best(doc, "relative_crps")
            row = [name, str(doc["predicted"]), cell(mine), f"{ratio(mine['median_absolute'], error)} {by_error}",
                   f"{ratio(mine['relative_crps'], crps)} {by_crps}", *(cell(doc["errors"][m]) for m in simple)]
            print("| " + " | ".join(row) + " |", flush=True)
        if a.within:
            print_within(documents)
        if a.json:
            with open(a.json, "w") as f:
                json.dump(documents, f)


if __name__ == "__main__":
    main()
