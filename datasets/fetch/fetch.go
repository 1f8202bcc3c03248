package fetch

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// File is a file to download.
type File struct {
	Path string   // where it goes: below the folder, with slashes
	URLs []string // where it is, http or https; mirrors are tried in this order
	// What its publisher says of it. Size is in bytes and exact, 0 when not known; the checksums are in hexadecimal, ""
	// when there are none.
	Size   int64
	SHA256 string
	MD5    string
	// Limit is how many bytes may arrive at most, whatever a server says or sends; 0 for any number. More are refused,
	// and nothing is kept.
	Limit int64
}

// Access holds the credentials that a mirror asks for. They are sent, and neither stored nor shown.
type Access struct {
	User  *url.Userinfo // name and password of basic authentication; nil for none
	Query string        // added to every URL, such as a token; "" for none
}

// Result describes a file in place and how it got there.
type Result struct {
	Path      string
	URL       string // what it came from; "" when it was there already
	Bytes     int64
	SHA256    string
	Published bool // it agrees with a checksum of its publisher; else it was trusted on first use
}

// Options of a download; begin with [DefaultOptions].
type Options struct {
	// Attempts is how many attempts in a row may bring nothing new before a mirror is given up.
	Attempts int
	// Backoff is the wait after the first of them; it doubles up to MaxWait. A server that asks for a longer wait than
	// MaxWait is given up.
	Backoff, MaxWait time.Duration
	// Stall is how long nothing may arrive before an attempt is broken off. Over each such time at least Least bytes
	// must arrive.
	Stall     time.Duration
	Least     int64
	UserAgent string
	Access    Access
	// Progress, if not nil, is called as bytes arrive, with the bytes present (earlier attempts included) and the
	// size of the file, 0 if unknown. done falls when a file restarts.
	Progress func(done, of int64)
	// Notice, if not nil, receives a sentence with the cause of a failed attempt and the next step.
	Notice func(text string)
	// Sleep waits, or returns the cause when ctx is done first.
	Sleep func(ctx context.Context, d time.Duration) error
	// Now is the time that Retry-After dates are compared with.
	Now func() time.Time
	// Jitter is a number in [0, 1) that spreads waits, so that many who failed together do not come back together.
	Jitter func() float64
}

// DefaultOptions makes five attempts, waits between one second and two minutes, and breaks off after a minute of
// silence, or one that brought less than 64 KiB.
func DefaultOptions() Options {
	return Options{
		Attempts: 5, Backoff: time.Second, MaxWait: 2 * time.Minute, Stall: time.Minute, Least: advance,
		UserAgent: "racecard",
		Sleep:     sleep, Now: time.Now, Jitter: rand.Float64,
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Validate returns an error that describes the first fault of the options, or nil.
func (o Options) Validate() error {
	switch {
	case o.Attempts < 1:
		return fmt.Errorf("fetch: %d attempts: want at least 1", o.Attempts)
	case o.Backoff <= 0 || o.MaxWait < o.Backoff || o.Stall <= 0:
		return fmt.Errorf("fetch: waits of %v to %v, stall after %v: want positive times in order", o.Backoff,
			o.MaxWait, o.Stall)
	case o.Sleep == nil || o.Now == nil || o.Jitter == nil:
		return errors.New("fetch: options without Sleep, Now or Jitter: begin with DefaultOptions")
	}
	return nil
}

// Validate returns an error that describes the first fault of the file, or nil.
func (f File) Validate() error {
	switch {
	case !filepath.IsLocal(filepath.FromSlash(f.Path)) || path.Clean(f.Path) != f.Path || f.Path == "." ||
		strings.ContainsAny(f.Path, "\\:\x00"):
		return fmt.Errorf("%q: want the path of a file inside the folder", f.Path)
	case path.Base(f.Path) == RecordFile || strings.HasSuffix(f.Path, partEnding) ||
		strings.HasSuffix(f.Path, stateEnding):
		return fmt.Errorf("%q: the name is reserved", f.Path)
	case len(f.URLs) == 0:
		return fmt.Errorf("%s: no URL", f.Path)
	case f.Size < 0 || f.Limit < 0:
		return fmt.Errorf("%s: a size of %d bytes, at most %d", f.Path, f.Size, f.Limit)
	case !isHex(f.SHA256, 64) || !isHex(f.MD5, 32):
		return fmt.Errorf("%s: the checksums %q and %q: want 64 digits of SHA-256 and 32 of MD5, hexadecimal, in "+
			"lower case", f.Path, f.SHA256, f.MD5)
	}
	for _, u := range f.URLs {
		switch p, err := url.Parse(u); {
		case err != nil || p.Host == "" || p.Scheme != "http" && p.Scheme != "https":
			return fmt.Errorf("%s: %q is not the URL of a file (http or https)", f.Path, u)
		case p.User != nil: // it would be stored and shown
			return fmt.Errorf("%s: a URL with a name or a password at %s: they belong to Access", f.Path, p.Host)
		}
	}
	return nil
}

// isHex reports whether s is empty or n hexadecimal digits in lower case.
func isHex(s string, n int) bool {
	_, err := hex.DecodeString(s)
	return err == nil && (s == "" || len(s) == n) && strings.ToLower(s) == s
}

// published reports whether the publisher gives a checksum.
func (f File) published() bool { return f.SHA256 != "" || f.MD5 != "" }

// Get downloads a file into a folder, which it makes if need be. A file that is there already, whole and verified, is
// not downloaded again. client says how to connect; its redirect policy is replaced.
//
// Errors are a [*MirrorsError] when no mirror gave the file, an [*ExistingError] when another file stands in its place,
// a [*ChangedError] when it differs from an earlier download, a [*LocalError] when the folder cannot be written, and
// the error of ctx. The received bytes stay in NAME.part, and the next call resumes from there.
func Get(ctx context.Context, client *http.Client, f File, dir string, o Options) (Result, error) {
	if err := errors.Join(f.Validate(), o.Validate()); err != nil {
		return Result{}, err
	}
	t, err := openTarget(dir, f)
	if err != nil {
		return Result{}, err
	}
	defer t.close()
	if r, there, err := t.present(ctx); there || err != nil {
		return r, err
	}
	d := &download{target: t, client: withPolicy(client), o: o}
	failed := &MirrorsError{Path: f.Path}
	for i, u := range f.URLs {
		r, err := d.mirror(ctx, u)
		if err == nil {
			return r, t.publish(r)
		}
		if !errors.As(err, new(*failure)) {
			return Result{}, errors.Join(err, t.tidy())
		}
		failed.Tried = append(failed.Tried, fmt.Errorf("%s: %w", u, err))
		if i < len(f.URLs)-1 {
			d.notice("%s: %v; trying the next mirror", f.Path, err)
		}
	}
	return Result{}, errors.Join(failed, t.tidy())
}

func (d *download) notice(format string, args ...any) {
	if d.o.Notice != nil {
		d.o.Notice(fmt.Sprintf(format, args...))
	}
}
