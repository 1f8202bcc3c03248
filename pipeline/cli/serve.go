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
		Args:  exactly(1, "one folder of tables"),
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
			if _, err := folder(c.Tables, tablesFolder.name, tablesFolder.how); err != nil {
				return err
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
