package cli

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// Variables with the paths of programs, of which one is set: versitygw serves S3, fake-gcs-server Google Cloud Storage,
// azurite-blob Azure. See the recipes test-s3, test-gs and test-azblob of the justfile.
const (
	s3Server = "RACECARD_S3_SERVER"
	gsServer = "RACECARD_GS_SERVER"
	azServer = "RACECARD_AZBLOB_SERVER"
)

const s3Secret = "very-secret-indeed"

// bucket is the bucket traces on a server behind a proxy, which counts bytes and breaks answers off.
type bucket struct {
	scheme string
	sent   atomic.Int64 // bytes of answers to GET
	cut    atomic.Int64 // answers to break off

	// How tests get at objects, past the proxy.
	put func(key string, data []byte) error
	get func(key string) ([]byte, error)
	// list returns the keys that begin with a prefix.
	list func(prefix string) ([]string, error)

	folder string // of the objects of a server of S3
}

// url returns the URL of a key.
func (s *bucket) url(key string) string { return s.scheme + "://traces/" + key }

// newBucket starts a server with the bucket traces, and points this process and its children to it.
func newBucket(t *testing.T) *bucket {
	t.Helper()
	s, dir := &bucket{}, t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "traces"), 0o755); err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{}
	object := func(*http.Request) bool { return false } // whether the answer is an object's bytes
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w = &countedAnswer{ResponseWriter: w, s: s, cut: object(r) && s.cut.Add(-1) >= 0}
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	host := strings.TrimPrefix(front.URL, "http://")
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := free.Addr().String()
	free.Close()
	_, port, _ := net.SplitHostPort(at)
	var cmd *exec.Cmd
	var env map[string]string
	switch {
	case os.Getenv(s3Server) != "":
		s.scheme, s.folder = "s3", filepath.Join(dir, "traces")
		s.throughFolder()
		object = func(r *http.Request) bool { return r.URL.Query().Get("list-type") == "" }
		cmd = exec.Command(os.Getenv(s3Server), "--port", at, "posix", dir)
		cmd.Env = append(os.Environ(), "ROOT_ACCESS_KEY=tester", "ROOT_SECRET_KEY="+s3Secret)
		env = map[string]string{"AWS_ENDPOINT_URL": front.URL, "AWS_REGION": "us-east-1",
			"AWS_ACCESS_KEY_ID": "tester", "AWS_SECRET_ACCESS_KEY": s3Secret, "AWS_EC2_METADATA_DISABLED": "true"}
	case os.Getenv(gsServer) != "":
		s.scheme = "gs"
		s.throughGoogle("http://" + at)
		object = func(r *http.Request) bool {
			return !strings.HasPrefix(r.URL.Path, "/storage/") || r.URL.Query().Get("alt") == "media"
		}
		cmd = exec.Command(os.Getenv(gsServer), "-scheme", "http", "-host", "127.0.0.1", "-port", port,
			"-filesystem-root", dir, "-public-host", host, "-external-url", front.URL, "-log-level", "error")
		env = map[string]string{"STORAGE_EMULATOR_HOST": host}
	case os.Getenv(azServer) != "":
		s.scheme = "azblob"
		key := base64.StdEncoding.EncodeToString([]byte(s3Secret))
		s.throughAzure("http://"+at+"/tester", sharedAccess(t, key))
		object = func(r *http.Request) bool { return r.URL.Query().Get("comp") == "" }
		cmd = exec.Command(os.Getenv(azServer), "--blobHost", "127.0.0.1", "--blobPort", port, "--location", dir,
			"--silent", "--skipApiVersionCheck", "--disableTelemetry")
		cmd.Env = append(os.Environ(), "AZURITE_ACCOUNTS=tester:"+key)
		env = map[string]string{"AZURE_STORAGE_ACCOUNT": "tester", "AZURE_STORAGE_KEY": key,
			"AZURE_STORAGE_DOMAIN": host, "AZURE_STORAGE_PROTOCOL": "http", "AZURE_STORAGE_IS_LOCAL_EMULATOR": "true"}
	default:
		t.Skipf("NOT TESTED: a server of buckets; neither %s nor %s nor %s names one (`just test-s3` does)", s3Server,
			gsServer, azServer)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	for begin := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if c, err := net.Dial("tcp", at); err == nil {
			c.Close()
			break
		}
		if time.Since(begin) > 60*time.Second {
			t.Fatal("the server does not come up")
		}
	}
	if s.scheme == "azblob" { // its containers are no folders
		if err := s.put("", nil); err != nil {
			t.Fatal(err)
		}
	}
	proxy.Rewrite = func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http", Host: at})
		r.Out.Host = r.In.Host
	}
	env["TMPDIR"] = t.TempDir()
	for name, value := range env {
		t.Setenv(name, value)
	}
	return s
}

// newS3 is [newBucket] for tests of S3 alone.
func newS3(t *testing.T) *bucket {
	t.Helper()
	if os.Getenv(s3Server) == "" {
		t.Skipf("NOT TESTED: a real server of S3; %s names none (`just test-s3` does)", s3Server)
	}
	return newBucket(t)
}

// throughFolder reads and writes objects as files.
func (s *bucket) throughFolder() {
	s.put = func(key string, data []byte) error {
		path := filepath.Join(s.folder, filepath.FromSlash(key))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return os.WriteFile(path, data, 0o644)
	}
	s.get = func(key string) ([]byte, error) { return os.ReadFile(filepath.Join(s.folder, filepath.FromSlash(key))) }
	s.list = func(prefix string) (keys []string, err error) {
		err = filepath.WalkDir(s.folder, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(s.folder, path)
			if key := filepath.ToSlash(rel); strings.HasPrefix(key, prefix) {
				keys = append(keys, key)
			}
			return err
		})
		return keys, err
	}
}

// throughGoogle reads and writes objects by the JSON API of Google Cloud Storage.
func (s *bucket) throughGoogle(server string) {
	s.put = func(key string, data []byte) error {
		_, err := exchange(http.MethodPost, server+"/upload/storage/v1/b/traces/o?uploadType=media&name="+
			url.QueryEscape(key), data)
		return err
	}
	s.get = func(key string) ([]byte, error) {
		return exchange(http.MethodGet, server+"/storage/v1/b/traces/o/"+url.PathEscape(key)+"?alt=media", nil)
	}
	s.list = func(prefix string) (keys []string, err error) {
		text, err := exchange(http.MethodGet, server+"/storage/v1/b/traces/o?prefix="+url.QueryEscape(prefix), nil)
		var page struct{ Items []struct{ Name string } }
		if err == nil {
			err = json.Unmarshal(text, &page)
		}
		for _, o := range page.Items {
			keys = append(keys, o.Name)
		}
		return keys, err
	}
}

// throughAzure reads and writes objects by the API of Azure. The empty key is the container.
func (s *bucket) throughAzure(server, access string) {
	s.put = func(key string, data []byte) error {
		at := server + "/traces/" + key + "?" + access
		if key == "" {
			at = server + "/traces?restype=container&" + access
		}
		_, err := exchange(http.MethodPut, at, data)
		return err
	}
	s.get = func(key string) ([]byte, error) {
		return exchange(http.MethodGet, server+"/traces/"+key+"?"+access, nil)
	}
	s.list = func(prefix string) (keys []string, err error) {
		text, err := exchange(http.MethodGet, server+"/traces?restype=container&comp=list&prefix="+
			url.QueryEscape(prefix)+"&"+access, nil)
		var page struct {
			Names []string `xml:"Blobs>Blob>Name"`
		}
		if err == nil {
			err = xml.Unmarshal(text, &page)
		}
		return page.Names, err
	}
}

// sharedAccess returns the parameters of a shared access signature of Azure for an account named tester.
func sharedAccess(t *testing.T, key string) string {
	t.Helper()
	secret, err := base64.StdEncoding.DecodeString(key)
	if err != nil {
		t.Fatal(err)
	}
	const version, end = "2021-06-08", "2999-01-01T00:00:00Z"
	mac := hmac.New(sha256.New, secret)
	fmt.Fprintf(mac, "tester\nrwdlacup\nb\nsco\n\n%s\n\nhttps,http\n%s\n\n", end, version)
	return url.Values{"sv": {version}, "ss": {"b"}, "srt": {"sco"}, "sp": {"rwdlacup"}, "se": {end},
		"spr": {"https,http"}, "sig": {base64.StdEncoding.EncodeToString(mac.Sum(nil))}}.Encode()
}

// exchange returns the content of an answer.
func exchange(method, at string, data []byte) ([]byte, error) {
	r, err := http.NewRequest(method, at, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/octet-stream")
	r.Header.Set("X-Ms-Blob-Type", "BlockBlob")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode >= http.StatusMultipleChoices {
		err = fmt.Errorf("%s: %s", answer.Status, text)
	}
	return text, err
}

// countedAnswer is an answer whose bytes are counted.
type countedAnswer struct {
	http.ResponseWriter
	s   *bucket
	cut bool
	n   int
}

func (c *countedAnswer) Write(p []byte) (int, error) {
	if c.cut && c.n+len(p) > 100 {
		_, _ = c.ResponseWriter.Write(p[:max(0, 100-c.n)])
		panic(http.ErrAbortHandler)
	}
	n, err := c.ResponseWriter.Write(p)
	c.n += n
	c.s.sent.Add(int64(n))
	return n, err
}

// objects returns a folder with copies of the objects of the newest version of a folder in the bucket, if all are of
// that version.
func (s *bucket) objects(t *testing.T, name string) string {
	t.Helper()
	keys, err := s.list(name + "/v0")
	if err != nil || len(keys) == 0 {
		t.Fatalf("%s: %v, %v", name, keys, err)
	}
	slices.Sort(keys)
	version := func(key string) string {
		v, _, _ := strings.Cut(strings.TrimPrefix(key, name+"/"), "/")
		return v
	}
	newest, dir := version(keys[len(keys)-1]), t.TempDir()
	for _, key := range keys {
		if version(key) != newest {
			continue
		}
		data, err := s.get(key)
		if err != nil {
			t.Fatal(err)
		}
		writeBelow(t, filepath.Join(dir, filepath.FromSlash(strings.TrimPrefix(key, name+"/"+newest))), data)
	}
	return dir
}

// putFile puts a file into the bucket.
func (s *bucket) putFile(t *testing.T, from, key string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = s.put(key, data)
	}
	if err != nil {
		t.Fatal(err)
	}
}
