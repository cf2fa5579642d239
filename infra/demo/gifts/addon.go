package gifts

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"
)

// Addon serves all shops that have it. It is safe for concurrent use.
type Addon struct {
	Name              string   // of its custom code, by which that is found again
	Platform, Address string   // the platform's address, and its own as browsers reach it
	Keys              [][]byte // that sign webhooks
	File              string   // where shops are kept; "": nowhere

	mu    sync.Mutex
	shops map[string]shop // by id
}

// shop is one that has the add-on.
type shop struct {
	Token  string
	Origin string // of its pages
	Locale string // of its texts: cs_CZ or sk_SK
	Since  string // when it was activated, or deactivated: then it has no token
}

//go:embed widget.html
var widget string

// ServeHTTP takes webhooks at /hooks, and makes quotes for pages of shops at /quotes.
func (a *Addon) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
	switch {
	case err != nil:
		http.Error(w, "the body is not read", http.StatusBadRequest)
	case r.URL.Path == "/hooks" && r.Method == http.MethodPost:
		a.take(w, r, body)
	case r.URL.Path == "/quotes":
		a.sell(w, r, body)
	default:
		http.NotFound(w, r)
	}
}

// webhook is what comes to /hooks.
type webhook struct {
	ID     string `json:"id"`
	Event  string `json:"event"`
	ShopID string `json:"shopId"`
	Data   struct {
		Nonce       string `json:"nonce"`
		OccurredAt  string `json:"occurredAt"`
		InstallCode string `json:"installCode"`
	} `json:"data"`
}

// take takes a webhook. It may come twice, and in any order, so each can be taken again.
func (a *Addon) take(w http.ResponseWriter, r *http.Request, body []byte) {
	if !genuine(a.Keys, r.Header, body, time.Now()) {
		http.Error(w, "not signed by the platform", http.StatusUnauthorized)
		return
	}
	var hook webhook
	if err := json.Unmarshal(body, &hook); err != nil {
		http.Error(w, "not JSON", http.StatusBadRequest)
		return
	}
	log.Println(hook.Event, hook.ID)
	var err error
	switch hook.Event {
	case "ping": // the nonce in the answer proves that this address is yours
		fmt.Fprint(w, hook.Data.Nonce)
		return
	case "packageActivate":
		err = a.activate(r.Context(), hook)
	case "packageDeactivate":
		// The custom code is taken away by the platform, as the cleanup order says.
		_, err = a.keep(hook.ShopID, shop{Since: hook.Data.OccurredAt})
	default:
		// Put it into a queue of your own here, and work after the answer.
	}
	if err != nil {
		log.Println(hook.Event, hook.ID, err)
		http.Error(w, "cannot be taken now", http.StatusInternalServerError) // so it comes again
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// activate exchanges the install code for a token, once for each activation, and sets the shop up.
func (a *Addon) activate(ctx context.Context, hook webhook) error {
	known := a.shop(hook.ShopID)
	if hook.Data.InstallCode == "" || hook.Data.OccurredAt < known.Since {
		return nil // a test, or one before the last
	}
	if hook.Data.OccurredAt > known.Since {
		token, err := a.exchange(ctx, hook)
		if err != nil {
			return err
		}
		// A code is good for one token, so the token is kept before anything else can fail.
		known, err = a.keep(hook.ShopID, shop{Token: token, Since: hook.Data.OccurredAt})
		if err != nil || token == "" { // the attempt that has the token sets the shop up
			return err
		}
	}
	if known.Token == "" {
		return nil
	}
	return a.setUp(ctx, known)
}

// exchange returns the token for an install code; "" if another code of the activation was used: by another attempt at
// once, or its token was lost, which no other attempt would mend.
func (a *Addon) exchange(ctx context.Context, hook webhook) (token string, err error) {
	made, err := call[shop](ctx, "", "POST", a.Platform+"/api-engine/tokens",
		fields{"installCode": hook.Data.InstallCode})
	var refused *Refusal
	if errors.As(err, &refused) && refused.Code == "unauthenticated" {
		log.Println(hook.ShopID, "the code was used: if no widget comes, deactivate and activate the package there")
		return "", nil
	}
	return made.Token, err
}

// SetUp serves a shop of which the add-on has a token. An installation brings one: this is to begin without.
func (a *Addon) SetUp(ctx context.Context, token string) error {
	return a.setUp(ctx, shop{Token: token})
}

// setUp puts the widget into the shop's pages, and orders its cleanup. Done again it changes what differs.
func (a *Addon) setUp(ctx context.Context, shop shop) error {
	at, err := call[struct{ ID, WebsiteURL, Locale string }](ctx, shop.Token, "GET", a.Platform+"/api-engine/shop", nil)
	if err != nil {
		return err
	}
	website, err := url.Parse(at.WebsiteURL)
	if err != nil {
		return err
	}
	shop.Origin, shop.Locale = website.Scheme+"://"+website.Host, at.Locale
	if shop.Since == "" { // the token came without an activation
		shop.Since = a.shop(at.ID).Since
	}
	known, err := a.keep(at.ID, shop) // before there is a widget that asks for quotes
	if err != nil || known.Token != shop.Token {
		return err // with another token: the shop was deactivated meanwhile
	}
	code, err := a.putCode(ctx, shop.Token)
	if err != nil {
		return err
	}
	_, err = call[fields](ctx, shop.Token, "POST", a.Platform+"/api-engine/cleanup-orders",
		fields{"customCodeId": code.ID, "packageId": code.PackageID})
	var refused *Refusal
	if errors.As(err, &refused) && refused.Code == "cleanup_exists" {
		return nil
	}
	return err
}

// customCode is one of the add-on's own, as the platform has it.
type customCode struct{ ID, Name, PackageID string }

// putCode makes the custom code or brings it up to date. Whether it is on is the merchant's to say.
func (a *Addon) putCode(ctx context.Context, token string) (customCode, error) {
	const path = "/api-engine/custom-codes"
	html := strings.ReplaceAll(widget, "{{address}}", a.Address)
	there, err := call[struct{ Items []customCode }](ctx, token, "GET", a.Platform+path+"?itemsPerPage=250", nil)
	if err != nil {
		return customCode{}, err
	}
	for _, code := range there.Items {
		if code.Name == a.Name {
			_, err = call[fields](ctx, token, "PATCH", a.Platform+path+"/"+code.ID, fields{"code": html})
			return code, err
		}
	}
	return call[customCode](ctx, token, "POST", a.Platform+path,
		fields{"name": a.Name, "position": "bodyEnd", "code": html})
}

// Load reads the shops that were kept.
func (a *Addon) Load() error {
	text, err := os.ReadFile(a.File)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(text, &a.shops)
}

// shop is the shop with this id; without a token it does not have the add-on.
func (a *Addon) shop(id string) shop {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.shops[id]
}

// keep keeps a shop and returns what is kept of it now: more may have come while the platform was asked. Nothing older
// is kept over what is known, and of one activation no lost token over the good one. Tokens are secrets: only you may
// read the file.
func (a *Addon) keep(id string, told shop) (shop, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if known := a.shops[id]; told.Since < known.Since || told.Since == known.Since && told.Token == "" {
		return known, nil
	}
	if a.shops == nil {
		a.shops = map[string]shop{}
	}
	a.shops[id] = told
	if a.File == "" {
		return told, nil
	}
	text, err := json.Marshal(a.shops)
	if err != nil {
		return told, err
	}
	if err := os.WriteFile(a.File+".new", text, 0o600); err != nil {
		return told, err
	}
	return told, os.Rename(a.File+".new", a.File)
}
