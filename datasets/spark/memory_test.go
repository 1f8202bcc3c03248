package spark

import (
	"testing"

	"racecard/datasets/trace"
)

func TestExecutorMem(t *testing.T) {
	const mib, gib = 1 << 20, 1 << 30
	for _, test := range []struct {
		name string
		p    properties
		want int64
	}{
		{"no environment", nil, trace.None},
		{"default", properties{propMaster: "spark://m:7077"}, gib},
		{"standalone has no overhead", properties{propMaster: "spark://m:7077", propMemory: "4g"}, 4 * gib},
		{"YARN, least overhead", properties{propMaster: "yarn", propMemory: "2g"}, 2*gib + 384*mib},
		{"YARN, a tenth", properties{propMaster: "yarn", propMemory: "10g"}, 11 * gib},
		{"stated overhead, a number is MiB", properties{propMaster: "k8s://x", propMemory: "2048", propOverhead: "512"},
			2*gib + 512*mib},
		{"outside the heap, a number is bytes", properties{propMaster: "spark://m", propMemory: "1g",
			propOffHeap: "true", propOffHeapSize: "1048576"}, gib + mib},
		{"outside the heap, not enabled", properties{propMaster: "spark://m", propMemory: "1g", propOffHeapSize: "10g"},
			gib},
		{"a tenth in whole MiB", properties{propMaster: "yarn", propMemory: "8g"}, 8*gib + 819*mib},
		{"overhead of Spark 1.x and 2.x", properties{propMaster: "yarn", propMemory: "8g", propOverheadYARN: "4096"},
			12 * gib},
		{"no overhead", properties{propMaster: "yarn", propMemory: "8g", propOverhead: "0"}, 8 * gib},
		{"both names", properties{propMaster: "yarn", propMemory: "8g", propOverhead: "1g", propOverheadYARN: "4096"},
			9 * gib},
		{"factor", properties{propMaster: "yarn", propMemory: "8g", propFactor: "0.4"}, 8*gib + 3276*mib},
		{"factor of Kubernetes", properties{propMaster: "k8s://x", propMemory: "8g", propFactorK8s: "0.25"}, 10 * gib},
		{"that is not for YARN", properties{propMaster: "yarn", propMemory: "10g", propFactorK8s: "0.25"}, 11 * gib},
		{"Python on Kubernetes", properties{propMaster: "k8s://x", propMemory: "10g", propK8sResource: "python"},
			14 * gib},
		{"memory of Python", properties{propMaster: "yarn", propMemory: "10g", propPython: "2g"}, 13 * gib},
		{"Python in a standalone cluster", properties{propMaster: "spark://m", propMemory: "10g", propPython: "2g"},
			10 * gib},
		{"local", properties{propMaster: "local[4]", propDriverMem: "3g", propMemory: "9g"}, 3 * gib},
		{"unreadable", properties{propMaster: "yarn", propMemory: "lots"}, trace.None},
		{"overflow", properties{propMaster: "yarn", propMemory: "9223372036854775807t"}, trace.None},
	} {
		if got := test.p.executorMem(); got != test.want {
			t.Errorf("%s: got %d, want %d", test.name, got, test.want)
		}
	}
}
