// Package simtest proves by figures that nobody waits for a neighbour, on any host: in simulated time, in which only
// what is given a time takes one (a disk, a table far away, a network), so that it is measured who waits for whom and
// how long, and not the machine that runs the test.
package simtest

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/base/egress/egresstest"
)

// Operator is the operator's token.
const Operator = "the-operators-own-token"

// way is how long what is sent to a receiver or by a client is on its way, and as long the answer: some 2,000 km.
const way = 20 * time.Millisecond

// World is a platform that serves, with its surroundings.
type World struct {
	T       testing.TB
	Handler http.Handler // its front door: requests take no time on their way
	Network egresstest.Network

	ports int
	going sync.WaitGroup // what lasts until the world ends
	ended chan struct{}
}

// New is a world without a platform.
func New(t testing.TB) *World { return &World{T: t, ended: make(chan struct{})} }

// End ends what the work has begun, and then, by stop, the platform. Connections that were kept are closed some seconds
// later.
func (w *World) End(stop func()) {
	close(w.ended)
	w.going.Wait()
	stop()
	time.Sleep(time.Minute)
}

// ask is the answer to a request, which must be good.
func (w *World) ask(token, method, path string, body any) map[string]any {
	answered := w.request(token, method, path, body)
	require.Less(w.T, answered.Code, 300, "%s %s: %s", method, path, answered.Body)
	var answer map[string]any
	if answered.Body.Len() > 0 {
		require.NoError(w.T, json.Unmarshal(answered.Body.Bytes(), &answer))
	}
	return answer
}

// request is the answer to a request, whatever it is.
func (w *World) request(token, method, path string, body any) *httptest.ResponseRecorder {
	var b []byte
	switch body := body.(type) {
	case nil:
	case string:
		b = []byte(body)
	default:
		var err error
		b, err = json.Marshal(body)
		require.NoError(w.T, err)
	}
	r := httptest.NewRequest(method, path, bytes.NewReader(b))
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	answered := httptest.NewRecorder()
	w.Handler.ServeHTTP(answered, r)
	return answered
}

type fields = map[string]any

// shop is a new shop's token, of an access that is bounded by nothing that matters here.
func (w *World) shop(permissions ...string) (token string) {
	op := func(method, path string, body fields) fields { return w.ask(Operator, method, path, body) }
	name := strings.ToLower(rand.Text())
	shop := op("POST", "/operator/shops", fields{"name": "Obchod", "domain": name + ".example", "locale": "sk_SK",
		"currency": "EUR", "owner": fields{"email": "majitel@shop.example"}})["id"].(string)
	pkg := op("POST", "/operator/packages", fields{"code": name, "name": "Doplněk", "instructions": "# Návod",
		"permissions": permissions})
	a := op("POST", "/operator/shops/"+shop+"/accesses", fields{"packageId": pkg["id"]})
	op("PATCH", "/operator/shops/"+shop+"/accesses/"+a["id"].(string),
		fields{"hourlyLimit": 3_600_000, "dailyLimit": 86_400_000})
	return a["token"].(string)
}

// receiver is an enabled receiver of the shop's, so far away, that answers so once it was proven.
func (w *World) receiver(token string, way time.Duration, answer func(header http.Header, body []byte) int,
	events ...string,
) {
	w.ports++
	at := fmt.Sprintf("127.0.0.1:%d", 9000+w.ports)
	w.Network.Listen(at, &egresstest.Receiver{Way: way, Answer: func(header http.Header, body []byte) int {
		if header.Get("X-Webhook-Event") == "ping" {
			return 200
		}
		return answer(header, body)
	}})
	body := fields{"url": "http://" + at + "/"}
	if len(events) > 0 {
		body["events"] = events
	}
	id := w.ask(token, "POST", "/api-engine/webhooks", body)["id"].(string)
	for w.ask(token, "GET", "/api-engine/webhooks/"+id, nil)["state"] != "enabled" {
		time.Sleep(10 * time.Millisecond)
	}
}
