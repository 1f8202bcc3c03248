package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"racecard/datasets/lists"
	"racecard/pipeline/internal/settings"
)

// Flags that are not given on the command line take their values from the environment, then from the configuration
// file:
//
//	RACECARD_TIMEZONE=Europe/Berlin      for every command with a flag --timezone
//	RACECARD_WASTE_PRICE=cpu=0.04/h      for racecard waste alone, before RACECARD_PRICE
//
//	timezone: Europe/Berlin              likewise in the file
//	waste:
//	  price: cpu=0.04/h
//
// A variable that is empty counts as not set. The file is named by RACECARD_CONFIG; the default is racecard/config.yaml
// in the user's configuration folder. With os.DevNull for a name there is none.

const (
	environment = "RACECARD_"
	configName  = environment + "CONFIG"
)

// commandLineOnly are the flags without defaults: they must be given each time.
var commandLineOnly = []string{"help", "version", "force", "restart", "yes"}

// defaults sets the flags of a command that were not given.
func (e *env) defaults(cmd *cobra.Command) error {
	if e.resolved || cmd.Name() == "help" || strings.HasPrefix(cmd.CommandPath(), cmd.Root().Name()+" completion") {
		return nil
	}
	file, err := configured(cmd.Root())
	if err != nil {
		return usageError{err}
	}
	path := commandWords(cmd)
	var wrong error
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Changed || wrong != nil {
			return
		}
		text, from, ok := file.fallback(path, f.Name)
		if !ok {
			return
		}
		if err := cmd.Flags().Set(f.Name, text); err != nil {
			wrong = usageError{fmt.Errorf("%s: %w", from, plainFlagError(err, nil))}
		}
	})
	return wrong
}

// configuration is the configuration file: the values of flags by command and flag, "" for all commands.
type configuration struct {
	name   string
	values map[string]string
}

// fallback returns the value of a flag that is not given, and its source: the environment or the file.
func (c *configuration) fallback(command, flag string) (text, from string, ok bool) {
	if slices.Contains(commandLineOnly, flag) {
		return "", "", false
	}
	if text, from, ok = fromEnvironment(command, flag); ok {
		return text, from, ok
	}
	if text, ok = c.values[command+" "+flag]; !ok {
		text, ok = c.values[" "+flag]
	}
	return text, c.name + ": " + flag, ok
}

// commandWords is the command without the program: "table build".
func commandWords(cmd *cobra.Command) string {
	_, words, _ := strings.Cut(cmd.CommandPath(), " ")
	return words
}

// fromEnvironment returns the value of a flag, and the variable that states it.
func fromEnvironment(command, flag string) (text, from string, ok bool) {
	name := strings.NewReplacer("-", "_", " ", "_")
	for _, words := range []string{command + " " + flag, flag} {
		variable := environment + strings.ToUpper(name.Replace(words))
		if text := os.Getenv(variable); text != "" && variable != configName {
			return text, variable, true
		}
	}
	return "", "", false
}

// configured reads the configuration file. A default file that is not there is empty.
func configured(root *cobra.Command) (*configuration, error) {
	name := os.Getenv(configName)
	if name == os.DevNull {
		return &configuration{}, nil
	}
	named := name != ""
	if !named {
		dir, _ := os.UserConfigDir()
		if dir == "" {
			return &configuration{}, nil
		}
		name = filepath.Join(dir, "racecard", "config.yaml")
	}
	var file map[string]any
	err := settings.Read(os.DirFS(filepath.Dir(name)), filepath.Base(name), &file)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return &configuration{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("defaults in %s: %w", name, err)
	}
	flags := flagsByCommand(root)
	values := map[string]string{}
	for _, key := range slices.Sorted(maps.Keys(file)) {
		inner, isCommand := file[key].(map[string]any)
		command := key
		if !isCommand {
			command, inner = "", map[string]any{key: file[key]}
		} else if flags[command] == nil {
			return nil, fmt.Errorf("%s: there is no command %q%s", name, command,
				meant(command, slices.Sorted(maps.Keys(flags))))
		}
		for _, flag := range slices.Sorted(maps.Keys(inner)) {
			if !slices.Contains(flags[command], flag) || slices.Contains(commandLineOnly, flag) {
				return nil, fmt.Errorf("%s: there is no flag --%s%s", name, flag, meantFlag(flag, flags[command]))
			}
			values[command+" "+flag] = settingText(inner[flag])
		}
	}
	return &configuration{name, values}, nil
}

// settingText writes a value of the file as a flag takes it: lists with commas.
func settingText(v any) string {
	list, ok := v.([]any)
	if !ok {
		return fmt.Sprint(v)
	}
	words := lists.Map(list, func(x any) string { return fmt.Sprint(x) })
	return strings.Join(words, ",")
}

// flagsByCommand returns the names of the flags of every command, and the global flags under "".
func flagsByCommand(root *cobra.Command) map[string][]string {
	out := map[string][]string{}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		words := commandWords(cmd)
		if words != "" {
			out[words] = []string{}
		}
		add := func(f *pflag.Flag) {
			if words != "" {
				out[words] = append(out[words], f.Name)
			}
			if !slices.Contains(out[""], f.Name) {
				out[""] = append(out[""], f.Name)
			}
		}
		cmd.LocalFlags().VisitAll(add)
		cmd.InheritedFlags().VisitAll(add)
		for _, c := range cmd.Commands() {
			walk(c)
		}
	}
	walk(root)
	return out
}
