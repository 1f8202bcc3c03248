package spans

import (
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"racecard/pipeline/internal/run"
)

// collect returns the address of a collector on loopback, and what it was sent.
func collect(t *testing.T, status int) (address string, sent func() []*collector.ExportTraceServiceRequest) {
	t.Helper()
	var all []*collector.ExportTraceServiceRequest
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var request collector.ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(body, &request)
		}
		if err != nil || r.Method != http.MethodPost || r.URL.Path != "/v1/traces" ||
			r.Header.Get("Content-Type") != "application/x-protobuf" || r.Header.Get("X-Team") != "ops" {
			t.Errorf("%s %s, %v: %v", r.Method, r.URL, r.Header, err)
		}
		all = append(all, &request)
		w.WriteHeader(status)
	}))
	t.Cleanup(server.Close)
	return server.URL, func() []*collector.ExportTraceServiceRequest { server.Close(); return all }
}

// night is a run in which one step was taken, one failed, one refused, one was not needed, and one waited in vain.
func night() *run.Record {
	begin := time.Date(2026, 11, 22, 2, 0, 0, 0, time.UTC)
	at := func(s int) *time.Time { t := begin.Add(time.Duration(s) * time.Second); return &t }
	return &run.Record{Run: 7, Racecard: "1.2.3", Recipe: "racecard.yaml", Started: begin, Seconds: 12.5,
		Steps: []*run.Result{
			{Step: "web/store", ID: "aa", State: run.Done, Started: at(1), Seconds: 2.25, CPUSeconds: 3,
				PeakBytes: 1 << 20, BytesIn: 1000, BytesOut: 300,
				Rows: map[string]int64{"jobs": 5, "tasks": 70}, Why: []string{"there is no earlier result"}},
			{Step: "web/results", ID: "bb", State: run.Failed, Started: at(4), Seconds: 1, Error: "out of luck"},
			{Step: "web/report", State: run.Skipped, Why: []string{"web/results failed"}},
			{Step: "old/store", ID: "cc", State: run.Cached, Started: at(-86400), Seconds: 99},
			{Step: "old/check", ID: "dd", State: run.Refused, Started: at(-86400), Seconds: 99}, // of yesterday
			{Step: "web/check", ID: "ee", State: run.Refused, Started: at(5), Seconds: 1,
				Error: "a deadline is missed"},
		}}
}

func TestSend(t *testing.T) {
	address, sent := collect(t, http.StatusOK)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-team=ops")
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment=test")
	t.Setenv("TRACEPARENT", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	record := night()
	if err := Send(t.Context(), os.Getenv, record, 5*time.Second); err != nil {
		t.Fatal(err)
	}
	requests := sent()
	if len(requests) != 1 || len(requests[0].ResourceSpans) != 1 || len(requests[0].ResourceSpans[0].ScopeSpans) != 1 {
		t.Fatalf("%d requests: %v", len(requests), requests)
	}
	about := values(requests[0].ResourceSpans[0].Resource.Attributes)
	if about["service.name"] != "racecard" || about["service.version"] != "1.2.3" ||
		about["deployment.environment"] != "test" {
		t.Errorf("resource %v", about)
	}
	spans := map[string]*otlp.Span{}
	for _, s := range requests[0].ResourceSpans[0].ScopeSpans[0].Spans {
		spans[s.Name] = s
	}
	whole := spans["racecard run"]
	if len(spans) != 4 || whole == nil {
		t.Fatalf("spans %v", spans)
	}
	if hex.EncodeToString(whole.TraceId) != "0af7651916cd43dd8448eb211c80319c" ||
		hex.EncodeToString(whole.ParentSpanId) != "b7ad6b7169203331" {
		t.Errorf("trace %x, parent %x", whole.TraceId, whole.ParentSpanId)
	}
	for _, test := range []struct {
		name           string
		begin, seconds float64
		status         otlp.Status_StatusCode
		message        string
		want           map[string]any
	}{
		{"racecard run", 0, 12.5, otlp.Status_STATUS_CODE_ERROR, "steps that failed: 1", map[string]any{
			"racecard.recipe": "racecard.yaml", "racecard.run": int64(7), "racecard.steps.done": int64(1),
			"racecard.steps.cached": int64(1), "racecard.steps.skipped": int64(1)}},
		{"web/store", 1, 2.25, otlp.Status_STATUS_CODE_OK, "", map[string]any{"racecard.state": "done",
			"racecard.bytes_in": int64(1000), "racecard.bytes_out": int64(300),
			"racecard.rows.jobs": int64(5), "racecard.rows.tasks": int64(70), "racecard.cpu_s": 3.0,
			"racecard.peak_bytes": int64(1 << 20), "racecard.result": "aa"}},
		{"web/results", 4, 1, otlp.Status_STATUS_CODE_ERROR, "out of luck", map[string]any{"racecard.state": "failed"}},
		{"web/check", 5, 1, otlp.Status_STATUS_CODE_UNSET, "", map[string]any{"racecard.state": "refused",
			"racecard.refusal": "a deadline is missed"}},
	} {
		s := spans[test.name]
		if s == nil {
			t.Errorf("%s has no span", test.name)
			continue
		}
		begin, end := float64(s.StartTimeUnixNano-uint64(record.Started.UnixNano()))/1e9,
			float64(s.EndTimeUnixNano-uint64(record.Started.UnixNano()))/1e9
		if begin != test.begin || end != test.begin+test.seconds || s.Status.GetCode() != test.status ||
			s.Status.GetMessage() != test.message {
			t.Errorf("%s: %v to %v s, status %v", test.name, begin, end, s.Status)
		}
		if s != whole && string(s.ParentSpanId) != string(whole.SpanId) {
			t.Errorf("%s: parent %x, want %x", test.name, s.ParentSpanId, whole.SpanId)
		}
		got := values(s.Attributes)
		for name, want := range test.want {
			if got[name] != want {
				t.Errorf("%s: %s = %v, want %v", test.name, name, got[name], want)
			}
		}
	}
}

// Nothing is sent where nothing is configured, or somebody says so, or the parent is not sampled.
func TestSendsNothing(t *testing.T) {
	address, sent := collect(t, http.StatusOK)
	for name, set := range map[string]map[string]string{
		"nothing": {}, "disabled": {"OTEL_EXPORTER_OTLP_ENDPOINT": address, "OTEL_SDK_DISABLED": "true"},
		"no exporter": {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": address, "OTEL_TRACES_EXPORTER": "none"},
		"not sampled": {"OTEL_EXPORTER_OTLP_ENDPOINT": address,
			"TRACEPARENT": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"},
	} {
		t.Run(name, func(t *testing.T) {
			for name, value := range set {
				t.Setenv(name, value)
			}
			if err := Send(t.Context(), os.Getenv, night(), time.Second); err != nil {
				t.Error(err)
			}
		})
	}
	if all := sent(); len(all) > 0 {
		t.Errorf("%d requests", len(all))
	}
}

// A collector that refuses, or is not there, is an error within the time allowed, as is a protocol that is not spoken.
func TestSendFails(t *testing.T) {
	refusing, _ := collect(t, http.StatusBadRequest)
	for name, set := range map[string]struct{ variable, value, want string }{
		"refuses": {"OTEL_EXPORTER_OTLP_ENDPOINT", refusing, "400"}, "is not there": {"OTEL_EXPORTER_OTLP_ENDPOINT",
			"http://127.0.0.1:1", "refused"},
		"speaks gRPC": {"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", "racecard speaks http/protobuf"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", refusing)
			t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "x-team=ops")
			t.Setenv(set.variable, set.value)
			begin := time.Now()
			err := Send(t.Context(), os.Getenv, night(), 2*time.Second)
			if err == nil || !strings.Contains(err.Error(), set.want) || time.Since(begin) > 10*time.Second {
				t.Errorf("after %v: %v", time.Since(begin), err)
			}
		})
	}
}

func values(all []*common.KeyValue) map[string]any {
	m := map[string]any{}
	for _, kv := range all {
		switch v := kv.Value.Value.(type) {
		case *common.AnyValue_StringValue:
			m[kv.Key] = v.StringValue
		case *common.AnyValue_IntValue:
			m[kv.Key] = v.IntValue
		case *common.AnyValue_DoubleValue:
			m[kv.Key] = v.DoubleValue
		}
	}
	return m
}
