package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// What a forecast keeps beside a store changes no answer: not to another question, of other runs, of a store that has
// changed, or where it was damaged. A folder that cannot be written is no error.
func TestForecastsAreKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store := filepath.Join(dir, "n.store")
	if err := os.CopyFS(store, os.DirFS(plantedNights(t))); err != nil {
		t.Fatal(err)
	}
	questions := [][]string{
		{}, {"--tokens", "4,9", "--timezone", "Asia/Tokyo", "--deadline", "10:56"}, {"--since", "+20d"},
		{"--newest", "20"}, {"--names", "raw"},
	}
	answers := func(store string) (all []string) {
		for _, q := range questions {
			all = append(all, must(t, append([]string{"forecast", store, "--job", "nightly-cores", "--json", "--quiet"},
				q...)...))
		}
		return all
	}
	same := func(what string, want []string) {
		t.Helper()
		for i, got := range answers(store) {
			if got != want[i] {
				t.Errorf("%s, %q:\n%s, want\n%s", what, questions[i], got, want[i])
			}
		}
	}
	var fresh []string
	for i := range questions {
		all := questions
		questions = all[i : i+1]
		fresh = append(fresh, answers(store)...)
		questions = all
		if err := os.RemoveAll(store + keptSuffix); err != nil {
			t.Fatal(err)
		}
	}
	same("kept", fresh)
	files, err := filepath.Glob(filepath.Join(store+keptSuffix, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("kept %q: %v", files, err)
	}
	last := questions[len(questions)-1:]
	for at, data := 0, read(t, files[0]); at < len(data); at += 1 + len(data)/6 {
		damaged := bytes.Clone(data)
		damaged[at] ^= 1
		if err := os.WriteFile(files[0], damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		questions = last
		same("damaged", fresh[len(fresh)-1:])
	}
	other := nights(t, "nights", "240", "2")
	if err := os.RemoveAll(store); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(store, os.DirFS(other)); err != nil {
		t.Fatal(err)
	}
	same("another store at the same place", answers(other))
	if err := os.RemoveAll(store + keptSuffix); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(store+keptSuffix, nil, 0o600); err != nil { // in the way of the folder
		t.Fatal(err)
	}
	answers(store)
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
