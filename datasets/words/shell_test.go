package words

import "testing"

func TestShell(t *testing.T) {
	for text, want := range map[string]string{"a/b-1.store": "a/b-1.store", "": "''", "my store": "'my store'",
		"it's": `'it'\''s'`, "$(x)": "'$(x)'", "app-#": "'app-#'"} {
		if got := Shell(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
