package local

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"eshop/shared/field"
	"eshop/shared/host"
	"eshop/shared/signature"
	"eshop/shared/webhook"
)

// demo is the seeded shop of this data folder with its receiver, which shows what came (contract, section 8).
type demo struct {
	server *Server
	item   demoItem
	token  string

	calls atomic.Int64 // calls of the API that the start itself has made

	mu   sync.Mutex
	seen []delivered // the newest last
	size int         // of all of them, in bytes
}

// delivered is one webhook as the demo receiver shows it: its body as it came.
type delivered struct {
	At       field.Time      `json:"at"`
	Event    string          `json:"event"`
	ID       string          `json:"id"`
	Verified bool            `json:"verified"`
	Body     json.RawMessage `json:"body"`
}

// size is how many bytes of the webhook are remembered.
func (d delivered) size() int { return len(d.Event) + len(d.ID) + len(d.Body) }

// maxSeen is how many bytes of webhooks the demo receiver remembers in all, and reads of one.
const maxSeen = 1 << 20

// pingWait is how long a start waits until its demo receiver has answered the ping.
const pingWait = 2 * time.Second

// load reads which shop is the demo's: none in a folder that was not seeded.
func (d *demo) load(ctx context.Context) error {
	items, err := d.server.Platform.Main.Get(ctx, demoKey)
	if err != nil || items[0] == nil {
		return err
	}
	return json.Unmarshal(items[0].Doc, &d.item)
}

// seeded says whether this data folder has the demo shop.
func (d *demo) seeded() bool { return d.item.Shop != "" }

// ready gives the demo access its token and its receiver, through the API, once the platform serves.
func (d *demo) ready(ctx context.Context) error {
	if !d.seeded() {
		return nil
	}
	s := d.server
	token, err := s.keptToken("demo.token", func(token string) bool { return d.opens(ctx, token) }, d.newToken)
	if err != nil {
		return err
	}
	d.token = token
	s.Run.Demo = &RunDemo{ShopID: d.item.Shop, AccessID: d.item.Access, Token: token,
		StorefrontURL: s.website(d.item.Shop, "")}
	if s.Platform.Production() {
		return nil
	}
	if err := d.register(); err != nil {
		return err
	}
	if err := d.refund(ctx); err != nil {
		return err
	}
	return d.proven(ctx)
}

// refund gives the demo's access back what the start's own calls have cost: its first user finds the limits unused.
func (d *demo) refund(ctx context.Context) error {
	c, err := d.server.Platform.Accesses.Authenticate(ctx, d.token)
	if err != nil {
		return err
	}
	_, err = d.server.counters.Refund(ctx, c.Access, c.Limits, d.calls.Swap(0), d.server.Platform.Now())
	return err
}

// proven waits until the ping that a new address is sent has been answered, so that the first change that a reader
// makes is told already.
func (d *demo) proven(ctx context.Context) error {
	unproven := func(r webhook.Receiver) bool {
		return r.URL == d.server.BaseURL+host.DemoReceiver && r.State == webhook.Unverified
	}
	for end := time.Now().Add(pingWait); time.Now().Before(end) && wait(ctx, time.Millisecond); {
		hooks, err := webhook.HooksOf(ctx, d.server.Platform.Main, d.item.Shop)
		if err != nil || !slices.ContainsFunc(hooks.Receivers[d.item.Access], unproven) {
			return err
		}
	}
	return ctx.Err()
}

// caller calls the API with a token; the calls are counted.
func (d *demo) caller(token string) *seeder {
	return &seeder{api: d.server.API, token: token, tick: func() { d.calls.Add(1) }}
}

// opens says whether a token is one of the demo's access.
func (d *demo) opens(ctx context.Context, token string) bool {
	c, err := d.server.Platform.Accesses.Authenticate(ctx, token)
	return err == nil && c.Access == d.item.Access
}

// newToken is a new token of the demo's access, made by the operator.
func (d *demo) newToken() (string, error) {
	var t made
	operator := &seeder{api: d.server.API, token: d.server.Run.OperatorToken, tick: func() {}}
	err := operator.do("POST", "/operator/shops/"+d.item.Shop+"/accesses/"+d.item.Access+"/tokens", map[string]any{}, &t)
	return t.Token, err
}

// register makes the demo's signing key and receiver at the first start, and moves the receiver when the platform has
// another address than last time. What somebody deleted stays deleted.
func (d *demo) register() error {
	c, address := d.caller(d.token), d.server.BaseURL+host.DemoReceiver
	var list struct {
		Items []struct{ ID, URL string }
	}
	if err := c.do("GET", "/api-engine/webhooks", nil, &list); err != nil {
		return err
	}
	for _, r := range list.Items {
		if u, err := url.Parse(r.URL); err == nil && u.Path == host.DemoReceiver && r.URL != address {
			return c.do("PATCH", "/api-engine/webhooks/"+r.ID, map[string]string{"url": address}, nil)
		}
	}
	if len(list.Items) > 0 || !d.fresh() {
		return nil
	}
	if err := d.key(c); err != nil {
		return err
	}
	return c.do("POST", "/api-engine/webhooks", map[string]string{"url": address}, nil)
}

// key makes the signing key, unless a first start made it that did not come to its end.
func (d *demo) key(c *seeder) error {
	var keys struct{ Items []made }
	if err := c.do("GET", "/api-engine/webhook-signing-keys", nil, &keys); err != nil || len(keys.Items) > 0 {
		return err
	}
	return c.do("POST", "/api-engine/webhook-signing-keys", nil, nil)
}

// fresh says whether this is the folder's first start: run.json is written at the end of one.
func (d *demo) fresh() bool {
	_, err := os.Stat(d.server.path("run.json"))
	return errors.Is(err, os.ErrNotExist)
}

// receiver is the demo receiver. It refuses what a browser posts for a page of another site.
func (d *demo) receiver() http.Handler {
	return http.NewCrossOriginProtection().Handler(http.HandlerFunc(d.receive))
}

// receive remembers a webhook that a key of the access has signed. It answers every ping, signed or not, with its
// nonce, which proves whose address this is, and refuses everything else.
func (d *demo) receive(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxSeen))
	var hook struct {
		ID, Event string
		Data      struct{ Nonce string }
	}
	if err != nil || json.Unmarshal(body, &hook) != nil {
		http.Error(w, "not a webhook", http.StatusBadRequest)
		return
	}
	if d.verified(r, body) {
		d.remember(delivered{At: field.At(d.server.Platform.Now()), Event: hook.Event, ID: hook.ID, Verified: true,
			Body: body})
	} else if hook.Event != "ping" {
		http.Error(w, "not signed by the platform", http.StatusUnauthorized)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	io.WriteString(w, hook.Data.Nonce)
}

// verified says whether a live key of the access signed this body, a moment ago.
func (d *demo) verified(r *http.Request, body []byte) bool {
	timestamp, err := strconv.ParseInt(r.Header.Get("X-Webhook-Timestamp"), 10, 64)
	if err != nil || !signature.Fresh(timestamp, d.server.Platform.Now()) {
		return false
	}
	live, err := d.server.Platform.SigningKeys().Of(r.Context(), d.item.Access)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(live, func(k webhook.LiveKey) bool {
		return signature.Verify(r.Header.Get("X-Webhook-Signature"), timestamp, body, k.Key)
	})
}

// remember keeps the webhook, and forgets the oldest ones above the bound.
func (d *demo) remember(x delivered) {
	d.mu.Lock()
	defer d.mu.Unlock()
	x.Body = bytes.Clone(x.Body) // what it was read into is larger
	d.seen, d.size = append(d.seen, x), d.size+x.size()
	old := 0
	for ; d.size > maxSeen; old++ {
		d.size -= d.seen[old].size()
	}
	d.seen = slices.Delete(d.seen, 0, old)
}

// show lists what came, newest first, a webhook a line.
func (d *demo) show(w http.ResponseWriter, _ *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	e := json.NewEncoder(w) // the answer is buffered: nothing to fail
	e.SetEscapeHTML(false)
	io.WriteString(w, `{"items":[`+"\n")
	for i, x := range slices.Backward(d.seen) {
		_ = e.Encode(x)
		if i > 0 {
			io.WriteString(w, ",")
		}
	}
	io.WriteString(w, "]}\n")
}

// greet prints the demo shop and the call that shows the whole journey.
func (d *demo) greet(w io.Writer) {
	if !d.seeded() {
		return
	}
	base := d.server.BaseURL
	fmt.Fprintf(w, "\n  Demo shop        %s   (shop %s)\n", d.server.website(d.item.Shop, ""), d.item.Shop)
	fmt.Fprintf(w, "  Its token        %s\n", d.token)
	if d.server.Platform.Production() {
		return
	}
	fmt.Fprintf(w, "  Demo receiver    %s/demo/receiver   shows the webhooks that came, newest first\n\n", base)
	fmt.Fprint(w, "Change a product, then look at what its add-on was told:\n\n")
	fmt.Fprint(w, indent(d.curl())+"\n")
}

// curl is the call that a reader copies.
func (d *demo) curl() string {
	var list struct{ Items []made }
	err := d.caller(d.token).do("GET", "/api-engine/products?itemsPerPage=1", nil, &list)
	if err != nil || len(list.Items) == 0 {
		return ""
	}
	if err := d.refund(context.Background()); err != nil {
		return ""
	}
	base := d.server.BaseURL
	return fmt.Sprintf(`curl -X PATCH %s/api-engine/products/%s \
  -H 'Authorization: Bearer %s' \
  -H 'Content-Type: application/json' \
  -d '{"stock":{"quantity":7}}'
curl %s/demo/receiver`,
		base, list.Items[0].ID, d.token, base)
}

func indent(s string) string { return "  " + strings.ReplaceAll(s, "\n", "\n  ") }
