package configurator

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
)

// Backend sells blends: it answers POST /quotes of the widget. It is safe for concurrent use.
type Backend struct {
	ProductURL string // the page that the widget is on

	platform Platform
	product  string
	origins  []string      // of pages that may ask: the shop's, and the backend's own
	slots    chan struct{} // one for each quote that is being made
}

// Quote is the answer to the browser. The price is told only to be shown: the shop has it from the backend.
type Quote struct {
	Token     string `json:"quoteToken"`
	UnitPrice string `json:"unitPrice"`
}

// Bounds of the backend, so that no shopper can use up the add-on's limits for all others.
const (
	atOnce  = 8       // quotes: each draws a picture and calls the platform, so that nobody uses all of the limits
	maxBody = 4 << 10 // bytes of a request
	goodFor = 3600    // seconds for which a quote can be put into a basket
)

// newBackend makes the backend for a product. It answers pages of the shop and of its own address only (origins).
func newBackend(p Platform, sold product, address string) (*Backend, error) {
	b := &Backend{ProductURL: sold.URL, platform: p, product: sold.ID, slots: make(chan struct{}, atOnce)}
	for _, own := range []string{sold.URL, address} {
		o, err := origin(own)
		if err != nil {
			return nil, err
		}
		b.origins = append(b.origins, o)
	}
	return b, nil
}

// ServeHTTP answers POST /quotes with a Quote. It also answers the question that a browser asks before it sends one
// from another origin (CORS).
func (b *Backend) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Vary", "Origin")
	w.Header().Set("Cache-Control", "no-store")
	if from := r.Header.Get("Origin"); from != "" {
		if !slices.Contains(b.origins, from) {
			refuse(w, http.StatusForbidden, "Pages of this origin do not sell here.")
			return
		}
		w.Header().Set("Access-Control-Allow-Origin", from)
	}
	switch {
	case r.URL.Path != "/quotes":
		refuse(w, http.StatusNotFound, "There is nothing here.")
	case r.Method == http.MethodOptions:
		w.Header().Set("Access-Control-Allow-Methods", "POST")
		w.Header().Set("Access-Control-Allow-Headers", "Content-Type")
		w.Header().Set("Access-Control-Max-Age", "600")
		w.WriteHeader(http.StatusNoContent)
	case r.Method != http.MethodPost:
		w.Header().Set("Allow", "POST, OPTIONS")
		refuse(w, http.StatusMethodNotAllowed, "A quote is asked for by POST.")
	default:
		b.answer(w, r)
	}
}

// answer makes a quote of the blend that the request describes. It takes a slot only when the blend was read and is
// good, so a slow sender holds none.
func (b *Backend) answer(w http.ResponseWriter, r *http.Request) {
	blend, err := read(w, r)
	if err != nil {
		refuse(w, http.StatusBadRequest, "Send a blend as JSON: "+err.Error())
		return
	}
	if faults := blend.Faults(); len(faults) > 0 {
		reply(w, http.StatusUnprocessableEntity, map[string]any{"errors": faults})
		return
	}
	select {
	case b.slots <- struct{}{}:
		defer func() { <-b.slots }()
	default:
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusServiceUnavailable, "Many are asking: try again in a moment.")
		return
	}
	quote, err := b.quote(r.Context(), blend)
	if err != nil {
		// Why is the add-on's own business: the browser learns that it may try again.
		slog.WarnContext(r.Context(), "no quote was made", "error", err)
		if refused := (*Refusal)(nil); errors.As(err, &refused) && refused.RetryAfter != "" {
			w.Header().Set("Retry-After", refused.RetryAfter)
		}
		refuse(w, http.StatusServiceUnavailable, "The price cannot be made now.")
		return
	}
	reply(w, http.StatusCreated, quote)
}

// quote uploads the picture of the label, and registers the price, which is calculated here and not in the browser.
func (b *Backend) quote(ctx context.Context, blend Blend) (Quote, error) {
	picture, err := blend.Picture()
	if err != nil {
		return Quote{}, err
	}
	var image struct{ ID string }
	if err := b.platform.upload(ctx, "/basket-price-quote-images", picture, &image); err != nil {
		return Quote{}, err
	}
	quote := Quote{UnitPrice: money(blend.UnitPrice())}
	err = b.platform.call(ctx, http.MethodPost, "/basket-price-quotes", map[string]any{
		"productId": b.product, "unitPrice": quote.UnitPrice, "note": blend.Note(), "imageIds": []string{image.ID},
		"expiresIn": goodFor}, &quote)
	return quote, err
}

// read reads a blend: JSON with these fields and no other, least of all a price.
func read(w http.ResponseWriter, r *http.Request) (blend Blend, err error) {
	if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); kind != "application/json" {
		return blend, errors.New("the content type is application/json")
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	d.DisallowUnknownFields()
	if err := d.Decode(&blend); err != nil {
		return blend, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return blend, errors.New("there is more than one")
	}
	blend.Label = strings.TrimSpace(blend.Label)
	return blend, nil
}

// refuse answers with what is wrong with the whole.
func refuse(w http.ResponseWriter, status int, message string) {
	reply(w, status, map[string]any{"errors": []Fault{{Message: message}}})
}

// reply answers with JSON.
func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // to one who has gone
}
