package sparkplugin

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"io/fs"
	"strings"
	"testing"
)

// The jar was made of these sources, for Java 8 and later, and holds nothing else.
func TestJar(t *testing.T) {
	h := sha256.New()
	files, err := fs.Glob(Sources, "java/io/racecard/*.java")
	if err != nil || len(files) < 4 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		data, err := Sources.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		h.Write(data)
	}
	z, err := zip.NewReader(bytes.NewReader(Jar), int64(len(Jar)))
	if err != nil {
		t.Fatal(err)
	}
	classes := 0
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case f.Name == "META-INF/MANIFEST.MF":
			if want := "Sources: " + hex.EncodeToString(h.Sum(nil))[:60]; !strings.Contains(string(data), want) {
				t.Errorf("the jar was made of other sources: run `just spark-jar SPARK_JARS`")
			}
		case strings.HasSuffix(f.Name, ".class"):
			classes++
			const java8 = 52 // major version of the class file
			if !strings.HasPrefix(f.Name, "io/racecard/") || data[7] != java8 {
				t.Errorf("%s of class file version %d", f.Name, data[7])
			}
		case !strings.HasSuffix(f.Name, "/"):
			t.Errorf("the jar holds %s", f.Name)
		}
	}
	if classes < 5 {
		t.Errorf("%d classes", classes)
	}
}
