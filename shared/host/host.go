package host

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/base/egress"
	"eshop/shared/base/id"
	"eshop/shared/base/markdown"
	"eshop/shared/base/remember"
	"eshop/shared/base/slug"
	"eshop/shared/catalog"
	"eshop/shared/catalog/address"
	"eshop/shared/catalog/shelf"
	"eshop/shared/images"
	"eshop/shared/job/erasure"
	"eshop/shared/job/exports"
	"eshop/shared/job/leaving"
	"eshop/shared/people/developer"
	"eshop/shared/people/operator"
	"eshop/shared/ports/blob"
	"eshop/shared/ports/limit"
	"eshop/shared/ports/queue"
	"eshop/shared/ports/secret"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
	"eshop/shared/sale"
	"eshop/shared/search"
	"eshop/shared/shop"
	"eshop/shared/webhook"
	"eshop/shared/webhook/canaryhook"
	"eshop/shared/webhook/inflight"
	"eshop/shared/webhook/signingkey"
)

// Platform is what functions run with: the parts that its host brings, and what Assemble makes of them.
type Platform struct {
	Parts
	API      *api.API          // answers requests by the operations of the functions that it was put together with
	Accesses *addon.Resolver   // finds callers of the API by their tokens
	Egress   *egress.Client    // the one client that calls the outside, by the rules of Callable
	Process  inflight.Process  // this process among those that make attempts at deliveries
	Owners   map[string]string // by route: the function whose operation it is
	Storefront
	// Slots, Bodies and Answers bound what all requests under way hold of what they read, how many bytes their bodies
	// hold, and large answers while they are sent; nil: this process answers one request at a time.
	Slots           *store.Slots
	Bodies, Answers *api.Room
}

// Parts are what a host brings. Assemble names the one that is missing.
type Parts struct {
	Stores
	Queues
	World
	Addresses
	Traits
	Calling     egress.Options // how Egress calls; its rules and its clock are the platform's
	Environment string         // production, staging, or any other name
	Operator    [32]byte       // TokenHash of the operator's token; zero: nobody has one
	Key         []byte         // the platform's own secret, 32 bytes; nil: Assemble reads it, if there is a door
}

// Stores hold what outlives a process.
type Stores struct {
	Main, Pipeline store.Table
	// Watch sees each write to the main table by this process: the rule of what a process that is Alone remembers.
	Watch    remember.Rule
	Counters limit.Counters
	Secrets  secret.Keys // seal the platform's own secret
	Signing  secret.Keys // seal the keys that sign webhooks: who may open those signs in our name
	Files    blob.Bucket
	// Room is blob.ErrUnavailable while there is no room for more than the requests of people and programs write; nil:
	// there always is.
	Room func() error
}

// Queues hold bells. Fresh has the bells of first attempts; Retry has those of retries, and of receivers that are
// suspect.
type Queues struct{ Fresh, Retry queue.Sender }

// World is time, randomness, and where the platform's work is logged and counted.
type World struct {
	Now func() time.Time
	// Wall is the time that the world outside has, in what is signed and in dates that receivers send; nil: Now. Only
	// where the platform's clock can be moved on is it another.
	Wall   func() time.Time
	Random io.Reader
	Log    *slog.Logger
	// Figure adds a value to one of the host's metrics, in the unit Count or Milliseconds; nil: nobody reads them.
	Figure func(name, unit string, value float64)
	// Served is told of each answer to a request what api.Config's Answered is told; nil: nobody is.
	Served func(route string, status int, took time.Duration)
	// Calm delays work that can wait until no request is running, for a bounded time, and says whether there is traffic
	// at all; nil: there are no requests to wait for.
	Calm func(context.Context) (traffic bool)
	// Attempts is where each attempt at a webhook is logged in a line, for whoever writes an add-on; nil: nowhere.
	Attempts *slog.Logger
}

// Addresses are where the platform and its shops are found, and how it finds others.
type Addresses struct {
	BaseURL string      // the API's address without a slash at its end
	DoorURL string      // another address that leads to the API, whatever BaseURL is; "": none
	Shops   shop.Places // where storefronts and admins are; without a Host below that of BaseURL
	// Kept are the platform's own names beside those of its addresses.
	Kept []string
	// TestDomain is the name below which test shops have their domains, beside those that end in .test; "": none.
	TestDomain string
	// ReservedSlug says whether no product or category can have the slug as its address (see the function
	// ReservedSlug).
	ReservedSlug func(slug string) bool
	Names        egress.Resolver // finds the addresses of receivers' names; nil: the system does
	Demo         bool            // the demo shop is seeded, and with it DemoReceiver
	// SecurityContact is whom to tell of a hole, as IsContact has it; "": nobody is named.
	SecurityContact string
	// Canary names where the canary tries the platform from outside, as <shop id>/<package id>; "": there is none.
	Canary string
	// Outside calls the platform at the addresses that everybody has; nil: as any program does.
	Outside http.RoundTripper
}

// Traits are what a host and its stores promise beyond the others. With each trait functions can spare something;
// without any (the zero value) they work everywhere.
type Traits struct {
	Near     bool // stores answer within microseconds, and commit together what comes together
	Instant  bool // their indexes show at once what was written
	Alone    bool // no other process works on these stores: this one knows all, and its queues forget at its end
	Loopback bool // receivers on this machine may be called, outside production
}

// OneProcess are the traits of the one process.
var OneProcess = Traits{Near: true, Instant: true, Alone: true, Loopback: true}

// Storefront is what all visitors of shops are shown alike.
type Storefront struct {
	Hosts *shop.Hosts
	Shelf *shelf.Shelf
	// By shop.
	Codes  *remember.Memory[string, map[addon.Position]string] // as addon.HTMLByPosition has it
	States *remember.Memory[string, []sale.OrderState]
	Texts  *markdown.Texts // that shops and vendors have written

	InCategories *remember.Memory[CategoryKey, search.Found]
}

// CategoryKey is a category, with what is below it in a version of the shop's menu.
type CategoryKey struct{ Shop, Category, Menu string }

// How many categories' products are remembered at most, and how many bytes they may take.
const maxCategories, categoriesBytes = 1_000, 16 << 20

// maxShops is how many shops' codes and order states are remembered, codesBytes how many bytes of codes. They bound
// memory: one more shop, and another one is forgotten.
const (
	maxShops   = 200
	codesBytes = 16 * addon.MaxActiveBytes
)

// weightOfCodes is how many bytes the codes of a shop are.
func weightOfCodes(html map[addon.Position]string) (bytes int) {
	for _, code := range html {
		bytes += len(code)
	}
	return bytes
}

// largeAtOnce is how many requests that read much are answered at a time. Each may hold some 20 MiB while its answer is
// made, which takes a processor tens of milliseconds.
const largeAtOnce = 2

// How many bytes the bodies of all requests under way hold together, 32 pictures of the largest size, and how many
// large answers while they are sent. One caller has a quarter of each.
const (
	bodiesAtOnce  = 128 << 20
	answersAtOnce = 128 << 20
)

// rememberedFor is how long a caller of the API is remembered where other processes write, and what all visitors of a
// storefront are shown: 30 s, within which a change counts (contract, "Who is who").
const rememberedFor = 30 * time.Second

// Assemble puts a platform together that runs these functions: both hosts, the simulation and tests bring their parts
// here, and nowhere else is a platform made. Where this process is Alone it remembers what it read until that is
// written, tells its attempts at deliveries apart by itself, and bounds what its requests hold together. Where it is
// one of many it remembers for 30 s, and its host gives it one request at a time.
func Assemble(ctx context.Context, parts Parts, functions ...Function) (*Platform, error) {
	if missing := parts.missing(functions); missing != "" {
		return nil, errors.New("host: the platform has no " + missing)
	}
	parts.complete()
	p := &Platform{Parts: parts, Process: inflight.OneOfMany(rand.Text()), Owners: map[string]string{}}
	life, rule := rememberedFor, remember.For(p.Now, rememberedFor)
	if p.Alone {
		life, rule = 0, p.Watch
		p.Process = inflight.Alone(rand.Text(), p.Now)
		p.Slots = store.NewSlots(largeAtOnce)
		p.Bodies = api.NewRoom(bodiesAtOnce, bodiesAtOnce/4)
		p.Answers = api.NewRoom(answersAtOnce, answersAtOnce/4)
	}
	p.Accesses = addon.NewResolver(p.Main, p.Now, p.Shops, life)
	p.Storefront = Storefront{Hosts: shop.NewHosts(p.Main, p.ShopNames(), rule), Shelf: shelf.New(p.Main, p.Now, rule),
		Codes:  remember.New[string, map[addon.Position]string](rule, maxShops).Weigh(weightOfCodes, codesBytes),
		States: remember.New[string, []sale.OrderState](rule, maxShops),
		Texts:  markdown.New(),
		InCategories: remember.New[CategoryKey, search.Found](rule, maxCategories).
			Weigh(search.Found.Weight, categoriesBytes)}
	p.Calling.Rules, p.Calling.Now = p.Callable(), p.Wall
	p.Egress = egress.New(p.Calling)
	if err := p.open(ctx, functions); err != nil {
		return nil, err
	}
	return p, nil
}

// open registers the operations of the functions that are doors. If there is one it needs the platform's own secret,
// which is read unless the host has brought it.
func (p *Platform) open(ctx context.Context, functions []Function) (err error) {
	doors := slices.DeleteFunc(slices.Clone(functions), func(f Function) bool { return f.HTTP == nil })
	if p.Key == nil && p.Main != nil && len(doors) > 0 {
		if p.Key, err = SecretKey(ctx, p.Main, p.Secrets); err != nil {
			return err
		}
	}
	p.API = p.Frame()
	for _, f := range doors {
		known := len(p.API.Patterns())
		f.HTTP(p, p.API)
		for _, route := range p.API.Patterns()[known:] {
			p.Owners[route] = f.Name
		}
	}
	return nil
}

// missing names the parts that every platform must have, and the resources that these functions need, which are not
// there.
func (p *Parts) missing(functions []Function) string {
	var names []string
	lacks := func(name string, has bool) {
		if !has && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	lacks("Environment", p.Environment != "")
	lacks("BaseURL", p.BaseURL != "")
	lacks("ReservedSlug", p.ReservedSlug != nil)
	lacks("Now", p.Now != nil)
	lacks("Random", p.Random != nil)
	lacks("Log", p.Log != nil)
	lacks("Watch", p.Watch != nil || !p.Alone)
	has := map[Resource]bool{Main: p.Main != nil, Pipeline: p.Pipeline != nil, Counters: p.Counters != nil,
		Fresh: p.Fresh != nil, Retry: p.Retry != nil, Secrets: p.Secrets != nil, Signing: p.Signing != nil,
		Files: p.Files != nil}
	for _, f := range functions {
		for _, n := range f.Needs {
			lacks(string(n.Resource), has[n.Resource])
		}
	}
	return strings.Join(names, ", ")
}

// complete sets what a host need not say.
func (p *Parts) complete() {
	if p.Names == nil {
		p.Names = net.DefaultResolver
	}
	if at, err := url.Parse(p.BaseURL); err == nil && p.Shops.Host == "" {
		p.Shops.Host = strings.ToLower(at.Hostname())
	}
	if p.Wall == nil {
		p.Wall = p.Now
	}
	if p.Figure == nil {
		p.Figure = func(string, string, float64) {}
	}
	if p.Room == nil {
		p.Room = func() error { return nil }
	}
	if p.Calm == nil {
		p.Calm = func(context.Context) bool { return false }
	}
}

// The units of figures, as CloudWatch calls them: those of Count are added up.
const (
	Count        = "Count"
	Milliseconds = "Milliseconds"
)

// ReservedSlug says whether the platform itself serves a slug, so that no product or category can have it: the first
// segments of its own paths, and everything that begins like the paths of basket price quotes.
func ReservedSlug(slugs []string) func(slug string) bool {
	return func(s string) bool { return slices.Contains(slugs, s) || strings.HasPrefix(s, slug.QuotesPrefix) }
}

// IsContact says whether a text can be the contact in /.well-known/security.txt (RFC 9116): mailto: with an address,
// or a web address with https, in ASCII.
func IsContact(text string) bool {
	return contact.MatchString(text) && (strings.HasPrefix(text, "mailto:") || field.WebAddress(text))
}

var contact = regexp.MustCompile(`^(mailto:[!-?A-~]+@[!-?A-~]+|https://[!-~]+)$`)

// IsCanary says whether a text names a shop and a package, as Addresses.Canary has it.
func IsCanary(text string) bool {
	shop, pkg, _ := strings.Cut(text, "/")
	return id.Valid(shop) && id.Valid(pkg)
}

// DemoReceiver is the path of the demo's receiver, an address of its own that the platform calls, though never in
// production (contract, "Receivers' addresses").
const DemoReceiver = "/demo/receiver"

// Callable are the rules for what this platform calls (contract, "Receivers' addresses"). http and loopback are allowed
// only where Loopback says so, and never in production. Its own addresses are never called, but for two receivers: the
// demo's, and where there is a canary its own, which does nothing that anybody would be told of.
func (p *Platform) Callable() egress.Rules {
	rules := egress.Rules{AllowLoopback: p.Loopback && !p.Production(), Resolver: p.Names}
	for _, own := range []string{p.BaseURL, p.DoorURL} {
		if u, err := url.Parse(own); err == nil && u.Host != "" {
			rules.PlatformHosts = append(rules.PlatformHosts, u.Host)
		}
	}
	if p.Demo && !p.Production() {
		rules.CallablePaths = append(rules.CallablePaths, DemoReceiver)
	}
	if p.Canary != "" {
		rules.CallablePaths = append(rules.CallablePaths, canaryhook.Path)
	}
	return rules
}

// Webhooks is the pipeline of webhooks on this platform.
func (p *Platform) Webhooks() webhook.Pipeline {
	return webhook.Pipeline{Rows: p.Pipeline, Fresh: p.Fresh, Retry: p.Retry, Log: p.Log}
}

// SigningKeys are the keys that sign webhooks.
func (p *Platform) SigningKeys() signingkey.Reader {
	return signingkey.Reader{Table: p.Main, Secrets: p.Signing, Now: p.Now}
}

// Ordering is what commands on the orders of a shop with that currency need.
func (p *Platform) Ordering(currency string) sale.Ordering {
	return sale.Ordering{Currency: currency, Near: p.Near,
		PickedUp: func(ctx context.Context, of, delivery string) (bool, error) {
			ways, err := shop.WaysOf(ctx, p.Main, of)
			return ways.Delivery.Named(delivery).Pickup, err
		}}
}

// URLs is what commands on URLs need.
func (p *Platform) URLs() address.Addresses {
	return address.Addresses{Reserved: p.ReservedSlug, Instant: p.Instant}
}

// Uploads are the commands by which images come in; who is charged for them, nil for nobody.
func (p *Platform) Uploads(charged limit.Charged) images.Uploads {
	return images.Uploads{Files: p.Files, BaseURL: p.BaseURL, Limit: charged}
}

// Images are the images of all shops, to be served and swept.
func (p *Platform) Images() images.Shelf {
	return images.Shelf{Table: p.Main, Files: p.Files, Used: sale.KeepsImage, Now: p.Now}
}

// Erasures are the commands by which customers are erased.
func (p *Platform) Erasures() erasure.Erasures {
	return erasure.Erasures{Main: p.Main, Rows: p.Pipeline, Unit: p.Unit, Instant: p.Instant, Log: p.Log}
}

// Leaving are the commands by which shops leave.
func (p *Platform) Leaving() leaving.Leaving {
	return leaving.Leaving{Main: p.Main, Unit: p.Unit, Addons: p.Addons(), Search: p.Search(), Log: p.Log}
}

// Exports are the commands on exports.
func (p *Platform) Exports() exports.Exports {
	return exports.Exports{Main: p.Main, Files: p.Files, Key: p.Key}
}

// Catalog is what commands on products and categories need.
func (p *Platform) Catalog() catalog.Catalog {
	return catalog.Catalog{Addresses: p.URLs(), Log: p.Log}
}

// Search is the index by which records are found.
func (p *Platform) Search() search.Index {
	return search.Index{Main: p.Main, Rows: p.Pipeline}
}

// Addons are the commands about accesses of packages on shops, and their tokens.
func (p *Platform) Addons() addon.Commands {
	return addon.Commands{Shops: p.Shops, Production: p.Production(), Callers: p.Accesses}
}

// Unit is a unit of work of the platform's own: of no shop, and for no request.
func (p *Platform) Unit() *change.Unit {
	return &change.Unit{Table: p.Main, Now: p.Now, Random: p.Random}
}

// CountDelivery counts that a delivery has come into a state without an answer of 2xx.
func (p *Platform) CountDelivery(state webhook.DeliveryState) {
	if name := webhook.FigureOf(state); name != "" {
		p.Figure(name, Count, 1)
	}
}

// Production says whether this is the production environment.
func (p *Platform) Production() bool { return p.Environment == "production" }

// NewID is a new identifier.
func (p *Platform) NewID() string { return id.New(p.Now(), p.Random) }

// Frame is the platform's frame, without operations yet. It asks near stores one after the other. If no other process
// counts who comes too often, it counts that itself.
func (p *Platform) Frame() *api.API {
	return api.New(api.Config{
		Table: p.Main, Counters: p.Counters, Authenticate: p.Accesses.Authenticate, Developers: p.developer,
		Operators: p.OperatorOf, Key: p.Key,
		Now: p.Now, Random: p.Random, Log: p.Log, BaseURL: p.BaseURL,
		Answered:  p.answered,
		Uncounted: func() { p.Figure(api.UncountedRequests, Count, 1) },
		AdminAt:   p.adminAt,
		Shops:     p.Shops,
		Own:       p.ShopNames().IsOwn,
		Near:      p.Near, Alone: p.Alone, Slots: p.Slots, Bodies: p.Bodies, Answers: p.Answers,
	})
}

// answered counts an answer, and tells who wants to know more of it.
func (p *Platform) answered(route string, status int, took time.Duration) {
	Answered(p.Figure, status)
	if p.Served != nil {
		p.Served(route, status, took)
	}
}

// developer finds whose a developer's token is.
func (p *Platform) developer(ctx context.Context, token string) (*change.Caller, error) {
	return developer.ByToken(ctx, p.Main, token)
}

// OperatorOf finds which of the operator's tokens it is: the one that the platform is configured with, or a named one.
// It measures the first one, because a hash says nothing of a length: so a platform that was configured with the hash
// of an empty text lets nobody in, instead of everybody.
func (p *Platform) OperatorOf(ctx context.Context, token string) (*change.Caller, error) {
	sum := TokenHash(token)
	if len(token) >= api.OperatorToken && subtle.ConstantTimeCompare(sum[:], p.Operator[:]) == 1 {
		return &change.Caller{Operator: change.FirstToken, OperatorName: change.FirstToken}, nil
	}
	return operator.ByToken(ctx, p.Main, token)
}

// TokenHash is how the configured token of the operator is kept and compared.
func TokenHash(token string) [32]byte { return sha256.Sum256([]byte(token)) }

// SecretKey is the platform's own secret: made by whoever needs it first, stored sealed in the main table, and the same
// ever after on every host. If two make one at the same time, one is stored, and both use that.
func SecretKey(ctx context.Context, main store.Table, keys secret.Keys) ([]byte, error) {
	at := store.Key{PK: "SECRET", SK: "A"}
	for range 2 {
		items, err := main.Get(ctx, at)
		if err != nil {
			return nil, err
		}
		if items[0] != nil {
			sealed, err := base64.StdEncoding.DecodeString(items[0].Text["sealed"])
			if err != nil {
				return nil, err
			}
			return keys.Open(ctx, at.PK, sealed)
		}
		key := make([]byte, 32)
		if _, err := rand.Read(key); err != nil {
			return nil, err
		}
		sealed, err := keys.Seal(ctx, at.PK, key)
		if err != nil {
			return nil, err
		}
		item := store.Item{Key: at, Text: map[string]string{"sealed": base64.StdEncoding.EncodeToString(sealed)}}
		if _, err := main.Write(ctx, events.Nothing, store.Put(item, store.Absent())); err != nil &&
			!store.IsCondition(err) {
			return nil, err
		}
	}
	return nil, errors.New("host: the platform's secret can be neither read nor made")
}
