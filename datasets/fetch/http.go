package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// maxRedirects is how many redirects are followed.
const maxRedirects = 10

var (
	errStalled  = errors.New("nothing arrived any more")
	errSlow     = errors.New("the server is too slow")
	errRedirect = errors.New("redirect refused")
)

// withPolicy returns the client with our policy for redirects.
func withPolicy(client *http.Client) *http.Client {
	c := *client
	c.CheckRedirect = func(req *http.Request, via []*http.Request) error {
		switch {
		case len(via) > maxRedirects:
			return fmt.Errorf("%w: more than %d of them", errRedirect, maxRedirects)
		case via[len(via)-1].URL.Scheme == "https" && req.URL.Scheme != "https":
			return fmt.Errorf("%w: from https to %s://%s", errRedirect, req.URL.Scheme, req.URL.Host)
		}
		return nil
	}
	return &c
}

// newRequest asks for the bytes of the file as they are stored: a server that compresses them on the way would change
// sizes and checksums, and make ranges meaningless.
func (o *Options) newRequest(ctx context.Context, method, url string) *http.Request {
	req, err := http.NewRequestWithContext(ctx, method, url, http.NoBody)
	if err != nil {
		panic(err) // File.Validate has parsed the URL
	}
	req.Header.Set("Accept-Encoding", "identity")
	req.Header.Set("User-Agent", o.UserAgent)
	if user := o.Access.User; user != nil {
		password, _ := user.Password()
		req.SetBasicAuth(user.Username(), password)
	}
	if o.Access.Query != "" {
		req.URL.RawQuery = strings.TrimPrefix(req.URL.RawQuery+"&"+o.Access.Query, "&")
	}
	return req
}

// withoutURL leaves the URL out of an error of the client: it may hold a token, and messages name the mirror anyway.
func withoutURL(err error) error {
	var at *url.Error
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

func (a *arrival) request(ctx context.Context) *http.Request {
	req := a.o.newRequest(ctx, http.MethodGet, a.url)
	if a.have > 0 {
		req.Header.Set("Range", fmt.Sprintf("bytes=%d-", a.have))
		if v := a.state.validator(); v != "" {
			req.Header.Set("If-Range", v)
		}
	}
	return req
}

// broken classifies a request that ended in an error: for good, or worth a retry.
func (a *arrival) broken(ctx context.Context, err error) error {
	var dns *net.DNSError
	err = withoutURL(err)
	switch {
	case errors.Is(context.Cause(ctx), errStalled):
		return passing("%w for %v", errStalled, a.o.Stall)
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errRedirect), errors.As(err, &dns) && dns.IsNotFound,
		errors.As(err, new(x509.UnknownAuthorityError)), errors.As(err, new(x509.HostnameError)),
		errors.As(err, new(x509.CertificateInvalidError)), errors.As(err, new(tls.RecordHeaderError)),
		strings.Contains(err.Error(), "unsupported protocol scheme"):
		return lasting("%w", err)
	}
	return passing("%w", err)
}

// accept looks at the status and the headers of a response, and prepares for its body.
func (a *arrival) accept(resp *http.Response) error {
	switch resp.StatusCode {
	case http.StatusOK:
		if err := a.restart(); err != nil {
			return err
		}
		a.state = state{URL: a.url, ETag: resp.Header.Get("ETag"), LastModified: resp.Header.Get("Last-Modified"),
			Bytes: max(resp.ContentLength, 0)}
	case http.StatusPartialContent:
		if err := a.continued(resp); err != nil {
			return err
		}
	case http.StatusRequestedRangeNotSatisfiable:
		if _, size, _ := strings.Cut(resp.Header.Get("Content-Range"), "*/"); a.have > 0 &&
			size == strconv.FormatInt(a.have, 10) {
			// nothing is missing: the first response did not say, or was wrong about, how long the file is
			a.state.Bytes = a.have
			return nil
		}
		return errors.Join(a.restart(),
			passing("the server has no bytes from %d on (%s); beginning anew", a.have, resp.Status))
	default:
		return a.refused(resp)
	}
	if a.file.Size > 0 && a.state.Bytes > 0 && a.state.Bytes != a.file.Size {
		return errors.Join(lasting("the server has a file of %d bytes, published are %d", a.state.Bytes, a.file.Size),
			a.restart())
	}
	if err := a.tooLong(a.state.Bytes); err != nil {
		return err
	}
	if e := resp.Header.Get("Content-Encoding"); e != "" && e != "identity" && !strings.HasSuffix(a.file.Path, "gz") {
		return lasting("the server compresses the file on the way (Content-Encoding: %.20q)", e)
	}
	return a.saveState(a.state)
}

// tooLong returns the error of a file that has, or will have, more bytes than may arrive. Nothing of it is kept.
func (a *arrival) tooLong(bytes int64) error {
	if a.file.Limit == 0 || bytes <= a.file.Limit {
		return nil
	}
	return errors.Join(lasting("the server sends more than the %d bytes that were agreed to: it was cut off, and "+
		"nothing is kept", a.file.Limit), a.restart())
}

// continued checks that a partial response goes on where we are, in the same file.
func (a *arrival) continued(resp *http.Response) error {
	from, total, ok := contentRange(resp.Header.Get("Content-Range"))
	etag := resp.Header.Get("ETag")
	same := a.state.URL == "" || (a.state.ETag == "" || etag == "" || etag == a.state.ETag) &&
		(a.state.Bytes == 0 || total == 0 || total == a.state.Bytes)
	switch {
	case !ok || from != a.have || a.have == 0:
		return errors.Join(a.restart(), passing("asked for bytes from %d on, the server sends Content-Range %.60q; "+
			"beginning anew", a.have, resp.Header.Get("Content-Range")))
	case !same:
		return errors.Join(a.restart(), passing("the remote file has changed since the download began; beginning anew"))
	case a.state.URL == "":
		a.state = state{URL: a.url, ETag: etag, LastModified: resp.Header.Get("Last-Modified")}
	}
	a.state.Bytes = max(a.state.Bytes, total)
	return nil
}

// contentRange reads "bytes 5-9/10": where the range begins, and the size of the file, 0 for *.
func contentRange(s string) (from, total int64, ok bool) {
	s, found := strings.CutPrefix(s, "bytes ")
	first, rest, dash := strings.Cut(s, "-")
	_, size, slash := strings.Cut(rest, "/")
	from, err := strconv.ParseInt(first, 10, 64)
	if err != nil || !found || !dash || !slash || from < 0 {
		return 0, 0, false
	}
	if size == "*" {
		return from, 0, true
	}
	total, err = strconv.ParseInt(size, 10, 64)
	return from, total, err == nil && total > from
}

// refused explains a status other than success.
func (a *arrival) refused(resp *http.Response) error {
	switch resp.StatusCode {
	case http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return &failure{err: fmt.Errorf("the server answers %s", resp.Status),
			after: retryAfter(resp.Header.Get("Retry-After"), a.o.Now())}
	}
	return lasting("the server answers %s", resp.Status)
}

// retryAfter reads the seconds or the date of a Retry-After header; 0 when there is none.
func retryAfter(s string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseInt(s, 10, 32); err == nil {
		return time.Duration(max(seconds, 0)) * time.Second
	}
	if at, err := http.ParseTime(s); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// wait returns how long to wait after the idle-th failure in a row.
func (d *download) wait(idle int, fail *failure) (time.Duration, error) {
	if fail.after > d.o.MaxWait {
		return 0, lasting("%w, and asks to come back in %v", fail.err, fail.after)
	}
	doubled := math.Min(float64(d.o.Backoff)*math.Pow(2, float64(idle-1)), float64(d.o.MaxWait))
	return max(fail.after, time.Duration(doubled*(1+d.o.Jitter())/2)), nil
}

// unframed reports whether only the end of the connection marks the end of a response, so that a broken connection
// looks like the end.
func unframed(resp *http.Response) bool {
	return resp.ContentLength < 0 && resp.ProtoMajor == 1 && len(resp.TransferEncoding) == 0
}

// Length asks the mirrors of a file, without downloading, how long it is: 0 when none says. It asks each once and waits
// no longer than o.Stall.
func Length(ctx context.Context, client *http.Client, f File, o Options) (int64, error) {
	if err := errors.Join(f.Validate(), o.Validate()); err != nil {
		return 0, err
	}
	c := withPolicy(client)
	for _, u := range f.URLs {
		brief, cancel := context.WithTimeout(ctx, o.Stall)
		resp, err := c.Do(o.newRequest(brief, http.MethodHead, u))
		cancel()
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		if err != nil {
			continue
		}
		resp.Body.Close()
		if resp.StatusCode == http.StatusOK && resp.ContentLength > 0 {
			return resp.ContentLength, nil
		}
	}
	return 0, nil
}
