package api

import (
	"crypto/subtle"
	"encoding/base64"
	"maps"
	"net/url"
	"strings"

	"eshop/shared/base/problem"
	"eshop/shared/ports/secret"
)

// A cursor is a position and the query that it belongs to, signed together with the collection and whose it is: opaque,
// and of no use once anything of it is changed, for another collection, or for another shop.

const (
	// bytes of the HMAC that a cursor carries: 96 bits, which nobody guesses, and short in an address
	macSize   = 12
	maxCursor = 8 << 10 // characters, as the parameter's maxLength says (Paging)
)

// Cursor is a cursor of the request's collection that goes on after a position.
func (c *Call) Cursor(position string) string {
	text := position + "\n" + filtersOf(c.query)
	return base64.RawURLEncoding.EncodeToString(append(c.api.sign(c, text), text...))
}

// Position is where the request's cursor goes on; "" without one.
func (c *Call) Position() string { return c.after }

// filtersOf is what a cursor keeps of a query: filters and order.
func filtersOf(q url.Values) string {
	q = maps.Clone(q)
	q.Del("cursor")
	q.Del("itemsPerPage")
	return q.Encode()
}

// sign is the MAC of a cursor, by which it is good for one path, shop and access only.
func (a *API) sign(c *Call, text string) []byte {
	return secret.MAC(a.Key, c.r.URL.Path+"\n"+c.Shop+"\n"+c.Access+"\n"+text)[:macSize]
}

// sameFilters says whether what stands beside a cursor is what the cursor keeps. No order stands for the default one,
// which for a search is another (SearchOrder).
func sameFilters(filters string, beside url.Values) bool {
	has, _ := url.ParseQuery(filters)
	order := "asc"
	if has.Has(SearchParam.Name) {
		order = "desc"
	}
	for name := range beside {
		value := has.Get(name)
		if value == "" && strings.HasPrefix(name, "order[") {
			value = order
		}
		if name != "cursor" && name != "itemsPerPage" && beside.Get(name) != value {
			return false
		}
	}
	return true
}

// resume puts what the request's cursor keeps into the call: the position and the query. Filters beside it must be the
// same; the size of the page may differ.
func (a *API) resume(c *Call) error {
	bad := problem.Refused("bad_cursor",
		"This cursor is not one of this collection with these filters: start again without it.")
	cursor := c.query.Get("cursor")
	if len(cursor) > maxCursor {
		return bad
	}
	b, err := base64.RawURLEncoding.DecodeString(cursor)
	// A cursor has one spelling only: base64 with other bits at its end would decode to the same bytes.
	if err != nil || len(b) < macSize || base64.RawURLEncoding.EncodeToString(b) != cursor {
		return bad
	}
	text := string(b[macSize:])
	position, filters, ok := strings.Cut(text, "\n")
	signed := subtle.ConstantTimeCompare(b[:macSize], a.sign(c, text)) == 1
	if !ok || !signed || !sameFilters(filters, c.query) {
		return bad
	}
	perPage := c.query["itemsPerPage"]
	c.after = position
	c.query, _ = url.ParseQuery(filters) // as filtersOf wrote it
	if perPage != nil {
		c.query["itemsPerPage"] = perPage
	}
	return nil
}
