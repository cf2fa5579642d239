package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// quote makes a quote for a page of a shop. The price is made here: a browser sends none.
func (a *addon) quote(w http.ResponseWriter, r *http.Request, body []byte) {
	origin := r.Header.Get("Origin")
	s, found := a.of(origin)
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
	var asked struct {
		ProductID string `json:"productId"`
	}
	if err := json.Unmarshal(body, &asked); err != nil || asked.ProductID == "" || r.Method != http.MethodPost {
		http.Error(w, `POST {"productId":"…"}`, http.StatusBadRequest)
		return
	}
	type product struct {
		PriceLevels []struct{ Level, Price string }
	}
	of, err := call[product](r.Context(), s.Token, "GET",
		a.platform+"/api-engine/products/"+url.PathEscape(asked.ProductID), nil)
	if err != nil {
		fail(w, err)
		return
	}
	price := ""
	for _, level := range of.PriceLevels {
		if level.Level == "default" {
			price = asGift(level.Price)
		}
	}
	if price == "" {
		http.Error(w, "this product is not sold as a gift", http.StatusUnprocessableEntity)
		return
	}
	made, err := call[struct{ QuoteToken string }](r.Context(), s.Token, "POST", a.platform+"/basket-price-quotes",
		fields{"productId": asked.ProductID, "unitPrice": price, "note": "Gift-wrapped", "expiresIn": 3600})
	if err != nil {
		fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(fields{"quoteToken": made.QuoteToken, "unitPrice": price})
}

// fail answers that it does not work now, with the platform's id of the request, by which it is found in logs. Why is
// the add-on's own business.
func fail(w http.ResponseWriter, err error) {
	log.Println("no quote was made:", err)
	said := "the price cannot be made now"
	if refused := (*refusal)(nil); errors.As(err, &refused) && refused.RequestID != "" {
		said += " (request " + refused.RequestID + ")"
	}
	http.Error(w, said, http.StatusBadGateway)
}

// of is the shop whose pages have this origin.
func (a *addon) of(origin string) (shop, bool) {
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
