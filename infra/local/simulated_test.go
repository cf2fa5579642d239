package local

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	crypto "crypto/rand"

	"github.com/stretchr/testify/require"

	"eshop/shared/egress"
	"eshop/shared/egress/egresstest"
	"eshop/shared/secret/file"
	"eshop/shared/store/bolt"
)

// What takes time in a simulation, and how long. All else takes none: what is measured is who waits for whom, and for how
// long, not the machine that runs the test.
const (
	commits = 1500 * time.Microsecond // a commit, by its sync of the disk: what a server's SSD takes
	perEdit = 15 * time.Microsecond   // and for each item that it edits: 16 writers of 3 to 5 items each make some 10,000 writes a second
	way     = 20 * time.Millisecond   // to a receiver, or a client, and as long back: some 2,000 km
)

// simulation is the whole one process in a bubble: its own pumps, queues, store and sender. Requests to it take no time on
// their way, and what it sends goes over a network in memory.
type simulation struct {
	*Server
	t       testing.TB
	network egresstest.Network
	ports   int
	going   sync.WaitGroup // what lasts until the simulation has ended
	ended   chan struct{}
}

// simulated runs the work with a simulation that has ended with it.
func simulated(t *testing.T, work func(*simulation)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &simulation{t: t, ended: make(chan struct{})}
		s.start(t.TempDir())
		defer s.end()
		work(s)
	})
}

func (s *simulation) end() {
	close(s.ended)
	s.going.Wait()
	err := s.Stop()
	s.Platform.Egress.CloseIdle()
	s.network.Wait()
	require.NoError(s.t, err)
}

func (s *simulation) start(data string) {
	s.Server = &Server{settings: Settings{Data: data, Environment: "development", OperatorToken: "operator", Now: time.Now,
		Random: crypto.Reader, Log: slog.New(slog.DiscardHandler)}, BaseURL: "http://127.0.0.1:8080", listener: newSilent()}
	keys, err := file.Open(s.path("secret.key"))
	require.NoError(s.t, err)
	s.db, err = bolt.Open(filepath.Join(data, "eshop.db"), bolt.Options{Feeds: []string{"main"}, Now: time.Now, Log: s.settings.Log,
		Disk: func(edits int) { time.Sleep(commits + time.Duration(edits)*perEdit) }})
	require.NoError(s.t, err)
	require.NoError(s.t, s.assemble(context.Background(), keys, "operator"))
	s.Platform.Egress = egress.New(egress.Options{Rules: s.Platform.Callable(), Dial: s.network.Dial})
	s.serve()
}

// silent is a listener that nobody connects to.
type silent struct{ closed chan struct{} }

func newSilent() silent { return silent{make(chan struct{})} }

func (l silent) Accept() (net.Conn, error) { <-l.closed; return nil, net.ErrClosed }
func (l silent) Close() error              { close(l.closed); return nil }
func (l silent) Addr() net.Addr            { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080} }

// ask is the answer to a request, which must be good.
func (s *simulation) ask(token, method, path string, body any) map[string]any {
	var b []byte
	switch body := body.(type) {
	case nil:
	case string:
		b = []byte(body)
	default:
		var err error
		b, err = json.Marshal(body)
		require.NoError(s.t, err)
	}
	r := httptest.NewRequest(method, path, bytes.NewReader(b))
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	s.http.Handler.ServeHTTP(w, r)
	require.Less(s.t, w.Code, 300, "%s %s: %s", method, path, w.Body)
	var answer map[string]any
	if w.Body.Len() > 0 {
		require.NoError(s.t, json.Unmarshal(w.Body.Bytes(), &answer))
	}
	return answer
}

type fields = map[string]any

// shop is a new shop's token, of an access that is bounded by nothing that matters here.
func (s *simulation) shop(permissions ...string) (token string) {
	op := func(method, path string, body fields) fields { return s.ask("operator", method, path, body) }
	name := strings.ToLower(crypto.Text())
	shop := op("POST", "/operator/shops", fields{"name": "Obchod", "domain": name + ".example", "locale": "sk_SK", "currency": "EUR",
		"owner": fields{"email": "majitel@shop.example"}})["id"].(string)
	pkg := op("POST", "/operator/packages", fields{"code": name, "name": "Doplněk", "instructions": "# Návod", "permissions": permissions})
	a := op("POST", "/operator/shops/"+shop+"/accesses", fields{"packageId": pkg["id"]})
	op("PATCH", "/operator/shops/"+shop+"/accesses/"+a["id"].(string), fields{"hourlyLimit": 3_600_000, "dailyLimit": 86_400_000})
	return a["token"].(string)
}

// receiver is an enabled receiver of the shop's, so far away, that answers so once it was proven.
func (s *simulation) receiver(token string, way time.Duration, answer func(header http.Header, body []byte) int, events ...string) {
	s.ports++
	at := fmt.Sprintf("127.0.0.1:%d", 9000+s.ports)
	s.network.Listen(at, &egresstest.Receiver{Way: way, Answer: func(header http.Header, body []byte) int {
		if header.Get("X-Webhook-Event") == "ping" {
			return 200
		}
		return answer(header, body)
	}})
	body := fields{"url": "http://" + at + "/"}
	if len(events) > 0 {
		body["events"] = events
	}
	id := s.ask(token, "POST", "/api-engine/webhooks", body)["id"].(string)
	for s.ask(token, "GET", "/api-engine/webhooks/"+id, nil)["state"] != "enabled" {
		time.Sleep(10 * time.Millisecond)
	}
}

// times are how long something took, each time.
type times struct {
	of  string
	mu  sync.Mutex
	all []time.Duration
}

func (t *times) add(d time.Duration) { t.mu.Lock(); defer t.mu.Unlock(); t.all = append(t.all, d) }

// p is the time that so many percent took at most.
func (t *times) p(percent int) time.Duration {
	slices.Sort(t.all)
	return t.all[(len(t.all)*percent+99)/100-1]
}

func (t *times) String() string {
	return fmt.Sprintf("p50 %s, p99 %s, longest %s of %d", t.p(50), t.p(99), t.p(100), len(t.all))
}

// after is closed so much later.
func after(d time.Duration) <-chan struct{} {
	over := make(chan struct{})
	time.AfterFunc(d, func() { close(over) })
	return over
}

// either is closed as the first of the two is.
func either(a, b <-chan struct{}) <-chan struct{} {
	over := make(chan struct{})
	go func() {
		defer close(over)
		select {
		case <-a:
		case <-b:
		}
	}()
	return over
}
