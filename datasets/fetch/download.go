package fetch

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"time"
)

// download is the work of one [Get].
type download struct {
	*target
	client *http.Client
	o      Options
	// spliced reports whether the content came in more than one response. Then a wrong checksum may be due to a
	// remote file that changed in between.
	spliced bool
}

// advance is how many new bytes make up for a failed attempt: a line that breaks often still gets there, and one that
// gives next to nothing is given up.
const advance = 64 << 10

// mirror downloads from one mirror, as often as it takes, and verifies.
func (d *download) mirror(ctx context.Context, url string) (Result, error) {
	var most int64
	again := false // begun anew because of a wrong checksum
	for idle := 0; ; {
		d.spliced = false
		err := d.attempt(ctx, url)
		if err == nil {
			var r Result
			r, err = d.verify(ctx, url)
			if err == nil || !errors.As(err, new(*ChecksumError)) || !d.spliced || again {
				return r, err
			}
			d.notice("%s: %v; it came in pieces, beginning anew", d.file.Path, err)
			again, most = true, 0
			continue
		}
		var fail *failure
		if !errors.As(err, &fail) || fail.permanent {
			return Result{}, err
		}
		have, sizeErr := d.partSize()
		if sizeErr != nil {
			return Result{}, sizeErr
		}
		if have >= most+advance {
			most, idle = have, 0
		}
		idle++
		if idle >= d.o.Attempts {
			return Result{}, lasting("%w; given up after %d attempts that brought nothing new", err, idle)
		}
		wait, err := d.wait(idle, fail)
		if err != nil {
			return Result{}, err
		}
		d.notice("%s: %v; next attempt in %v", d.file.Path, fail, wait.Round(time.Millisecond))
		if err := d.o.Sleep(ctx, wait); err != nil {
			return Result{}, err
		}
	}
}

// verify checks a complete download. A file that fails the publisher's checks is removed.
func (d *download) verify(ctx context.Context, url string) (Result, error) {
	got, err := d.measure(ctx, d.part())
	if err != nil {
		return Result{}, err
	}
	if err := got.compare(d.file); err != nil {
		return Result{}, errors.Join(lasting("%w", err), d.discard())
	}
	if !d.file.published() {
		if err := d.whole(ctx, d.part(), got.bytes); errors.As(err, new(*failure)) {
			return Result{}, errors.Join(err, d.discard())
		} else if err != nil {
			return Result{}, err
		}
	}
	record, err := d.loadRecord()
	if err != nil {
		return Result{}, err
	}
	if first, known := record.Files[d.file.Path]; known && !d.file.published() && first.SHA256 != got.sha256 {
		return Result{}, &ChangedError{d.shown(d.file.Path), first.SHA256, got.sha256}
	}
	return Result{Path: d.file.Path, URL: url, Bytes: got.bytes, SHA256: got.sha256, Published: d.file.published()}, nil
}

// attempt makes one request and appends the body to the .part file. Without an error the file is complete.
func (d *download) attempt(ctx context.Context, url string) (err error) {
	part, err := d.root.OpenFile(d.part(), os.O_WRONLY|os.O_CREATE, 0o644)
	if err != nil {
		return d.local(err)
	}
	defer func() {
		if closed := part.Close(); err == nil {
			err = d.local(closed)
		}
	}()
	a := &arrival{download: d, url: url, part: part}
	if err := a.resume(); err != nil || a.finished() {
		return err
	}
	quiet, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	a.stall = time.AfterFunc(d.o.Stall, func() { cancel(errStalled) })
	defer a.stall.Stop()
	resp, err := d.client.Do(a.request(quiet))
	if err != nil {
		return a.broken(quiet, err)
	}
	defer resp.Body.Close()
	if err := a.accept(resp); err != nil {
		return err
	}
	if a.finished() {
		return nil
	}
	if err := a.receive(quiet, resp); err != nil {
		return err
	}
	return d.local(part.Sync())
}

// arrival is one attempt: the bytes present, and the bytes requested.
type arrival struct {
	*download
	url   string
	part  *os.File
	stall *time.Timer
	have  int64
	state state
}

// finished reports whether everything is there.
func (a *arrival) finished() bool { return a.state.Bytes > 0 && a.have == a.state.Bytes }

// resume finds out how much of the file is there to go on from. What came from elsewhere, or without a validator, is
// only of use when a checksum will tell whether the pieces fit.
func (a *arrival) resume() error {
	info, err := a.part.Stat()
	if err != nil {
		return a.local(err)
	}
	a.have, a.state = info.Size(), a.loadState()
	if a.state.URL != a.url {
		a.state = state{Bytes: a.file.Size}
	}
	if a.have > 0 && (a.state.validator() == "" && !a.file.published() || a.state.Bytes > 0 && a.have > a.state.Bytes) {
		return a.restart()
	}
	a.spliced = a.spliced || a.have > 0
	return nil
}

// restart drops the bytes received so far.
func (a *arrival) restart() error {
	a.have, a.state, a.spliced = 0, state{}, false
	return errors.Join(a.local(a.part.Truncate(0)), a.remove(a.stateOf()))
}

// receive appends the body of a response.
func (a *arrival) receive(ctx context.Context, resp *http.Response) error {
	in := bufio.NewReaderSize(resp.Body, 256<<10)
	if a.have == 0 {
		head, _ := in.Peek(headSize) // an error comes again when it is read
		if why := wrongKind(a.file.Path, head); why != "" {
			return lasting("%s", why)
		}
	}
	if _, err := a.part.Seek(a.have, io.SeekStart); err != nil {
		return a.local(err)
	}
	buf := make([]byte, 256<<10)
	since, had := time.Now(), a.have
	for {
		a.progress()
		a.stall.Reset(a.o.Stall)
		n, err := in.Read(buf)
		a.stall.Stop() // a slow disk is no stall
		switch {
		case a.file.Size > 0 && a.have+int64(n) > a.file.Size:
			return errors.Join(lasting("the server sends more than the %d bytes that are published", a.file.Size),
				a.restart())
		case a.state.Bytes > 0 && a.have+int64(n) > a.state.Bytes:
			return errors.Join(lasting("the server sends more than the %d bytes that it said", a.state.Bytes),
				a.restart())
		}
		if err := a.tooLong(a.have + int64(n)); err != nil {
			return err
		}
		if _, err := a.part.Write(buf[:n]); err != nil {
			return a.local(err)
		}
		a.have += int64(n)
		switch {
		case errors.Is(err, io.EOF):
			return a.end(resp)
		case err != nil:
			return a.broken(ctx, err)
		}
		if took := time.Since(since); took >= a.o.Stall {
			if got := a.have - had; got < a.o.Least {
				return passing("%w: %d bytes in %v, at least %d are wanted", errSlow, got, took.Round(time.Millisecond),
					a.o.Least)
			}
			since, had = time.Now(), a.have
		}
	}
}

// end checks that the end of a response is the end of the file.
func (a *arrival) end(resp *http.Response) error {
	a.progress()
	want := max(a.state.Bytes, a.file.Size)
	switch {
	case want > 0 && a.have < want:
		return passing("it ended after %d of %d bytes", a.have, want)
	case want == 0 && unframed(resp) && !a.file.published():
		return errors.Join(lasting("neither the server nor the publisher says how long the file is, so that one "+
			"cannot tell whether it is whole"), a.restart())
	case a.have == 0:
		return lasting("the server sends an empty file")
	}
	return nil
}

func (a *arrival) progress() {
	if a.o.Progress != nil {
		a.o.Progress(a.have, max(a.state.Bytes, a.file.Size))
	}
}
