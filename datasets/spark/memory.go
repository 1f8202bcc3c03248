package spark

import (
	"math"
	"strconv"
	"strings"

	"racecard/datasets/trace"
)

// Defaults of https://spark.apache.org/docs/latest/configuration.html.
const (
	mebibyte        = 1 << 20
	defaultMemory   = 1024 * mebibyte // of spark.executor.memory and spark.driver.memory
	leastOverhead   = 384 * mebibyte  // outside the heap, on YARN and Kubernetes
	overheadDivisor = 10
)

// executorMem returns the bytes that one executor asks for: heap, overhead on YARN and Kubernetes, and memory outside
// the heap. In local mode it is the heap of the driver. It is None for a log without an environment or with a size that
// cannot be read.
func (p properties) executorMem() int64 {
	if p == nil {
		return trace.None
	}
	if _, ok := p.local(); ok {
		return sizeOr(p[propDriverMem], defaultMemory)
	}
	heap := sizeOr(p[propMemory], defaultMemory)
	overhead := int64(0)
	if master := p[propMaster]; strings.HasPrefix(master, "yarn") || strings.HasPrefix(master, "k8s") {
		overhead = sizeOr(p[propOverhead], max(leastOverhead, heap/overheadDivisor))
	}
	offHeap := int64(0)
	if text := p[propOffHeap]; text != "" {
		if offHeap = memorySize(text, 1); offHeap == trace.None {
			offHeap = 0
		}
	}
	if heap == trace.None || overhead == trace.None {
		return trace.None
	}
	return heap + overhead + offHeap
}

func sizeOr(text string, otherwise int64) int64 {
	if strings.TrimSpace(text) == "" {
		return otherwise
	}
	return memorySize(text, mebibyte)
}

// memorySize reads a size as Spark does, in powers of 1024; a number without a unit counts bare bytes. None for
// anything else.
func memorySize(text string, bare int64) int64 {
	text = strings.ToLower(strings.TrimSpace(text))
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	n, err := strconv.ParseInt(text[:digits], 10, 64)
	if err != nil || n < 1 {
		return trace.None
	}
	unit := bare
	switch strings.TrimSuffix(text[digits:], "b") {
	case "":
		if strings.HasSuffix(text, "b") {
			unit = 1
		}
	case "k":
		unit = 1 << 10
	case "m":
		unit = 1 << 20
	case "g":
		unit = 1 << 30
	case "t":
		unit = 1 << 40
	default:
		return trace.None
	}
	if n > math.MaxInt64/8/unit {
		return trace.None
	}
	return n * unit
}

// executorCores returns the cores of one executor: as configured, else the most that any was seen with, else None.
func (a *app) executorCores() int64 {
	if _, c, ok := a.props.localCluster(); ok {
		return c
	}
	if n := a.props.number(propCores); n != trace.None {
		return n
	}
	most := int64(trace.None)
	for _, x := range a.resources() {
		most = max(most, x.cores)
	}
	return most
}
