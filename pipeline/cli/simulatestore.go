package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"racecard/datasets/store"
	"racecard/pipeline/ingest"
)

// traces opens a store, or imports files into a temporary one, which remove removes.
func (e *env) traces(ctx context.Context, args []string) (s *store.Store, remove func() error, err error) {
	remove = func() error { return nil }
	if _, err := os.Stat(filepath.Join(args[0], store.ManifestName)); err == nil && len(args) == 1 {
		s, err := openStore(args[0])
		return s, remove, err
	}
	files, err := ingest.Files(args)
	if err != nil {
		return nil, nil, err
	}
	dir, err := os.MkdirTemp("", "racecard-simulate-")
	if err != nil {
		return nil, nil, err
	}
	remove = func() error { return os.RemoveAll(dir) }
	o := ingest.DefaultOptions()
	p := e.progress("import")
	o.Progress = p.bytes
	_, err = ingest.Import(ctx, files, filepath.Join(dir, "store"), o)
	p.done()
	if err == nil {
		s, err = openStore(filepath.Join(dir, "store"))
	}
	if err != nil {
		return nil, nil, errors.Join(err, remove())
	}
	return s, remove, nil
}
