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

	"eshop/infra/demo/gifts"
	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/base/problem"
	"eshop/shared/host"
	"eshop/shared/people/staff"
	"eshop/shared/ports/store"
	"eshop/shared/record/field"
	"eshop/shared/shop"
	"eshop/shared/shop/goods"
	"eshop/shared/webhook"
	"eshop/shared/webhook/signature"
	"eshop/shared/webhook/signingkey"
)

// demo is the seeded shop of this data folder, its receiver, which shows what came, and its configurator (contract,
// section 8).
type demo struct {
	server *Server
	item   demoItem
	token  string  // of the shop's own access
	looker *seeder // calls the API as the receiver's access

	configurator atomic.Pointer[gifts.Addon] // nil while it is not installed

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

// pingWait is how long a start waits for its demo receiver to answer the ping. After 2 s it goes on without: the
// receiver is verified when the answer comes.
const pingWait = 2 * time.Second

// load reads which shop is the demo's: none in a folder that was not seeded.
func (d *demo) load(ctx context.Context, main store.Table) error {
	items, err := main.Get(ctx, demoKey)
	if err != nil || items[0] == nil {
		return err
	}
	return json.Unmarshal(items[0].Doc, &d.item)
}

// seeded says whether this data folder has the demo shop.
func (d *demo) seeded() bool { return d.item.Shop != "" }

// canary names the demo's shop and the package of its own access; "" if somebody has deleted that.
func (d *demo) canary(ctx context.Context, main store.Table) (string, error) {
	a, err := addon.Accesses.Read(ctx, main, d.item.Shop, d.item.Access)
	if problem.Is(err, "not_found") {
		return "", nil
	}
	return d.item.Shop + "/" + a.Package, err
}

// ready gives the demo's accesses their tokens and registers the receiver, through the API, once the platform answers.
// Production has the shop but neither receiver nor configurator (contract, section 8).
func (d *demo) ready(ctx context.Context) (err error) {
	if !d.seeded() {
		return nil
	}
	s := d.server
	if d.token, err = d.keptToken(ctx, "demo.token", d.item.Access); err != nil {
		return err
	}
	its, err := shop.Read(ctx, s.Platform.Main, d.item.Shop)
	if err != nil {
		return err
	}
	admin, err := d.admin(ctx, its)
	if err != nil {
		return err
	}
	s.Run.Demo = &RunDemo{ShopID: d.item.Shop, AccessID: d.item.Access, Token: d.token,
		StorefrontURL: s.Platform.Shops.Website(its), Admin: admin}
	// In production there are no loopback receivers, so neither add-on could be called.
	if s.Platform.Production() {
		return nil
	}
	err = d.addon(ctx, "demo-receiver.token", d.item.Receiver, func(token string) error {
		d.looker = d.caller(token)
		if err := d.register(d.looker); err != nil {
			return err
		}
		return d.proven(ctx)
	})
	if err != nil {
		return err
	}
	return d.addon(ctx, "demo-configurator.token", d.item.Configurator, func(token string) error {
		return d.installConfigurator(ctx, token)
	})
}

// admin is who signs in to the demo shop's admin. It is nobody if they were deleted, or if the folder was seeded
// without them. A password that they have set since is not known here.
func (d *demo) admin(ctx context.Context, of shop.Shop) (*RunAdmin, error) {
	a, err := staff.Admins.Read(ctx, d.server.Platform.Main, d.item.Shop, d.item.Admin)
	if problem.Is(err, "not_found") {
		return nil, nil
	}
	return &RunAdmin{URL: d.server.Platform.Shops.Admin(of) + api.AdminPath, Email: string(a.Email),
		Password: adminPassword(d.server.Platform)}, err
}

// addon gives an add-on of the demo shop its token and lets it set itself up. It does nothing if the data folder was
// seeded without the add-on, or if the package is not active.
func (d *demo) addon(ctx context.Context, file, access string, setUp func(token string) error) error {
	if access == "" {
		return nil
	}
	token, err := d.keptToken(ctx, file, access)
	if err != nil {
		return err
	}
	c, err := d.server.Platform.Accesses.Authenticate(ctx, token)
	if err != nil || !c.Active {
		return err
	}
	return setUp(token)
}

// proven waits until the new address has answered its ping, so that the first change that a reader of the guide makes
// is already told.
func (d *demo) proven(ctx context.Context) error {
	unproven := func(r webhook.Receiver) bool {
		return r.URL == d.server.BaseURL+host.DemoReceiver && r.State == webhook.Unverified
	}
	// The feed and the pipeline bring the ping to the receiver, so it takes some milliseconds.
	for end := time.Now().Add(pingWait); time.Now().Before(end) && wait(ctx, time.Millisecond); {
		hooks, err := webhook.ReadHooks(ctx, d.server.Platform.Main, d.item.Shop)
		if err != nil || !slices.ContainsFunc(hooks.Receivers[d.item.Receiver], unproven) {
			return err
		}
	}
	return ctx.Err()
}

// caller calls the API with a token.
func (d *demo) caller(token string) *seeder {
	return &seeder{api: d.server.API, token: token, tick: func() {}}
}

// keptToken is a token of the access: the one in the file, or a new one, made by the operator.
func (d *demo) keptToken(ctx context.Context, file, access string) (string, error) {
	opens := func(token string) bool {
		c, err := d.server.Platform.Accesses.Authenticate(ctx, token)
		return err == nil && c.Access == access
	}
	return d.server.keptToken(file, opens, func() (string, error) {
		var t made
		tokens := "/operator/shops/" + d.item.Shop + "/accesses/" + access + "/tokens"
		err := d.caller(d.server.Run.OperatorToken).do("POST", tokens, map[string]any{}, &t)
		return t.Token, err
	})
}

// register makes the receiver's signing key and registers the receiver, at the first start. At later starts it moves
// the receiver if the platform has another address than last time. What somebody has deleted stays deleted.
func (d *demo) register(c *seeder) error {
	address := d.server.BaseURL + host.DemoReceiver
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
	// At a later start without receivers somebody has deleted it.
	if len(list.Items) > 0 || !d.fresh() {
		return nil
	}
	if err := d.key(c); err != nil {
		return err
	}
	return c.do("POST", "/api-engine/webhooks", map[string]string{"url": address}, nil)
}

// key makes the signing key, unless an earlier first start, which did not come to its end, has made it.
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

// receive remembers a webhook that a key of the receiver's access has signed. It answers every ping, signed or not,
// with the ping's nonce, which proves whose address this is. It refuses everything else.
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
	io.WriteString(w, hook.Data.Nonce)
}

// verified says whether a live key of the receiver's access signed this body not long ago.
func (d *demo) verified(r *http.Request, body []byte) bool {
	timestamp, err := strconv.ParseInt(r.Header.Get("X-Webhook-Timestamp"), 10, 64)
	if err != nil || !signature.Fresh(timestamp, d.server.Platform.Wall()) {
		return false
	}
	live, err := d.server.Platform.SigningKeys().Live(r.Context(), d.item.Receiver)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(live, func(k signingkey.Live) bool {
		return signature.Verify(r.Header.Get("X-Webhook-Signature"), timestamp, body, k.Key)
	})
}

// remember keeps the webhook, and forgets the oldest ones above 1 MiB.
func (d *demo) remember(x delivered) {
	d.mu.Lock()
	defer d.mu.Unlock()
	x.Body = bytes.Clone(x.Body) // what it was read into is larger
	d.seen, d.size = append(d.seen, x), d.size+x.size()
	// The oldest go until the newest has room; one webhook is never larger than the room.
	old := 0
	for ; d.size > maxSeen; old++ {
		d.size -= d.seen[old].size()
	}
	d.seen = slices.Delete(d.seen, 0, old)
}

// showWait is how long show waits for webhooks that are under way. A change is told sooner on a busy machine, too. Who
// waits behind a receiver that hangs sees what came without it.
const showWait = 2 * time.Second

// show lists what came, newest first, a webhook a line. It waits for webhooks that are under way first: whoever pastes
// the change and this call at once sees the webhook of the change.
func (d *demo) show(w http.ResponseWriter, r *http.Request) {
	d.server.settle(r.Context(), showWait)
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

// configuratorPath is where the backend of the demo's configurator is served.
const configuratorPath = "/demo/configurator"

// installConfigurator lets the configurator, which is what `eshop init addon` writes, set itself up. It does so over
// HTTP, as a program of its own would. If the platform refuses that, the start goes on: somebody may have taken a
// permission away.
func (d *demo) installConfigurator(ctx context.Context, token string) error {
	a := &gifts.Addon{Name: "Dárkové balení", Platform: d.server.BaseURL,
		Address: d.server.PublicURL() + configuratorPath}
	err := a.SetUp(ctx, token)
	if refused := (*gifts.Refusal)(nil); errors.As(err, &refused) {
		d.server.settings.Log.Warn("the demo's configurator is not installed", "error", err)
		return nil
	}
	d.configurator.Store(a)
	return err
}

// configure hands a request to the configurator.
func (d *demo) configure(w http.ResponseWriter, r *http.Request) {
	a := d.configurator.Load()
	if a == nil {
		api.Refuse(r, problem.NotFound())
		return
	}
	http.StripPrefix(configuratorPath, a).ServeHTTP(w, r)
}

// greet prints the demo shop and the call that shows the whole journey.
func (d *demo) greet(w io.Writer) {
	if !d.seeded() {
		return
	}
	base := d.server.BaseURL
	fmt.Fprintf(w, "\n  Demo shop        %s   (shop %s)\n", d.server.Run.Demo.StorefrontURL, d.item.Shop)
	fmt.Fprintf(w, "  Its token        %s\n", d.token)
	if a := d.server.Run.Demo.Admin; a != nil {
		fmt.Fprintf(w, "  Its admin        %s   as %s, password %s\n", a.URL, a.Email, a.Password)
	}
	if d.server.Platform.Production() {
		return
	}
	if gift := d.product("?code=" + goods.Gift); d.configurator.Load() != nil && gift.URL != "" {
		fmt.Fprintf(w, "  Configurator     %s   an add-on that sells at its own price\n", gift.URL)
	}
	fmt.Fprintf(w, "  Demo receiver    %s/demo/receiver   shows the webhooks that came, newest first\n", base)
	if curl := d.curl(); curl != "" {
		fmt.Fprint(w, "\nChange a product, then look at what an add-on was told:\n\n"+indent(curl)+"\n")
	}
}

// product is the first product of a query; of no id if there is none, or no receiver. It is looked up as the receiver,
// so that the first user of the demo's own token finds its limits unused.
func (d *demo) product(query string) (first struct{ ID, URL string }) {
	var list struct{ Items []struct{ ID, URL string } }
	if d.looker == nil {
		return first
	}
	if err := d.looker.do("GET", "/api-engine/products"+query, nil, &list); err != nil || len(list.Items) == 0 {
		return first
	}
	return list.Items[0]
}

// curl is the call that a reader copies to see a webhook; "" if there is no receiver to look at, or no product.
func (d *demo) curl() string {
	product := d.product("?itemsPerPage=1")
	if product.ID == "" {
		return ""
	}
	base := d.server.BaseURL
	return fmt.Sprintf(`curl -X PATCH %s/api-engine/products/%s \
  -H 'Authorization: Bearer %s' \
  -H 'Content-Type: application/json' \
  -d '{"stock":{"quantity":7}}'
curl %s/demo/receiver`,
		base, product.ID, d.token, base)
}

// indent moves a text to the right, for the terminal.
func indent(s string) string { return "  " + strings.ReplaceAll(s, "\n", "\n  ") }
