package bucket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"gocloud.dev/gcerrors"
)

// Error is a request that failed. It is [fs.ErrNotExist], [fs.ErrExist] or [fs.ErrPermission] where it means the same.
type Error struct {
	URL    string // without options
	Reason string // with the remedy
	Of     error  // of package fs, nil if none stands for the reason
	Again  bool   // the network or the server failed: the same request may succeed later
}

// Error names the URL, the reason and the remedy.
func (e *Error) Error() string { return e.URL + ": " + e.Reason }

// Unwrap returns the error of package fs that stands for the reason, nil if none does.
func (e *Error) Unwrap() error { return e.Of }

// noCredentials reports whether a driver found no credentials.
func noCredentials(err error) bool {
	text := err.Error()
	return slices.ContainsFunc([]string{"no EC2 IMDS role found", "failed to refresh cached credentials",
		"could not find default credentials",
		"DefaultAzureCredential", "AZURE_STORAGE_ACCOUNT", "Options.AccountName is required",
		"private key should be a PEM", "failed to get shared config profile", "get credentials"}, func(sign string) bool {
		return strings.Contains(text, sign)
	})
}

// explained turns an error of a driver into one with the URL, the cause and the remedy.
func (b *Bucket) explained(key string, err error) error {
	e := &Error{URL: b.at.Join(key).Shown()}
	text := plain(err.Error())
	said := text // but for names that users chose, which may hold anything
	for _, name := range []string{b.at.Join(key).Key, key} {
		if name != "" {
			said = strings.ReplaceAll(said, name, "")
		}
	}
	has := func(signs ...string) bool {
		return slices.ContainsFunc(signs, func(s string) bool { return strings.Contains(said, s) })
	}
	credentials := remedyCredentials(b.at.Scheme)
	switch code := gcerrors.Code(err); {
	case errors.Is(err, errChanged):
		e.Reason = errChanged.Error()
	case noCredentials(err):
		e.Reason, e.Of = fmt.Sprintf("%v were found: %s", errNoCredentials, credentials), fs.ErrPermission
	case has("NoSuchBucket", "ContainerNotFound", "bucket does not exist", "bucket doesn't exist"):
		e.Reason = fmt.Sprintf("there is no bucket %s: check its name, the region and the endpoint, or make it",
			b.at.Bucket)
	case has("InvalidBucketName"):
		e.Reason = fmt.Sprintf("%q is no name of a bucket: want %s://BUCKET/PATH", b.at.Bucket, b.at.Scheme)
	case has("PermanentRedirect", "AuthorizationHeaderMalformed", "MovedPermanently"):
		e.Reason = "the bucket is in another region: set AWS_REGION, or add ?region=REGION to the URL"
	case has("Invalid Configuration: Missing Region", "MissingRegion", "an AWS region is required", "Invalid region"):
		e.Reason = "the region is not known: set AWS_REGION, or add ?region=REGION to the URL"
	case has("InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken", "InvalidToken", "AuthenticationFailed"):
		e.Reason, e.Of = "the credentials are not accepted: "+credentials, fs.ErrPermission
	case code == gcerrors.PermissionDenied || has("AccessDenied") || forbidden.MatchString(said):
		e.Reason, e.Of = "the credentials do not allow it: ask the owner of the bucket for permission to list, read "+
			"or write there", fs.ErrPermission
	case code == gcerrors.NotFound:
		e.Reason, e.Of = "there is no such object", fs.ErrNotExist
	case code == gcerrors.FailedPrecondition || code == gcerrors.AlreadyExists:
		e.Reason, e.Of = "it is there already", fs.ErrExist
	case errors.Is(err, context.DeadlineExceeded) || code == gcerrors.DeadlineExceeded:
		e.Again = true
		e.Reason = fmt.Sprintf("no answer within %v, tried %d times: check the network, then give the command again",
			patience, tries)
	case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
		e.Again = true
		e.Reason = fmt.Sprintf("the transfer broke off %d times: check the network, then give the command again", tries)
	default:
		e.Again = true
		e.Reason = brief(text) + ": check the network and the endpoint, then give the command again"
	}
	return e
}

var (
	query      = regexp.MustCompile(`\?[^\s"']*`)
	blanks     = regexp.MustCompile(`\s+`)
	own        = regexp.MustCompile(`^blob (\(key "[^"]*"\) )?\(code=\w+\): `) // of gocloud.dev
	forbidden  = regexp.MustCompile(`\b403\b`)                                 // the status of HTTP
	requestIDs = regexp.MustCompile(`(, )?(RequestID|HostID): [^,]*`)
)

// longest bounds the text of a driver in a message, in bytes.
const longest = 300

// plain is the text of a driver on one line, without the options of URLs, which may hold a signature.
func plain(text string) string {
	text = blanks.ReplaceAllString(requestIDs.ReplaceAllString(query.ReplaceAllString(text, ""), ""), " ")
	return own.ReplaceAllString(text, "")
}

// brief is the beginning of a text.
func brief(text string) string {
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + "..."
	}
	return text
}
