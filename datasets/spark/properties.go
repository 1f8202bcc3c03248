package spark

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"racecard/datasets/trace"
)

// properties are the Spark properties of an application that identify it and state its resource requests; see
// https://spark.apache.org/docs/latest/configuration.html. nil means that the log holds no environment.
type properties map[string]string

// The properties that are kept.
const (
	propAppID     = "spark.app.id"
	propAppName   = "spark.app.name"
	propAttempt   = "spark.app.attempt.id"
	propMaster    = "spark.master"
	propTaskCPUs  = "spark.task.cpus"
	propCores     = "spark.executor.cores"
	propInstances = "spark.executor.instances"
	propCoresMax  = "spark.cores.max"
	propDynamic   = "spark.dynamicAllocation.enabled"
	propDriverMem = "spark.driver.memory"
	propCluster   = "spark.databricks.clusterUsageTags.clusterId"
	propEMR       = "spark.emr.clusterId" // set by jobs of Amazon EMR

	propMemory       = "spark.executor.memory"
	propOffHeap      = "spark.memory.offHeap.enabled"
	propOffHeapSize  = "spark.memory.offHeap.size"
	propPython       = "spark.executor.pyspark.memory"
	propOverhead     = "spark.executor.memoryOverhead"
	propOverheadYARN = "spark.yarn.executor.memoryOverhead"       // before Spark 2.3; then another name for it
	propOverheadK8s  = "spark.kubernetes.executor.memoryOverhead" // likewise
	propFactor       = "spark.executor.memoryOverheadFactor"      // since Spark 3.3
	propFactorK8s    = "spark.kubernetes.memoryOverheadFactor"
	propK8sResource  = "spark.kubernetes.resource.type" // java, python or r
)

// Amounts of other resources than cores, such as GPUs: of an executor, and of a task. The resource is named between
// beginning and end.
const (
	propExecutorHas = "spark.executor.resource."
	propTaskTakes   = "spark.task.resource."
	propAmount      = ".amount"
)

func keeps(key []byte) bool {
	if bytes.HasSuffix(key, []byte(propAmount)) {
		return bytes.HasPrefix(key, []byte(propExecutorHas)) || bytes.HasPrefix(key, []byte(propTaskTakes))
	}
	switch string(key) {
	case propAppID, propAppName, propAttempt, propMaster, propTaskCPUs, propCores, propInstances, propCoresMax,
		propDynamic, propDriverMem, propCluster, propEMR, propMemory, propOffHeap, propOffHeapSize, propPython,
		propOverhead, propOverheadYARN, propOverheadK8s, propFactor, propFactorK8s, propK8sResource:
		return true
	}
	return false
}

// number returns a property as a positive number, or None.
func (p properties) number(name string) int64 {
	return positive(p[name])
}

func positive(text string) int64 {
	n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 32)
	if err != nil || n < 1 {
		return trace.None
	}
	return n
}

// taskCPUs returns how many cores a task holds: spark.task.cpus, whose default is 1.
func (p properties) taskCPUs() int64 {
	return max(1, p.number(propTaskCPUs))
}

// local reports whether tasks run in the driver, and with how many cores: None for local[*], which takes all there are.
func (p properties) local() (cores int64, ok bool) {
	master := p[propMaster]
	if master == "local" {
		return 1, true
	}
	inside, ok := strings.CutPrefix(master, "local[")
	if !ok {
		return trace.None, false
	}
	inside, _, _ = strings.Cut(strings.TrimSuffix(inside, "]"), ",") // a second number allows for failures
	return positive(inside), true
}

// localCluster returns the executors and the cores of each that a local-cluster[n,cores,memory] starts.
func (p properties) localCluster() (executors, cores int64, ok bool) {
	inside, ok := strings.CutPrefix(p[propMaster], "local-cluster[")
	if !ok {
		return trace.None, trace.None, false
	}
	n, rest, _ := strings.Cut(inside, ",")
	c, _, _ := strings.Cut(rest, ",")
	return positive(n), positive(c), true
}

// guaranteed returns how many tasks the application asked to run at once, when that was fixed, and None when it was not
// or is not known. localCores are the cores that a driver in local mode was seen with, or None. The first of these
// decides:
//
//   - local, local[n], local[n,f]: n cores; local[*]: localCores
//   - local-cluster[n,c,m]: n executors of c cores
//   - dynamic allocation: None
//   - spark.executor.instances executors of spark.executor.cores, which YARN and Kubernetes take for 1 when it is not
//     set; but no more than spark.cores.max
//   - spark.cores.max cores
//
// A task holds spark.task.cpus cores of one executor, and its share of other resources, such as GPUs.
func (p properties) guaranteed(localCores int64) int64 {
	if n := p.asked(localCores); n > 0 {
		return n
	}
	return trace.None
}

// dynamic says whether executors come and go with the work: not where tasks run in the driver, nor by default. It is
// null for a log without an environment.
func (p properties) dynamic() trace.Tri {
	if p == nil {
		return trace.TriNull
	}
	_, local := p.local()
	return trace.TriOf(!local && p.isTrue(propDynamic))
}

// isTrue reports whether a property is true. All that are asked for are false by default.
func (p properties) isTrue(name string) bool {
	return strings.EqualFold(strings.TrimSpace(p[name]), "true")
}

// contained reports whether executors are containers of YARN or Kubernetes.
func (p properties) contained() bool {
	master := p[propMaster]
	return strings.HasPrefix(master, "yarn") || strings.HasPrefix(master, "k8s")
}

func (p properties) asked(localCores int64) int64 {
	if n, ok := p.local(); ok {
		if n == trace.None {
			n = localCores
		}
		return p.byCores(n)
	}
	if n, c, ok := p.localCluster(); ok {
		return times(n, p.tasks(c))
	}
	if p.dynamic() == trace.Yes {
		return trace.None
	}
	cores := p.number(propCores)
	if cores == trace.None && p.contained() {
		cores = 1
	}
	asked, limit := times(p.number(propInstances), p.tasks(cores)), p.byCores(p.number(propCoresMax))
	if most := p.byResources(); limit != trace.None && most < math.MaxInt64 {
		limit = trace.None // without the cores of an executor, nobody knows how many of these there are
		if cores != trace.None {
			limit = p.number(propCoresMax) / cores * p.tasks(cores)
		}
	}
	if asked == trace.None || limit != trace.None && limit < asked {
		return limit
	}
	return asked
}

// tasks returns how many tasks run at once on an executor with so many cores: as many as the scarcest of its resources
// allows ("Custom Resource Scheduling" in https://spark.apache.org/docs/latest/configuration.html).
func (p properties) tasks(cores int64) int64 {
	if _, local := p.local(); local || cores == trace.None {
		return p.byCores(cores)
	}
	return min(p.byCores(cores), p.byResources())
}

// byCores returns how many tasks have enough cores.
func (p properties) byCores(cores int64) int64 {
	if cores == trace.None {
		return trace.None
	}
	return cores / p.taskCPUs()
}

// byResources returns how many tasks the other resources of an executor are enough for; the largest number where tasks
// need none. A task takes whole ones, or one is shared by as many as it has room for.
func (p properties) byResources() int64 {
	most := int64(math.MaxInt64)
	for key, text := range p {
		name, ok := strings.CutPrefix(key, propTaskTakes)
		if !ok {
			continue
		}
		takes, err := strconv.ParseFloat(text, 64)
		has := p.number(propExecutorHas + name)
		switch {
		case err != nil || !(takes > 0) || has == trace.None:
		case takes < 1:
			most = min(most, has*int64(min(mostShares, math.Floor(1/takes+1e-9))))
		default:
			most = min(most, has/int64(min(mostShares, takes)))
		}
	}
	return most
}

// mostShares bounds the tasks that share a resource, and the resources that a task takes.
const mostShares = 1 << 20

func times(a, b int64) int64 {
	if a == trace.None || b == trace.None {
		return trace.None
	}
	return a * b
}
