package bucket

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"gocloud.dev/blob"
)

// Location is a place in a bucket: s3://BUCKET/KEY?OPTIONS, also with gs or azblob. The options are the driver's:
// region, endpoint, use_path_style and others for s3.
type Location struct {
	Scheme, Bucket string
	Key            string // without slashes at its ends; "" is the whole bucket
	Options        string // without the question mark
}

// memory is the scheme of buckets in the memory of the process, for tests.
const memory = "mem"

// schemes are the URL schemes of buckets.
var schemes = []string{"azblob", "gs", memory, "s3"}

// Schemes lists the URL schemes of the drivers in this program, without the one for tests.
func Schemes() []string {
	return slices.DeleteFunc(slices.Clone(schemes), func(scheme string) bool {
		return scheme == memory || !blob.DefaultURLMux().ValidBucketScheme(scheme)
	})
}

// Is reports whether a path is the URL of a place in a bucket.
func Is(text string) bool {
	scheme, _, ok := strings.Cut(text, "://")
	return ok && slices.Contains(schemes, scheme)
}

// Parse reads a URL. Passwords in it are refused, and not repeated in the error.
func Parse(text string) (Location, error) {
	before, options, _ := strings.Cut(text, "?")
	scheme, rest, _ := strings.Cut(before, "://")
	name, key, _ := strings.Cut(rest, "/")
	switch {
	case strings.Contains(name, "@"):
		return Location{}, fmt.Errorf("%s://...@...: credentials do not belong in a URL, where logs and results "+
			"would show them; %s", scheme, remedyCredentials(scheme))
	case name == "":
		return Location{}, fmt.Errorf("%s: the bucket is missing: want %s://BUCKET/PATH", text, scheme)
	case strings.ContainsAny(before, "#\\*"):
		return Location{}, fmt.Errorf("%s: names of objects with #, * or \\ are not supported", text)
	}
	if _, err := url.ParseQuery(options); err != nil {
		return Location{}, fmt.Errorf("%s://%s/...: what follows the question mark is not NAME=VALUE&NAME=VALUE",
			scheme, name)
	}
	key = strings.Trim(path.Clean("/"+key), "/")
	return Location{scheme, name, key, options}, nil
}

// String returns the URL.
func (l Location) String() string {
	text := l.Scheme + "://" + path.Join(l.Bucket, l.Key)
	if l.Options != "" {
		text += "?" + l.Options
	}
	return text
}

// Shown is the URL without its options, for messages.
func (l Location) Shown() string { return l.Scheme + "://" + path.Join(l.Bucket, l.Key) }

// Join returns the place of a name, with slashes, below a place.
func (l Location) Join(name string) Location {
	l.Key = path.Join(l.Key, name)
	return l
}

// Parent returns the place above, and the name of this one in it.
func (l Location) Parent() (parent Location, name string) {
	dir, name := path.Split(l.Key)
	l.Key = strings.Trim(dir, "/")
	return l, name
}

// prefix returns the common prefix of the keys of objects below the place.
func (l Location) prefix() string {
	if l.Key == "" {
		return ""
	}
	return l.Key + "/"
}

// errNoCredentials is the cause where a driver found none.
var errNoCredentials = errors.New("no credentials")

// remedyCredentials explains how a driver finds credentials.
func remedyCredentials(scheme string) string {
	switch scheme {
	case "s3":
		return "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or give the machine a role"
	case "gs":
		return "run `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS, or give the " +
			"machine a service account"
	default:
		return "set AZURE_STORAGE_ACCOUNT, and AZURE_STORAGE_KEY or AZURE_STORAGE_SAS_TOKEN, or give the machine an " +
			"identity"
	}
}
