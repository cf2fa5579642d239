// Package host is what a function is, and what it is given to run with. Two hosts run the same functions: Lambda
// (shared/lambdahost) and the one process (infra/local).
package host

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"log/slog"
	"net/url"
	"slices"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/blob"
	"eshop/shared/change"
	"eshop/shared/egress"
	"eshop/shared/id"
	"eshop/shared/limit"
	"eshop/shared/queue"
	"eshop/shared/secret"
	"eshop/shared/slug"
	"eshop/shared/store"
	"eshop/shared/webhook"
)

// Platform is what functions run with. A host makes one and shares it between them.
type Platform struct {
	Main, Pipeline store.Table
	Counters       limit.Counters
	Fresh, Retry   queue.Queue // bells of first attempts, and of receivers that are suspect or retried
	Secrets        secret.Keys
	Files          blob.Bucket
	Egress         *egress.Client // the one that leaves: made by the host of Callable
	Accesses       *addon.Resolver
	Key            []byte // the platform's own secret, 32 bytes (SecretKey)
	Operator       [32]byte
	Reserved       func(slug string) bool // first segments of the paths that the platform itself serves
	Environment    string
	BaseURL        string                           // the API's address without a slash at its end
	DoorURL        string                           // another address that leads to the API, whatever BaseURL is; "": none
	Website        func(shop, domain string) string // the storefront's address without a slash at its end
	Now            func() time.Time
	Random         io.Reader
	Log            *slog.Logger
	Figure         func(name, unit string, value float64) // takes a figure down for the host's metrics; nil: nobody reads them
	Calm           func(context.Context) (traffic bool)   // waits a little for a moment without requests, for work that can wait, and says whether there are any; nil: it need not
	Names          egress.Resolver                        // finds the addresses of receivers' names; nil: the system's
	OneProcess     bool                                   // the one-process host: stores answer within microseconds, writes to accesses count at once
	Process        *webhook.Process                       // of OneProcess: this one among those that claim deliveries
	Demo           bool                                   // the demo shop is seeded, and with it DemoReceiver
	Loopback       bool                                   // lets receivers on this machine be called where there is more than one process: tests only
}

// The units of figures, as CloudWatch calls them: those of Count are added up.
const (
	Count        = "Count"
	Milliseconds = "Milliseconds"
)

// Reserved says of a slug whether the platform itself serves it, so that no product or category can have it as its address:
// one of those, which are the first segments of paths, and what begins as the paths of basket price quotes do.
func Reserved(slugs []string) func(slug string) bool {
	return func(s string) bool { return slices.Contains(slugs, s) || strings.HasPrefix(s, slug.QuotesPrefix) }
}

// DemoReceiver is the path of the demo's receiver, the one address of its own that the platform calls, and never in
// production (contract, section 5, "Receivers' addresses").
const DemoReceiver = "/demo/receiver"

// Callable are the rules for what this platform calls: http and loopback only from the one process (or by Loopback) and
// never in production, its own addresses not at all but for the demo's receiver.
func (p *Platform) Callable() egress.Rules {
	r := egress.Rules{AllowLoopback: (p.OneProcess || p.Loopback) && !p.Production(), Resolver: p.Names}
	for _, own := range []string{p.BaseURL, p.DoorURL} {
		if u, err := url.Parse(own); err == nil && u.Host != "" {
			r.Own = append(r.Own, u.Host)
		}
	}
	if p.Demo && !p.Production() {
		r.OwnPath = DemoReceiver
	}
	return r
}

// Webhooks is the pipeline of webhooks on this platform.
func (p *Platform) Webhooks() webhook.Pipeline {
	return webhook.Pipeline{Rows: p.Pipeline, Fresh: p.Fresh, Retry: p.Retry, Log: p.Log}
}

// SigningKeys are the keys that sign webhooks.
func (p *Platform) SigningKeys() webhook.Keys {
	return webhook.Keys{Table: p.Main, Secrets: p.Secrets, Now: p.Now}
}

// Addons are the commands about accesses of packages on shops, and their tokens.
func (p *Platform) Addons() addon.Commands {
	return addon.Commands{Website: p.Website, Production: p.Production(), Callers: p.Accesses}
}

// Unit is a unit of work of the platform's own: of no shop, and for no request.
func (p *Platform) Unit() *change.Unit {
	return &change.Unit{Table: p.Main, Now: p.Now, Random: p.Random}
}

// Production says whether this is the production environment.
func (p *Platform) Production() bool { return p.Environment == "production" }

// NewID is a new identifier.
func (p *Platform) NewID() string { return id.New(p.Now(), p.Random) }

// Frame is the platform's frame, with no operations yet.
func (p *Platform) Frame() *api.API {
	return api.New(api.Config{Table: p.Main, Counters: p.Counters, Authenticate: p.authenticate, Operator: p.Operator, Key: p.Key,
		Now: p.Now, Random: p.Random, Log: p.Log, BaseURL: p.BaseURL, Inline: p.OneProcess})
}

func (p *Platform) authenticate(ctx context.Context, token string) (*api.Caller, error) {
	return p.Accesses.Authenticate(ctx, token)
}

// TokenHash is how tokens, the operator's too, are kept and compared.
func TokenHash(token string) [32]byte { return sha256.Sum256([]byte(token)) }

// SecretKey is the platform's own secret: made by the first who needs it, kept sealed in the main table, the same ever
// after on every host.
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
		if _, err := main.Write(ctx, events.Nothing, store.Put(item, store.Absent())); err != nil && !store.IsCondition(err) {
			return nil, err
		}
	}
	return nil, errors.New("host: the platform's secret can be neither read nor made")
}

// Function is one of THE list (functions.List): what one Lambda runs, and the one process beside the others. Exactly one
// of HTTP, Feed, Messages, Upload and Tick says what triggers it.
type Function struct {
	Name string // of the folder and the Lambda
	Doc  string // one sentence

	HTTP     func(p *Platform, a *api.API)                                                       // registers operations
	Feed     func(p *Platform) func(context.Context, []events.Change) (done int, err error)      // the first done are handled
	Messages func(p *Platform) func(context.Context, []queue.Received) (failed []queue.Received) // the others are handled
	Upload   func(p *Platform) func(ctx context.Context, key string) error                       // an object was put; again after an error
	Tick     func(p *Platform) func(context.Context) error
	Every    time.Duration // of a Tick
	Here     time.Duration // of a Tick in the one process; 0: Every
	Queues   []Resource    // of Messages: Fresh, Retry
	Uploads  string        // of Upload: how the keys of its objects begin

	Needs   []Need
	Timeout time.Duration
	Memory  int // MB
}

// Resource is something that the stack makes and functions are granted.
type Resource string

// The resources.
const (
	Main     Resource = "main"
	Pipeline Resource = "pipeline"
	Counters Resource = "counters"
	Fresh    Resource = "fresh"
	Retry    Resource = "retry"
	Secrets  Resource = "secrets"
	Files    Resource = "files"
)

// Need is a grant: what a function does to a resource.
type Need struct {
	Resource Resource
	Does     []Action
}

// Action is what can be done to a resource.
type Action string

// The actions: of tables and files Read and Write, of queues Send (receiving comes with the trigger), of secrets Seal and
// Open.
const (
	Read  Action = "read"
	Write Action = "write"
	Send  Action = "send"
	Seal  Action = "seal"
	Open  Action = "open"
)

// Frame is what every function with operations needs for the chain: tokens and kept answers, limits, cursors. One with
// nothing but pages needs none of it.
var Frame = []Need{{Main, []Action{Read, Write}}, {Counters, []Action{Read, Write}}, {Secrets, []Action{Seal, Open}}}

// Routes are the paths that a front door sends to the function, each with everything below it: the first segments of its
// operations' routes. Of "/{$}" it is "/", which has nothing below it. One that begins with a wildcard is none of them.
func (f Function) Routes() []string {
	if f.HTTP == nil {
		return nil
	}
	a := api.New(api.Config{})
	f.HTTP(&Platform{}, a)
	var routes []string
	seen := map[string]bool{}
	for _, pattern := range a.Patterns() {
		_, path, _ := strings.Cut(pattern, " ")
		if r := group(path); !seen[r] && !strings.Contains(r, "{") {
			seen[r] = true
			routes = append(routes, r)
		}
	}
	return routes
}

// group is the path's first two segments under /api-engine, else its first.
func group(path string) string {
	s := strings.Split(strings.Trim(strings.TrimSuffix(path, "{$}"), "/"), "/")
	n := 1
	if s[0] == "api-engine" {
		n = 2
	}
	return "/" + strings.Join(s[:min(n, len(s))], "/")
}
