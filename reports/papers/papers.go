// Package papers holds the numbers that papers print, for figures and tables of results to be compared with.
package papers

// Percentile is a percentile that a paper prints.
type Percentile struct {
	What string // such as "p50"
	X    float64
}

// JockeyCoV returns the distribution of the coefficient of variation of completion times over recurring jobs of a
// Microsoft cluster, for all runs of a job and for runs whose inputs are within 10%: A. D. Ferguson, P. Bodik, S.
// Kandula, E. Boutin and R. Fonseca, "Jockey: Guaranteed Job Latency in Data Parallel Clusters", EuroSys 2012, Table 1.
func JockeyCoV() (all, similar []Percentile) {
	return []Percentile{{"p10", 0.15}, {"p50", 0.28}, {"p90", 0.59}, {"p99", 1.55}},
		[]Percentile{{"p10", 0.13}, {"p50", 0.20}, {"p90", 0.37}, {"p99", 0.85}}
}

// JockeyGuarantee returns the shares of jobs that never reach their guaranteed parallelism, and of jobs that exceed it
// more than ten times: Jockey, §3.2.
func JockeyGuarantee() (below, above float64) { return 1.0 / 3, 0.25 }

// JockeySpare returns the least and the largest share of the tasks of a job that ran on spare tokens: Jockey.
func JockeySpare() (low, high float64) { return 0.05, 0.8 }

// JockeyMissed returns the number of runs that missed their deadline under Jockey's control loop, of how many: Jockey,
// section 5.
func JockeyMissed() (missed, runs int) { return 1, 94 }

// JockeyIndicators returns ΔT and the longest constant interval of every progress indicator: Jockey, §5.4.
func JockeyIndicators() map[string][2]float64 {
	return map[string][2]float64{"totalworkWithQ": {0.02, 0.085}, "totalwork": {0.023, 0.093},
		"vertexfrac": {0.022, 0.101}, "cp": {0.03, 0.152}, "minstage": {0.033, 0.199}, "minstage-inf": {0.039, 0.267}}
}

// CarbyneShape returns the percentiles of a metric of Microsoft's job graphs, none for a metric that was not published:
// R. Grandl, M. Chowdhury, A. Akella and G. Ananthanarayanan, "Altruistic Scheduling in Multi-Resource Clusters", OSDI
// 2016, Table 1; the median length of the critical path is from its text.
func CarbyneShape(metric string) []Percentile {
	return map[string][]Percentile{
		"stages":               {{"p50", 13}, {"p95", 121}},
		"barriers":             {{"p50", 4}, {"p95", 13}},
		"critical_path_stages": {{"p50", 5}},
		"input_work":           {{"p50", 0.34}, {"p95", 0.85}},
	}[metric]
}

// CarbyneLeftover returns the median, over events, of the share of a resource that jobs hold and could give away
// without ending later: Carbyne, section 2.2. There is none for GPUs.
func CarbyneLeftover(resource string) []Percentile {
	x, ok := map[string]float64{"cpu": 0.35, "mem": 0.43, "disk_read": 0.24, "disk_write": 0.21, "net_in": 0.28,
		"net_out": 0.24}[resource]
	if !ok {
		return nil
	}
	return []Percentile{{"p50", x}}
}

// CarbyneCorrelation returns the correlation of leftover with a measure of the graph of stages (Carbyne, section 2.2),
// and whether there is one. The paper does not say which coefficient it is.
func CarbyneCorrelation(measure string) (float64, bool) {
	x, ok := map[string]float64{"barriers": 0.75, "critical_path_stages": 0.71, "stages": 0.66,
		"disjoint_paths": 0.57}[measure]
	return x, ok
}

// CarbyneImprovement returns how many times as long jobs of TPC-DS take under DRF as under Carbyne, on average and at
// the 95th percentile, and the share of jobs that Carbyne slows down: Carbyne, section 5.2 and Table 3.
func CarbyneImprovement() (mean, p95, slower float64) { return 1.36, 1.88, 0.16 }

// CarbyneFactors returns the share of jobs with a clearly better completion time under Carbyne, at least, and the share
// of jobs, at most, whose factor of improvement lies below a bound: Carbyne, Figure 7.
func CarbyneFactors() (better, worse, below float64) { return 0.84, 0.04, 0.8 }

// CarbyneDAGPS returns the factors of improvement over DRF of at least a quarter of the jobs, as Carbyne packs and with
// DAGPS: Carbyne, Figure 12.
func CarbyneDAGPS() []float64 { return []float64{2.36, 3.41} }

// CarbyneSweep returns values of the setting that an experiment varies, and the factors of improvement there: Carbyne,
// Figure 9 (over others, it is not known which), Figure 11 (over DRF) and section 5.2 (over Tetris with f near 1).
func CarbyneSweep(experiment string) [][2]float64 {
	return map[string][][2]float64{"load": {{1, 1.57}, {2, 1.76}, {2, 1.91}}, "p-altruism": {{0.5, 1.24}, {1, 1.56}},
		"tetris-fair": {{1, 1.22}}}[experiment]
}

// CarbyneOffline returns the mean completion time, makespan and Jain's index of schedulers for jobs that all arrive at
// once: Carbyne, Figures 1 and 4.
func CarbyneOffline() map[string][3]float64 {
	return map[string][3]float64{"drf": {1224, 5478, 0.86}, "tetris": {1123, 4356, 0.74}, "sjf": {769, 6210, 0.64},
		"carbyne": {814, 4492, 0.81}}
}

// HawkTrace is the share of jobs that are long in a trace, and of task-seconds that they hold.
type HawkTrace struct {
	Name       string
	Jobs, Time float64
}

// HawkLong returns the shares for the traces of P. Delgado, F. Dinu, A.-M. Kermarrec and W. Zwaenepoel, "Hawk: Hybrid
// Datacenter Scheduling", USENIX ATC 2015.
func HawkLong() []HawkTrace {
	return []HawkTrace{{"Google", 0.10, 0.8365}, {"Cloudera b", 0.0767, 0.9965}, {"Cloudera c", 0.0502, 0.9279},
		{"Cloudera d", 0.0412, 0.8972}, {"Facebook", 0.0201, 0.9979}, {"Yahoo", 0.0941, 0.9831}}
}
