package local

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"eshop/functions"
	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/egress"
	"eshop/shared/host"
	limits "eshop/shared/limit/memory"
	"eshop/shared/queue"
	bells "eshop/shared/queue/memory"
	"eshop/shared/secret/file"
	"eshop/shared/shop"
	"eshop/shared/store"
	"eshop/shared/store/bolt"
)

// largeAtOnce is how many requests that read much are answered at a time. Each may hold some 20 MiB while its answer is
// made, which takes a processor tens of milliseconds.
const largeAtOnce = 2

// How many bytes the bodies of all requests under way hold together, 32 pictures of the largest size, and how many
// large answers while they are sent. One caller has a quarter of each.
const (
	bodiesAtOnce  = 128 << 20
	answersAtOnce = 128 << 20
)

// platform is what functions run with on this database. It has no counters, queues or egress: the caller adds them,
// because a seeding has others than the running platform, or none.
func platform(ctx context.Context, db *bolt.DB, keys *file.Keys, s *Server, operator string) (*host.Platform, error) {
	main := db.Table("main")
	key, err := ownKey(ctx, db, keys)
	if err != nil {
		return nil, err
	}
	p := host.New(host.Platform{
		Stores: host.Stores{Main: main, Pipeline: db.Table("pipeline"), Secrets: keys, Signing: keys,
			Slots: store.NewSlots(largeAtOnce), Bodies: api.NewRoom(bodiesAtOnce, bodiesAtOnce/4),
			Answers: api.NewRoom(answersAtOnce, answersAtOnce/4)},
		World: host.World{Now: s.now, Wall: s.settings.Now, Random: s.settings.Random, Log: s.settings.Log,
			Attempts: s.settings.Log, Calm: s.traffic.calm},
		Addresses:   s.addresses(),
		Traits:      host.OneProcess,
		Admission:   host.Admission{Key: key, Operator: host.TokenHash(operator)},
		Environment: s.settings.Environment,
	})
	p.Accesses = addon.NewResolver(main, p.Now, p.Shops, 0)
	p.Storefront = host.StorefrontOf(main, p.Now, p.ShopNames(), main.Watch)
	return p, nil
}

// addresses are all that the platform tells of itself. They follow from the public address; without one it is found on
// this machine alone.
func (s *Server) addresses() host.Addresses {
	a := host.Addresses{BaseURL: s.PublicURL(), Shops: s.shops(), ReservedSlug: functions.ReservedSlug(),
		SecurityContact: s.settings.SecurityContact, Outside: outside, TestDomain: s.settings.TestDomain}
	if a.BaseURL != s.BaseURL {
		a.DoorURL, a.Kept = s.BaseURL, []string{"localhost"}
	}
	if s.settings.Canary != "1" {
		a.Canary = s.settings.Canary
	}
	return a
}

// PublicURL is the address that the platform tells of itself, without a slash at its end.
func (s *Server) PublicURL() string {
	if s.settings.PublicURL != nil {
		return s.settings.PublicURL.String()
	}
	return s.BaseURL
}

// outside calls this process as a browser does: names below localhost are this machine, whatever a name server says
// (RFC 6761, section 6.3). No connection is kept.
var outside = &http.Transport{DisableKeepAlives: true,
	DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
		if name, port, err := net.SplitHostPort(address); err == nil && strings.HasSuffix(name, ".localhost") {
			address = net.JoinHostPort("localhost", port)
		}
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}}

// shops are where shops are: below the public address, which has none in front; without one below localhost, which
// leads to the demo shop itself (contract, section 6).
func (s *Server) shops() shop.Places {
	if public := s.settings.PublicURL; public != nil {
		return shop.Places{Scheme: public.Scheme, Host: public.Hostname(), Port: portOf(public), Own: true}
	}
	return shop.Places{Scheme: "http", Host: "localhost", Port: fmt.Sprintf(":%d", s.port()), Front: s.demoShop}
}

// portOf is the port of an address with its colon; "" where it has none.
func portOf(u *url.URL) string { return strings.TrimPrefix(u.Host, u.Hostname()) }

// demoShop is the id of the demo shop; "" while there is none.
func (s *Server) demoShop() string {
	if s.demo == nil { // the shop is being seeded
		return ""
	}
	return s.demo.item.Shop
}

// assemble makes the platform with all its parts, and registers the operations of all functions. Everything that
// Lambda, SQS and DynamoDB do on AWS has its counterpart here.
func (s *Server) assemble(ctx context.Context, keys *file.Keys, operator string) (err error) {
	s.Platform, err = platform(ctx, s.db, keys, s, operator)
	if err != nil {
		return err
	}
	p := s.Platform
	s.metrics = newMetrics()
	p.Figure, p.Served = s.metrics.add, s.metrics.served
	s.counters = limits.Open(s.db.Table("counters"))
	// Nobody receives from it: the sweeper rings again for a delivery whose bell is lost.
	dead := bells.New(queue.Settings{Name: "dead", Visibility: time.Minute, MaxReceives: 1 << 30}, nil, maxBells)
	s.queues = map[host.Resource]*bells.Queue{}
	for _, q := range host.QueuesOf(functions.List) {
		s.queues[q.Resource] = bells.New(q.Settings(), dead, maxBells)
		s.metrics.queue(string(q.Resource), s.queues[q.Resource])
	}
	p.Counters, p.Fresh, p.Retry = s.counters, s.queues[host.Fresh], s.queues[host.Retry]
	s.demo = &demo{server: s}
	if err := s.demo.load(ctx); err != nil {
		return err
	}
	p.Demo = s.demo.seeded()
	if s.settings.Canary == "1" && p.Demo {
		if p.Canary, err = s.demo.canary(ctx); err != nil {
			return err
		}
	}
	p.Egress = egress.New(egress.Options{Rules: p.Callable(), Now: p.Wall})
	s.inboxes = newInboxes(functions.List)
	if s.files, err = s.bucket(); err != nil {
		return err
	}
	p.Files, p.Room = s.files, s.files.Room
	s.gauges(s.metrics.registry)
	s.sending = api.NewRoom(uploadsAtOnce, uploadsOfShop)
	s.API = p.Frame()
	for _, f := range functions.List {
		if f.HTTP != nil {
			f.HTTP(p, s.API)
			s.metrics.own(f.Name, s.API.Patterns())
		}
	}
	s.routes()
	s.metrics.own(ofHost, s.API.Patterns())
	return nil
}

// routes are what only this host serves.
func (s *Server) routes() {
	s.API.Handle("GET /healthz", http.HandlerFunc(s.health))
	s.API.Handle("GET /readyz", http.HandlerFunc(s.readiness))
	s.registerClock(s.API)
	s.API.HandleOperator("GET /metrics", s.metrics.handler())
	s.API.Receive(uploads+"/{key...}", s.upload)
	s.API.Handle("GET "+downloads+"/{key...}", http.HandlerFunc(s.refuseDownload))
	if s.demo.seeded() && !s.Platform.Production() {
		s.API.Handle("POST "+host.DemoReceiver, s.demo.receiver())
		s.API.Handle("GET "+host.DemoReceiver, http.HandlerFunc(s.demo.show))
		s.API.Handle("POST "+configuratorPath+"/quotes", http.HandlerFunc(s.demo.configure))
		s.API.Handle("OPTIONS "+configuratorPath+"/quotes", http.HandlerFunc(s.demo.configure))
	}
}
