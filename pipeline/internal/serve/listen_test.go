package serve

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"racecard/pipeline/internal/livetest"
)

// running is a server that [Run] runs.
type running struct {
	flight string
	url    string
	dir    string
	reload chan struct{}
	stop   context.CancelFunc
	ended  chan error
	log    *lockedBuffer
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

func start(t *testing.T, change func(*Config)) *running {
	t.Helper()
	r := &running{
		dir:    filepath.Join(t.TempDir(), "tables"),
		reload: make(chan struct{}),
		ended:  make(chan error, 1),
		log:    &lockedBuffer{},
	}
	livetest.Publish(t, r.dir, livetest.Table("a", 1, 1, 4), livetest.Table("b", 1, 1, 4))
	c := Config{
		Tables:         r.dir,
		Address:        "127.0.0.1:0",
		MaxConnections: 100,
		Poll:           5 * time.Millisecond,
		Options:        DefaultOptions(),
	}
	c.Options.Logger = slog.New(slog.NewTextHandler(r.log, nil))
	if change != nil {
		change(&c)
	}
	ctx, stop := context.WithCancel(context.Background())
	r.stop = stop
	url := make(chan string, 1)
	go func() { r.ended <- Run(ctx, c, r.reload, func(at, flight string) { r.flight = flight; url <- at }) }()
	t.Cleanup(stop)
	select {
	case r.url = <-url:
	case err := <-r.ended:
		t.Fatal(err)
	}
	return r
}

func TestOnlyWhoBelongsThere(t *testing.T) {
	for _, test := range []struct {
		name string
		c    Config
		want string
	}{
		{"this machine", Config{Address: "127.0.0.1:1"}, ""},
		{"IPv6", Config{Address: "[::1]:1"}, ""},
		{"everywhere", Config{Address: ":1"}, "--insecure"},
		{"everywhere, insecure", Config{Address: ":1", Insecure: true}, ""},
		{"a network", Config{Address: "10.0.0.1:1", TokenFile: "t"}, "--tls-cert"},
		{"TLS without tokens", Config{Address: ":1", Cert: "c", Key: "k"}, "--token-file"},
		{"TLS and tokens", Config{Address: ":1", Cert: "c", Key: "k", TokenFile: "t"}, ""},
		{"client certificates", Config{Address: ":1", Cert: "c", Key: "k", ClientCA: "a"}, ""},
		{"half of TLS", Config{Address: "127.0.0.1:1", Cert: "c"}, "belong together"},
		{"client certificates without TLS", Config{Address: "127.0.0.1:1", ClientCA: "c"}, "need TLS"},
	} {
		if err := test.c.Check(); (test.want == "") != (err == nil) ||
			err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
	r := start(t, nil)
	q, _ := http.NewRequest(http.MethodGet, r.url+"/v1/jobs", nil) // a constant address
	q.Host = "rebound.example"
	a, err := http.DefaultClient.Do(q)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	if a.StatusCode != http.StatusForbidden {
		t.Errorf("a page of another site: %s", a.Status)
	}
}

// TestGenerationsUnderLoad: while tables are published again and again every answer of a batch is of one generation and
// right, and none fails. RACECARD_LONG=1 publishes every 100 ms for a minute.
func TestGenerationsUnderLoad(t *testing.T) {
	r := start(t, nil)
	stop := make(chan struct{})
	var clients sync.WaitGroup
	var answers, latest atomic.Int64
	for range 4 {
		clients.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				a, err := http.Post(r.url+"/v1/remaining", "application/json", strings.NewReader(
					`{"queries":[{"job":"a","progress":0,"tokens":1,"quantile":0.5},{"job":"b","progress":0,"tokens":1,"quantile":0.5}]}`,
				))
				if err != nil {
					t.Error(err)
					return
				}
				var got batchOf[Remaining]
				err = json.NewDecoder(a.Body).Decode(&got)
				a.Body.Close()
				want := 100 * float64(got.Generation)
				if err != nil || len(got.Answers) != 2 || got.Answers[0].RemainingS["p50"] != want ||
					got.Answers[1].RemainingS["p50"] != want {
					t.Errorf("%+v, %v", got, err)
					return
				}
				answers.Add(1)
				latest.Store(max(latest.Load(), got.Generation))
			}
		})
	}
	generations, pause, whole := 15, 20*time.Millisecond, time.Minute
	long := os.Getenv("RACECARD_LONG") != ""
	if long {
		generations, pause = 0, 100*time.Millisecond
	}
	begin := time.Now()
	for k := 2; k <= generations || long && time.Since(begin) < whole; k++ {
		livetest.Publish(t, r.dir, livetest.Table("a", float64(k), 1, 4), livetest.Table("b", float64(k), 1, 4))
		generations = max(generations, k)
		time.Sleep(pause)
	}
	r.reload <- struct{}{}
	for range 1000 {
		if latest.Load() == int64(generations) {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	close(stop)
	clients.Wait()
	t.Logf("%d answers over %d generations", answers.Load(), latest.Load())
	if latest.Load() != int64(generations) || answers.Load() < int64(generations) {
		t.Errorf("%d answers up to generation %d, want %d", answers.Load(), latest.Load(), generations)
	}
}

// A folder that is removed, and one that is damaged, change nothing.
func TestFolderGone(t *testing.T) {
	r := start(t, nil)
	if err := os.RemoveAll(r.dir); err != nil {
		t.Fatal(err)
	}
	r.reload <- struct{}{}
	r.reload <- struct{}{}
	a, err := http.Get(r.url + "/v1/remaining?job=a&progress=0&tokens=1")
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	if a.StatusCode != http.StatusOK {
		t.Errorf("status %s", a.Status)
	}
	for range 400 {
		if strings.Contains(r.log.String(), "tables not reloaded") {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("nothing in the log: %s", r.log)
}

// TestHostileConnections: connections that send slowly, nothing or nonsense do not keep others from answers.
func TestHostileConnections(t *testing.T) {
	r := start(t, func(c *Config) { c.MaxConnections = 600 })
	address := strings.TrimPrefix(r.url, "http://")
	for i := range 500 {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		switch i % 4 {
		case 1:
			fmt.Fprint(conn, "POST /v1/decide HTTP/1.1\r\nHost: localhost\r\nContent-Le")
		case 2:
			fmt.Fprint(
				conn,
				"POST /v1/decide HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "+
					"1000\r\n\r\n{",
			)
		case 3:
			fmt.Fprint(conn, "\x16\x03\x01\x00\xa5\x01\x00\x00")
		}
	}
	a, err := http.Get(r.url + "/readyz")
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	if a.StatusCode != http.StatusOK {
		t.Errorf("status %s", a.Status)
	}
	// A request whose headers are too long is refused.
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	go func() {
		fmt.Fprint(conn, "GET / HTTP/1.1\r\nHost: localhost\r\nX: "+strings.Repeat("x", 1<<20)+"\r\n\r\n")
	}()
	line, _ := bufio.NewReader(conn).ReadString('\n')
	if !strings.Contains(line, "431") {
		t.Errorf("headers of a megabyte: %q", line)
	}
}

// Limits on time are those of the HTTP server.
func TestTimeLimits(t *testing.T) {
	h := httpServer(http.NotFoundHandler(), 100, slog.New(slog.DiscardHandler))
	if h.ReadHeaderTimeout != headerTime || h.ReadTimeout != bodyTime || h.WriteTimeout != answerTime ||
		h.IdleTimeout != idleTime ||
		h.MaxHeaderBytes != mostHeader {
		t.Errorf("%+v", h)
	}
}

// TestEnd: a server that is told to end answers what it was asked, keeps its journal, and another one goes on from
// there.
func TestEnd(t *testing.T) {
	journal := filepath.Join(t.TempDir(), "journal")
	r := start(t, func(c *Config) { c.Journal = journal })
	ask := func(r *running, now int) Decision {
		t.Helper()
		a, err := http.Post(r.url+"/v1/decide", "application/json", strings.NewReader(step("x", float64(now), now/5)))
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		var d Decision
		if err := json.NewDecoder(a.Body).Decode(&d); err != nil || a.StatusCode != http.StatusOK {
			t.Fatal(a.Status, err)
		}
		return d
	}
	ask(r, 0)
	ask(r, 10)
	busy := Config{Tables: r.dir, Address: "127.0.0.1:0", Journal: journal, Options: DefaultOptions()}
	if err := Run(context.Background(), busy, nil, nil); err == nil ||
		!strings.Contains(err.Error(), "another process") {
		t.Errorf("two servers with one journal: %v", err)
	}
	r.stop()
	if err := <-r.ended; err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(journal)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v: want a journal that only its owner reads", info, err)
	}
	again := start(t, func(c *Config) { c.Journal = journal })
	if d := ask(again, 20); d.Steps != 3 {
		t.Errorf("%d steps, want 3", d.Steps)
	}
}

// certificate writes a certificate of this machine and its key.
func certificate(t *testing.T) (cert, key string, pool *x509.CertPool) {
	return certificateUntil(t, time.Now().Add(time.Hour))
}

func certificateUntil(t *testing.T, until time.Time) (cert, key string, pool *x509.CertPool) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(1),
		NotAfter:              until,
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA:                  true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	public := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	for name, data := range map[string][]byte{cert: public, key: pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY",
		Bytes: secret})} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	pool = x509.NewCertPool()
	pool.AppendCertsFromPEM(public)
	return cert, key, pool
}

func TestTLS(t *testing.T) {
	cert, key, pool := certificate(t)
	r := start(t, func(c *Config) { c.Cert, c.Key, c.ClientCA = cert, key, cert })
	load := func(cert, key string) []tls.Certificate {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			t.Fatal(err)
		}
		return []tls.Certificate{pair}
	}
	other, otherKey, _ := certificate(t)
	for _, test := range []struct {
		name  string
		certs []tls.Certificate
		ok    bool
	}{{"with a certificate", load(cert, key), true}, {"without", nil, false},
		{"with one of another authority", load(other, otherKey), false}} {
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool,
			GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { // whatever the server wants
				if len(test.certs) == 0 {
					return &tls.Certificate{}, nil
				}
				return &test.certs[0], nil
			}}}}
		a, err := client.Get(r.url + "/v1/jobs")
		if (err == nil && a.StatusCode == http.StatusOK) != test.ok {
			t.Errorf("%s: %v, %v", test.name, a, err)
		}
		if err == nil {
			a.Body.Close()
		}
	}
	if a, err := http.Get("http" + strings.TrimPrefix(r.url, "https") + "/v1/jobs"); err == nil {
		text, _ := io.ReadAll(a.Body)
		a.Body.Close()
		if a.StatusCode == http.StatusOK {
			t.Errorf("without TLS: %s", text)
		}
	}
}

// Tokens are read again with the tables.
func TestTokensChange(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens")
	write := func(token string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(token+" read\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("0123456789abcdef")
	r := start(t, func(c *Config) { c.TokenFile = file })
	status := func(token string) int {
		t.Helper()
		q, _ := http.NewRequest(http.MethodGet, r.url+"/v1/jobs", nil) // a constant address
		q.Header.Set("Authorization", "Bearer "+token)
		a, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		return a.StatusCode
	}
	if got := status("0123456789abcdef"); got != 200 {
		t.Fatal(got)
	}
	write("fedcba9876543210")
	r.reload <- struct{}{}
	r.reload <- struct{}{} // the first one has been handled
	if before, after := status("0123456789abcdef"), status("fedcba9876543210"); before != 401 || after != 200 {
		t.Errorf("the older token: %d, the newer one: %d", before, after)
	}
}

// A certificate that has expired, of a trusted authority, is refused.
func TestExpiredCertificate(t *testing.T) {
	cert, key, pool := certificate(t)
	expired, expiredKey, _ := certificateUntil(t, time.Now().Add(-time.Minute))
	r := start(t, func(c *Config) { c.Cert, c.Key, c.ClientCA = cert, key, expired })
	pair, err := tls.LoadX509KeyPair(expired, expiredKey)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool,
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }}}}
	if a, err := client.Get(r.url + "/v1/jobs"); err == nil {
		a.Body.Close()
		t.Errorf("an expired certificate: %s", a.Status)
	}
}

// Arrow Flight has the certificates and tokens of the server, and ends with it.
func TestFlight(t *testing.T) {
	cert, key, pool := certificate(t)
	tokens := filepath.Join(t.TempDir(), "tokens")
	if err := os.WriteFile(tokens, []byte("0123456789abcdef read\nfedcba9876543210 decide\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := start(t, func(c *Config) { c.Flight, c.Cert, c.Key, c.TokenFile = "127.0.0.1:0", cert, key, tokens })
	address, ok := strings.CutPrefix(r.flight, "grpc+tls://")
	if !ok {
		t.Fatalf("served at %q", r.flight)
	}
	client, err := flight.NewClientWithMiddleware(address, nil, nil,
		grpc.WithTransportCredentials(credentials.NewClientTLSFromCert(pool, "")))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	for token, want := range map[string]codes.Code{
		"0123456789abcdef": codes.OK, "fedcba9876543210": codes.PermissionDenied,
		"wrong-wrong-wrong": codes.Unauthenticated,
	} {
		ctx := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer "+token)
		_, err := client.GetSchema(ctx, &flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{"a"}})
		if status.Code(err) != want {
			t.Errorf("%s: %v, want %v", token, err, want)
		}
	}
	r.stop()
	if err := <-r.ended; err != nil {
		t.Error(err)
	}
	for _, c := range []Config{{Address: "127.0.0.1:1", Flight: ":1"}, {Address: "127.0.0.1:1", Flight: ":1", Cert: "c",
		Key: "k"}} {
		if c.Check() == nil {
			t.Errorf("%+v: reachable from other machines", c)
		}
	}
}
