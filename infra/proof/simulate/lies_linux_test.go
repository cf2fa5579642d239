//go:build !race

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/infra/local"
	"eshop/shared/host"
	"eshop/shared/ports/store"
)

// The other side of make prove: a platform that lies, BREAK=lost-write for one, must be found. The lies are here, in a
// test, around the tables of the one process; the program that is shipped links none of this.

// lies are what may be wrong, by their names.
var lies = map[string]func(*host.Parts){
	"lost-write":  func(p *host.Parts) { p.Main = &liar{Table: p.Main, reverts: ofCustomer} },
	"stale-read":  func(p *host.Parts) { p.Main = &liar{Table: p.Main, remembers: ofCustomer} },
	"double-send": func(p *host.Parts) { p.Calling.Dial = dialsTwice },
}

// ofCustomer says whether an operation changes a customer's record.
func ofCustomer(op store.Op) bool {
	return strings.Contains(op.Key.PK, "#C#") && op.Key.SK == "A" && op.Kind != store.Deleting
}

// liar is a table that lies once in so many times.
type liar struct {
	store.Table
	reverts   func(store.Op) bool // of such a write it keeps what was before, though it acknowledged it
	remembers func(store.Op) bool // of such an item it shows what was before, though it was changed
	mu        sync.Mutex
	writes    int
	reads     int
	before    map[store.Key]*store.Item
}

const (
	everyWrite = 20
	everyRead  = 50
)

func (l *liar) Write(ctx context.Context, c events.Change, ops ...store.Op) (store.Item, error) {
	for _, op := range ops {
		if l.reverts != nil && l.reverts(op) || l.remembers != nil && l.remembers(op) {
			return l.lies(ctx, c, op, ops)
		}
	}
	return l.Table.Write(ctx, c, ops...)
}

// lies writes, of which op is to be lied about.
func (l *liar) lies(ctx context.Context, c events.Change, op store.Op, ops []store.Op) (store.Item, error) {
	before, err := l.Table.Get(ctx, op.Key)
	if err != nil {
		return store.Item{}, err
	}
	item, err := l.Table.Write(ctx, c, ops...)
	if err != nil || before[0] == nil {
		return item, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.writes++; l.remembers != nil {
		if l.before == nil {
			l.before = map[store.Key]*store.Item{}
		}
		l.before[op.Key] = before[0]
	} else if l.writes%everyWrite == 0 {
		_, err = l.Table.Write(ctx, events.Change{}, store.Put(*before[0]))
	}
	return item, err
}

func (l *liar) Get(ctx context.Context, keys ...store.Key) ([]*store.Item, error) {
	items, err := l.Table.Get(ctx, keys...)
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, key := range keys {
		if was := l.before[key]; err == nil && was != nil {
			if l.reads++; l.reads%everyRead == 0 {
				items[i] = was
			}
		}
	}
	return items, err
}

// twice is a connection over which a call in so many is made once more, when it was answered.
type twice struct {
	net.Conn
	again func(call []byte)
	sent  bytes.Buffer
}

var calls atomic.Int64

func dialsTwice(ctx context.Context, network, address string) (net.Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, network, address)
	return &twice{Conn: c, again: func(call []byte) {
		if second, err := net.Dial(network, address); err == nil {
			defer second.Close()
			_, _ = second.Write(call)
			_, _ = http.ReadResponse(bufio.NewReader(second), nil) // whatever it says
		}
	}}, err
}

func (c *twice) Write(b []byte) (int, error) {
	c.sent.Write(b)
	return c.Conn.Write(b)
}

func (c *twice) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 && c.sent.Len() > 0 && calls.Add(1)%everyWrite == 0 {
		c.again(c.sent.Bytes())
	}
	c.sent.Reset()
	return n, err
}

// lying is the program on that folder, with a lie.
func lying(getenv func(string) string, lie func(*host.Parts)) {
	settings, err := local.ReadSettings(getenv)
	if err != nil {
		panic(err)
	}
	settings.Log, settings.Parts = slog.New(slog.DiscardHandler), lie
	s, err := local.Start(context.Background(), settings)
	if err != nil {
		panic(err)
	}
	fmt.Printf("serves at %s \n", s.BaseURL)
	select {} // until it is killed
}

// TestEachLieIsFound by TestProve.
func TestEachLieIsFound(t *testing.T) {
	if os.Getenv("LIES") == "" {
		t.Skip("make race sets LIES=1: it takes a minute in real time")
	}
	for lie, found := range map[string]struct{ kills, says string }{
		// A process lies once in so many writes or reads: it needs some seconds to come to that.
		"lost-write": {"1", "no order of these operations"},
		"stale-read": {"1", "no order of these operations"},
		// Around a kill a webhook may come twice: it needs some seconds without any.
		"double-send": {"1", "heard the call"},
	} {
		t.Run(lie, func(t *testing.T) {
			prove := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestProve$", "-test.v")
			prove.Env = append(os.Environ(), "BREAK="+lie, "SEED=1", "DURATION=12s", "KILLS="+found.kills)
			out, err := prove.CombinedOutput()
			require.Error(t, err, "%s", out)
			require.Contains(t, string(out), found.says)
		})
	}
}
