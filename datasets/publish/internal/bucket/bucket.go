// Package bucket reads and writes objects in buckets of S3 and compatible stores, Google Cloud Storage and Azure.
// It is the home of gocloud.dev; package clouds brings the drivers.
//
// Every request has a time limit and is tried a bounded number of times; a transfer that breaks off goes on where it
// stopped. Errors name the URL, the missing thing and the remedy. Credentials come from the same sources as for the
// tools of each cloud, and appear in no message.
package bucket

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	"gocloud.dev/blob"
	_ "gocloud.dev/blob/memblob" // mem://, for tests
	"gocloud.dev/gcerrors"
)

const (
	// tries is how often a range or an object is asked for. The drivers try every request some times more.
	tries = 4
	// patience bounds one try. Ranges are cut, so that a slow line can deliver one.
	patience = time.Minute
	// maxRange bounds one request, in bytes.
	maxRange = 8 << 20
	// firstWait is the time between the first two tries; it doubles.
	firstWait = 100 * time.Millisecond
)

// Bucket is an open bucket. It is safe for concurrent use.
type Bucket struct {
	at Location // without a key
	b  *blob.Bucket
}

// Object is an object in a bucket.
type Object struct {
	Key      string
	Size     int64
	Modified time.Time
	Tag      string // identifies the content: two objects with the same key and tag are equal; "" if unknown
	Folder   bool   // of [Bucket.Children]: there are objects below it
}

// opened are the buckets that the process has open: finding credentials takes time, and connections are used again.
var opened struct {
	sync.Mutex
	of map[Location]*Bucket
}

// Open opens the bucket of a place. No request is made yet.
func Open(l Location) (*Bucket, error) {
	if !blob.DefaultURLMux().ValidBucketScheme(l.Scheme) {
		return nil, &Error{URL: l.Shown(), Reason: fmt.Sprintf(
			"this program was built without the driver of %[1]s://: build it without -tags no%[1]s", l.Scheme)}
	}
	l.Key = ""
	opened.Lock()
	defer opened.Unlock()
	if b := opened.of[l]; b != nil {
		return b, nil
	}
	bucket := &Bucket{at: l}
	options, err := completed(l)
	if err != nil {
		return nil, err
	}
	b, err := blob.OpenBucket(context.Background(), l.Scheme+"://"+l.Bucket+options)
	if err != nil {
		return nil, bucket.explained("", err)
	}
	bucket.b = b
	if opened.of == nil {
		opened.of = map[Location]*Bucket{}
	}
	opened.of[l] = bucket
	return bucket, nil
}

// completed returns the options of a place. A server of S3 that is not Amazon's seldom has a host name per bucket.
func completed(l Location) (string, error) {
	q, err := url.ParseQuery(l.Options)
	if err != nil {
		return "", err
	}
	elsewhere := q.Has("endpoint") || os.Getenv("AWS_ENDPOINT_URL") != "" || os.Getenv("AWS_ENDPOINT_URL_S3") != ""
	if l.Scheme == "s3" && elsewhere && !q.Has("use_path_style") {
		q.Set("use_path_style", "true")
	}
	if l.Scheme == "s3" && elsewhere && !q.Has("region") && os.Getenv("AWS_REGION") == "" &&
		os.Getenv("AWS_DEFAULT_REGION") == "" {
		q.Set("region", "us-east-1") // such servers have no regions, and expect this one
	}
	if len(q) == 0 {
		return "", nil
	}
	return "?" + q.Encode(), nil
}

// List returns the objects whose keys begin with a prefix, in the order of keys, and at most a number of them, 0 for
// all.
func (b *Bucket) List(prefix string, most int) ([]Object, error) { return b.list(prefix, "", most) }

// Children returns the objects and folders directly below a place.
func (b *Bucket) Children(l Location) ([]Object, error) { return b.list(l.prefix(), "/", 0) }

func (b *Bucket) list(prefix, delimiter string, most int) (all []Object, err error) {
	err = b.attempt(prefix, func(ctx context.Context) error {
		all = nil
		for it := b.b.List(&blob.ListOptions{Prefix: prefix, Delimiter: delimiter}); most == 0 || len(all) < most; {
			page, cancel := context.WithTimeout(ctx, patience)
			o, err := it.Next(page)
			cancel()
			if errors.Is(err, io.EOF) {
				return nil
			}
			if err != nil {
				return err
			}
			all = append(all, Object{o.Key, o.Size, o.ModTime, hex.EncodeToString(o.MD5), o.IsDir})
		}
		return nil
	})
	return all, err
}

// Stat describes an object. The error is [fs.ErrNotExist] where there is none.
func (b *Bucket) Stat(key string) (Object, error) {
	var o Object
	err := b.attempt(key, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		a, err := b.b.Attributes(ctx, key)
		if err == nil {
			o = Object{Key: key, Size: a.Size, Modified: a.ModTime, Tag: hex.EncodeToString(a.MD5)}
		}
		return err
	})
	return o, err
}

// Read returns a whole object of at most so many bytes.
func (b *Bucket) Read(key string, most int64) ([]byte, error) {
	o, err := b.Stat(key)
	if err != nil {
		return nil, err
	}
	if o.Size > most {
		return nil, fmt.Errorf("%s has %d bytes, at most %d are taken", b.at.Join(key).Shown(), o.Size, most)
	}
	data := make([]byte, o.Size)
	return data, b.ReadAt(o, data, 0)
}

// errChanged is the error for an object that was replaced since it was listed.
var errChanged = errors.New("it was replaced while it was read: read it again from the start")

// ReadAt fills p from the bytes of an object behind an offset: all of it, or it is an error.
func (b *Bucket) ReadAt(o Object, p []byte, at int64) error {
	for len(p) > 0 {
		n := min(len(p), maxRange)
		done := 0
		err := b.attempt(o.Key, func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, patience)
			defer cancel()
			r, err := b.b.NewRangeReader(ctx, o.Key, at+int64(done), int64(n-done), nil)
			if err != nil {
				return err
			}
			defer func() { _ = r.Close() }() // of a reader
			if r.Size() != o.Size || !o.Modified.IsZero() && !r.ModTime().IsZero() &&
				!r.ModTime().Truncate(time.Second).Equal(o.Modified.Truncate(time.Second)) {
				return errChanged
			}
			got, err := io.ReadFull(r, p[done:n])
			done += got
			return err
		})
		if err != nil {
			return err
		}
		p, at = p[n:], at+int64(n)
	}
	return nil
}

// Put writes an object, which appears whole or not at all. If fresh, the error is [fs.ErrExist] where there is one.
func (b *Bucket) Put(key string, content io.ReadSeeker, fresh bool) error {
	size, err := content.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	tried := false
	return b.attempt(key, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, patience+time.Duration(size/(1<<20))*time.Second)
		defer cancel() // before Close, it discards what was written
		if _, err := content.Seek(0, io.SeekStart); err != nil {
			return err
		}
		w, err := b.b.NewWriter(ctx, key, &blob.WriterOptions{IfNotExist: fresh,
			ContentType: "application/octet-stream", DisableContentTypeDetection: true})
		if err != nil {
			return err
		}
		if _, err := io.Copy(w, content); err != nil {
			cancel()
			return errors.Join(err, w.Close())
		}
		err = w.Close()
		if fresh && tried && gcerrors.Code(err) == gcerrors.FailedPrecondition && b.holds(key, content) {
			return nil // an earlier try wrote it, and its answer was lost
		}
		tried = true
		return err
	})
}

// holds reports whether an object has some content.
func (b *Bucket) holds(key string, content io.ReadSeeker) bool {
	if _, err := content.Seek(0, io.SeekStart); err != nil {
		return false
	}
	want, err := io.ReadAll(content)
	if err != nil {
		return false
	}
	got, err := b.Read(key, int64(len(want)))
	return err == nil && bytes.Equal(got, want)
}

// Remove removes an object. One that is not there is no error.
func (b *Bucket) Remove(key string) error {
	err := b.attempt(key, func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		return b.b.Delete(ctx, key)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// attempt does something until it succeeds, fails for good, or has failed too often.
func (b *Bucket) attempt(key string, do func(ctx context.Context) error) error {
	wait := firstWait
	for try := 1; ; try++ {
		err := do(context.Background())
		if err == nil {
			return nil
		}
		if try == tries || !transient(err) {
			return b.explained(key, err)
		}
		time.Sleep(wait)
		wait *= 2
	}
}

// refusals finds the status of an answer that says that the request itself is wrong.
var refusals = regexp.MustCompile(`StatusCode: ([34][0-9][0-9])`)

// transient reports whether the same request may succeed later.
func transient(err error) bool {
	if errors.Is(err, errChanged) || noCredentials(err) {
		return false
	}
	switch gcerrors.Code(err) {
	case gcerrors.NotFound, gcerrors.AlreadyExists, gcerrors.InvalidArgument, gcerrors.PermissionDenied,
		gcerrors.FailedPrecondition, gcerrors.Unimplemented:
		return false
	}
	text := err.Error()
	if status := refusals.FindStringSubmatch(text); status != nil {
		return status[1] == "408" || status[1] == "429"
	}
	return !strings.Contains(text, "no such host")
}
