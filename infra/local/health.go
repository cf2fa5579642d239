package local

import (
	"context"
	"io"
	"net/http"
	"time"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/bolt"
)

// health is 200 once everything is served (contract, "The one process").
func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	if !s.served.Load() {
		api.Refuse(r, problem.Unavailable(time.Second))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, `{"status":"ok"}`+"\n")
}

// warmKey is the item by which readiness tries the store. It need not exist: a read that finds nothing shows as well
// that reads work.
var warmKey = store.Key{PK: "WARM", SK: "A"}

// readiness is 200 while requests are answered, the store can be read, and writes are taken (contract, "The one
// process"). A balancer sends no requests to a process that answers anything else.
func (s *Server) readiness(w http.ResponseWriter, r *http.Request) {
	if !s.served.Load() {
		api.Refuse(r, problem.Unavailable(time.Second))
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), time.Second)
	defer cancel()
	if _, err := s.Platform.Main.Get(ctx, warmKey); err != nil {
		s.Platform.Log.Warn("the store cannot be read", "error", err)
		api.Refuse(r, problem.Unavailable(time.Second))
		return
	}
	if s.refusesWrites(ctx) {
		api.Refuse(r, problem.Unavailable(time.Second)) // the store has logged why
		return
	}
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, `{"status":"ready"}`+"\n")
}

// triesEvery is how long it takes at least from one try of a refused store to the next: who asks is anybody.
const triesEvery = time.Second

// refusesWrites says whether writes are refused. Where the last one was, it tries one: no balancer sends requests then,
// so none may come that shows that there is room again. What it writes goes away a minute later.
func (s *Server) refusesWrites(ctx context.Context) bool {
	now, last := s.settings.Now().UnixNano(), s.tried.Load()
	if s.db.Refuses() && now-last >= int64(triesEvery) && s.tried.CompareAndSwap(last, now) {
		_, _ = s.Platform.Main.Write(ctx, events.Nothing, store.Put(store.Item{Key: warmKey,
			Doc: make([]byte, bolt.Enough), Expires: s.now().Add(time.Minute).Unix()}))
	}
	return s.db.Refuses()
}
