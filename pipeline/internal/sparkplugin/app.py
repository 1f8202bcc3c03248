"""A recurring job for live_spark.py and live_yarn.py: two stages, tasks that compute and then wait as on a disk.

Usage: app.py [SLOW_FROM [SECONDS]]: the instant from which on tasks are slow, by the wall clock, and the time that a
task waits.
"""
import hashlib
import sys
import time

from pyspark import SparkContext


def work(x, seconds, slow_from):
    """Hash for a while, then wait; twice as long from an instant on, by the wall clock."""
    factor = 2 if time.time() >= slow_from else 1
    digest = str(x).encode()
    for _ in range(20_000 * factor):
        digest = hashlib.sha256(digest).digest()
    time.sleep(seconds * factor)
    return x % 6, digest[0]


def main():
    slow_from = float(sys.argv[1]) if len(sys.argv) > 1 else float("inf")
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 0.8
    sc = SparkContext()
    mapped = sc.parallelize(range(40), 40).map(lambda x: work(x, seconds, slow_from))
    summed = mapped.reduceByKey(lambda a, b: a + b, 12)
    print(sorted(summed.map(lambda kv: (kv[0], work(kv[1], seconds, slow_from)[0])).collect()))
    sc.stop()


main()
