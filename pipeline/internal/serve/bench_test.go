package serve

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// BenchmarkDecide asks for decisions over loopback on 64 connections, each an application of its own. The clients share
// the
// cores with the server.
func BenchmarkDecide(b *testing.B) {
	const connections = 64
	r := newRig(b, nil)
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections}}
	took := make([][]time.Duration, connections)
	var next sync.WaitGroup
	begin := time.Now()
	for k := range connections {
		n := b.N/connections + 1
		next.Go(func() {
			for i := range n {
				at := time.Now()
				a, err := client.Post(
					r.url+"/v1/decide",
					"application/json",
					strings.NewReader(step(fmt.Sprint("app-", k), float64(i), i*20/n)),
				)
				if err != nil {
					b.Error(err)
					return
				}
				_, _ = io.Copy(io.Discard, a.Body) // until the connection can be used again
				a.Body.Close()
				took[k] = append(took[k], time.Since(at))
			}
		})
	}
	next.Wait()
	all := slices.Sorted(slices.Values(slices.Concat(took...)))
	b.ReportMetric(float64(len(all))/time.Since(begin).Seconds(), "decisions/s")
	for name, q := range map[string]float64{"p50-ms": .5, "p99-ms": .99, "p99.9-ms": .999} {
		b.ReportMetric(float64(all[int(q*float64(len(all)-1))].Microseconds())/1e3, name)
	}
}
