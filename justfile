# What one does here. `just` comes from your distribution, from `cargo install just` or from `npm install -g rust-just`.

# list the recipes
default:
    @just --list

# read the embedded sample, analyse it and leave a report in ./racecard-demo
demo:
    go run . demo

# run all tests
test:
    go test -timeout 20m ./...

# measure rates; FILTER picks benchmarks
bench FILTER='.':
    go test -run '^$' -bench '{{FILTER}}' -benchmem ./...

# compare with the simulator that was published with Eagle, on the whole traces of ../shared (about two minutes)
agree:
    RACECARD_LONG=1 go test -v -run 'Agrees|Equals' ./models/queues/distributed

# check formatting, vet, lint and the module file
lint:
    test -z "$(gofmt -l .)" && go vet ./... && go mod tidy -diff
    go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0 run ./...

# run every fuzz target for TIME
fuzz TIME='60s':
    grep -rHoE --include='*_test.go' 'func Fuzz[A-Za-z0-9]+' . | sed -E 's|/[^/]*:func | |' | while read -r dir name; do go test -run '^$' -fuzz "^$name\$" -fuzztime {{TIME}} -fuzzminimizetime 10x "$dir" || exit 1; done

# kill an import KILLS times at random moments, and a run of a recipe as often, let them go on, and compare with undisturbed ones
torture KILLS='50':
    go test ./pipeline/cli -run Killed -v -kills {{KILLS}} -run-kills {{KILLS}} -timeout 60m

# attack racecard's command line: kill it and fail its I/O at every call that changes the disk (about half an hour; needs strace)
attack FILTER='.':
    RACECARD_LONG=1 go test ./pipeline/internal/attack -run '{{FILTER}}' -v -timeout 180m

# record the sample again (needs Java and `pip install -r datasets/sample/requirements.txt`; takes about 45 minutes)
record *ARGS:
    python3 datasets/sample/record.py {{ARGS}}

# draw a report from results of `racecard analyze --out`
report RESULTS OUT:
    go run . report {{RESULTS}} --out {{OUT}}

# rewrite golden files after a change that is meant
regen:
    go test ./reports/figure -regen

# count the instructions and cache misses that a task takes under SCHEDULERS on clusters of three sizes (needs valgrind; ten minutes)
count SCHEDULERS='eagle,hawk,sparrow,lwl':
    python3 models/queues/distributed/count_bench.py {{SCHEDULERS}}

# import a generated trace, and analyse one, with racecard and with DuckDB, side by side (needs `pip install duckdb`)
bench-duckdb ROWS='10000000' RUNS='250000':
    python3 pipeline/internal/ingest/duckdb_bench.py {{ROWS}}
    python3 pipeline/internal/local/duckdb_bench.py {{RUNS}}

# run all analyses over generated stores of SIZES runs; FOLDER keeps the stores
bench-scale SIZES='250000,500000,1000000' FOLDER='':
    python3 pipeline/internal/local/scale_bench.py {{SIZES}} {{FOLDER}}

# import every trace below FOLDER, run every analysis on each, and print a table: dataset x analysis
table FOLDER='../shared/data':
    python3 pipeline/internal/local/dataset_table.py {{FOLDER}}

# predict synthetic jobs after injected changes (input, tokens, level, plan, trend, outlier, executors lost), and print a table
changes:
    RACECARD_LONG=1 go test ./models/deadlines/backtest -run TestChanges -v -timeout 30m

# predict the recurring jobs of every trace of ../shared, and print a table: corpus x method (a few minutes); FLAGS such as --only sample
judge *FLAGS:
    python3 pipeline/internal/local/judge.py {{FLAGS}}

# predict generated jobs of 20 kinds that the model was not tuned to, and print a table (two minutes); FLAGS such as --only heavy --seed 2
kinds *FLAGS:
    python3 pipeline/internal/local/kinds.py {{FLAGS}}

# print by which factor the relative CRPS of predictions grows without each part of the model (an hour); FLAGS such as --only sample
ablate *FLAGS:
    python3 pipeline/internal/local/judge.py --ablate {{FLAGS}}

# rename the module to NEW, the path it is published under, in every import and document
module NEW:
    go mod edit -module {{NEW}}
    git grep -lE 'racecard/(analyses|datasets|docs|models|pipeline|reports)\b' | xargs sed -i -E 's#\bracecard/(analyses|datasets|docs|models|pipeline|reports)\b#{{NEW}}/\1#g'
    gofmt -w $(git ls-files '*.go')
    go build ./... && go test .

# build a release into dist: static binaries for six platforms, their checksums and the software bill of materials
release:
    pipeline/internal/local/release.sh dist

# read and write the buckets of a real S3 server on this machine, whose answers break off now and then (a minute, more the first time)
test-s3:
    dir=$(mktemp -d) && GOBIN=$dir go install github.com/versity/versitygw/cmd/versitygw@v1.8.0 && \
        RACECARD_S3_SERVER=$dir/versitygw go test -count=1 -v -timeout 10m -run '^Test(S3|Bucket)' ./pipeline/cli

# the same with fake-gcs-server, which speaks the protocol of Google Cloud Storage
test-gs:
    dir=$(mktemp -d) && GOBIN=$dir go install github.com/fsouza/fake-gcs-server@v1.56.1 && \
        RACECARD_GS_SERVER=$dir/fake-gcs-server go test -count=1 -v -timeout 10m -run '^TestBucket' ./pipeline/cli

# the same with Azurite, which speaks the protocol of Azure (needs Node.js)
test-azblob:
    dir=$(mktemp -d) && npm install --no-audit --no-fund --prefix $dir azurite@3.35.0 && \
        RACECARD_AZBLOB_SERVER=$dir/node_modules/.bin/azurite-blob go test -count=1 -v -timeout 10m -run '^TestBucket' ./pipeline/cli

# put a store of a gigabyte into a real server of S3, and show how many bytes columns and commands move; STORE names one that is there
bench-s3 STORE='':
    dir=$(mktemp -d) && GOBIN=$dir go install github.com/versity/versitygw/cmd/versitygw@v1.8.0 && \
        RACECARD_LONG=1 RACECARD_S3_STORE={{STORE}} RACECARD_S3_SERVER=$dir/versitygw go test -count=1 -v -timeout 60m -run '^TestS3Gigabyte$' ./pipeline/cli

# run units of work on a real standalone Spark of the VERSION, kill its executors, a worker and the driver (needs Java 17 and pip; minutes)
test-spark VERSION='3.5.9':
    python3 -m venv /tmp/racecard-spark-{{VERSION}} && /tmp/racecard-spark-{{VERSION}}/bin/pip install -q pyspark=={{VERSION}}
    RACECARD_LONG=1 RACECARD_PYSPARK=/tmp/racecard-spark-{{VERSION}}/bin/python go test -count=1 -v -timeout 30m -run '^TestSpark$' ./pipeline/cli

# measure what units of work cost on a standalone Spark, with an executor, a worker and the driver killed; PYTHON has PySpark (half an hour)
bench-spark PYTHON FOLDER:
    go build -o {{FOLDER}}/racecard . && python3 pipeline/internal/work/spark_bench.py --racecard {{FOLDER}}/racecard --python {{PYTHON}} --work {{FOLDER}}

# read the nightly examples with the parsers of Airflow, GitHub Actions, Kubernetes and systemd (downloads some 500 MB)
check-examples:
    for version in 2.11.0 3.3.2; do python3 -m venv /tmp/racecard-airflow-$version && /tmp/racecard-airflow-$version/bin/pip install -q apache-airflow==$version || exit 1; done
    RACECARD_LONG=1 RACECARD_AIRFLOW=/tmp/racecard-airflow-2.11.0/bin/python:/tmp/racecard-airflow-3.3.2/bin/python go test -count=1 -v -timeout 30m -run '^TestExamplesParse$' ./pipeline/cli

# compile the Spark plugin against the jars of a Spark (of PySpark: site-packages/pyspark/jars)
spark-jar SPARK_JARS:
    pipeline/internal/sparkplugin/build.sh {{SPARK_JARS}}

# run a real Spark under the plugin and check its mechanics (PYTHON needs pyspark, such as `pip install pyspark==3.5.9`; ten minutes)
live-spark PYTHON='python3' *ARGS:
    {{PYTHON}} -c 'import pyspark' || { echo "SKIPPED: no pyspark for {{PYTHON}}; pip install pyspark==3.5.9" >&2; exit 0; }; \
    work=$(mktemp -d) && go build -o "$work/racecard" . && {{PYTHON}} pipeline/internal/sparkplugin/live_spark.py --racecard "$work/racecard" --work "$work/live" {{ARGS}}

# steer a real Spark at 20 seeds beside static allocations and Spark's dynamic allocation (PYTHON needs pyspark; a JDK; an hour)
live-compare PYTHON='python3' *ARGS:
    {{PYTHON}} -c 'import pyspark' || { echo "SKIPPED: no pyspark for {{PYTHON}}; pip install pyspark==3.5.9" >&2; exit 0; }; \
    work=$(mktemp -d) && go build -o "$work/racecard" . && {{PYTHON}} pipeline/internal/sparkplugin/live_compare.py --racecard "$work/racecard" --work "$work/live" {{ARGS}}

# steer a Spark on a YARN mini cluster whose jars are in the folder JARS; --download URL fetches them from a Maven repository (PYTHON needs pyspark; a JDK 17)
live-yarn PYTHON='python3' JARS='/tmp/racecard-hadoop' *ARGS:
    {{PYTHON}} -c 'import pyspark' || { echo "SKIPPED: no pyspark for {{PYTHON}}; pip install pyspark==3.5.9" >&2; exit 0; }; \
    work=$(mktemp -d) && go build -o "$work/racecard" . && {{PYTHON}} pipeline/internal/sparkplugin/live_yarn.py --racecard "$work/racecard" --work "$work/live" --jars {{JARS}} {{ARGS}}
