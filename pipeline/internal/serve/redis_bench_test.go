package serve

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"racecard/datasets/remaining"
)

// BenchmarkLookUpBesideRedis asks for the same cells of a table on 64 connections: racecard over HTTP, then Redis with
// one key per cell, one GET at a time on each connection, and racecard in batches of 100 cells. The clients share the
// cores with the servers. ratio is racecard's rate over Redis', for single look-ups.
func BenchmarkLookUpBesideRedis(b *testing.B) {
	program, err := exec.LookPath("redis-server")
	if err != nil {
		b.Skipf("no Redis to compare with: %v", err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	address := free.Addr().String()
	free.Close()
	_, port, _ := net.SplitHostPort(address)
	redis := exec.Command(program, "--bind", "127.0.0.1", "--port", port, "--save", "", "--appendonly", "no", "--dir",
		b.TempDir())
	if err := redis.Start(); err != nil {
		b.Fatal(err)
	}
	defer func() {
		_ = redis.Process.Kill() // nothing of it is kept
		_ = redis.Wait()
	}()
	dial := func() net.Conn {
		for range 200 {
			if c, err := net.Dial("tcp", address); err == nil {
				return c
			}
			time.Sleep(10 * time.Millisecond)
		}
		b.Fatal("Redis does not answer")
		return nil
	}
	r := newRig(b, nil)
	table := r.tables.Current().Table("a")
	var keys, paths []string
	fill := dial()
	answers := bufio.NewReader(fill)
	for _, tokens := range table.Allocations() {
		for i := range remaining.Steps {
			p := remaining.Progress(i)
			key := fmt.Sprintf("a:%d:%g", tokens, p)
			keys = append(keys, key)
			paths = append(paths, "/v1/remaining?quantile=0.9&job=a&tokens="+strconv.Itoa(int(tokens))+"&progress="+
				url.QueryEscape(strconv.FormatFloat(p, 'g', -1, 64)))
			value := strconv.FormatFloat(table.Remaining(p, float64(tokens), .9), 'g', -1, 64)
			if _, err := fmt.Fprintf(fill, "SET %s %s\r\n", key, value); err != nil {
				b.Fatal(err)
			}
			if line, err := answers.ReadString('\n'); err != nil || line != "+OK\r\n" {
				b.Fatal(line, err)
			}
		}
	}
	fill.Close()
	const connections = 64
	ask := func(n int, one func() func(i int) error) float64 {
		var all sync.WaitGroup
		begin := time.Now()
		for k := range connections {
			all.Go(func() {
				get := one()
				for i := range n/connections + 1 {
					if err := get(k + i*connections); err != nil {
						b.Error(err)
						return
					}
				}
			})
		}
		all.Wait()
		return float64((n/connections+1)*connections) / time.Since(begin).Seconds()
	}
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections}}
	drain := func(a *http.Response, err error) error {
		if err != nil {
			return err
		}
		defer a.Body.Close()
		if a.StatusCode != http.StatusOK {
			return fmt.Errorf("%s", a.Status)
		}
		_, err = io.Copy(io.Discard, a.Body)
		return err
	}
	// Both clients write a request and read its answer on a socket of their own, so that the servers are compared.
	host := strings.TrimPrefix(r.url, "http://")
	ours := func() func(int) error {
		c, err := net.Dial("tcp", host)
		if err != nil {
			b.Fatal(err)
		}
		in := bufio.NewReader(c)
		return func(i int) error {
			if _, err := io.WriteString(c, "GET "+paths[i%len(paths)]+" HTTP/1.1\r\nHost: "+host+
				"\r\n\r\n"); err != nil {
				return err
			}
			status, err := in.ReadString('\n')
			if err != nil || !strings.Contains(status, " 200 ") {
				return fmt.Errorf("racecard: %q, %w", status, err)
			}
			size := 0
			for line := "x"; line != "\r\n" && err == nil; line, err = in.ReadString('\n') {
				if n, ok := strings.CutPrefix(line, "Content-Length: "); ok {
					size, _ = strconv.Atoi(strings.TrimSpace(n))
				}
			}
			if err == nil {
				_, err = in.Discard(size)
			}
			return err
		}
	}
	theirs := func() func(int) error {
		c := dial()
		in := bufio.NewReader(c)
		return func(i int) error {
			if _, err := io.WriteString(c, "GET "+keys[i%len(keys)]+"\r\n"); err != nil {
				return err
			}
			size, err := in.ReadString('\n')
			if err == nil {
				_, err = in.ReadString('\n')
			}
			if err == nil && !strings.HasPrefix(size, "$") {
				err = fmt.Errorf("Redis: %q", size)
			}
			return err
		}
	}
	var queries []string
	for _, tokens := range table.Allocations() {
		for i := range remaining.Steps {
			queries = append(queries, fmt.Sprintf(`{"job":"a","tokens":%d,"progress":%g,"quantile":0.9}`, tokens,
				remaining.Progress(i)))
		}
	}
	const batch = 100
	body := `{"queries":[` + strings.Join(queries[:batch], ",") + `]}`
	batches := func() func(int) error {
		return func(int) error {
			return drain(client.Post(r.url+"/v1/remaining", "application/json", strings.NewReader(body))) //nolint:bodyclose // drain does
		}
	}
	for b.Loop() {
		const n = 20_000
		racecard, redis := ask(n, ours), ask(n, theirs)
		b.ReportMetric(racecard, "racecard-GET/s")
		b.ReportMetric(redis, "redis-GET/s")
		b.ReportMetric(racecard/redis, "ratio")
		b.ReportMetric(ask(n/20, batches)*batch, "racecard-batched/s")
	}
}
