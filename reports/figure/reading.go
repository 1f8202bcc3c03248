package figure

import "strings"

// Guide explains how to read one kind of figure, in plain words.
type Guide struct {
	Name  string // of the figure; the names of several figures may begin with it
	Title string
	Text  string // what the axes are, what to look for, and what the figure does not show
}

// Reading returns the guide to the figure of that name, or "" when there is none. A number at the end counts figures of
// one kind: eagle-slow-2 is read as eagle-slow.
func Reading(name string) string {
	if kind := strings.TrimRight(name, "0123456789"); kind != name {
		name = strings.TrimSuffix(kind, "-")
	}
	best := Guide{}
	for _, g := range Guides() {
		if g.Name == name {
			return g.Text
		}
		if strings.HasSuffix(g.Name, "-") && strings.HasPrefix(name, g.Name) && len(g.Name) > len(best.Name) {
			best = g
		}
	}
	return best.Text
}

// Guides returns the guides to all figures, in the order of the report.
func Guides() []Guide {
	return []Guide{
		{"cov", "Variation of completion time", "Each curve or dot shows how many recurring jobs vary by at most x " +
			"from run to run. Further right is less predictable. Compare the two series: where the one for similar " +
			"inputs lies clearly further left, input size explains much of the variation, and forecasts " +
			"should be given the input."},
		{"causes", "Causes of variance", "Each bar is one job and adds up to 100% of the variance of its completion " +
			"times. A long coloured part names the cause to work on first. The grey rest is unexplained. The shares " +
			"are statistical: a cause that moves together with another shares its part."},
		{"drift", "Completion time over time", "Each panel is one job and each dot one run. A step or slope of the " +
			"line is a lasting change; dots that scatter around a flat line are noise. Ask `racecard compare` for " +
			"the date and the cause of a step."},
		{"changes", "Changes between periods", "Each row is a job and each mark its change. Right of the line it " +
			"became slower, left of it faster. A hollow mark is no change that the runs prove. The note in the row " +
			"names the likeliest cause, the numbers behind it the medians before and after."},
		{"explain", "Why a run took longer", "Read from the usual run on one side to this run on the other. Each bar " +
			"adds or removes seconds for one cause, and all bars " +
			"add up to the difference. The longest bar is the place to begin."},
		{"waste", "Where held cores went", "Each bar is all that a job held, divided into classes. Only the useful " +
			"part does work. A long part for barriers or the end points to " +
			"the program; a long unused part points to too many cores."},
		{"forecast", "Forecast by cores", "The marks are the times within which half, 90% and 95% of runs end on " +
			"that number of cores. Where they stop falling, more cores only cost more. Beyond the cores of past runs " +
			"the forecast is extrapolated: try it before relying on it."},
		{"plan", "Plan of a day", "Each row is a job from its start to its end, with the range of ends over " +
			"simulated days. A deadline inside that range will be missed on some " +
			"days. Cores in use close to the limit mean that jobs wait for each other."},
		{"guarantee", "Guarantee and use", "On the left, runs below the diagonal never used all that was guaranteed " +
			"to them: their guarantee can be cut. Runs far above it depend on spare capacity, which may be missing " +
			"on a busy day. On the right, read the share of runs below 1 on the vertical axis."},
		{"dependency", "Dependencies between jobs", "Each curve is a cumulative distribution over jobs with " +
			"dependents. A short gap between jobs leaves little slack when the first is late. Long chains and many " +
			"dependants mark the jobs whose delay spreads furthest."},
		{"dag-shape", "Shape of the stage graphs", "Each panel shows one measure: read the share of runs at or below " +
			"x. The more a curve stays left, the simpler the graphs. Long critical paths limit the gain from more " +
			"cores; many barriers leave cores idle in between."},
		{"plan-shapes", "Classes of stage graphs", "Longer bars are more frequent classes. Chains gain little from " +
			"clever scheduling between stages; joins and general graphs gain most. The number of plans tells how " +
			"many different programs are behind the runs."},
		{"stage-graph", "Stage graph", "Follow the blue path from left to right: only its stages determine the " +
			"shortest possible time of the run. Speeding up a stage beside it changes nothing until the path moves " +
			"there. A bar at the left of a box is a barrier."},
		{"leftover", "Held and slack resources", "The whole height is the amount that runs held, the upper part the " +
			"slack that no run needed for its end. High slack over long stretches means that other jobs could have " +
			"run in the same capacity. A part of it is short-lived: see the distribution before planning on it."},
		{"leftover-shares", "Slack as a share", "Read the share of time (or of events) at which slack is at most x. " +
			"A curve that rises steeply at the left means that slack is rare; a median well above zero means that it " +
			"is there most of the time. The two series differ where slack occurs in long quiet periods."},
		{"leftover-shape", "Slack and the shape of graphs", "Each panel relates one measure of the graph to the " +
			"slack of runs. An r near 0 means no relation; near 1, larger graphs leave more slack. A relation in few " +
			"runs of few jobs may be one job's habit."},
		{"arrivals", "Arrivals of runs", "The first panel counts submissions over time; look for bursts and for " +
			"hours of the day. In the second, values above the dashed line mean that runs arrive in bursts of that " +
			"length: a cluster for the mean load would then queue."},
		{"tails", "Tails of distributions", "Both axes are logarithmic. A straight line that falls slowly is a heavy " +
			"tail: few values hold most of the total, and means say little. A curve that bends down is a light tail. " +
			"Trust a fitted line only where dots follow it and p is not small."},
		{"cutoff", "Short and long jobs", "The further the curve bows away from the diagonal, the clearer the " +
			"division into short and long jobs. The disc " +
			"marks the suggested cutoff. Schedulers such as Hawk and Eagle need a clear division to pay off."},
		{"concurrency", "What runs at once", "The height is the number of attempts, runs or tokens at that time. The " +
			"peaks size the cluster, the valleys are room for other work. Bins are means: shorter peaks are higher."},
		{"failures", "Failed attempts", "Longer bars are more frequent reasons. Compare the time lost with the " +
			"number: a rare reason that ends long attempts may cost more than a frequent one that ends early."},
		{"waterfall", "Tasks of one run", "Time runs from left to right. Gaps in the rows are idle slots; a long bar " +
			"at the end of a stage is a straggler " +
			"that all wait for. Where the bottom panel lies below the line, the run held more tokens than it used."},
		{"whatif", "One run at other allocations", "Each bar is the same run with another number of tokens. Where " +
			"bars stop shrinking, more tokens only cost more. The parts say why: barriers and skew need another plan " +
			"or partitioning, the driver another program."},
		{"calibration", "Calibration of forecasts", "On the left, dots on the diagonal mean that a stated 90% is met " +
			"in 90% of runs. Dots below it mean that forecasts promise too much. On the right, even bars are right; " +
			"bars high at both ends mean intervals that are too narrow."},
		{"prediction-errors", "Errors of forecasts", "Shorter is better. Compare racecard's mark with the simple " +
			"methods for the same job: where they are " +
			"equally good, the simple one will do. With few runs the order may change."},
		{"predicted", "Predicted and observed times", "Dots on the diagonal were predicted exactly. Dots above took " +
			"longer than predicted. The line through a dot is its stated range from p10 to p90 and should cross the " +
			"diagonal in four of five cases."},
		{"remaining", "Remaining time C(p,a)", "Start at the run's progress on the horizontal axis and read the " +
			"remaining time upwards, in the panel of its tokens. Bands are the range of simulated runs. The " +
			"difference between panels is the gain from more tokens."},
		{"indicators", "Progress indicators", "Above: a good indicator rises steadily. One that stands still and " +
			"jumps would make a control loop add and release tokens for nothing. Below: the end that is predicted at " +
			"each instant; the nearer to the line of the true end, the better."},
		{"jockey-policies", "Deadlines missed and tokens asked for", "The best policies lie at the lower left: few " +
			"missed deadlines and few tokens above the least possible. A policy low on the right keeps its deadlines " +
			"by paying for them. The pale bars show the range that chance allows."},
		{"jockey-completion", "Completion relative to the deadline", "Curves that reach 100% left of 1 miss no " +
			"deadline. Far to the left is early, and " +
			"thus more expensive than needed. The best curve is steep, just left of 1."},
		{"jockey-run-", "One run under the control loop", "Above, the predicted end should stay below the deadline " +
			"and come closer to the real end. Below, the requested tokens rise when the run falls behind and fall " +
			"when it is early. Requests that go up and down quickly would disturb other jobs."},
		{"jockey-sensitivity", "Sensitivity of the control loop", "Each panel changes one parameter. A flat curve " +
			"means that its choice matters little. A steep one marks a parameter to set with care."},
		{"eagle-completion", "Completion times under queue schedulers", "Curves further left are better. Compare the " +
			"schedulers for short jobs first, where they differ " +
			"most. An advantage for short jobs that long jobs pay for shows in the second panel."},
		{"eagle-waits", "Waiting in queues", "Shorter bars are better. The dark part is waiting behind long tasks, " +
			"which Eagle avoids; the light part is waiting behind other short tasks, which only more workers shorten."},
		{"eagle-slow", "One job in the queues", "Each row is a worker. Look for long stretches between the arrival " +
			"of a probe and the start of its task: the longest one determines the end of the job."},
		{"eagle-traces", "Schedulers across traces", "Each group is one trace. A scheduler that is best on all of " +
			"them is a safer choice than one that wins on one. " +
			"Values above 1 are slower than the scheduler compared with."},
		{"eagle-", "Experiments with queue schedulers", "Each line is a scheduler, and the horizontal axis the " +
			"quantity that was varied. Lower is better. Where lines cross, the best choice depends on that quantity. " +
			"For a cluster's size, take the smallest whose values you accept."},
		{"carbyne-schedulers", "Schedulers that share machines", "Compare bars within a group, which ran the same " +
			"jobs. Less time and a shorter makespan are better, as is more " +
			"fairness. Where the ranges over seeds overlap, the schedulers are not told apart."},
		{"carbyne-completion", "Completion times under shared machines", "Curves further left are better. Where two " +
			"curves cross, one scheduler is better for short " +
			"jobs and the other for long ones. Curves that coincide mean that the choice does not matter."},
		{"carbyne-improvement", "Factors of improvement", "Right of 1 a job ends sooner under the scheduler in the " +
			"title, left of it later. Read the share of jobs below 1: these pay for the gain of the others."},
		{"carbyne-dagps", "Bounds of schedules", "Each curve compares a scheduler's makespan with a lower bound. At " +
			"1 nothing is left to gain. The distance between the curves is the gain from the better packing."},
		{"carbyne-sweeps", "Sweeps over machines and settings", "Each panel varies one setting. A flat line means " +
			"that the result does not depend on it. " +
			"Where two lines cross, so does the choice between the two schedulers."},
		{"carbyne-over-time", "Cluster and one job over time", "Above, full height is a full cluster; compare how " +
			"long each scheduler leaves room. Below, tasks " +
			"beyond the job's own share ran on capacity that other jobs left over."},
		{"activity", "Activity over time", "Read it before any other number. Gaps, sudden starts and a slope at the " +
			"edges are limits of the recording, " +
			"not of the cluster: leave those periods out with `--since` and `--until`."},
		{"steer-run-", "One live run", "Above, the predicted end and its band against the deadline. Below, the " +
			"executors held and wanted. Marks are decisions that changed the request; the table lists their reasons."},
	}
}
