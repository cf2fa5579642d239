package house_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/host"
	"eshop/shared/host/hosttest"
)

// leaving is the context of a request that is ended as it is looked at for the nth time.
type leaving struct {
	context.Context
	looks atomic.Int64
	end   func()
}

func (l *leaving) Err() error {
	if l.looks.Add(-1) < 0 {
		l.end()
	}
	return l.Context.Err()
}

// TestWhoHangsUpIsNoFaultOfOurs asks for everything that can be read, changes nothing under a key, and hangs up, at any
// moment: one line tells of it, below every alarm, and no page is made. A request that the platform ends as it stops
// stays a fault.
func TestWhoHangsUpIsNoFaultOfOurs(t *testing.T) {
	var lines bytes.Buffer
	w := openWith(t, func(p *host.Parts) { p.Log = slog.New(slog.NewTextHandler(&lines, nil)) })
	stopped, left, faults := errors.New("the platform stops"), map[string]bool{}, 0
	for _, route := range w.API.Patterns() {
		method, path, _ := strings.Cut(route, " ")
		at, body := wildcard.ReplaceAllString(strings.TrimSuffix(path, "{$}"), "01KAJ0000000000000000000S1"), any(nil)
		if route == "PATCH /api-engine/customers/{id}" {
			at, body = w.path(route), object{}
		} else if method != http.MethodGet {
			continue
		}
		for _, accept := range []string{"application/json", hosttest.PageType} {
			for n := range 8 {
				ask := func(cause error) (status int, log string) {
					ctx, cancel := context.WithCancelCause(t.Context())
					ends := &leaving{Context: ctx, end: func() { cancel(cause) }}
					ends.looks.Store(int64(n))
					r := w.Request(w.tokenAt(path), method, at, body, "Accept", accept,
						"Idempotency-Key", fmt.Sprint(n, cause))
					if people(route) || path == "/{$}" || path == "/{slug}" {
						r.Host = w.host(route)
						r.Header.Del("Authorization")
						for _, c := range w.cookies {
							r.AddCookie(c)
						}
					}
					lines.Reset()
					return w.Serve(r.WithContext(ends)).Status, lines.String()
				}
				status, log := ask(nil)
				require.Less(t, status, 500, "%s, %s, at the %d. look: %s", route, accept, n, log)
				require.NotRegexp(t, "level=(WARN|ERROR)", log, "%s, %s, at the %d. look", route, accept, n)
				left[route] = left[route] || status == 499
				status, log = ask(stopped)
				require.NotEqual(t, 499, status, route)
				if status == 503 {
					faults++
					require.Contains(t, log, "level=ERROR", route)
				}
			}
		}
	}
	for _, route := range []string{"GET /{$}", "GET /{slug}", "GET /api-engine/products", "GET /operator/shops",
		"PATCH /api-engine/customers/{id}"} {
		require.True(t, left[route], route)
	}
	require.Greater(t, faults, 50)
}
