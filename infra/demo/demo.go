// Package demo is what a new data folder is given: a shop with goods, people and orders (seed.go, goods.go, face.go), a
// receiver that shows its webhooks, and an add-on that sells gifts (demo.go, and package gifts). It knows its process
// by the platform's API, and by what Process says.
package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
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

// Shop is the seeded shop of a data folder, its receiver, which shows what came, and its gifts (contract,
// "The demo shop").
type Shop struct {
	process Process
	item    demoItem
	run     *Run
	looker  *seeder // calls the API as the receiver's access

	gifts atomic.Pointer[gifts.Addon] // nil while it is not installed

	mu   sync.Mutex
	seen []delivered // the newest last
	size int         // of all of them, in bytes
}

// Process is what the demo shop is told of the process that serves it.
type Process struct {
	*host.Platform
	Local, Public string // the addresses of the platform: on this machine, and the one that it tells of itself
	Operator      string // the operator's token
	First         bool   // it is the data folder's first start
	// Token is the token in a file of the data folder. If the file holds no good one, a new token is made and kept.
	Token func(file string, good func(token string) bool, make func() (string, error)) (string, error)
	// Settle waits until nothing is under way, but no longer than this.
	Settle func(ctx context.Context, patience time.Duration)
}

// Run is the demo shop in run.json.
type Run struct {
	ShopID        string `json:"shopId"`
	AccessID      string `json:"accessId"`
	Token         string `json:"token"`
	StorefrontURL string `json:"storefrontUrl"`
	Admin         *Admin `json:"admin,omitempty"` // nobody where they were deleted
}

// Admin is who signs in to the demo shop's admin, in run.json.
type Admin struct {
	URL      string `json:"url"`
	Email    string `json:"email"`
	Password string `json:"password"`
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

// Load reads which shop is the demo's: none in a folder that was not seeded.
func (d *Shop) Load(ctx context.Context, main store.Table) error {
	items, err := main.Get(ctx, demoKey)
	if err != nil || items[0] == nil {
		return err
	}
	return json.Unmarshal(items[0].Doc, &d.item)
}

// ID is the demo shop's; "" where there is none.
func (d *Shop) ID() string { return d.item.Shop }

// Canary names the demo's shop and the package of its own access; "" if somebody has deleted that.
func (d *Shop) Canary(ctx context.Context, main store.Table) (string, error) {
	a, err := addon.Accesses.Read(ctx, main, d.item.Shop, d.item.Access)
	if problem.Is(err, "not_found") {
		return "", nil
	}
	return d.item.Shop + "/" + a.Package, err
}

// Serve has the process serve the demo's add-ons. In production there are no loopback receivers, so neither of them
// could be called, and they are not there.
func (d *Shop) Serve(process Process) {
	d.process = process
	if d.ID() == "" || process.Production() {
		return
	}
	// The receiver refuses what a browser posts for a page of another site.
	process.API.Handle("POST "+host.DemoReceiver, http.NewCrossOriginProtection().Handler(http.HandlerFunc(d.receive)))
	process.API.Handle("GET "+host.DemoReceiver, http.HandlerFunc(d.show))
	process.API.Handle("POST "+giftsPath+"/quotes", http.HandlerFunc(d.serveGifts))
	process.API.Handle("OPTIONS "+giftsPath+"/quotes", http.HandlerFunc(d.serveGifts))
}

// Ready gives the demo's accesses their tokens and registers the receiver, through the API, once the platform answers.
// It returns nil where there is no demo shop.
func (d *Shop) Ready(ctx context.Context) (*Run, error) {
	if d.ID() == "" {
		return nil, nil
	}
	token, err := d.keptToken(ctx, "demo.token", d.item.Access)
	if err != nil {
		return nil, err
	}
	its, err := shop.Read(ctx, d.process.Main, d.item.Shop)
	if err != nil {
		return nil, err
	}
	admin, err := d.admin(ctx, its)
	if err != nil {
		return nil, err
	}
	d.run = &Run{ShopID: d.item.Shop, AccessID: d.item.Access, Token: token,
		StorefrontURL: d.process.Shops.Website(its), Admin: admin}
	if d.process.Production() {
		return d.run, nil
	}
	err = d.addon(ctx, "demo-receiver.token", d.item.Receiver, func(token string) error {
		d.looker = d.caller(token)
		if err := d.register(d.looker); err != nil {
			return err
		}
		return d.proven(ctx)
	})
	if err != nil {
		return nil, err
	}
	return d.run, d.addon(ctx, "demo-configurator.token", d.item.Gifts, func(token string) error {
		return d.installGifts(ctx, token)
	})
}

// admin is who signs in to the demo shop's admin. It is nobody if they were deleted, or if the folder was seeded
// without them. A password that they have set since is not known here.
func (d *Shop) admin(ctx context.Context, of shop.Shop) (*Admin, error) {
	a, err := staff.Admins.Read(ctx, d.process.Main, d.item.Shop, d.item.Admin)
	if problem.Is(err, "not_found") {
		return nil, nil
	}
	return &Admin{URL: d.process.Shops.Admin(of) + api.AdminPath, Email: string(a.Email),
		Password: adminPassword(d.process.Platform)}, err
}

// addon gives an add-on of the demo shop its token and lets it set itself up. It does nothing if the data folder was
// seeded without the add-on, or if the package is not active.
func (d *Shop) addon(ctx context.Context, file, access string, setUp func(token string) error) error {
	if access == "" {
		return nil
	}
	token, err := d.keptToken(ctx, file, access)
	if err != nil {
		return err
	}
	c, err := d.process.Accesses.Authenticate(ctx, token)
	if err != nil || !c.Active {
		return err
	}
	return setUp(token)
}

// proven waits until the new address has answered its ping, so that the first change that a reader of the guide makes
// is already told.
func (d *Shop) proven(ctx context.Context) error {
	unproven := func(r webhook.Receiver) bool {
		return r.URL == d.process.Local+host.DemoReceiver && r.State == webhook.Unverified
	}
	// The feed and the pipeline bring the ping to the receiver, so it takes some milliseconds.
	for end := time.Now().Add(pingWait); time.Now().Before(end) && ctx.Err() == nil; time.Sleep(time.Millisecond) {
		hooks, err := webhook.ReadHooks(ctx, d.process.Main, d.item.Shop)
		if err != nil || !slices.ContainsFunc(hooks.Receivers[d.item.Receiver], unproven) {
			return err
		}
	}
	return ctx.Err()
}

// caller calls the API with a token.
func (d *Shop) caller(token string) *seeder {
	return &seeder{api: d.process.API, token: token, tick: func() {}}
}

// keptToken is a token of the access: the one in the file, or a new one, made by the operator.
func (d *Shop) keptToken(ctx context.Context, file, access string) (string, error) {
	opens := func(token string) bool {
		c, err := d.process.Accesses.Authenticate(ctx, token)
		return err == nil && c.Access == access
	}
	return d.process.Token(file, opens, func() (string, error) {
		var t made
		tokens := "/operator/shops/" + d.item.Shop + "/accesses/" + access + "/tokens"
		err := d.caller(d.process.Operator).do("POST", tokens, map[string]any{}, &t)
		return t.Token, err
	})
}

// register makes the receiver's signing key and registers the receiver, at the first start. At later starts it moves
// the receiver if the platform has another address than last time. What somebody has deleted stays deleted.
func (d *Shop) register(seeder *seeder) error {
	address := d.process.Local + host.DemoReceiver
	var list struct {
		Items []struct{ ID, URL string }
	}
	if err := seeder.do("GET", "/api-engine/webhooks", nil, &list); err != nil {
		return err
	}
	for _, r := range list.Items {
		if u, err := url.Parse(r.URL); err == nil && u.Path == host.DemoReceiver && r.URL != address {
			return seeder.do("PATCH", "/api-engine/webhooks/"+r.ID, map[string]string{"url": address}, nil)
		}
	}
	// At a later start without receivers somebody has deleted it.
	if len(list.Items) > 0 || !d.process.First {
		return nil
	}
	if err := d.key(seeder); err != nil {
		return err
	}
	return seeder.do("POST", "/api-engine/webhooks", map[string]string{"url": address}, nil)
}

// key makes the signing key, unless an earlier first start, which did not come to its end, has made it.
func (d *Shop) key(c *seeder) error {
	var keys struct{ Items []made }
	if err := c.do("GET", "/api-engine/webhook-signing-keys", nil, &keys); err != nil || len(keys.Items) > 0 {
		return err
	}
	return c.do("POST", "/api-engine/webhook-signing-keys", nil, nil)
}

// receive remembers a webhook that a key of the receiver's access has signed. It answers every ping, signed or not,
// with the ping's nonce, which proves whose address this is. It refuses everything else.
func (d *Shop) receive(w http.ResponseWriter, r *http.Request) {
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
		d.remember(delivered{At: field.At(d.process.Now()), Event: hook.Event, ID: hook.ID, Verified: true,
			Body: body})
	} else if hook.Event != "ping" {
		http.Error(w, "not signed by the platform", http.StatusUnauthorized)
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	io.WriteString(w, hook.Data.Nonce)
}

// verified says whether a live key of the receiver's access signed this body not long ago.
func (d *Shop) verified(r *http.Request, body []byte) bool {
	timestamp, err := strconv.ParseInt(r.Header.Get("X-Webhook-Timestamp"), 10, 64)
	if err != nil || !signature.Fresh(timestamp, d.process.Wall()) {
		return false
	}
	live, err := d.process.SigningKeys().Live(r.Context(), d.item.Receiver)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(live, func(k signingkey.Live) bool {
		return signature.Verify(r.Header.Get("X-Webhook-Signature"), timestamp, body, k.Key)
	})
}

// remember keeps the webhook, and forgets the oldest ones above 1 MiB.
func (d *Shop) remember(x delivered) {
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
func (d *Shop) show(w http.ResponseWriter, r *http.Request) {
	d.process.Settle(r.Context(), showWait)
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

// giftsPath is where the backend of the demo's gifts is served: a configurator, in partners' words.
const giftsPath = "/demo/configurator"

// installGifts lets gifts, the add-on that is what `eshop init addon` writes, set itself up. It does so over
// HTTP, as a program of its own would. If the platform refuses that, the start goes on: somebody may have taken a
// permission away.
func (d *Shop) installGifts(ctx context.Context, token string) error {
	a := &gifts.Addon{Name: "Dárkové balení", Platform: d.process.Local,
		Address: d.process.Public + giftsPath}
	err := a.SetUp(ctx, token)
	if _, is := errors.AsType[*gifts.Refusal](err); is {
		d.process.Log.Warn("the demo's configurator is not installed", "error", err)
		return nil
	}
	d.gifts.Store(a)
	return err
}

// serveGifts hands a request to gifts.
func (d *Shop) serveGifts(w http.ResponseWriter, r *http.Request) {
	a := d.gifts.Load()
	if a == nil {
		api.Refuse(r, problem.NotFound())
		return
	}
	http.StripPrefix(giftsPath, a).ServeHTTP(w, r)
}

// Greet prints the demo shop and the call that shows the whole journey.
func (d *Shop) Greet(w io.Writer) {
	if d.run == nil {
		return
	}
	base := d.process.Local
	fmt.Fprintf(w, "\n  Demo shop        %s   (shop %s)\n", d.run.StorefrontURL, d.item.Shop)
	fmt.Fprintf(w, "  Its token        %s\n", d.run.Token)
	if a := d.run.Admin; a != nil {
		fmt.Fprintf(w, "  Its admin        %s   as %s, password %s\n", a.URL, a.Email, a.Password)
	}
	if d.process.Production() {
		return
	}
	if gift := d.product("?code=" + goods.Gift); d.gifts.Load() != nil && gift.URL != "" {
		fmt.Fprintf(w, "  Configurator     %s   an add-on that sells at its own price\n", gift.URL)
	}
	fmt.Fprintf(w, "  Demo receiver    %s/demo/receiver   shows the webhooks that came, newest first\n", base)
	if product := d.product("?itemsPerPage=1"); product.ID != "" {
		fmt.Fprintf(w, `
Change a product, then look at what an add-on was told:

  curl -X PATCH %[1]s/api-engine/products/%[2]s \
    -H 'Authorization: Bearer %[3]s' \
    -H 'Content-Type: application/json' \
    -d '{"stock":{"quantity":7}}'
  curl %[1]s/demo/receiver
`, base, product.ID, d.run.Token)
	}
}

// product is the first product of a query; of no id if there is none, or no receiver. It is looked up as the receiver,
// so that the first user of the demo's own token finds its limits unused.
func (d *Shop) product(query string) (first struct{ ID, URL string }) {
	var list struct{ Items []struct{ ID, URL string } }
	if d.looker == nil {
		return first
	}
	if err := d.looker.do("GET", "/api-engine/products"+query, nil, &list); err != nil || len(list.Items) == 0 {
		return first
	}
	return list.Items[0]
}
