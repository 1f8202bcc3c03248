package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"racecard/datasets/lists"
	"racecard/datasets/publish"
	_ "racecard/datasets/publish/clouds" // s3://, gs://, azblob://
	"racecard/datasets/words"
	"racecard/pipeline/internal/recipe"
)

// reach lists the paths of a command that may be URLs of buckets.
type reach struct {
	args  bool     // its arguments
	flags []string // flags with such paths
}

// reaches lists the commands that read from or write to buckets, by command path without the program. All other paths
// are local.
func reaches() map[string]reach {
	out := []string{"out"}
	both := reach{true, out}
	divided := reach{true, []string{"out", "work"}}
	return map[string]reach{
		"import": divided, "init": {args: true}, "run": {flags: []string{"work"}},
		"refresh": {args: true, flags: []string{"store", "models", "tables"}},
		"inspect": {args: true}, "analyze": divided, "compare": both, "explain": both, "waste": both, "report": both,
		"fit": both, "backtest": both,
		"forecast": both, "plan": both, "whatif": both, "simulate eagle": divided, "simulate carbyne": divided,
		"simulate jockey": divided,
		"table build":     divided, "table show": {args: true}, "table lookup": {args: true},
		"table verify": {args: true}, "table diff": {args: true},
		"table explain": {args: true}, "table admit": {args: true}, "serve": {args: true}, "check": {args: true},
		"work plan": both, "unite": both, "work do": {args: true}, "work status": {args: true}, "work merge": both,
	}
}

// gate refuses URLs for commands that take local paths only, and URLs that racecard cannot open. Deciding this in one
// place keeps commands from looking for a folder called s3:.
func gate(cmd *cobra.Command, args []string) error {
	_, name, _ := strings.Cut(cmd.CommandPath(), " ")
	may := reaches()[name]
	for _, arg := range args {
		if cmd.DisableFlagParsing {
			_, value, joined := strings.Cut(arg, "=")
			if strings.HasPrefix(arg, "-") && joined {
				arg = value
			}
		}
		if err := reachable(name, arg, may.args); err != nil {
			return err
		}
	}
	var refused error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains(noPaths, f.Name) {
			return
		}
		if err := reachable(name, f.Value.String(), slices.Contains(may.flags, f.Name)); err != nil && refused == nil {
			refused = fmt.Errorf("--%s: %w", f.Name, err)
		}
	})
	if refused != nil {
		return usageError{refused}
	}
	return nil
}

// inRecipe is gate for a step of a recipe: an input, an option, or the destination of its results.
func inRecipe(command, option, text string) error {
	switch may := reaches()[command]; {
	case slices.Contains(noPaths, option):
		return nil
	case option == "":
		if publish.Remote(text) && strings.ContainsAny(publish.Shown(text), "*[") {
			return fmt.Errorf("%s: patterns do not reach into buckets: name the folder",
				words.Printable(publish.Shown(text)))
		}
		return reachable(command, text, may.args)
	default:
		return reachable(command, text, command == recipe.Publish && option == "to")
	}
}

// noPaths are flags whose texts may hold URLs that racecard does not open, or opens itself.
var noPaths = []string{"from", "history-url", "title", "note", "job", "job-key", "user", "group"}

// others are URL schemes that racecard does not open, with the remedy.
func others() map[string]string {
	return map[string]string{
		"file": "name the path without file://", "http": "download it, or see `racecard fetch`",
		"https": "download it, or see `racecard fetch`",
		"hdfs":  "copy it with `hdfs dfs -get`, or read it through a mount", "s3a": "write s3://", "s3n": "write s3://",
		"gcs":  "write gs://",
		"wasb": "write azblob://CONTAINER/PATH", "wasbs": "write azblob://CONTAINER/PATH",
		"abfs":  "write azblob://CONTAINER/PATH",
		"abfss": "write azblob://CONTAINER/PATH", "az": "write azblob://CONTAINER/PATH",
	}
}

// reachable returns an error for a text that is a URL, unless the command may open it.
func reachable(command, text string, may bool) error {
	scheme, _, ok := strings.Cut(text, "://")
	if !ok {
		return nil
	}
	shown := words.Printable(publish.Shown(text))
	if at := strings.IndexByte(shown, '@'); at >= 0 {
		shown = scheme + "://..." + shown[at:] // the part before it may be a password
	}
	switch {
	case !publish.Remote(text) && others()[scheme] != "":
		return usageError{fmt.Errorf("%s: racecard opens paths and %s, not %s: %s", shown, words.List(schemes()),
			scheme, others()[scheme])}
	case publish.Remote(text) && !may:
		return usageError{fmt.Errorf("%s: `racecard %s` takes only paths of this machine there: copy it here first, "+
			"or afterwards", shown, command)}
	}
	return nil
}

// schemes lists the URL schemes of buckets for messages.
func schemes() []string {
	return lists.Map(publish.Schemes(), func(s string) string { return s + "://" })
}
