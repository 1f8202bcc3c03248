package cli

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"racecard/datasets/fault"
	"racecard/pipeline/internal/quantity"
	"racecard/pipeline/internal/serve"
)

func serveCommand(e *env) *cobra.Command {
	c := serve.Config{Address: "127.0.0.1:7411", MaxConnections: 4096, Options: serve.DefaultOptions()}
	drain, poll, idle, body := 0.0, 1.0, c.Options.IdleApp.Seconds(), float64(c.Options.MaxBody)
	log := float64(c.Options.JournalSize)
	verbose := false
	cmd := &cobra.Command{
		Use:   "serve TABLES",
		Short: "Answer live schedulers from tables over HTTP",
		Long: "Serves a folder of tables that `racecard table build` wrote: remaining times, control loops that keep " +
			"deadlines, and\n" +
			"admission. GET /openapi.json describes every path. A folder that is published anew is taken within " +
			"--poll, and at once on\n" +
			"SIGHUP, without a gap; a table that fails verification is never served, the last good one stays.\n\n" +
			"It listens on this machine only. Elsewhere it wants TLS (--tls-cert, --tls-key) and bearer tokens " +
			"(--token-file) or client\n" +
			"certificates (--client-ca), or --insecure. A file of tokens has a line per token: the token, its scopes " +
			"(read, decide)\n" +
			"separated by commas, and perhaps an expiry such as 2027-01-01T00:00:00Z.\n\n" +
			"A control loop ends by DELETE /v1/apps/{app}, or after --idle-apps without requests.\n\n" +
			"--flight serves the tables in bulk over Arrow Flight, too, under the same rules: a flight is the table " +
			"of a job.\n\n" +
			"With --journal every decision is appended to a file. A server that starts again goes on with its " +
			"control loops from\n" +
			"there; `racecard steer` shows and replays it. At --journal-size the file begins anew, with the last " +
			"decision of every\n" +
			"control loop; the one before is kept as FILE.1. On SIGTERM /readyz says no for --drain, then the server " +
			"ends.",
		Example: "  racecard serve web.tables --journal web.journal\n" +
			"  curl 'localhost:7411/v1/remaining?job=nightly-index&progress=0.4&tokens=50'\n" +
			"  racecard serve web.tables --listen :7411 --tls-cert c.pem --tls-key k.pem --token-file tokens",
		Args: exactly(1, "one folder of tables"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c.Tables, c.Drain, c.Poll = args[0], seconds(drain), seconds(poll)
			c.Options.IdleApp, c.Options.MaxBody, c.Options.Version = seconds(idle), int64(body), version()
			c.Options.JournalSize = int64(log)
			level := slog.LevelInfo
			if verbose {
				level = slog.LevelDebug
			}
			c.Options.Logger = slog.New(slog.NewTextHandler(e.stderr, &slog.HandlerOptions{Level: level}))
			if err := c.Check(); err != nil {
				return usageError{err}
			}
			return e.serve(cmd.Context(), c)
		},
	}
	f := cmd.Flags()
	f.StringVar(&c.Address, "listen", c.Address, "host and port")
	f.StringVar(&c.Flight, "flight", "", "host and port of Arrow Flight, for tables in bulk")
	f.StringVar(&c.Journal, "journal", "", "file to append decisions to, and to restore control loops from")
	number(f, &log, "journal-size", quantity.Range{Unit: quantity.Bytes, Low: 1 << 20, High: 1 << 40},
		"at which the journal begins anew; FILE.1 keeps the one before")
	f.StringVar(&c.TokenFile, "token-file", "", "file of bearer tokens")
	f.StringVar(&c.Cert, "tls-cert", "", "file of the certificate, in PEM")
	f.StringVar(&c.Key, "tls-key", "", "file of its key, in PEM")
	f.StringVar(&c.ClientCA, "client-ca", "", "file of the authorities that sign certificates of clients, in PEM")
	f.BoolVar(&c.Insecure, "insecure", false, "answer anybody without TLS, also from other machines")
	number(f, &c.MaxConnections, "max-connections", whole(1, 1e6), "open at once")
	number(f, &body, "max-body", quantity.Range{Unit: quantity.Bytes, Low: 1 << 10, High: 1 << 30}, "size of a request")
	number(f, &c.Options.MaxBatch, "max-batch", whole(1, 1e6), "look-ups or decisions of a request")
	number(f, &c.Options.MaxApps, "max-apps", whole(1, 1e6), "control loops at once")
	number(f, &idle, "idle-apps", secondsRange(1, 30*86400), "time without requests after which a control loop ends")
	number(f, &drain, "drain", secondsRange(0, 3600), "time between SIGTERM and the end of listening")
	number(f, &poll, "poll", secondsRange(0.01, 3600), "time between two looks whether tables changed")
	f.BoolVar(&verbose, "verbose", false, "log every request")
	return cmd
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

func (e *env) serve(ctx context.Context, c serve.Config) error {
	hangUp := make(chan os.Signal, 1)
	signal.Notify(hangUp, syscall.SIGHUP)
	defer signal.Stop(hangUp)
	reload := make(chan struct{})
	go func() {
		defer fault.Trap()
		for {
			select {
			case <-ctx.Done():
				return
			case <-hangUp:
				select {
				case reload <- struct{}{}:
				case <-ctx.Done():
					return
				}
			}
		}
	}()
	return serve.Run(ctx, c, reload, func(url, flight string) {
		_ = e.printJSON(serving{url, flight}) // a closed standard output ends the command at its end
		if e.printf("serving %s at %s\n", c.Tables, url); flight != "" {
			e.printf("tables in bulk over Arrow Flight at %s\n", flight)
		}
	})
}
