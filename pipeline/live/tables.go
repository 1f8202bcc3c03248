package live

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"racecard/datasets/fault"
	"racecard/datasets/jobname"
	"racecard/datasets/publish"
	"racecard/datasets/tablefile"
)

// Tables is a folder of tables, reloaded when a newer generation is published.
type Tables struct {
	open    func() (fs.FS, error)
	current atomic.Pointer[Generation]
	reload  sync.Mutex
}

// Generation is one version of the tables of a folder. It never changes.
type Generation struct {
	number int64
	tables map[string]*Table
	jobs   []string
	failed []error
}

// Open reads the folder of tables at a path and verifies every table. Tables that fail are left out, and listed by
// [Generation.Failed]. A folder without an index, or with one of another version, is an error.
func Open(path string) (*Tables, error) {
	return OpenFS(func() (fs.FS, error) { return publish.Open(path) })
}

// OpenFS is [Open] for a folder in any file system. The function is called again by every [Tables.Reload].
func OpenFS(open func() (fs.FS, error)) (*Tables, error) {
	t := &Tables{open: open}
	_, err := t.Reload()
	if err != nil {
		return nil, err
	}
	return t, nil
}

// Current returns the newest generation. Call it once per request, for consistent answers.
func (t *Tables) Current() *Generation { return t.current.Load() }

// ErrOlder is returned if a folder holds an older generation than the current one.
var ErrOlder = errors.New("older than the tables that are served; they stay until a restart")

// Reload loads the folder's generation, and reports whether it is another one. Unchanged tables are not read again. If
// the folder cannot be read, or holds an older generation, the current generation stays and the error tells why.
func (t *Tables) Reload() (changed bool, err error) {
	t.reload.Lock()
	defer t.reload.Unlock()
	old := t.current.Load()
	for range 3 { // a folder that is replaced while it is read is read again
		var g *Generation
		if g, err = t.load(old); err == nil {
			if old != nil && g.same(old) {
				return false, nil
			}
			t.current.Store(g)
			return true, nil
		}
		if !errors.As(err, new(*publish.ReplacedError)) {
			break
		}
	}
	return false, err
}

// load reads the folder. Unchanged tables are taken from old.
func (t *Tables) load(old *Generation) (*Generation, error) {
	fsys, err := t.open()
	if err != nil {
		return nil, err
	}
	x, err := tablefile.ReadIndex(fsys)
	if err != nil {
		return nil, err
	}
	if old != nil && x.Generation < old.number {
		return nil, fmt.Errorf("generation %d of the tables is %w (generation %d)", x.Generation, ErrOlder, old.number)
	}
	loaded, errs := make([]*Table, len(x.Tables)), make([]error, len(x.Tables))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(x.Tables)) {
		workers.Go(func() {
			defer fault.Trap()
			for i := next.Add(1) - 1; int(i) < len(loaded); i = next.Add(1) - 1 {
				e := x.Tables[i]
				if before := old.exact(e.Job); before != nil && before.sum == e.SHA256 {
					loaded[i] = before
					continue
				}
				loaded[i], errs[i] = loadTable(fsys, e)
			}
		})
	}
	workers.Wait()
	g := &Generation{number: x.Generation, tables: make(map[string]*Table, len(loaded))}
	for i, table := range loaded {
		if errors.As(errs[i], new(*publish.ReplacedError)) {
			return nil, errs[i]
		}
		if errs[i] != nil {
			g.failed = append(g.failed, errs[i])
			if table = old.exact(x.Tables[i].Job); table == nil {
				continue
			}
		}
		g.tables[x.Tables[i].Job] = table
	}
	g.jobs = slices.Sorted(maps.Keys(g.tables))
	return g, nil
}

// same reports whether two generations hold the same tables for the same reasons.
func (g *Generation) same(old *Generation) bool {
	return g.number == old.number && maps.Equal(g.tables, old.tables) && len(g.failed) == len(old.failed)
}

// Number is the generation of the folder's index: it rises whenever a table changes.
func (g *Generation) Number() int64 { return g.number }

// Jobs returns the jobs that have a table, sorted. It must not be modified.
func (g *Generation) Jobs() []string { return g.jobs }

// Failed returns the reasons why tables of the folder are not served, or only older ones are. It must not be modified.
func (g *Generation) Failed() []error { return g.failed }

// Table returns the table of a job by its name, as read or normalised; nil if there is none. It allocates only for
// names that are not normalised.
func (g *Generation) Table(job string) *Table {
	if t := g.tables[job]; t != nil {
		return t
	}
	return g.tables[jobname.Normalize(job)]
}

// exact is Table for a normalised name; it also works on a nil generation.
func (g *Generation) exact(job string) *Table {
	if g == nil {
		return nil
	}
	return g.tables[job]
}
