package local

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"eshop/functions"
	"eshop/infra/demo"
	"eshop/shared/api"
	"eshop/shared/host"
	limits "eshop/shared/ports/limit/memory"
	"eshop/shared/ports/queue"
	bells "eshop/shared/ports/queue/memory"
	"eshop/shared/ports/secret/file"
	"eshop/shared/shop"
)

// parts are what the platform is made of on the server's database. Everything that Lambda, SQS and DynamoDB do on AWS
// has its counterpart here.
func (s *Server) parts(ctx context.Context, keys *file.Keys, operator string) (host.Parts, error) {
	key, err := ownKey(ctx, s.db, keys)
	if err != nil {
		return host.Parts{}, err
	}
	s.inboxes = newInboxes(functions.List)
	if s.files, err = s.bucket(key); err != nil {
		return host.Parts{}, err
	}
	s.counters = limits.Open(s.db.Table("counters"))
	// Nobody receives from it: the sweeper rings again for a delivery whose bell is lost.
	dead := bells.New(queue.Settings{Name: "dead", Visibility: time.Minute, MaxReceives: 1 << 30}, nil, bells.Bound)
	s.queues = map[host.Resource]*bells.Queue{}
	for _, q := range host.QueuesOf(functions.List) {
		s.queues[q.Resource] = bells.New(q.Settings(), dead, bells.Bound)
	}
	main := s.db.Table("main")
	return host.Parts{
		Stores: host.Stores{Main: main, Watch: main.Watch, Pipeline: s.db.Table("pipeline"), Counters: s.counters,
			Secrets: keys, Signing: keys, Files: s.files, Room: s.files.Room},
		Queues: host.Queues{Fresh: s.queues[host.Fresh], Retry: s.queues[host.Retry]},
		World: host.World{Now: s.now, Wall: s.settings.Now, Random: s.settings.Random, Log: s.settings.Log,
			Attempts: s.settings.Log, Calm: s.traffic.calm},
		Addresses:   s.addresses(),
		Traits:      host.OneProcess,
		Environment: s.settings.Environment, Operator: host.TokenHash(operator), Key: key,
	}, nil
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
// leads to the demo shop itself (contract, "Names").
func (s *Server) shops() shop.Places {
	if public := s.settings.PublicURL; public != nil {
		return shop.Places{Scheme: public.Scheme, Host: public.Hostname(),
			Port: strings.TrimPrefix(public.Host, public.Hostname()), Own: shop.Ready}
	}
	return shop.Places{Scheme: "http", Host: "localhost", Port: fmt.Sprintf(":%d", s.port()), Front: s.demo.ID,
		Own: func(shop.Shop) bool { return false }}
}

// assemble puts the platform together of these parts, with all functions, and adds what only this host serves.
func (s *Server) assemble(ctx context.Context, parts host.Parts) (err error) {
	if s.settings.Parts != nil {
		s.settings.Parts(&parts)
	}
	s.metrics = newMetrics()
	parts.Figure, parts.Served = s.metrics.add, s.metrics.served
	if err := s.demo.Load(ctx, parts.Main); err != nil {
		return err
	}
	parts.Demo = s.demo.ID() != ""
	if s.settings.Canary == "1" && parts.Demo {
		if parts.Canary, err = s.demo.Canary(ctx, parts.Main); err != nil {
			return err
		}
	}
	if s.Platform, err = host.Assemble(ctx, parts, functions.List...); err != nil {
		return err
	}
	s.API = s.Platform.API
	for name, q := range s.queues {
		s.metrics.queue(string(name), q)
	}
	s.gauges(s.metrics.registry)
	s.sending = api.NewRoom(uploadsAtOnce, uploadsOfShop)
	s.routes()
	s.metrics.own(s.Platform.Owners, s.API.Patterns())
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
	_, began := os.Stat(s.path("run.json")) // which is written at the end of the first start
	s.demo.Serve(demo.Process{Platform: s.Platform, Local: s.BaseURL, Public: s.PublicURL(),
		Operator: s.Run.OperatorToken, First: errors.Is(began, os.ErrNotExist), Token: s.keptToken, Settle: s.settle})
}
