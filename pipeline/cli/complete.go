package cli

import (
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"racecard/datasets/store"
)

// mostCompletions bounds the names offered to a shell.
const mostCompletions = 200

// completions makes shells complete the values of flags and the arguments of all commands. Only the command by which a
// shell asks registers them, because cobra keeps all that is registered until the process ends.
func completions(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		completions(cmd)
	}
	root.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		if complete := flagCompletion(f); complete != nil {
			_ = root.RegisterFlagCompletionFunc(f.Name, complete) // fails only for unknown flags
		}
	})
	if root.ValidArgsFunction != nil || root.ValidArgs != nil {
		return
	}
	words := strings.Fields(root.Use)
	if len(words) < 2 {
		return
	}
	switch words[1] {
	case "KIND":
		root.ValidArgsFunction = first(kindNames())
	case "[NAME]":
		if root.Name() == "formats" {
			root.ValidArgsFunction = first(formatNames())
		} else if root.Name() == "fetch" {
			root.ValidArgsFunction = first(traceNames())
		}
	case "STORE", "MODELS", "TABLES":
		root.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		}
	}
}

// first completes the first argument by words.
func first(words []string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return beginning(words, typed), cobra.ShellCompDirectiveNoFileComp
	}
}

// fixed completes a value by words.
func fixed(words ...string) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return beginning(words, typed), cobra.ShellCompDirectiveNoFileComp
	}
}

// beginning returns the words with the typed prefix.
func beginning(words []string, typed string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(word string) bool { return !strings.HasPrefix(word, typed) })
}

// flagCompletion returns the completion of a flag's value, nil for the shell's own completion of files.
func flagCompletion(f *pflag.Flag) cobra.CompletionFunc {
	o, _ := f.Value.(*option)
	switch {
	case o != nil && o.list:
		return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			before := typed[:strings.LastIndexByte(typed, ',')+1]
			var out []string
			for _, word := range o.known {
				if !slices.Contains(strings.Split(before, ","), word) {
					out = append(out, before+word)
				}
			}
			return beginning(out, typed), cobra.ShellCompDirectiveNoFileComp
		}
	case o != nil && o.known != nil:
		return fixed(o.known...)
	case o != nil && o.of != nil:
		return cobra.NoFileCompletions
	}
	switch f.Name {
	case "names":
		return fixed("normalized", "raw")
	case "job", "user", "group":
		return func(_ *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			return namesIn(args, f.Name, typed), cobra.ShellCompDirectiveNoFileComp
		}
	case "timezone":
		return fixed("UTC", "Europe/Berlin", "America/New_York", "Asia/Tokyo")
	case "since", "until", "run", "title", "note", "deadline":
		return cobra.NoFileCompletions
	case "out":
		return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		}
	}
	return nil
}

// namesIn returns names of jobs, users or groups in the store that an argument names, none where none does.
func namesIn(args []string, of, typed string) []string {
	if len(args) == 0 {
		return nil
	}
	s, err := openStore(args[0])
	if err != nil {
		return nil
	}
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	typed = strings.TrimPrefix(typed, before)
	found := map[string]bool{}
	for part := range s.Parts() {
		batch, err := s.Batch(part, store.Projection{"jobs." + of})
		if err != nil {
			return nil
		}
		for run := range batch.Runs() {
			name := map[string]string{"job": run.Job, "user": run.User, "group": run.Group}[of]
			if name != "" && strings.HasPrefix(name, typed) && len(found) < mostCompletions {
				found[strings.Clone(before+name)] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}
