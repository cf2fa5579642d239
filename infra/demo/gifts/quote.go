package gifts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// giftWrapped is the note on the order, in the language of the shop.
var giftWrapped = map[string]string{"cs_CZ": "Dárkové balení", "sk_SK": "Darčekové balenie"}

// sell makes a quote for a page of a shop: the shopper's label is its note and its picture. The price is made here: a
// browser sends none.
func (a *Addon) sell(w http.ResponseWriter, r *http.Request, body []byte) {
	origin := r.Header.Get("Origin")
	shop, found := a.shopAt(origin)
	w.Header().Set("Vary", "Origin")
	if !found {
		http.Error(w, "pages of this origin do not sell here", http.StatusForbidden)
		return
	}
	w.Header().Set("Access-Control-Allow-Origin", origin)
	if r.Method == http.MethodOptions { // the browser asks whether it may
		w.Header().Set("Access-Control-Allow-Headers", "Content-Type")
		return
	}
	var g gift
	if err := json.Unmarshal(body, &g); err != nil || !g.whole() || r.Method != http.MethodPost {
		http.Error(w, `POST {"productId":"…","label":"…","picture":"…"}`, http.StatusBadRequest)
		return
	}
	made, err := a.wrap(r.Context(), shop, g)
	if err != nil {
		fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(made) // to one who has gone
}

// gift is what the shopper wants. Picture is the label as the widget has drawn it: a PNG, in base64.
type gift struct {
	ProductID string  `json:"productId"`
	Label     *string `json:"label"` // may be "", but is there
	Picture   []byte  `json:"picture"`
}

func (g gift) whole() bool { return g.ProductID != "" && g.Label != nil && len(g.Picture) > 0 }

// quote is the answer to the browser. The price is told only to be shown: the shop has it from here.
type quote struct {
	QuoteToken string `json:"quoteToken"`
	UnitPrice  string `json:"unitPrice"`
}

// wrap registers the price of a gift, with its note and its picture.
func (a *Addon) wrap(ctx context.Context, s shop, g gift) (made quote, err error) {
	type product struct {
		PriceLevels []struct{ Level, Price string }
	}
	of, err := call[product](ctx, s.Token, "GET", a.Platform+"/api-engine/products/"+url.PathEscape(g.ProductID), nil)
	if err != nil {
		return quote{}, err
	}
	price := ""
	for _, level := range of.PriceLevels {
		if level.Level == "default" {
			price = asGift(level.Price)
		}
	}
	image, err := upload[struct{ ID string }](ctx, s.Token, a.Platform+"/basket-price-quote-images", g.Picture)
	if err != nil {
		return quote{}, err
	}
	note := strings.TrimSuffix(giftWrapped[s.Locale]+": "+*g.Label, ": ")
	made, err = call[quote](ctx, s.Token, "POST", a.Platform+"/basket-price-quotes", fields{"productId": g.ProductID,
		"unitPrice": price, "note": note, "imageIds": []string{image.ID}, "expiresIn": 3600})
	made.UnitPrice = price
	return made, err
}

// fail answers why there is no quote: if the platform refuses it, in its own words.
func fail(w http.ResponseWriter, err error) {
	log.Println("no quote was made:", err)
	said := "the platform does not answer"
	if refused := (*Refusal)(nil); errors.As(err, &refused) { // an add-on is built by older Go, too
		said = refused.Error()
	}
	http.Error(w, said, http.StatusBadGateway)
}

// shopAt is the shop whose pages have this origin.
func (a *Addon) shopAt(origin string) (shop, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, s := range a.shops {
		if origin != "" && s.Origin == origin {
			return s, true
		}
	}
	return shop{}, false
}

// asGift is a price and 10 % more, rounded to hundredths: 19.99 is 21.99. Money is never a float.
func asGift(price string) string {
	hundredths, err := strconv.ParseInt(strings.Replace(price, ".", "", 1), 10, 64)
	if err != nil {
		return ""
	}
	hundredths = (hundredths*110 + 50) / 100
	return fmt.Sprintf("%d.%02d", hundredths/100, hundredths%100)
}
