package local

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"eshop/shared/addon"
	"eshop/shared/base/remember"
	"eshop/shared/ports/secret/file"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/shop"
	"eshop/shared/webhook"
)

// backupFile is the file of the data folder that says when a backup was last sent whole. No backup holds it, so a
// restored platform has none until its first.
const backupFile = "backup.time"

// noteBackup writes down that a backup of that moment was sent whole. It is a moment of the machine's clock, which is
// also Prometheus'.
func (s *Server) noteBackup(made time.Time) error {
	return file.Write(s.path(backupFile), []byte(made.UTC().Format(time.RFC3339)+"\n"))
}

// lastBackup is when a backup was last sent whole, in unix seconds; 0: never, as far as can be read.
func (s *Server) lastBackup() float64 {
	text, err := file.Read(s.path(backupFile))
	if err != nil {
		return 0
	}
	made, err := time.Parse(time.RFC3339, strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return float64(made.Unix())
}

// freeBytes are those that the data's disk has; NaN where the system does not say it.
func (s *Server) freeBytes() float64 {
	free, err := s.files.Free()
	if err != nil || free == math.MaxInt64 {
		return math.NaN()
	}
	return float64(free)
}

// countedFor is how long a count of receivers is shown: a count reads the receivers of all shops.
const countedFor = time.Minute

// gauges registers what of this machine, and of the receivers, is so now.
func (s *Server) gauges(registry *prometheus.Registry) {
	for _, one := range []struct {
		name, doc string
		value     func() float64
	}{
		{"eshop_disk_free_bytes", "Bytes that are free on the disk of the data folder.", s.freeBytes},
		{"eshop_writes_refused", "1 while writes are refused, for want of room or for good, else 0.", func() float64 {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			if s.refusesWrites(ctx) {
				return 1
			}
			return 0
		}},
		{"eshop_last_backup_timestamp_seconds", "When a backup was last sent whole, in unix time; 0: never.",
			s.lastBackup},
	} {
		registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: one.name, Help: one.doc}, one.value))
	}
	registry.MustRegister(receiverGauges{s,
		remember.New[struct{}, receiverCounts](remember.For(s.settings.Now, countedFor), 1)})
}

// receiverGauges show how many receivers get nothing now, and how many webhooks wait for receivers.
type receiverGauges struct {
	server *Server
	counts *remember.Memory[struct{}, receiverCounts]
}

var (
	receiversGauge = prometheus.NewDesc("eshop_receivers",
		"Receivers in use, systemUrls among them, whose breaker is open (failing), or that get nothing more "+
			"(disabled).",
		[]string{"state"}, nil)
	parkedGauge = prometheus.NewDesc("eshop_parked_calls",
		"Webhooks that wait now for a receiver to be well again.", nil, nil)
)

// Describe is of prometheus.Collector.
func (g receiverGauges) Describe(to chan<- *prometheus.Desc) { to <- receiversGauge; to <- parkedGauge }

// Collect shows the counts of the last minute, or counts anew. What cannot be counted is not shown.
func (g receiverGauges) Collect(to chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), handleBudget)
	defer cancel()
	c, err := g.counts.Get(ctx, struct{}{}, g.server.countReceivers)
	if err != nil {
		g.server.Platform.Log.Warn("the receivers could not be counted", "error", err)
		return
	}
	for _, state := range []webhook.ReceiverState{webhook.Failing, webhook.Disabled} {
		to <- prometheus.MustNewConstMetric(receiversGauge, prometheus.GaugeValue, float64(c.in[state]), string(state))
	}
	to <- prometheus.MustNewConstMetric(parkedGauge, prometheus.GaugeValue, float64(c.parked))
}

// receiverCounts are how many receivers are in a state, and how many webhooks are parked.
type receiverCounts struct {
	in     map[webhook.ReceiverState]int
	parked int
}

// countReceivers counts the receivers of active accesses on all shops, and those at systemUrls.
func (s *Server) countReceivers(ctx context.Context) (receiverCounts, error) {
	counts := receiverCounts{in: map[webhook.ReceiverState]int{}}
	p := s.Platform
	shops := shop.Shops(shop.Names{}, nil)
	err := eachRecord(ctx, shops.Listing(p.Main, ""), record.Load(p.Main, shops.Show), func(one shop.Shop) error {
		hooks, err := webhook.ReadHooks(ctx, p.Main, one.ID)
		if err != nil {
			return err
		}
		for _, a := range hooks.Accesses {
			if a.State != addon.Active {
				continue
			}
			for _, r := range hooks.Receivers[a.ID] {
				if err := counts.add(ctx, p.Pipeline, r); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return counts, err
	}
	packages := addon.Packages(addon.System{}, nil)
	err = eachRecord(ctx, packages.Listing(p.Main, ""), record.Load(p.Main, packages.Show),
		func(one addon.Package) error {
			found, err := p.Main.Get(ctx, webhook.SystemKey(one.ID))
			if err != nil || found[0] == nil {
				return err
			}
			r, err := webhook.ReceiverOf(found[0])
			if err != nil {
				return fmt.Errorf("the systemUrl of the package %s: %w", one.ID, err)
			}
			return counts.add(ctx, p.Pipeline, r)
		})
	return counts, err
}

// add counts a receiver, and what is parked for it.
func (c *receiverCounts) add(ctx context.Context, pipeline store.Table, r webhook.Receiver) error {
	if r.Active {
		c.in[r.State]++
	}
	q := store.Query{Index: store.Index2, PK: webhook.StatePartition(r.ID, webhook.Parked)}
	for page, err := range store.Pages(ctx, pipeline, q) {
		if err != nil {
			return err
		}
		c.parked += len(page.Items)
	}
	return nil
}

// eachRecord calls do with each record of a listing.
func eachRecord[T any](ctx context.Context, l record.Listing,
	load func(context.Context, []store.Item) ([]record.Shown[T], error), do func(T) error,
) error {
	for next, more := "", true; more; more = next != "" {
		some, after, err := record.Page(ctx, l, record.Asked{After: next, Limit: 100}, load)
		if err != nil {
			return err
		}
		for _, one := range some {
			if err := do(one); err != nil {
				return err
			}
		}
		next = after
	}
	return nil
}
