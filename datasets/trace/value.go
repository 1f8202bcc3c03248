package trace

import (
	"fmt"
	"math"
	"slices"
)

// None is the null of every integer field of this package: [Instant], [Duration] and counts.
const None = math.MinInt64

// Instant is a point in time in microseconds: since the Unix epoch, or since the start of a trace whose times are
// relative. Instants of one trace compare with each other only.
type Instant int64

// Duration is a length of time in microseconds, never negative.
type Duration int64

// microsPerSecond converts between the integer microseconds of tables and the float seconds of results.
const microsPerSecond = 1e6

// MaxSeconds bounds the instants and durations, in seconds, that traces may hold: about 73,000 years, small enough
// that sums and differences of a few instants never overflow.
const MaxSeconds = 1 << 41

// Known reports whether t is not null.
func (t Instant) Known() bool { return t != None }

// Seconds returns t in seconds, or NaN when t is null.
func (t Instant) Seconds() float64 {
	if t == None {
		return math.NaN()
	}
	return float64(t) / microsPerSecond
}

// Earlier returns the earlier of two instants. Either may be null.
func (t Instant) Earlier(u Instant) Instant {
	if t == None || u != None && u < t {
		return u
	}
	return t
}

// Since returns t - u, or None when either is null. It is negative when t lies before u.
func (t Instant) Since(u Instant) Duration {
	if t == None || u == None {
		return None
	}
	return Duration(t - u)
}

// Known reports whether d is not null.
func (d Duration) Known() bool { return d != None }

// Seconds returns d in seconds, or NaN when d is null.
func (d Duration) Seconds() float64 {
	if d == None {
		return math.NaN()
	}
	return float64(d) / microsPerSecond
}

// InstantFromSeconds rounds s, in seconds, to the nearest microsecond. It fails on NaN, infinities and magnitudes above
// [MaxSeconds].
func InstantFromSeconds(s float64) (Instant, error) {
	if math.IsNaN(s) || math.Abs(s) > MaxSeconds {
		return None, fmt.Errorf("%v s is not a time", s)
	}
	return Instant(math.Round(s * microsPerSecond)), nil
}

// DurationFromSeconds rounds s, in seconds, to the nearest microsecond. It fails on NaN, infinities, negative values
// and magnitudes above [MaxSeconds].
func DurationFromSeconds(s float64) (Duration, error) {
	if math.IsNaN(s) || s < 0 || s > MaxSeconds {
		return None, fmt.Errorf("%v s is not a duration", s)
	}
	return Duration(math.Round(s * microsPerSecond)), nil
}

// Status is the outcome of a run or an attempt.
type Status uint8

// The statuses. StatusUnknown is the zero value: the trace does not say.
const (
	StatusUnknown Status = iota
	Succeeded
	Failed
	Killed
	Evicted
	Lost
	Running // had not ended when the trace did: censored
)

// Statuses is a set of statuses.
type Statuses uint8

// With returns the set with a status.
func (s Statuses) With(x Status) Statuses { return s | 1<<x }

// Has reports whether a status is in the set.
func (s Statuses) Has(x Status) bool { return s&(1<<x) != 0 }

// First returns the first of some statuses that is in the set, or StatusUnknown.
func (s Statuses) First(order ...Status) Status {
	for _, x := range order {
		if s.Has(x) {
			return x
		}
	}
	return StatusUnknown
}

// Well reports whether a run or an attempt counts as one that succeeded: it did, or the trace does not say.
func (s Status) Well() bool { return s == Succeeded || s == StatusUnknown }

var statusNames = [...]string{"unknown", "succeeded", "failed", "killed", "evicted", "lost", "running"}

// String returns the canonical lower-case name, as the tables spell it.
func (s Status) String() string {
	if int(s) < len(statusNames) {
		return statusNames[s]
	}
	return fmt.Sprintf("status(%d)", uint8(s))
}

// ParseStatus is the inverse of [Status.String].
func ParseStatus(name string) (Status, bool) {
	i := slices.Index(statusNames[:], name)
	return Status(max(i, 0)), i >= 0
}

// EdgeKind is the kind of a dependency between stages.
type EdgeKind uint8

// The kinds of edges. EdgeUnknown is the zero value: the trace does not say.
const (
	EdgeUnknown EdgeKind = iota
	AllToAll             // every task of the child reads from every task of the parent: a synchronisation (Jockey)
	OneToOne             // each task of the child reads from one task of the parent
	Driver               // the driver started the child after the parent had ended; no data flows
)

var edgeNames = [...]string{"unknown", "all_to_all", "one_to_one", "driver"}

// String returns the canonical name, as the tables spell it.
func (k EdgeKind) String() string {
	if int(k) < len(edgeNames) {
		return edgeNames[k]
	}
	return fmt.Sprintf("edge(%d)", uint8(k))
}

// ParseEdgeKind is the inverse of [EdgeKind.String].
func ParseEdgeKind(name string) (EdgeKind, bool) {
	i := slices.Index(edgeNames[:], name)
	return EdgeKind(max(i, 0)), i >= 0
}

// Tri is a boolean that may be null.
type Tri uint8

// The values of [Tri]. TriNull is the zero value: the trace does not say.
const (
	TriNull Tri = iota
	No
	Yes
)

// TriOf returns Yes for true and No for false.
func TriOf(b bool) Tri {
	if b {
		return Yes
	}
	return No
}

// Resource indexes a [Demand].
type Resource uint8

// The resources in the order of the canonical columns: the six of Carbyne §2, and GPUs.
const (
	CPU       Resource = iota // cores
	Mem                       // bytes
	DiskRead                  // bytes/s
	DiskWrite                 // bytes/s
	NetIn                     // bytes/s
	NetOut                    // bytes/s
	GPU                       // GPUs; not one of Carbyne's
	NumResources
)

// ResourceNames are the canonical column names, indexed by [Resource].
var ResourceNames = [NumResources]string{"cpu", "mem", "disk_read", "disk_write", "net_in", "net_out", "gpu"}

// String returns the canonical column name.
func (r Resource) String() string {
	if r < NumResources {
		return ResourceNames[r]
	}
	return fmt.Sprintf("resource(%d)", uint8(r))
}

// Demand is the amount of each resource that one task holds while it runs. NaN is null.
type Demand [NumResources]float64

// NoDemand returns a Demand of nulls.
func NoDemand() Demand {
	var d Demand
	for i := range d {
		d[i] = math.NaN()
	}
	return d
}
