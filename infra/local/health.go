package local

import (
	"context"
	"io"
	"net/http"
	"time"

	"eshop/shared/api"
	"eshop/shared/problem"
	"eshop/shared/store"
)

// health is 200 once everything is served (contract, section 8).
func (s *Server) health(w http.ResponseWriter, r *http.Request) {
	if !s.served.Load() {
		api.Refuse(r, problem.Unavailable(time.Second))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, `{"status":"ok"}`+"\n")
}

// readiness is 200 while requests are answered and the store can be read. A balancer sends no requests to a process
// that answers anything else.
func (s *Server) readiness(w http.ResponseWriter, r *http.Request) {
	if !s.served.Load() {
		api.Refuse(r, problem.Unavailable(time.Second))
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), time.Second)
	defer cancel()
	// The item need not exist: a read that finds nothing shows as well that reads work.
	if _, err := s.Platform.Main.Get(ctx, store.Key{PK: "WARM", SK: "A"}); err != nil {
		s.Platform.Log.Warn("the store cannot be read", "error", err)
		api.Refuse(r, problem.Unavailable(time.Second))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, `{"status":"ready"}`+"\n")
}
