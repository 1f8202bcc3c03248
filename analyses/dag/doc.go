// Package dag measures the shape of stage graphs: stages, barriers, critical paths, disjoint paths, width, parallelism
// by level and input work, after Tables 1 and 2 of Carbyne (R. Grandl et al., "Altruistic Scheduling in Multi-Resource
// Clusters", OSDI 2016) and the synchronisations of Jockey (EuroSys 2012, §2.1); sorts them into classes; and
// distinguishes plans, so that runs with the same plan can be counted.
//
// The graph of a run has its stages as nodes and its edges as arcs, without edges of kind driver: those record
// the order in which the driver happened to start stages, not data flow. Only critical_path_driver_s includes
// them.
//
//   - A barrier is a stage with more than one parent; a synchronisation is an all_to_all edge.
//   - A stage weighs the longest of its succeeded attempts, of all its attempts when none succeeded, and its end -
//     start when it has no attempts with a known duration. The critical path is the path of greatest weight; counted in
//     stages, every stage weighs 1. In critical_path_mean_s a stage weighs the mean of these attempts instead: the path
//     without stragglers.
//   - Disjoint paths are the paths of a minimum vertex-disjoint path cover along the edges; the width is the size of
//     the largest set of stages in which none comes before another.
//   - The level of a stage is the number of edges on the longest path that ends there. Stages and tasks per level are
//     those on the level with most of them (max) and on the average level (mean). If the trace does not state the
//     number of tasks of a stage, it is the number of tasks that its attempts name.
//   - Input work is the share of a run's task-seconds, over all attempts, that lies in stages without parents.
//   - [Shapes] lists the classes. A plan is a graph of stages with the kinds of its edges, whatever the numbers and
//     names of the stages; plans are distinguished by a hash. Recurring jobs are normalised names with at least MinRuns
//     succeeded runs with stages.
//
// A run with a stage of unknown weight is left out of the critical paths in seconds, one without task-seconds out of
// the input work, one with a stage of unknown tasks out of the tasks per level. All are counted.
package dag
