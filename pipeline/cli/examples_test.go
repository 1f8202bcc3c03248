package cli

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"racecard/pipeline/internal/recipe"
)

// Recipes among the examples are right.
func TestExampleRecipes(t *testing.T) {
	all, err := filepath.Glob(filepath.Join("..", "..", "examples", "*", "racecard.yaml"))
	if err != nil || len(all) == 0 {
		t.Fatalf("%v: %d recipes", err, len(all))
	}
	for _, path := range all {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		words := recipe.Words{Today: time.Now(), Env: os.LookupEnv}
		if _, err := recipe.Parse(text, path, filepath.Dir(path), recipe.Context{Kinds: kinds(), Words: words, Nearest: closest}); err != nil {
			t.Error(err)
		}
	}
}
