package stage

import (
	"fmt"

	"racecard/analyses/health"
	"racecard/datasets/formats"
	"racecard/datasets/source"
	"racecard/datasets/store"
	"racecard/datasets/trace"
)

// About returns options with the facts of the store to be analysed: its manifest, and its machines.
func (o Options) About(s *store.Store) (Options, error) {
	machines, err := s.Machines()
	if err != nil {
		return o, fmt.Errorf("machines: %w", err)
	}
	m := s.Manifest()
	o.Size = SizeOf(s)
	o.Health = health.Options{
		TimeBase: string(m.TimeBase), Units: m.Units, Machines: health.NewMachines(machines),
		Records: health.Records{Read: m.Read, Rejected: m.Rejected, Repairs: m.Repairs},
	}
	o.Workload.Unix = m.TimeBase == source.TimeBaseUnix
	o.Workload.Machines = machines
	if f, err := formats.Named(m.Format, o.Memory); m.To != nil && (err != nil || !f.PerRun) {
		o.Workload.Until = trace.Instant(*m.To)
	}
	return o, nil
}
