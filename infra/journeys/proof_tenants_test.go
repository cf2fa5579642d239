package journeys

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/base/remember"
	"eshop/shared/host"
	"eshop/shared/ports/store"
)

// turnstile is the table of an importer, whose every write waits until it is let through.
type turnstile struct {
	store.Table
	come, pass   chan struct{}
	under, most  atomic.Int64
	largest, all atomic.Int64
}

func (s *turnstile) Write(ctx context.Context, c events.Change, ops ...store.Op) (store.Item, error) {
	now := s.under.Add(1)
	defer s.under.Add(-1)
	atLeast(&s.most, now)
	atLeast(&s.largest, int64(len(ops)))
	s.all.Add(1)
	for _, c := range []chan struct{}{s.come, s.pass} {
		select {
		case c <- struct{}{}:
		case <-ctx.Done():
			return store.Item{}, ctx.Err()
		}
	}
	return s.Table.Write(ctx, c, ops...)
}

func atLeast(most *atomic.Int64, n int64) {
	for was := most.Load(); n > was && !most.CompareAndSwap(was, n); was = most.Load() {
	}
}

// TestBetweenAnyTwoStepsOfAnImportAnotherShopReadsWritesAndHears proves by the order that no request and no webhook of
// another shop waits for an import: with the import stopped before each of its writes, the other shop goes through a
// whole turn. What a turn can wait for is the write under way, and that is bounded: so many operations, so many at
// once.
func TestBetweenAnyTwoStepsOfAnImportAnotherShopReadsWritesAndHears(t *testing.T) {
	t.Parallel()
	for name, oneProcess := range map[string]bool{"a batch at a time, as in Lambda": false,
		"several on their way, as in the one process": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			const rows = 600
			gate := &turnstile{come: make(chan struct{}), pass: make(chan struct{})}
			between := straight()
			between.parts = func(p *host.Parts, f host.Function) {
				if f.Name == "importer" {
					p.Near, p.Instant, p.Alone = oneProcess, oneProcess, oneProcess
					p.Watch = remember.For(p.Now, 0)
					gate.Table, p.Main = p.Main, gate
				}
			}
			w := inLambda(t, between)
			a, b := w.shopWith(t, everything...), w.shopWith(t, everything...)
			ofA, ofB := a.listens(fields{"events": []string{"productCreate"}}), b.listens()

			var file strings.Builder
			file.WriteString("code,name,stock.quantity,priceLevels.default\n")
			for i := range rows {
				fmt.Fprintf(&file, "I-%d,Čaj %d,10,99.00\n", i, i)
			}
			id, _, _ := a.uploads("products", "csv", file.String())
			over, turns := a.over(id), 0
			for importing := true; importing; {
				select {
				case <-gate.come:
					made := b.customer()
					b.get("/api-engine/customers/" + made)
					ofB.hears("customerCreate", made)
					turns++
					<-gate.pass
				case <-over:
					importing = false
				}
			}
			require.EqualValues(t, turns, gate.all.Load())
			require.Greater(t, turns, 20)
			require.LessOrEqual(t, gate.most.Load(), int64(4))
			require.LessOrEqual(t, gate.largest.Load(), int64(store.MaxOperations))
			require.EqualValues(t, rows, a.get("/api-engine/imports/" + id).fields()["rows"].(fields)["changed"])
			var sizes []int
			for _, c := range ofA.until(func(calls []call) bool { return len(calls) >= 2 }) {
				sizes = append(sizes, len(c.data(t)["products"].([]any)))
			}
			require.ElementsMatch(t, []int{events.MaxIDs, rows - events.MaxIDs}, sizes)
		})
	}
}

// over is closed when the import is.
func (tn *tenant) over(id string) <-chan struct{} {
	over := make(chan struct{})
	go func() {
		for tick := time.NewTicker(20 * time.Millisecond); ; {
			a, err := tn.send("GET", "/api-engine/imports/"+id, nil)
			if err == nil && (strings.Contains(string(a.body), `"state":"done"`) ||
				strings.Contains(string(a.body), `"state":"failed"`)) {
				close(over)
				return
			}
			select {
			case <-tick.C:
			case <-tn.t.Context().Done():
				return
			}
		}
	}()
	return over
}
