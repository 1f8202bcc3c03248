package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"racecard/reports/page/pagetest"
)

// The figures of the demo are whole in a real browser, on a desktop and on a phone, light and dark, whichever
// sans-serif font there is: no label is cut off and none lies over another.
func TestDemoFigures(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(filepath.Join(sampleDemo.in(t), "report", paperPage))
	if err != nil {
		t.Fatal(err)
	}
	p := pagetest.Open(t, content)
	for _, fonts := range []pagetest.Fonts{pagetest.DejaVu, pagetest.Liberation} {
		for _, scheme := range []string{"light", "dark"} {
			for _, m := range p.Measure(t, scheme, fonts, 1440, 390) {
				m.Check(t, fmt.Sprintf("%s, %s, %d px", fonts, scheme, m.Width))
			}
		}
	}
}
