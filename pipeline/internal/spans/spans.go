// Package spans exports a run of a recipe to an OpenTelemetry collector, over OTLP/HTTP: a span for the run, and below
// it one for every step that was taken. It is the home of go.opentelemetry.io.
//
// It is configured by the variables of the OpenTelemetry specification: nothing is sent unless
// OTEL_EXPORTER_OTLP_ENDPOINT or OTEL_EXPORTER_OTLP_TRACES_ENDPOINT names a collector. A TRACEPARENT in the
// environment, as of a scheduler that started the run, becomes the parent of the run's span.
package spans

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"racecard/pipeline/internal/run"
)

// Endpoint returns the collector that the environment names, "" for none.
func Endpoint(env func(name string) string) string {
	if strings.EqualFold(env("OTEL_SDK_DISABLED"), "true") || env("OTEL_TRACES_EXPORTER") == "none" {
		return ""
	}
	if at := env("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"); at != "" {
		return at
	}
	return env("OTEL_EXPORTER_OTLP_ENDPOINT")
}

// Send sends the spans of a run, and returns when the collector has them or the timeout is over. It does nothing
// without an [Endpoint].
func Send(ctx context.Context, env func(name string) string, record *run.Record, patience time.Duration) (err error) {
	if Endpoint(env) == "" {
		return nil
	}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"} {
		if p := env(name); p != "" && p != "http/protobuf" {
			return fmt.Errorf("%s=%s: racecard speaks http/protobuf", name, p)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithTimeout(patience))
	if err != nil {
		return err
	}
	about, err := resource.New(ctx, resource.WithAttributes(attribute.String("service.name", "racecard"),
		attribute.String("service.version", record.Racecard)),
		resource.WithHost(), resource.WithFromEnv()) // OTEL_SERVICE_NAME wins
	if err != nil {
		return errors.Join(err, exporter.Shutdown(ctx))
	}
	ended := &gathered{}
	provider := sdk.NewTracerProvider(sdk.WithResource(about), sdk.WithSpanProcessor(ended),
		sdk.WithSampler(sdk.ParentBased(sdk.AlwaysSample())))
	parent := propagation.TraceContext{}.Extract(context.WithoutCancel(ctx),
		propagation.MapCarrier{"traceparent": env("TRACEPARENT"), "tracestate": env("TRACESTATE")})
	draw(parent, provider.Tracer("racecard"), record)
	if len(ended.spans) > 0 { // otherwise the parent is not sampled
		err = exporter.ExportSpans(ctx, ended.spans)
	}
	return errors.Join(err, provider.Shutdown(ctx), exporter.Shutdown(ctx))
}

// draw makes the spans of a run that is over.
func draw(ctx context.Context, t trace.Tracer, record *run.Record) {
	states := map[run.State]int{}
	for _, s := range record.Steps {
		states[s.State]++
	}
	about := []attribute.KeyValue{attribute.String("racecard.recipe", record.Recipe),
		attribute.Int("racecard.run", record.Run)}
	for _, state := range slices.Sorted(maps.Keys(states)) {
		about = append(about, attribute.Int("racecard.steps."+string(state), states[state]))
	}
	ctx, whole := t.Start(ctx, "racecard run", trace.WithTimestamp(record.Started), trace.WithAttributes(about...))
	for _, s := range record.Steps {
		begin := record.Started // of a step that failed before it began
		if s.Started != nil {
			begin = *s.Started
		}
		taken := s.State == run.Done || s.State == run.Refused || s.State == run.Failed
		if !taken || begin.Before(record.Started) { // its result existed
			continue
		}
		_, span := t.Start(ctx, s.Step, trace.WithTimestamp(begin), trace.WithAttributes(attributes(s)...))
		switch s.State {
		case run.Failed:
			span.SetStatus(codes.Error, s.Error)
		case run.Done:
			span.SetStatus(codes.Ok, "")
		}
		span.End(trace.WithTimestamp(begin.Add(duration(s.Seconds))))
	}
	if n := states[run.Failed]; n > 0 {
		whole.SetStatus(codes.Error, fmt.Sprintf("steps that failed: %d", n))
	} else {
		whole.SetStatus(codes.Ok, "")
	}
	whole.End(trace.WithTimestamp(record.Started.Add(duration(record.Seconds))))
}

func duration(seconds float64) time.Duration { return time.Duration(seconds * float64(time.Second)) }

// attributes describe a step.
func attributes(s *run.Result) []attribute.KeyValue {
	all := []attribute.KeyValue{
		attribute.String("racecard.step", s.Step), attribute.String("racecard.state", string(s.State)),
		attribute.String("racecard.result", s.ID),
		attribute.Int64("racecard.bytes_in", s.BytesIn), attribute.Int64("racecard.bytes_out", s.BytesOut),
		attribute.Float64("racecard.cpu_s", s.CPUSeconds),
	}
	if s.PeakBytes > 0 {
		all = append(all, attribute.Int64("racecard.peak_bytes", s.PeakBytes))
	}
	for _, table := range slices.Sorted(maps.Keys(s.Rows)) {
		all = append(all, attribute.Int64("racecard.rows."+table, s.Rows[table]))
	}
	if len(s.Why) > 0 {
		all = append(all, attribute.StringSlice("racecard.why", s.Why))
	}
	if s.State == run.Refused {
		all = append(all, attribute.String("racecard.refusal", s.Error))
	}
	return all
}

// gathered keeps the spans that ended.
type gathered struct{ spans []sdk.ReadOnlySpan }

// OnStart implements [sdk.SpanProcessor].
func (g *gathered) OnStart(context.Context, sdk.ReadWriteSpan) {}

// OnEnd implements [sdk.SpanProcessor].
func (g *gathered) OnEnd(s sdk.ReadOnlySpan) { g.spans = append(g.spans, s) }

// Shutdown implements [sdk.SpanProcessor].
func (g *gathered) Shutdown(context.Context) error { return nil }

// ForceFlush implements [sdk.SpanProcessor].
func (g *gathered) ForceFlush(context.Context) error { return nil }
