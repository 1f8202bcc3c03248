// Package dag measures the shape of stage graphs: stages, barriers, critical paths, disjoint paths, width and input work,
// after Tables 1 and 2 of Carbyne (R. Grandl et al., "Altruistic Scheduling in Multi-Resource Clusters", OSDI 2016) and
// the synchronisations of Jockey (EuroSys 2012, §2.1).
//
// The graph of a run has its stages as nodes and its edges as arcs, without those of kind driver: they say in what order
// the driver happened to start stages, not what data flows. Only critical_path_driver_s includes them.
//
//   - A barrier is a stage with more than one parent; a synchronisation is an all_to_all edge.
//   - A stage weighs the longest of its succeeded attempts, of all its attempts when none succeeded, and its end - start
//     when it has no attempts with a known duration. The critical path is the path of greatest weight; counted in stages,
//     every stage weighs 1.
//   - Disjoint paths are the paths of a minimum vertex-disjoint path cover along the edges; the width is the largest set of
//     stages of which none comes before another.
//   - Input work is the share of a run's task-seconds, over all attempts, that lies in stages without parents.
//
// A run with a stage of unknown weight is left out of the critical path in seconds, one without task-seconds out of the
// input work. Both are counted.
package dag
