package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// suggested are commands in the text of an answer: after "more:" or "next:", or in backquotes.
var suggested = regexp.MustCompile("(?m)(?:^ *(?:more|next): (racecard .*)$|`(racecard [a-z]+ [^`]+)`)")

// Every command that an answer suggests gives an answer itself: on the sample, and on stores whose runs have no stages,
// or names and nothing else, where some commands cannot work.
func TestSuggestedCommandsAnswer(t *testing.T) {
	dir := t.TempDir()
	stores := map[string]string{"sample": sampleStore(t), "nights": nights(t, "nights", "240", "1")}
	for name, form := range map[string]string{
		"no stages": `{"id":"r %[1]d","name":"a job's","submit_s":%[2]d,"start_s":%[2]d,"end_s":%[3]d,"status":"succeeded"}`,
		"no tasks": `{"id":"r%[1]d","name":"j","submit_s":%[2]d,"start_s":%[2]d,"end_s":%[3]d,"status":"succeeded",` +
			`"stages":[{"tasks":3}]}`,
		"no names": `{"id":"r%[1]d","submit_s":%[2]d,"start_s":%[2]d,"end_s":%[3]d,"status":"succeeded"}`,
	} {
		var text strings.Builder
		for i := range 40 {
			at, took := 1_790_000_000+86_400*i, 600+i%7
			if i >= 20 {
				took += 300
			}
			fmt.Fprintf(&text, form+"\n", i, at, at+took)
		}
		file := filepath.Join(dir, name+".jsonl")
		if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		stores[name] = filepath.Join(dir, name+".store")
		must(t, "import", "-q", "--out", stores[name], file)
	}
	ran := 0
	for name, store := range stores {
		done := map[string]bool{}
		for _, args := range [][]string{{"explain", store, "--slowest"}, {"compare", store}, {"waste", store},
			{"inspect", store}, {"analyze", store, "--only", "recurrence,changes,health,waste"},
			{"check", store, "--now", "end"}, {"whatif", store, "--run", "r1"}} {
			_, stdout, stderr := call(t, append(args, "-q")...)
			for _, m := range suggested.FindAllStringSubmatch(stdout+stderr, -1) {
				command := m[1] + m[2]
				if done[command] || !strings.Contains(command, filepath.Base(store)) {
					continue // another store, or a command in general
				}
				done[command] = true
				ran++
				if status, _, stderr := call(t, append(shellWords(command)[1:], "-q")...); status != ExitDone &&
					status != ExitRefused {
					t.Errorf("%s: %v suggests %s, which fails: %s", name, args[0], command, stderr)
				}
			}
		}
	}
	if ran < 4 {
		t.Errorf("only %d commands were suggested", ran)
	}
}

// shellWords splits a command as a shell does, where words are quoted by single quotes.
func shellWords(command string) (all []string) {
	word, quoted, any := "", false, false
	for i := 0; i < len(command); i++ {
		switch c := command[i]; {
		case c == '\'':
			quoted, any = !quoted, true
		case c == '\\' && !quoted && i+1 < len(command):
			i++
			word, any = word+command[i:i+1], true
		case c == ' ' && !quoted:
			if any {
				all = append(all, word)
			}
			word, any = "", false
		default:
			word, any = word+string(c), true
		}
	}
	if any {
		all = append(all, word)
	}
	return all
}
