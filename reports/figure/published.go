package figure

// jockeyCoV returns the published distribution of the coefficient of variation of completion times over recurring jobs
// of a Microsoft cluster, for all runs of a job and for runs whose inputs are within 10%: A. D. Ferguson, P. Bodik, S.
// Kandula, E. Boutin and R. Fonseca, "Jockey: Guaranteed Job Latency in Data Parallel Clusters", EuroSys 2012, Table 1.
func jockeyCoV() (all, similar []mark) {
	return []mark{{"p10", 0.15}, {"p50", 0.28}, {"p90", 0.59}, {"p99", 1.55}},
		[]mark{{"p10", 0.13}, {"p50", 0.20}, {"p90", 0.37}, {"p99", 0.85}}
}

// carbyneShape returns the published percentiles of a metric of Microsoft's job graphs, none for a metric that was not
// published: R. Grandl, M. Chowdhury, A. Akella and G. Ananthanarayanan, "Altruistic Scheduling in Multi-Resource
// Clusters", OSDI 2016, Table 1; the median length of the critical path is from its text.
func carbyneShape(metric string) []mark {
	return map[string][]mark{
		"stages":               {{"p50", 13}, {"p95", 121}},
		"barriers":             {{"p50", 4}, {"p95", 13}},
		"critical_path_stages": {{"p50", 5}},
		"input_work":           {{"p50", 0.34}, {"p95", 0.85}},
	}[metric]
}

// carbyneLeftover returns the published median, over events, of the share of a resource that jobs hold and could give
// away without ending later: Carbyne, section 2.2. There is none for GPUs.
func carbyneLeftover(resource string) []mark {
	x, ok := map[string]float64{"cpu": 0.35, "mem": 0.43, "disk_read": 0.24, "disk_write": 0.21, "net_in": 0.28,
		"net_out": 0.24}[resource]
	return given(ok, mark{"p50", x})
}

// carbyneCorrelation returns the published correlation of leftover with a measure of the graph of stages (Carbyne,
// section 2.2), and whether there is one. The paper does not say which coefficient it is.
func carbyneCorrelation(measure string) (float64, bool) {
	x, ok := map[string]float64{"barriers": 0.75, "critical_path_stages": 0.71, "stages": 0.66,
		"disjoint_paths": 0.57}[measure]
	return x, ok
}

// jockeyGuarantee returns the published shares of jobs that never reach their guaranteed parallelism, and of jobs that
// exceed it more than ten times: Jockey, §3.2.
func jockeyGuarantee() (below, above float64) { return 1.0 / 3, 0.25 }

// hawkPoint is the share of jobs that are long in a trace, and of task-seconds that they hold.
type hawkPoint struct {
	trace      string
	jobs, time float64
}

// hawkLong returns the shares published for the traces of P. Delgado, F. Dinu, A.-M. Kermarrec and W. Zwaenepoel,
// "Hawk: Hybrid Datacenter Scheduling", USENIX ATC 2015.
func hawkLong() []hawkPoint {
	return []hawkPoint{{"Google", 0.10, 0.8365}, {"Cloudera b", 0.0767, 0.9965}, {"Cloudera c", 0.0502, 0.9279},
		{"Cloudera d", 0.0412, 0.8972}, {"Facebook", 0.0201, 0.9979}, {"Yahoo", 0.0941, 0.9831}}
}

// carbyneDAGPS returns the published factors of improvement over DRF of at least a quarter of the jobs, as Carbyne
// packs and with DAGPS: Carbyne, Figure 12.
func carbyneDAGPS() []float64 { return []float64{2.36, 3.41} }

// carbyneSweep returns published factors of improvement by what an experiment varies: Carbyne, Figure 9 (over others,
// it is not known which), Figure 11 (over DRF) and section 5.2 (over Tetris with f near 1).
func carbyneSweep(experiment string) []point {
	return map[string][]point{"load": {{1, 1.57}, {2, 1.76}, {2, 1.91}}, "p-altruism": {{0.5, 1.24}, {1, 1.56}},
		"tetris-fair": {{1, 1.22}}}[experiment]
}

// carbyneOffline returns the published mean completion time, makespan and Jain's index for jobs that all arrive at
// once: Carbyne, Figures 1 and 4.
func carbyneOffline() map[string][3]float64 {
	return map[string][3]float64{"drf": {1224, 5478, 0.86}, "tetris": {1123, 4356, 0.74}, "sjf": {769, 6210, 0.64},
		"carbyne": {814, 4492, 0.81}}
}
