package serve

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"golang.org/x/net/netutil"
	"google.golang.org/grpc/codes"

	"racecard/datasets/fault"
	"racecard/datasets/indexed"
	"racecard/datasets/publish"
	"racecard/datasets/tablefile"
	"racecard/pipeline/internal/flight"
	"racecard/pipeline/live"
)

// Config holds the addresses of a server and its access control.
type Config struct {
	Tables         string // folder
	Address        string // host and port
	Flight         string // host and port of Arrow Flight; "" for none
	Journal        string // file; "" for none
	TokenFile      string // "" for none
	Cert, Key      string // files of TLS; "" for none
	ClientCA       string // file of CA certificates for clients; "" for none
	Insecure       bool   // serve other machines without TLS or tokens
	MaxConnections int
	Drain          time.Duration // between the signal to end and the end of listening
	Poll           time.Duration // period of checks for changed tables
	Options        Options
}

// Check reports a configuration that would admit unnamed clients.
func (c *Config) Check() error {
	if (c.Cert == "") != (c.Key == "") {
		return errors.New("a certificate and its key belong together: --tls-cert, --tls-key")
	}
	if c.ClientCA != "" && c.Cert == "" {
		return errors.New("client certificates need TLS: --tls-cert, --tls-key")
	}
	if c.Insecure {
		return nil
	}
	for _, address := range []string{c.Address, c.Flight} {
		switch {
		case address == "", isLoopback(address):
		case c.Cert == "":
			return fmt.Errorf("%s can be reached from other machines: give --tls-cert and --tls-key, listen on "+
				"127.0.0.1, or say --insecure", address)
		case c.TokenFile == "" && c.ClientCA == "":
			return fmt.Errorf("%s can be reached from other machines: give --token-file or --client-ca, or say "+
				"--insecure", address)
		}
	}
	return nil
}

// Run serves until ctx is done, then drains and returns. reload makes it read the tables and tokens again. started
// receives the addresses that it listens on; flightURL is empty when Arrow Flight is off.
func Run(ctx context.Context, c Config, reload <-chan struct{}, started func(url, flightURL string)) error {
	if err := c.Check(); err != nil {
		return err
	}
	log := c.Options.Logger
	tables, err := live.Open(c.Tables)
	if err != nil {
		return fmt.Errorf("%s: %w", c.Tables, err)
	}
	if c.Options.Credentials, err = c.credentials(); err != nil {
		return err
	}
	c.Options.LocalOnly = isLoopback(c.Address) && c.TokenFile == "" && c.ClientCA == "" && !c.Insecure
	var kept *publish.Log
	cut := int64(0)
	if c.Journal != "" {
		if kept, cut, err = publish.OpenLog(c.Journal); err != nil {
			return err
		}
		defer func() { _ = kept.Close() }() // every line is written by then
		c.Options.Journal = kept
	}
	s := New(tables, c.Options)
	if kept != nil {
		if err := restore(s, kept, cut); err != nil {
			return fmt.Errorf("%s: %w", c.Journal, err)
		}
	}
	tlsConfig, err := c.tls()
	if err != nil {
		return err
	}
	listener, err := c.listen(c.Address)
	if err != nil {
		return err
	}
	var bulk net.Listener
	flightURL := ""
	if c.Flight != "" {
		if bulk, err = c.listen(c.Flight); err != nil {
			return errors.Join(err, listener.Close())
		}
		flightURL = "grpc://" + bulk.Addr().String()
		if tlsConfig != nil {
			flightURL = "grpc+tls://" + bulk.Addr().String()
		}
	}
	url := "http://" + listener.Addr().String()
	if tlsConfig != nil {
		url = "https://" + listener.Addr().String()
		listener = tls.NewListener(listener, tlsConfig)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	again := make(chan struct{}, 1)
	go func() {
		defer fault.Trap()
		for {
			select {
			case <-ctx.Done():
				return
			case <-reload:
				if now, err := c.credentials(); err != nil {
					log.Error("tokens not reloaded", "error", err)
				} else {
					s.SetCredentials(now)
				}
				again <- struct{}{}
			}
		}
	}()
	go func() {
		defer fault.Trap()
		s.Watch(ctx, c.Poll, func() string { return stamp(c.Tables) }, again)
	}()
	go func() {
		defer fault.Trap()
		s.watchIdle(ctx)
	}()
	started(url, flightURL)
	if bulk == nil {
		return s.serve(ctx, listener, &c)
	}
	failed := make(chan error, 1)
	go func() {
		defer fault.Trap()
		defer stop() // both end together
		failed <- flight.Serve(ctx, bulk, tables, flight.Options{TLS: tlsConfig, Access: s.access,
			Closed: s.draining.Load})
	}()
	err = s.serve(ctx, listener, &c)
	stop()
	return errors.Join(err, <-failed)
}

// serve answers connections until ctx is done, and then drains.
func (s *Server) serve(ctx context.Context, listener net.Listener, c *Config) error {
	h := httpServer(s, c.MaxConnections, s.o.Logger)
	failed := make(chan error, 1)
	go func() {
		defer fault.Trap()
		failed <- h.Serve(listener)
	}()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	s.o.Logger.Info("draining", "for", c.Drain.String())
	s.Drain()
	time.Sleep(c.Drain)
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTime)
	defer cancel()
	if err := h.Shutdown(last); err != nil {
		return errors.Join(err, h.Close())
	}
	s.o.Logger.Info("stopped")
	return nil
}

// restore resumes the control loops of a journal. A broken last line of so many bytes was cut off, 0 for none.
func restore(s *Server, kept *publish.Log, cut int64) error {
	restored, broken, err := s.Restore(kept.Lines())
	if cut > 0 {
		broken++
	}
	s.o.Logger.Info("journal read", "bytes", kept.Size(), "control loops", restored, "broken lines", broken,
		"bytes cut off", cut)
	return err
}

// credentials reads the file of tokens; nil where there is none.
func (c *Config) credentials() (*Credentials, error) {
	if c.TokenFile == "" {
		return nil, nil //nolint:nilnil // none are wanted
	}
	data, err := os.ReadFile(c.TokenFile)
	if err != nil {
		return nil, err
	}
	found, err := parseCredentials(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.TokenFile, err)
	}
	return &found, nil
}

// access decides on a request of Arrow Flight.
func (s *Server) access(header string) codes.Code {
	c := s.credentials.Load()
	if c == nil {
		return codes.OK
	}
	switch c.check(header, ScopeRead, s.o.Now()) {
	case 0:
		return codes.OK
	case http.StatusForbidden:
		return codes.PermissionDenied
	default:
		return codes.Unauthenticated
	}
}

// listen opens a socket.
func (c *Config) listen(address string) (net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	return netutil.LimitListener(listener, c.MaxConnections), nil
}

// tls reads the certificates, nil where none are configured.
func (c *Config) tls() (*tls.Config, error) {
	if c.Cert == "" {
		return nil, nil //nolint:nilnil // none are wanted
	}
	pair, err := tls.LoadX509KeyPair(c.Cert, c.Key)
	if err != nil {
		return nil, err
	}
	o := &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12,
		NextProtos: []string{"http/1.1"}}
	if c.ClientCA != "" {
		data, err := os.ReadFile(c.ClientCA)
		if err != nil {
			return nil, err
		}
		o.ClientCAs, o.ClientAuth = x509.NewCertPool(), tls.RequireAndVerifyClientCert
		if !o.ClientCAs.AppendCertsFromPEM(data) {
			return nil, fmt.Errorf("%s: no certificates", c.ClientCA)
		}
	}
	return o, nil
}

// stamp is a text that changes with the index of a folder of tables, and so with every table: its version tag in a
// bucket, else the checksum of its content, since a file may be replaced by one of the same size and time.
func stamp(folder string) string {
	path := publish.Join(folder, tablefile.IndexFile)
	info, err := publish.Stat(path)
	if err != nil {
		return "absent"
	}
	if tag := publish.Tag(info); tag != "" {
		return tag
	}
	data, err := publish.ReadFile(path)
	if err != nil {
		return "absent"
	}
	return indexed.Sum(data)
}
