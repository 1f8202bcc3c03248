"""Generates jobs of many kinds, predicts their runs with `racecard backtest`, and prints a table in Markdown,
a row per kind. SYNTHETIC.

    python3 pipeline/internal/local/kinds.py [--only WORD,...] [--seed N] [--jobs N] [--runs N] [--racecard BINARY]

Needs Go, or --racecard a binary. The model was not tuned to these jobs: they show where it is wrong.
The columns are explained in docs/accuracy.md.
"""
import argparse, heapq, json, math, os, random, subprocess, sys, tempfile

import generated, judge


def lognormal(median, sigma):
    return lambda: median * random.lognormvariate(0, sigma)


def run(at, tokens, stages, wait=0, start_up=0, wind_down=0.5, detail="tasks", input_bytes=None):
    """One run. stages are numbers of tasks, each with a draw of a task's seconds; a stage waits for the one before.
    detail says which times the trace holds: tasks and stages, only tasks, durations, stages or nothing."""
    now = at + wait + start_up
    out, tasks = [], []
    for k, (n, draw) in enumerate(stages):
        slots, began, times = [now] * min(tokens, n), now, [max(1e-6, draw()) for _ in range(n)]
        for i, x in enumerate(times):
            start = heapq.heappop(slots)
            heapq.heappush(slots, start + x)
            tasks.append({"stage": k, "task": i, "attempt": 0, "start_s": round(start, 6), "end_s": round(start + x, 6),
                          "status": "succeeded"})
        now = max(slots)
        stage = {"name": f"s{k}", "parents": [k - 1] if k else []}
        if detail == "durations":
            stage["durations_s"] = [round(x, 6) for x in times]
        elif detail == "only tasks":
            stage["tasks"] = n
        else:
            stage |= {"tasks": n, "start_s": round(began, 6), "end_s": round(now, 6)}
        out.append(stage)
    line = {"submit_s": at, "start_s": round(at + wait, 6), "end_s": round(now + wind_down, 6), "status": "succeeded",
            "guaranteed": tokens}
    if detail != "nothing":
        line["stages"] = out
    if detail in ("tasks", "only tasks"):
        line["tasks"] = tasks
    if input_bytes:
        line["input_bytes"] = int(input_bytes)
    return line


def two(factor=1, sigma=0.3):
    """A stage of 40 tasks and one of 8."""
    return [(40, lognormal(3 * factor, sigma)), (8, lognormal(2, sigma))]


def grows_with_input(runs):
    base, sigma = random.uniform(2, 20), random.choice([0.2, 0.5])
    for i in range(runs):
        x = math.exp(random.uniform(0, 2.5))
        stages = [(int(20 * x), lognormal(2, sigma)), (8, lognormal(2, sigma))]
        yield run(1000 * i, 16, stages, start_up=base, input_bytes=1e9 * x)


def tokens_follow_input(runs):
    for i in range(runs):
        x = math.exp(random.uniform(0, 3))
        tokens = max(2, int(8 * x * random.lognormvariate(0, 0.2)))
        stages = [(int(20 * x), lognormal(3, 0.3)), (8, lognormal(2, 0.3))]
        yield run(1000 * i, tokens, stages, start_up=3, input_bytes=1e9 * x)


def many_tokens(runs):
    noise = random.choice([0.03, 0.1])
    for i in range(runs):
        luck = random.lognormvariate(0, noise)
        stages = [(200, lognormal(3 * luck, 0.4)), (20, lognormal(2 * luck, 0.4))]
        yield run(1000 * i, random.randint(5, 60), stages, detail="durations")


def some_tokens(runs):
    """Time of the driver is most of a run."""
    for i in range(runs):
        tokens = random.choice([4, 8, 16, 32])
        yield run(1000 * i, tokens, [(64, lognormal(1, 0.2))], start_up=lognormal(60, 0.05)(), wind_down=10)


def two_plans(runs):
    for i in range(runs):
        third = [(30, lognormal(5, 0.3))] if random.random() < 0.3 else []
        yield run(1000 * i, 10, two() + third)


def new_plans(runs):
    for i in range(runs):
        yield run(1000 * i, 10, [(random.randint(10, 40), lognormal(3, 0.3)) for _ in range(random.randint(1, 9))])


def two_peaks(runs):
    for i in range(runs):
        yield run(1000 * i, 10, two(3 if random.random() < 0.3 else 1))


def weekly(runs):
    day = random.randint(0, 6)
    for i in range(runs):
        yield run(86400 * i, 10, two(3 if i % 7 == day else 1))


def weekends(runs):
    """Runs of each night, at about the same time; on two days of the week they take less."""
    for i in range(runs):
        less = 0.5 if i % 7 in (5, 6) else 1
        yield run(86400 * i + random.uniform(0, 3600), 10, two(less * random.lognormvariate(0, 0.1)))


def busy_days(runs):
    """Runs of every third hour or so, on machines that are busy by day."""
    at = 0
    for i in range(runs):
        at += random.uniform(2, 4) * 3600
        yield run(at, 10, two(math.exp(0.4 * math.sin(at / 86400 * 2 * math.pi) + random.gauss(0, 0.1))))


def weekly_plan(runs):
    for i in range(runs):
        more = [(30, lognormal(5, 0.3))] if i % 7 == 3 else []
        yield run(86400 * i, 10, two() + more)


def drifts(runs):
    level, step = 0, random.choice([0.03, 0.1])
    for i in range(runs):
        level += random.gauss(0, step)
        yield run(1000 * i, 10, two(math.exp(level)))


def queues(runs):
    for i in range(runs):
        yield run(1000 * i, 10, two(), wait=random.expovariate(0.1))


def half_an_hour(runs):
    for i in range(runs):
        yield run(86400 * i, random.choice([4, 8, 16]), two(), wait=1800 if random.random() < 0.25 else 0)


def together(runs):
    """Ten runs at once each night: the longest end last, and are not the newest."""
    for i in range(runs):
        yield run(86400 * (i // 10), 10, two(random.lognormvariate(0, 0.4)))


def heavy_tails(runs):
    for i in range(runs):
        yield run(1000 * i, 20, [(100, lambda: random.paretovariate(1.5)), (8, lambda: random.paretovariate(1.5))])


def milliseconds(runs):
    for i in range(runs):
        yield run(10 * i, 4, [(12, lognormal(0.003, 0.3)), (2, lognormal(0.002, 0.3))], start_up=0.004, wind_down=0.001)


def stages_alone(runs):
    noise = random.choice([0.05, 0.2])
    for i in range(runs):
        yield run(1000 * i, 10, two(random.lognormvariate(0, noise)), detail="stages")


def tasks_alone(runs):
    """Tasks take longer the more tokens run others."""
    contention, start_up = random.uniform(0.005, 0.03), random.uniform(2, 15)
    for i in range(runs):
        tokens, luck = random.choice([4, 8, 16, 32]), random.lognormvariate(0, 0.05)
        slower = luck * (1 + contention * tokens)
        stages = [(120, lognormal(slower, 0.3)), (40, lognormal(2 * slower, 0.2)), (1, lognormal(5 * luck, 0.1))]
        yield run(1000 * i, tokens, stages, start_up=lognormal(start_up, 0.1)(), wind_down=2, detail="only tasks")


def times_alone(runs):
    noise = random.choice([0.05, 0.2, 0.6])
    for i in range(runs):
        yield run(1000 * i, 1, [(1, lognormal(60, noise))], detail="nothing")


KINDS = {
    "time grows with the input": grows_with_input,
    "tokens follow the input": tokens_follow_input,
    "tokens differ from run to run": many_tokens,
    "4 to 32 tokens, mostly driver": some_tokens,
    "two plans": two_plans,
    "another plan in each run": new_plans,
    "30% of runs take 3 x as long": two_peaks,
    "every 7th run takes 3 x as long": weekly,
    "shorter on two days of the week": weekends,
    "longer by day than by night": busy_days,
    "another plan on one day of the week": weekly_plan,
    "a level that drifts": drifts,
    "runs wait before they start": queues,
    "a quarter waits; tokens left out": half_an_hour,
    "ten runs at once each night": together,
    "heavy tails": heavy_tails,
    "runs of milliseconds": milliseconds,
    "times of stages alone": stages_alone,
    "times of tasks alone": tasks_alone,
    "times of runs alone": times_alone,
}

# Options of backtest for some kinds.
OPTIONS = {"a quarter waits; tokens left out": ["--leave-out", "tokens"]}


def predict(racecard, work, kind, of, a):
    random.seed(f"{a.seed} {kind}")
    path, store = os.path.join(work, "trace.jsonl"), os.path.join(work, kind.replace(" ", "-"))
    with open(path, "w") as f:
        for j in range(a.jobs):
            for i, line in enumerate(of(a.runs)):
                job = "job-" + chr(ord("a") + j)
                f.write(json.dumps({"id": f"{job}-{i}", "name": job} | line) + "\n")
    command = [racecard, "import", "-q", "--synthetic", "--out", store, path]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    command = [racecard, "backtest", store, "--json", "-q"]
    command += OPTIONS.get(kind, [])
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)["backtest"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", default="", help="words of names of kinds, separated by commas")
    parser.add_argument("--seed", type=int, default=1, help="seed of the jobs")
    parser.add_argument("--jobs", type=int, default=10, help="jobs of each kind, at most 26")
    parser.add_argument("--runs", type=int, default=40, help="runs of each job")
    parser.add_argument("--racecard", help="binary to judge; else it is built")
    a = parser.parse_args()
    wanted = [w.lower() for w in a.only.split(",") if w]
    with tempfile.TemporaryDirectory() as work:
        racecard = os.path.abspath(a.racecard) if a.racecard else generated.build(work)
        print("| kind of job (SYNTHETIC) | n | racecard | best relative CRPS of a simple method |\n|---|---|---|---|")
        for kind, of in KINDS.items():
            if not wanted or any(w in kind.lower() for w in wanted):
                doc = predict(racecard, work, kind, of, a)
                crps, method = judge.best(doc, "relative_crps")
                cell = judge.cell(doc["errors"]["racecard"])
                print(f"| {kind} | {doc['predicted']} | {cell} | {judge.percent(crps)} ({method}) |", flush=True)


if __name__ == "__main__":
    main()
