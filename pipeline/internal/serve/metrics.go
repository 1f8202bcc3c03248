package serve

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics of a server, in a separate registry.
type metrics struct {
	registry  *prometheus.Registry
	requests  *prometheus.CounterVec
	seconds   *prometheus.HistogramVec
	decisions *prometheus.CounterVec
	lookups   prometheus.Counter
	reloads   *prometheus.CounterVec
	unwritten prometheus.Counter
	idle      prometheus.Counter
}

func newMetrics(s *Server) *metrics {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "racecard", Name: name, Help: help}, labels)
	}
	gauge := func(name, help string, value func() float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "racecard", Name: name, Help: help}, value)
	}
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: counter("http_requests_total", "Requests by route and status.", "route", "code"),
		seconds: prometheus.NewHistogramVec(
			prometheus.HistogramOpts{Namespace: "racecard", Name: "http_request_seconds",
				Help: "Time to answer by route.", Buckets: prometheus.ExponentialBuckets(25e-6, 4, 10)},
			[]string{"route"},
		),
		decisions: counter("decisions_total", "Steps of control loops: decide, or hold where the state of the run is "+
			"not known.", "result"),
		lookups: prometheus.NewCounter(
			prometheus.CounterOpts{Namespace: "racecard", Name: "lookups_total", Help: "Look-ups of remaining time."},
		),
		reloads: counter("reloads_total", "Reloads of tables: changed, same or failed.", "result"),
		unwritten: prometheus.NewCounter(prometheus.CounterOpts{Namespace: "racecard", Name: "journal_errors_total",
			Help: "Errors in writing the journal; decisions were answered all the same."}),
		idle: prometheus.NewCounter(prometheus.CounterOpts{Namespace: "racecard", Name: "idle_apps_total",
			Help: "Control loops that ended as no requests came."}),
	}
	m.registry.MustRegister(m.requests, m.seconds, m.decisions, m.lookups, m.reloads, m.unwritten, m.idle,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		gauge("generation", "Generation of the tables that are served.",
			func() float64 { return float64(s.tables.Current().Number()) }),
		gauge("tables", "Tables that are served.", func() float64 { return float64(len(s.tables.Current().Jobs())) }),
		gauge("tables_failed", "Tables of the folder that failed verification.",
			func() float64 { return float64(len(s.tables.Current().Failed())) }),
		gauge("journal_bytes", "Size of the journal.", func() float64 { return float64(s.journal.size()) }),
		gauge("apps", "Applications with a control loop.", func() float64 { return float64(s.apps.count()) }),
	)
	return m
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}

// observe counts an answer.
func (m *metrics) observe(route string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(route).Observe(took.Seconds())
}
