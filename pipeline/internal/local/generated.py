"""What the benchmarks of this folder share: racecard, built from here, stores of generated runs, and commands that are measured."""
import os, subprocess, sys, time


def build(work):
    """Builds racecard into a folder and returns its path."""
    racecard = os.path.join(work, "racecard")
    subprocess.run(["go", "build", "-o", racecard, "."], check=True)
    return racecard


def store(racecard, work, runs):
    """Returns a store of so many generated runs, 28 times as many attempts. One that is in the folder already is taken as it is."""
    path = os.path.join(work, f"store-{runs}")
    if not os.path.exists(path):
        trace = subprocess.run([racecard, "generate", "jsonl", "--rows", str(runs), "--out", work, "-q"],
                               check=True, capture_output=True, text=True).stdout.strip()
        subprocess.run([racecard, "import", "-q", "--out", path, trace], check=True, stdout=subprocess.DEVNULL)
        os.remove(trace)
    return path


def measure(command):
    """Seconds, processor seconds, peak MB and output of a command."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    out = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{command[0]} failed with status {status}")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, out
