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
	answerHealth(w, r, s.served.Load(), "ok")
}

// answerHealth answers with a status if all is good, and 503 if not.
func answerHealth(w http.ResponseWriter, r *http.Request, good bool, status string) {
	if !good {
		api.Refuse(r, problem.Unavailable(time.Second))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, `{"status":"`+status+`"}`+"\n")
}

// warmKey is the item by which readiness tries the store. It need not exist: a read that finds nothing shows as well
// that reads work.
var warmKey = store.Key{PK: "WARM", SK: "A"}

// readiness is 200 while requests are answered, the store can be read, and writes are taken (contract, "The one
// process"). A balancer sends no requests to a process that answers anything else.
func (s *Server) readiness(w http.ResponseWriter, r *http.Request) {
	answerHealth(w, r, s.served.Load() && s.takes(r.Context()), "ready")
}

// takes says whether the store can be read and takes writes. The log has the reason if it does not.
func (s *Server) takes(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	if _, err := s.Platform.Main.Get(ctx, warmKey); err != nil {
		s.Platform.Log.Warn("the store cannot be read", "error", err)
		return false
	}
	return !s.refusesWrites(ctx)
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
