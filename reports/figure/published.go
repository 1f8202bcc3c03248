package figure

// jockeyCoV returns the published distribution of the coefficient of variation of completion times over recurring jobs of
// a Microsoft cluster, for all runs of a job and for runs whose inputs are within 10%: A. D. Ferguson, P. Bodik, S. Kandula,
// E. Boutin and R. Fonseca, "Jockey: Guaranteed Job Latency in Data Parallel Clusters", EuroSys 2012, Table 1.
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
