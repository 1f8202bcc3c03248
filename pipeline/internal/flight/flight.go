// Package flight serves tables of remaining time over Arrow Flight, for clients that take many tables, or large ones,
// as record batches.
//
// A flight is the table of a job: the path of its descriptor, and its ticket, are the job's name. ListFlights lists
// all, GetFlightInfo and GetSchema describe one, DoGet sends it. Every stream is of one generation, whose number is in
// the metadata of its schema under [GenerationKey]. The server is read-only by design: it has no actions, and refuses
// DoPut, DoExchange and DoAction with the status Unimplemented and the remedy.
//
// Protocol: Apache Arrow, "Arrow Flight RPC", https://arrow.apache.org/docs/format/Flight.html.
package flight

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/flight"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"racecard/datasets/fault"
	"racecard/pipeline/live"
)

// GenerationKey is the key of a table's generation in the metadata of a stream's schema.
const GenerationKey = "racecard.generation"

// Access decides on a request from its Authorization header: [codes.OK], [codes.Unauthenticated] or
// [codes.PermissionDenied].
type Access func(header string) codes.Code

// Options of a server.
type Options struct {
	TLS    *tls.Config // nil: none
	Access Access      // nil: all requests are allowed
	Closed func() bool // reports whether the server drains and refuses requests; nil: never
}

// Limits of a connection.
const (
	mostRequest = 64 << 10 // bytes; requests are names
	mostStreams = 64       // at once
	idleTime    = 2 * time.Minute
	setupTime   = 5 * time.Second
	lastAnswers = 30 * time.Second
)

// Serve answers on a listener until ctx is done, then waits for streams that are open, up to 30 s.
func Serve(ctx context.Context, listener net.Listener, tables *live.Tables, o Options) error {
	s := &server{tables: tables, o: o}
	options := []grpc.ServerOption{
		grpc.MaxRecvMsgSize(mostRequest), grpc.MaxConcurrentStreams(mostStreams), grpc.ConnectionTimeout(setupTime),
		grpc.KeepaliveParams(keepalive.ServerParameters{MaxConnectionIdle: idleTime}),
		grpc.UnaryInterceptor(s.unary), grpc.StreamInterceptor(s.stream),
	}
	if o.TLS != nil {
		c := o.TLS.Clone()
		c.NextProtos = []string{"h2"}
		options = append(options, grpc.Creds(credentials.NewTLS(c)))
	}
	g := grpc.NewServer(options...)
	flight.RegisterFlightServiceServer(g, s)
	failed := make(chan error, 1)
	go func() {
		defer fault.Trap()
		failed <- g.Serve(listener)
	}()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	stop := time.AfterFunc(lastAnswers, g.Stop)
	defer stop.Stop()
	g.GracefulStop()
	return nil
}

type server struct {
	flight.BaseFlightServer

	tables *live.Tables
	o      Options
}

// allow refuses requests without the required credentials.
func (s *server) allow(ctx context.Context) error {
	if s.o.Closed != nil && s.o.Closed() {
		return status.Error(codes.Unavailable, "the server is about to end")
	}
	if s.o.Access == nil {
		return nil
	}
	header := ""
	if md, ok := metadata.FromIncomingContext(ctx); ok {
		if found := md.Get("authorization"); len(found) == 1 {
			header = found[0]
		}
	}
	switch code := s.o.Access(header); code {
	case codes.OK:
		return nil
	case codes.PermissionDenied:
		return status.Error(code, "the token lacks the scope read")
	default:
		return status.Error(code, "want a bearer token in the header authorization")
	}
}

// trap turns a panic into an error, so that it does not end the program.
func trap(err *error) {
	if r := recover(); r != nil {
		*err = status.Error(codes.Internal, "a fault of racecard: please report it")
	}
}

func (s *server) unary(ctx context.Context, req any, _ *grpc.UnaryServerInfo, next grpc.UnaryHandler) (answer any,
	err error) {
	defer trap(&err)
	if err := s.allow(ctx); err != nil {
		return nil, err
	}
	return next(ctx, req)
}

func (s *server) stream(srv any, stream grpc.ServerStream, _ *grpc.StreamServerInfo,
	next grpc.StreamHandler) (err error) {
	defer trap(&err)
	if err := s.allow(stream.Context()); err != nil {
		return err
	}
	return next(srv, stream)
}

// open returns a reader of a job's table, and the schema with the table's generation.
func (s *server) open(g *live.Generation, job string) (*ipc.FileReader, *arrow.Schema, error) {
	t := g.Table(job)
	if t == nil {
		return nil, nil, status.Errorf(codes.NotFound, "no table of job %.200q", job)
	}
	data, err := t.Arrow()
	if err != nil {
		return nil, nil, status.Errorf(codes.Internal, "the table of job %.200q: %v", t.Job(), err)
	}
	r, err := ipc.NewFileReader(bytes.NewReader(data))
	if err != nil {
		return nil, nil, status.Errorf(codes.Internal, "the table of job %.200q: %v", t.Job(), err)
	}
	md := r.Schema().Metadata()
	keys, values := append(md.Keys(), GenerationKey), append(md.Values(), strconv.FormatInt(t.Generation(), 10))
	with := arrow.NewMetadata(keys, values)
	return r, arrow.NewSchema(r.Schema().Fields(), &with), nil
}

// describe returns the flight of a job.
func (s *server) describe(g *live.Generation, job string) (*flight.FlightInfo, error) {
	r, schema, err := s.open(g, job)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }() // never fails for bytes in memory
	rows := int64(0)
	for i := range r.NumRecords() {
		rec, err := r.RecordAt(i)
		if err != nil {
			return nil, status.Errorf(codes.Internal, "the table of job %.200q: %v", job, err)
		}
		rows += rec.NumRows()
		rec.Release()
	}
	return &flight.FlightInfo{
		Schema:           flight.SerializeSchema(schema, memory.DefaultAllocator),
		FlightDescriptor: &flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{job}},
		Endpoint:         []*flight.FlightEndpoint{{Ticket: &flight.Ticket{Ticket: []byte(job)}}},
		TotalRecords:     rows,
		TotalBytes:       -1,
	}, nil
}

// named returns the job that a descriptor names.
func named(d *flight.FlightDescriptor) (string, error) {
	if d.GetType() != flight.DescriptorPATH || len(d.GetPath()) != 1 {
		return "", status.Error(codes.InvalidArgument,
			"want a descriptor of type PATH with one element, the job's name")
	}
	return d.GetPath()[0], nil
}

// ListFlights sends the flights of all jobs.
func (s *server) ListFlights(_ *flight.Criteria, to flight.FlightService_ListFlightsServer) error {
	g := s.tables.Current()
	for _, job := range g.Jobs() {
		info, err := s.describe(g, job)
		if err != nil {
			return err
		}
		if err := to.Send(info); err != nil {
			return err
		}
	}
	return nil
}

// GetFlightInfo describes the flight of a job.
func (s *server) GetFlightInfo(_ context.Context, d *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	job, err := named(d)
	if err != nil {
		return nil, err
	}
	return s.describe(s.tables.Current(), job)
}

// GetSchema returns the schema of a job's table.
func (s *server) GetSchema(_ context.Context, d *flight.FlightDescriptor) (*flight.SchemaResult, error) {
	job, err := named(d)
	if err != nil {
		return nil, err
	}
	r, schema, err := s.open(s.tables.Current(), job)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }() // never fails for bytes in memory
	return &flight.SchemaResult{Schema: flight.SerializeSchema(schema, memory.DefaultAllocator)}, nil
}

// DoGet sends the table that a ticket names.
func (s *server) DoGet(t *flight.Ticket, to flight.FlightService_DoGetServer) (err error) {
	job := string(t.GetTicket())
	r, schema, err := s.open(s.tables.Current(), job)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }() // never fails for bytes in memory
	w := flight.NewRecordWriter(to, ipc.WithSchema(schema))
	defer func() { err = errors.Join(err, w.Close()) }()
	for i := range r.NumRecords() {
		rec, err := r.RecordAt(i)
		if err != nil {
			return status.Errorf(codes.Internal, "the table of job %.200q: %v", job, err)
		}
		err = w.Write(rec)
		rec.Release()
		if err != nil {
			return fmt.Errorf("send: %w", err)
		}
	}
	return nil
}

// errReadOnly is the answer to writes: tables change when they are published, and readers see the change at once.
var errReadOnly = status.Error(codes.Unimplemented, "tables are read here; they change by `racecard table build` or "+
	"`racecard refresh`")

// DoPut refuses.
func (*server) DoPut(flight.FlightService_DoPutServer) error { return errReadOnly }

// DoExchange refuses.
func (*server) DoExchange(flight.FlightService_DoExchangeServer) error { return errReadOnly }

// DoAction refuses.
func (*server) DoAction(*flight.Action, flight.FlightService_DoActionServer) error {
	return errReadOnly
}

// ListActions sends none.
func (*server) ListActions(*flight.Empty, flight.FlightService_ListActionsServer) error { return nil }
