package spark

import (
	"cmp"
	"math"
	"strconv"
	"strings"

	"racecard/datasets/trace"
)

// Defaults of https://spark.apache.org/docs/latest/configuration.html.
const (
	mebibyte      = 1 << 20
	defaultMemory = 1024 * mebibyte // of spark.executor.memory and spark.driver.memory
	leastOverhead = 384 * mebibyte  // outside the heap, on YARN and Kubernetes
	defaultFactor = 0.1
	nonJVMFactor  = 0.4
	mostFactor    = 100 // a larger one is no share
)

// executorMem returns the bytes that one executor asks for: heap, memory outside it, and on YARN and Kubernetes also
// overhead and the memory of Python. In local mode it is the heap of the driver. It is None for a log without an
// environment or with a size that cannot be read.
func (p properties) executorMem() int64 {
	if p == nil {
		return trace.None
	}
	if _, ok := p.local(); ok {
		return sizeOr(p[propDriverMem], defaultMemory, mebibyte)
	}
	heap := sizeOr(p[propMemory], defaultMemory, mebibyte)
	if heap < 1 {
		return trace.None
	}
	sizes := []int64{heap}
	if p.isTrue(propOffHeap) {
		sizes = append(sizes, sizeOr(p[propOffHeapSize], 0, 1))
	}
	if p.contained() {
		share := mebibyte * int64(p.overheadFactor()*float64(heap/mebibyte))
		sizes = append(sizes, sizeOr(cmp.Or(p[propOverhead], p[propOverheadYARN], p[propOverheadK8s]),
			max(leastOverhead, share), mebibyte), sizeOr(p[propPython], 0, mebibyte))
	}
	sum := int64(0)
	for _, size := range sizes {
		if size == trace.None {
			return trace.None
		}
		sum += size
	}
	return sum
}

// overheadFactor returns the overhead of an executor as a share of its heap. Kubernetes has more for the processes of
// Python and R, which are outside the heap.
func (p properties) overheadFactor() float64 {
	factor := defaultFactor
	if resource := p[propK8sResource]; strings.HasPrefix(p[propMaster], "k8s") {
		if resource == "python" || resource == "r" {
			factor = nonJVMFactor
		}
		if x, err := strconv.ParseFloat(p[propFactorK8s], 64); err == nil && x > 0 {
			factor = x
		}
	}
	if x, err := strconv.ParseFloat(p[propFactor], 64); err == nil && x > 0 {
		factor = x
	}
	return min(factor, mostFactor)
}

// sizeOr reads a size, whose bare numbers count so many bytes.
func sizeOr(text string, otherwise, bare int64) int64 {
	if strings.TrimSpace(text) == "" {
		return otherwise
	}
	return memorySize(text, bare)
}

// memorySize reads a size as Spark does, in powers of 1024; a number without a unit counts bare bytes. None for
// anything else.
func memorySize(text string, bare int64) int64 {
	text = strings.ToLower(strings.TrimSpace(text))
	digits := len(text) - len(strings.TrimLeft(text, "0123456789"))
	n, err := strconv.ParseInt(text[:digits], 10, 64)
	if err != nil {
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
