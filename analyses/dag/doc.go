// Package dag measures the shape of stage graphs: stages, barriers, critical paths, disjoint paths, width, parallelism
// by level and input work, after Tables 1 and 2 of Carbyne (R. Grandl et al., "Altruistic Scheduling in Multi-Resource
// Clusters", OSDI 2016) and the synchronisations of Jockey (EuroSys 2012, §2.1); sorts them into classes; and tells
// plans apart, so that runs with the same one can be counted.
//
// The graph of a run has its stages as nodes and its edges as arcs, without edges of kind driver: those record
// the order in which the driver happened to start stages, not data flow. Only critical_path_driver_s includes
// them.
//
//   - A barrier is a stage with more than one parent; a synchronisation is an all_to_all edge.
//   - A stage weighs the longest of its succeeded attempts, of all its attempts when none succeeded, and its end -
//     start when it has no attempts with a known duration. The critical path is the path of greatest weight; counted in
//     stages, every stage weighs 1. In critical_path_mean_s a stage weighs the mean of these attempts instead: what is
//     left of the path when no task straggles.
//   - Disjoint paths are the paths of a minimum vertex-disjoint path cover along the edges; the width is the largest
//     set of stages of which none comes before another.
//   - The level of a stage is the number of edges on the longest path that ends there. Stages and tasks per level are
//     those on the level with most of them (max) and on the average level (mean). A stage whose number of tasks the
//     trace does not state has as many as its attempts name.
//   - Input work is the share of a run's task-seconds, over all attempts, that lies in stages without parents.
//   - [Shapes] says what the classes are. A plan is a graph of stages with the kinds of its edges, however the stages
//     are numbered or called; plans are told apart by a hash. Recurring jobs are names, normalised, of which at least
//     MinRuns runs with stages succeeded.
//
// A run with a stage of unknown weight is left out of the critical paths in seconds, one without task-seconds out of
// the input work, one with a stage of unknown tasks out of the tasks per level. All are counted.
package dag
