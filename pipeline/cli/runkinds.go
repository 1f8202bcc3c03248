package cli

import (
	"encoding/csv"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"racecard/pipeline/internal/recipe"
)

// stepCommands make the commands that a step of a recipe can run, by name. Nearly all subcommands of table and simulate
// can be steps, too; they are not listed here.
func stepCommands() map[string]func(*env) *cobra.Command {
	return map[string]func(*env) *cobra.Command{"import": importCommand, "analyze": analyzeCommand, "fit": fitCommand,
		"table": tableCommand, "simulate": simulateCommand, "backtest": backtestCommand, "whatif": whatIfCommand,
		"report": reportCommand, "check": checkCommand, "waste": wasteCommand, "compare": compareCommand,
		"forecast": forecastCommand, "plan": planCommand, "explain": explainCommand, "inspect": inspectCommand}
}

// notInRecipes are flags that a recipe cannot set.
func notInRecipes() []string {
	return []string{"out", "help", "json", "quiet", "append", "restart", "force", "engine", "work"}
}

// kinds are the kinds of steps: commands, with their flags as options.
func kinds() []recipe.Kind {
	e := &env{stdout: newScreen(io.Discard), stderr: newScreen(io.Discard)}
	root := newRoot(e)
	configured := sync.OnceValues(func() (*configuration, error) { return configured(root) })
	var all []recipe.Kind
	var walk func(cmd *cobra.Command, path []string)
	walk = func(cmd *cobra.Command, path []string) {
		if cmd.HasSubCommands() {
			for _, c := range cmd.Commands() {
				walk(c, append(slices.Clone(path), c.Name()))
			}
			return
		}
		var sweeps []string
		if cmd.Flags().Lookup("vary") != nil {
			sweeps = []string{"seeds", "vary"}
		}
		clock := ""
		if cmd.Flags().Lookup("now") != nil {
			clock = "now"
		}
		name := strings.Join(path, " ")
		all = append(all, recipe.Kind{
			Name: name, Clock: clock, Summary: cmd.Short, Folder: cmd.Flags().Lookup("out") != nil,
			Divisible: cmd.Flags().Lookup("engine") != nil, Sweeps: sweeps,
			Options: func() []recipe.Option {
				return stepOptions(freshCommand(e, path).Flags())
			},
			Outside: func(set []recipe.Setting) ([]recipe.Setting, error) {
				c, err := configured()
				if err != nil {
					return nil, err
				}
				return c.outside(name, cmd.Flags(), set), nil
			},
		})
	}
	for _, cmd := range root.Commands() {
		if stepCommands()[cmd.Name()] != nil {
			walk(cmd, []string{cmd.Name()})
		}
	}
	return append(all, recipe.Kind{
		Name: recipe.Publish, Summary: "Copy a result to a place outside, which is replaced in one step",
		Options: func() []recipe.Option { return nil },
	})
}

// freshCommand makes the command of a step alone, whose flags hold no values. A recipe may have thousands of steps, and
// all commands take a thousand times as long.
func freshCommand(e *env, path []string) *cobra.Command {
	parent := &cobra.Command{}
	parent.AddCommand(stepCommands()[path[0]](e))
	e.divide(parent)
	cmd, _, err := parent.Find(path)
	if err != nil {
		panic(err) // kinds found it in the root
	}
	return cmd
}

// outside returns the values of the flags that a step does not set: those from the environment and the configuration
// file.
func (c *configuration) outside(command string, flags *pflag.FlagSet, set []recipe.Setting) (all []recipe.Setting) {
	flags.VisitAll(func(f *pflag.Flag) {
		if slices.Contains(notInRecipes(), f.Name) ||
			slices.ContainsFunc(set, func(s recipe.Setting) bool { return s.Name == f.Name }) {
			return
		}
		if text, _, ok := c.fallback(command, f.Name); ok {
			all = append(all, recipe.Setting{Name: f.Name, Values: []string{text}})
		}
	})
	return all
}

// stepOptions are flags as options of a step.
func stepOptions(flags *pflag.FlagSet) []recipe.Option {
	var all []recipe.Option
	flags.VisitAll(func(f *pflag.Flag) {
		if slices.Contains(notInRecipes(), f.Name) {
			return
		}
		o := recipe.Option{Name: f.Name, Usage: f.Usage, Type: f.Value.Type(), Set: func(text string) error {
			if err := f.Value.Set(text); err != nil {
				return err
			}
			f.Changed = true
			return nil
		}}
		o.Former = f.Annotations[formerName]
		o.Required = slices.Contains(f.Annotations[cobra.BashCompOneRequiredFlag], "true")
		comma := func(all []string) string { return strings.Join(all, ",") }
		v, declared := f.Value.(*option)
		switch {
		case declared && v.list:
			o.Choices, o.Shape = v.known, recipe.List
		case declared && v.known != nil:
			o.Choices = v.known
		default:
			switch o.Type {
			case "bool":
				o.Shape = recipe.Truth
			case "string":
				o.Text = true
			case "stringSlice":
				o.Shape, o.Join = recipe.List, quoteCSV
			case "stringArray":
				o.Shape = recipe.List
			case "stringToString", "resources", "weights":
				o.Shape, o.Join = recipe.Pairs, comma
			default:
				if strings.HasSuffix(o.Type, "s") {
					o.Shape, o.Join = recipe.List, comma
				}
			}
		}
		all = append(all, o)
	})
	return all
}

// quoteCSV writes words as one line of CSV, which is how flags of type stringSlice are written.
func quoteCSV(words []string) string {
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write(words) // a strings.Builder never fails
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}
