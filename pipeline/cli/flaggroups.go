package cli

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// manyFlags is the most flags that help lists without headings. --help and the flags of all commands do not count.
const manyFlags = 12

// The headings of flags in help.
const (
	flagsRuns    = "Which runs"
	flagsOutput  = "Output"
	flagsMethod  = "Method"
	flagsSim     = "Simulation"
	flagsCluster = "Cluster and load"
	flagsJobs    = "Jobs and estimates"
	flagsLoop    = "Control loop"
	flagsSweep   = "Experiments and sweeps"
	flagsLimits  = "Limits"
	flagsWork    = "Where it is computed"
	flagsAccess  = "Access"
	flagsRules   = "Rules"
	flagsInput   = "Input"
)

// flagGroup is a heading with the names of flags below it. A name may begin with a command: "analyze names".
type flagGroup struct{ title, flags string }

// flagGroups returns the headings of help, in order.
func flagGroups() []flagGroup {
	return []flagGroup{
		{flagsRuns, "since until job user group timezone run slowest newest last leave-out past-runs min-runs " +
			"from-tokens after names only"},
		{flagsInput, "append ended format job-key note synthetic"},
		{flagsRules, "rules deadline state now start on sure"},
		{flagsAccess, "listen flight tls-cert tls-key client-ca token-file insecure"},
		{flagsCluster, "tokens machines capacity slots pooled load interarrival offline network-delay heartbeat " +
			"min-tokens max-tokens general bypass probe-ratio min-probes rounds"},
		{flagsJobs, "demands demand-scale mapreduce-only stages cutoff misestimate misestimate-random " +
			"misestimate-some known-classes weights jobs"},
		{flagsLoop, "blend dead-zone dead-zone-share dwell gain hold hysteresis indicator jump learn limit period " +
			"period-share quantile rise slack utility world"},
		{flagsMethod, "method split level min-change within half-life without input at-tokens schedulers compat " +
			"fairness remaining leftover p-altruism share-tolerance tolerance allocations apart sampling step " +
			"quantiles grid-error antithetic price sample"},
		{flagsSim, "seed replicates simulations bound days"},
		{flagsSweep, "experiment runs seeds vary sizes"},
		{flagsOutput, "out all per-job explain follow journal journal-size verbose"},
		{flagsLimits, "max-rejects max-apps idle-apps max-batch max-body max-connections max-replicates strict force restart " +
			"drain poll memory"},
		{flagsWork, "workers engine work"},
	}
}

// flagTitle returns the heading of a flag; "" where it has none.
func flagTitle(name string) string {
	for _, g := range flagGroups() {
		for n := range strings.FieldsSeq(g.flags) {
			if n == name {
				return g.title
			}
		}
	}
	return ""
}

// hasHeadings reports whether the help of a command lists its flags under headings.
func hasHeadings(cmd *cobra.Command) bool {
	n := 0
	cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden && f.Name != "help" {
			n++
		}
	})
	return n > manyFlags
}

// localFlags returns the section of a command's help for its own flags, in lines of a width.
func localFlags(cmd *cobra.Command, width int) string {
	if !hasHeadings(cmd) {
		return "Flags:\n" + strings.TrimRight(cmd.LocalFlags().FlagUsagesWrapped(width), " \n")
	}
	sections := map[string]*pflag.FlagSet{}
	of := func(title string) *pflag.FlagSet {
		if sections[title] == nil {
			sections[title] = pflag.NewFlagSet(title, pflag.ContinueOnError)
		}
		return sections[title]
	}
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { of(flagTitle(f.Name)).AddFlag(f) })
	var out []string
	for _, g := range append(flagGroups(), flagGroup{}) {
		s := sections[g.title]
		if s == nil {
			continue
		}
		title := g.title
		if title == "" {
			title = "Other flags"
		}
		out = append(out, title+":\n"+strings.TrimRight(s.FlagUsagesWrapped(width), " \n"))
	}
	return strings.Join(out, "\n\n")
}
