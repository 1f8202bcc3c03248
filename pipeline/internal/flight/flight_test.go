package flight

import (
	"context"
	"errors"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/flight"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"racecard/pipeline/internal/livetest"
	"racecard/pipeline/live"
)

// begin serves the tables of two jobs and returns a client, the tables and their folder.
func begin(t *testing.T, o Options) (flight.Client, *live.Tables, string, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tables")
	livetest.Publish(t, dir, livetest.Table("a", 1, 1, 2, 4), livetest.Table("b/c", 1, 1, 2))
	tables, err := live.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, listener, tables, o) }()
	client, err := flight.NewClientWithMiddleware(listener.Addr().String(), nil, nil,
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return client, tables, dir, listener.Addr().String()
}

// fetched is what a stream held: its rows, and the generation in its schema.
func fetched(t *testing.T, c flight.Client, job string) (rows int64, generation string) {
	t.Helper()
	stream, err := c.DoGet(t.Context(), &flight.Ticket{Ticket: []byte(job)})
	if err != nil {
		t.Fatal(err)
	}
	r, err := flight.NewRecordReader(stream)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	for r.Next() {
		rows += r.Record().NumRows()
	}
	if err := r.Err(); err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	md := r.Schema().Metadata()
	if i := md.FindKey(GenerationKey); i >= 0 {
		generation = md.Values()[i]
	}
	return rows, generation
}

func TestFlights(t *testing.T) {
	c, tables, dir, _ := begin(t, Options{})
	list, err := c.ListFlights(t.Context(), &flight.Criteria{})
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]int64{}
	for {
		info, err := list.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		rows[string(info.Endpoint[0].Ticket.Ticket)] = info.TotalRecords
	}
	if len(rows) != 2 || rows["a"] == 0 || 2*rows["a"] != 3*rows["b/c"] {
		t.Fatalf("flights: %v, want those of a (3 allocations) and of b/c (2)", rows)
	}
	for job, want := range rows {
		if got, generation := fetched(t, c, job); got != want || generation != "1" {
			t.Errorf("%s: %d rows of generation %s, want %d of 1", job, got, generation, want)
		}
	}
	livetest.Publish(t, dir, livetest.Table("a", 2, 1, 2))
	if changed, err := tables.Reload(); err != nil || !changed {
		t.Fatal(changed, err)
	}
	if got, generation := fetched(t, c, "a"); got != rows["b/c"] || generation != "2" {
		t.Errorf("a, published again with 2 allocations: %d rows of generation %s", got, generation)
	}
	schema, err := c.GetSchema(t.Context(), &flight.FlightDescriptor{Type: flight.DescriptorPATH, Path: []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	if s, err := flight.DeserializeSchema(schema.Schema, nil); err != nil || len(s.FieldIndices("p50_s")) != 1 {
		t.Errorf("schema: %v, %v", s, err)
	}
}

func TestFlightsThatAreRefused(t *testing.T) {
	code := codes.OK
	c, _, _, _ := begin(t, Options{Access: func(header string) codes.Code {
		if header == "Bearer right" {
			return codes.OK
		}
		return code
	}})
	get := func(ctx context.Context, job string) error {
		stream, err := c.DoGet(ctx, &flight.Ticket{Ticket: []byte(job)})
		if err == nil {
			_, err = stream.Recv()
		}
		return err
	}
	right := metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer right")
	if err := get(right, "a"); err != nil {
		t.Errorf("with the right token: %v", err)
	}
	for _, code = range []codes.Code{codes.Unauthenticated, codes.PermissionDenied} {
		if err := get(t.Context(), "a"); status.Code(err) != code {
			t.Errorf("%v, want %v", err, code)
		}
	}
	if err := get(right, "../a"); status.Code(err) != codes.NotFound {
		t.Errorf("another job: %v", err)
	}
	if err := get(right, strings.Repeat("x", mostRequest+1)); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("a long name: %v", err)
	}
	for _, d := range []*flight.FlightDescriptor{{}, {Type: flight.DescriptorCMD, Cmd: []byte("a")},
		{Type: flight.DescriptorPATH, Path: []string{"a", "b"}}} {
		if _, err := c.GetFlightInfo(right, d); status.Code(err) != codes.InvalidArgument {
			t.Errorf("descriptor %v: %v", d, err)
		}
	}
	for name, call := range map[string]func() error{
		"DoPut": func() error {
			put, err := c.DoPut(right)
			if err == nil {
				_, err = put.Recv()
			}
			return err
		},
		"DoExchange": func() error {
			exchange, err := c.DoExchange(right)
			if err == nil {
				_, err = exchange.Recv()
			}
			return err
		},
		"DoAction": func() error {
			action, err := c.DoAction(right, &flight.Action{Type: "drop"})
			if err == nil {
				_, err = action.Recv()
			}
			return err
		},
	} {
		if err := call(); status.Code(err) != codes.Unimplemented ||
			!strings.Contains(err.Error(), "tables are read here") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if actions, err := c.ListActions(right, &flight.Empty{}); err != nil {
		t.Error(err)
	} else if a, err := actions.Recv(); !errors.Is(err, io.EOF) {
		t.Errorf("actions: %v, %v", a, err)
	}
}

// A client of another language reads the same tables.
func TestPyArrow(t *testing.T) {
	if err := exec.Command("python3", "-c", "import pyarrow.flight").Run(); err != nil {
		t.Skipf("no pyarrow.flight: %v", err)
	}
	_, _, _, address := begin(t, Options{})
	out, err := exec.Command("python3", "-c", `
import sys, pyarrow.flight as f
c = f.connect("grpc://" + sys.argv[1])
for info in c.list_flights():
    t = c.do_get(info.endpoints[0].ticket).read_all()
    print(info.descriptor.path[0].decode(), t.num_rows == info.total_records, len(set(t["allocation"].to_pylist())), t.schema.metadata[b"racecard.generation"])
`, address).Output()
	if want := "a True 3 b'1'\nb/c True 2 b'1'\n"; err != nil || string(out) != want {
		t.Errorf("%v\n%s", err, out)
	}
}
