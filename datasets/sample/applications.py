"""The four recurring applications of the sample, and their generated input.

record.py runs them; each run is a process of its own:  applications.py <job as JSON>
"""
import hashlib, json, os, random, re, sys

FILES = 4                                        # part files per input table

# ---------------------------------------------------------------- input data
# A pool of lines per table, made once; each run reads a stretch of it that
# starts at a seeded place and is as long as the run's input factor says.

def sales_line(r, i):
    fam = r.choice(("DRK", "BAK", "FRZ", "VEG", "MEA", "DAI", "HOM", "TOY"))
    return (f"{7 + i % 14:02d}:{r.randrange(60):02d} store=S{r.randrange(120):03d} till={r.randrange(12)} "
            f"sku={fam}-{r.randrange(9000):04d}-{r.randrange(100):02d} qty={r.randrange(1, 9)} "
            f"price={r.randrange(49, 9999) / 100:.2f} card={r.randrange(90000):07d}")

def order_line(r, i):
    return (f"{i}|{r.randrange(60000)}|{int(r.paretovariate(.6)) % 15000}|{r.randrange(1, 6)}|"
            f"Deliver to  {r.randrange(300)} {r.choice(('High St.', 'Mill Lane', 'Station Rd.'))}, ring {r.randrange(99)}x")

def visit_line(r, i):
    return f"{r.randrange(60000)}|{r.randrange(2000)}|{i}|/shop/{r.randrange(5000)}/item?ref={r.randrange(10**6):x}|{r.randrange(900)}"

def product_line(r, i):
    return f"{i}|product {i}|{r.randrange(100, 20000) / 100:.2f}|{r.randrange(25)}"

def campaign_line(r, i):
    return f"{i}|campaign {i}|{r.choice(('mail', 'search', 'social', 'none'))}|{r.random():.3f}"

def customer_line(r, i):
    return f"{i}|name {r.randrange(10**6):x}|region-{r.randrange(40):02d}|{r.randrange(18, 90)}"

def edge_line(r, i):
    return f"/wiki/page-{r.randrange(40000):05d}\t/wiki/page-{int(r.paretovariate(.35)) % 40000:05d}"

def click_line(r, i):
    # One customer (a robot, say) makes three tenths of all clicks: the skew.
    who = 4712 if r.random() < .3 else r.randrange(30000)
    return (f"{i * 3 + r.randrange(9000)} c{who:06d} GET /shop/{r.randrange(400)}/{r.randrange(40)} "
            f"{r.choice((200, 200, 200, 304, 404))} {r.randrange(200, 90000)}")

# Lines at input factor 1.  Only the large tables of an application are scaled.
TABLES = {
    "sales-rollup": {"sales": (sales_line, 550_000, True)},
    "customer-360": {"orders": (order_line, 340_000, True), "visits": (visit_line, 400_000, True),
                     "products": (product_line, 15_000, False), "campaigns": (campaign_line, 2_000, False),
                     "customers": (customer_line, 60_000, False)},
    "page-importance": {"links": (edge_line, 280_000, True)},
    "clicks-by-customer": {"clicks": (click_line, 850_000, True)},
}

def make_pools(apps, seed):
    pools = {}
    for app in apps:
        for table, (line, rows, scaled) in TABLES[app].items():
            r = random.Random(f"{seed} {table}")
            n = int(rows * 1.4) if scaled else rows
            pools[table] = [line(r, i) + "\n" for i in range(n)]
    return pools

def write_input(app, factor, rng, pools, folder):
    rows = size = 0
    for table, (_, base, scaled) in TABLES[app].items():
        pool, n = pools[table], int(base * factor) if scaled else base
        start = rng.randrange(len(pool)) if scaled else 0
        chosen = (pool[start:] + pool[:start])[:n]
        os.makedirs(f"{folder}/{table}")
        for f in range(FILES):
            text = "".join(chosen[n * f // FILES: n * (f + 1) // FILES])
            size += len(text)
            with open(f"{folder}/{table}/part-{f}.txt", "w") as out:
                out.write(text)
        rows += n
    return rows, size

# -------------------------------------------------------------- applications
# Each runs in a process of its own (this script with --job) and is given the
# session, its input and output folders, and guard(step): a function to be called
# once per record, which raises in the task attempts the plan says shall fail.

def guard_for(bad):
    def guard(step):
        seen = [0]
        def check():
            seen[0] += 1
            if seen[0] == bad.get("after") and bad.get("step") == step:
                from pyspark import TaskContext
                task = TaskContext.get()
                if task.partitionId() in bad["tasks"] and (bad["always"] or task.attemptNumber() == 0):
                    raise RuntimeError(f"injected failure: {step} gave up on partition {task.partitionId()}")
        return check
    return guard

def sales_rollup(spark, src, dst, guard):
    """Scan and aggregate: a chain of three stages in one job."""
    from pyspark.sql import functions as F
    check = guard("parse")
    @F.udf("string")
    def family(sku):
        check()
        digest = hashlib.sha256(sku.encode()).hexdigest()
        return sku[:3] + "-" + str(int(digest[:4], 16) % 20)
    def part(name, pattern):
        return F.regexp_extract("value", f"{name}={pattern}", 1)
    lines = spark.read.text(f"{src}/sales").select(
        F.substring("value", 1, 2).alias("hour"), part("store", r"(S\d+)").alias("store"),
        part("card", r"(\d+)").alias("card"), family(part("sku", r"([A-Z]+-\d+-\d+)")).alias("family"),
        (part("qty", r"(\d+)").cast("int") * part("price", r"([\d.]+)").cast("double")).alias("amount"))
    baskets = lines.groupBy("store", "card", "hour").agg(
        F.sum("amount").alias("amount"), F.sort_array(F.collect_list("family")).alias("families"))
    (baskets.select("store", "amount", F.explode("families").alias("family")).groupBy("store", "family")
        .agg(F.count("*").alias("baskets"), F.sum("amount").alias("amount"),
             F.percentile_approx("amount", [.5, .9]).alias("quantiles"))
        .write.parquet(f"{dst}/rollup"))

def customer_360(spark, src, dst, guard):
    """Five inputs, four shuffle joins, two aggregations: several stages with several parents."""
    from pyspark.sql import functions as F
    tidy, rate = guard("tidy"), guard("rate")
    @F.udf("string")
    def address(note):
        tidy()
        return re.sub(r"[^a-z0-9]+", " ", re.sub(r"ring \d+x", "", note.lower())).strip()
    @F.udf("double")
    def score(spent, seconds, channels):
        rate()
        h = hashlib.sha256()
        for i in range(50):
            h.update(f"{spent}{seconds}{i}".encode())
        return (spent or 0) / (1 + len(channels or [])) + h.digest()[0] / 256
    def table(name, schema):
        return spark.read.csv(f"{src}/{name}", sep="|", schema=schema)
    orders = table("orders", "order_id int, customer int, product int, qty int, note string")
    products = table("products", "product int, title string, price double, category int")
    visits = table("visits", "customer int, campaign int, at int, url string, seconds int")
    campaigns = table("campaigns", "campaign int, title string, channel string, cost double")
    customers = table("customers", "customer int, name string, region string, age int")
    spending = (orders.withColumn("address", address("note")).join(products, "product").groupBy("customer")
        .agg(F.sum(F.col("qty") * F.col("price")).alias("spent"), F.collect_set("category").alias("categories"),
             F.max("address").alias("address")))
    attention = (visits.withColumn("page", F.sha2(F.regexp_extract("url", r"/shop/(\d+)/", 1), 256))
        .join(campaigns, "campaign").groupBy("customer")
        .agg(F.sum("seconds").alias("seconds"), F.collect_set("channel").alias("channels"),
             F.approx_count_distinct("page").alias("pages")))
    profile = (customers.join(spending, "customer", "left").join(attention, "customer", "left")
        .withColumn("score", score("spent", "seconds", "channels")))
    profile.write.parquet(f"{dst}/profiles")
    (spark.read.parquet(f"{dst}/profiles").groupBy("region")
        .agg(F.avg("score").alias("score"), F.percentile_approx("spent", .5).alias("spent"))
        .orderBy("region").write.csv(f"{dst}/regions"))

def page_importance(spark, src, dst, guard):
    """PageRank on RDDs: one job per iteration; earlier shuffles and cached data skip stages."""
    sc, n = spark.sparkContext, 12
    def parse(line):
        source, target = re.match(r"(/wiki/[\w-]+)\s+(/wiki/[\w-]+)", line).groups()
        return hashlib.md5(source.encode()).hexdigest()[:12], hashlib.md5(target.encode()).hexdigest()[:12]
    links = sc.textFile(f"{src}/links", 12).map(parse).distinct(n).groupByKey(n).mapValues(sorted).cache()
    pages = links.count()
    ranks = links.mapValues(lambda _: 1.0)
    def spreading(check):
        def spread(item):
            check()
            targets, rank = item[1]
            return [(target, rank / len(targets)) for target in targets]
        return spread
    for i in range(5):
        ranks = links.join(ranks, n).flatMap(spreading(guard(f"spread-{i}"))).reduceByKey(lambda a, b: a + b, n) \
                     .mapValues(lambda s: .15 + .85 * s).cache()
        print("rank sum", ranks.values().sum(), "of", pages)
    ranks.map(lambda kv: f"{kv[1]:.6f}\t{kv[0]}").saveAsTextFile(f"{dst}/ranks")

def clicks_by_customer(spark, src, dst, guard):
    """Group clicks by a skewed key: the partition with the heavy key straggles."""
    sc, parsing, cutting = spark.sparkContext, guard("parse"), guard("sessions")
    pattern = re.compile(r"(\d+) (c\d+) (?:GET|POST) (/shop/(\d+)/\d+) (\d+) (\d+)")
    def parse(line):
        parsing()
        at, who, path, shop, status, size = pattern.match(line).groups()
        return who, (int(at), hashlib.md5(path.encode()).hexdigest()[:10], int(shop), int(size))
    def sessions(item):
        cutting()
        who, clicks = item
        def mark(page):                              # a fingerprint of the page's address
            for _ in range(8):
                page = hashlib.sha256(page.encode()).hexdigest()
            return page
        first, last, size, trail = None, None, 0, hashlib.sha256()
        for at, page, shop, bytes_ in sorted(clicks):
            if last is not None and at - last > 900:
                yield first, (1, last - begun, size, trail.hexdigest()[:8])
                last, size, trail = None, 0, hashlib.sha256()
            if last is None:
                first, begun = shop, at
            last, size = at, size + bytes_
            trail.update(mark(page).encode())
        yield first, (1, last - begun, size, trail.hexdigest()[:8])
    def both(a, b):
        return a[0] + b[0], a[1] + b[1], a[2] + b[2], max(a[3], b[3])
    (sc.textFile(f"{src}/clicks", 20).map(parse).groupByKey(14).flatMap(sessions)
        .reduceByKey(both, 8).map(lambda kv: f"{kv[0]}\t{kv[1]}").saveAsTextFile(f"{dst}/sessions"))

# Steps where failures may be injected, with the records to let pass first.
APPS = {
    "sales-rollup": (sales_rollup, {"parse": 12000}),
    "customer-360": (customer_360, {"tidy": 8000, "rate": 2000}),
    "page-importance": (page_importance, {"spread-0": 1000, "spread-2": 300, "spread-4": 200}),
    "clicks-by-customer": (clicks_by_customer, {"parse": 15000, "sessions": 900}),
}

def run_job(job):
    from pyspark.sql import SparkSession
    builder = SparkSession.builder.appName(job["name"]).master(job["master"])
    for key, value in job["settings"].items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    try:
        APPS[job["app"]][0](spark, job["src"], job["dst"], guard_for(job["bad"]))
    finally:
        spark.stop()

if __name__ == "__main__":
    run_job(json.loads(sys.argv[1]))
