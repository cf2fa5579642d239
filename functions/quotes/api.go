// Package quotes is the API of basket price quotes and their images (contract, "Basket price quotes"). What quotes are
// and how they are changed is shared/sale; functions/images serves the images.
//
// An add-on's server registers a price for a product and hands the token to its widget, which puts the product into the
// basket with it. So the browser never says a price. This package is the server's half; functions/storefront takes the
// token.
//
// What a partner can count on:
//
//   - A token buys once. It is in the answer that registers the quote, and in the repetitions of that answer under its
//     Idempotency-Key; the store has its hash only, because it can be derived from the quote's id under the platform's
//     secret.
//   - A quote belongs to the access that registered it. To every other access it is 404.
//   - An image is stored as it was decoded: no metadata, and nothing that followed the picture in its file.
//
// The paths have no /api-engine before them: partners know them so.
package quotes

import (
	"encoding/json"
	"time"

	"eshop/shared/api"
	"eshop/shared/base/permission"
	"eshop/shared/host"
	"eshop/shared/images"
	"eshop/shared/images/picture"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/sale"
)

// Function is the API of basket price quotes. Its 29 s and 1,769 MB, which is one whole processor on AWS, are for a
// picture of 40 megapixels.
var Function = host.Function{
	Name: "quotes", Doc: "Basket price quotes and their images: register, list, revoke; take their images.",
	HTTP:    register,
	Needs:   append([]host.Need{host.FilesBelow(host.Write, images.Begin)}, host.Frame...),
	Timeout: 29 * time.Second, Memory: 1769,
}

// Where the operations are, and the one permission for all of them.
const (
	path       = "/basket-price-quotes"
	imagesPath = "/basket-price-quote-images"
	tag        = "Basket price quotes"
	needs      = permission.WriteQuotes
)

func register(p *host.Platform, a *api.API) {
	d := door{p}
	api.Add(a, api.Op{Route: "GET " + path, ID: "listQuotes", Tag: tag, Needs: needs,
		Summary: "List basket price quotes",
		Doc: "The quotes that this access made, without their tokens, sorted by `changed`, then `id`. A quote " +
			"changes when its time is over."}, d.list)
	api.Add(a, api.Op{Route: "POST " + path, ID: "createQuote", Tag: tag, Needs: needs,
		Summary: "Register a basket price quote",
		Doc: "Sets a price for one line of a basket, from your add-on's server, so that no shopper can change it. " +
			"`quoteToken` buys once: the browser sends it with [`POST " +
			"/basket/items`](/docs/basket-and-checkout#addToBasket), and never an amount; how a widget does that is " +
			"in [Frontend](/docs/frontend#add-to-the-basket-from-a-widget). It is in this answer and its repetitions " +
			"under the same `Idempotency-Key` only. The shopper chooses the quantity, so quote the price of one " +
			"piece; discounts apply on top. Once in a basket, the line keeps its price for as long as the basket " +
			"lives, also after your package was deactivated.\n\n" +
			"409 `external_id_taken` while another quote of this access with the `externalId` is issued.",
		Once: []string{"quoteToken"}, CompleteReplay: d.withToken}, d.create)
	api.Add(a, api.Op{Route: "GET " + path + "/{id}", ID: "readQuote", Tag: tag, Needs: needs,
		Summary: "Read a basket price quote",
		Doc:     "One quote of your access. One that ended unsold can be read for 30 days more."}, d.read)
	api.Add(a, api.Op{Route: "DELETE " + path + "/{id}", ID: "revokeQuote", Tag: tag, Needs: needs,
		Summary: "Revoke a basket price quote",
		Doc: "Its token buys no more from now on. 409 `quote_used` when it has bought already; one that is over " +
			"stays as it is."},
		d.revoke)
	api.Add(a, api.Op{Route: "POST " + imagesPath, ID: "createQuoteImage", Tag: tag, Needs: needs,
		Summary: "Add an image for a basket price quote",
		Doc: images.FileRules +
			"It joins the quote of `quoteId`, at most 20 of them, or one that names it in its `imageIds`; 409 " +
			"`quote_not_issued` when that is not an issued quote of this access. " +
			"Without a quote it is gone after 24 hours, and 30 days after its quote ended unsold.",
		MaxBody: picture.MaxFile}, d.addImage)
}

// door answers the operations.
type door struct{ *host.Platform }

// quotes are the commands on the caller's quotes. They are given the caller as the limit, because a picture costs one
// for each four megapixels begun.
func (d door) quotes(c *api.Call) sale.Quoting {
	return sale.Quoting{Key: d.Key, Access: c.Access, Package: c.Package, Images: d.Uploads(c)}
}

// listing is the query of the collection: quotes in one state, quotes of one externalId, or both.
type listing struct {
	api.List
	Status     sale.QuoteStatus `query:"status" enum:"issued,used,expired,revoked" doc:"Quotes that have this status now"`
	ExternalID string           `query:"externalId" maxLength:"255" doc:"Quotes with this externalId: at most one of them is issued"`
}

// list lists the access's quotes by (changed, id), without tokens. With an externalId it goes through the index of that
// one; the status is looked at row by row, because a quote expires without a write.
func (d door) list(c *api.Call, in *listing) (*api.Collection[sale.Quote], error) {
	rows := record.InPartitions(d.Main, store.Index1, sale.QuotesOf(c.Shop, c.Access))
	if in.ExternalID != "" {
		rows = record.InPartitions(d.Main, store.Index2, sale.QuotesByExternal(c.Shop, c.Access, in.ExternalID))
	}
	return api.Page(c, in.List, rows, d.quotes(c).Load(d.Main, c.Shop, d.Now(), in.Status))
}

// issued is the answer that registers a quote: the only answer with its token.
func issued(q sale.QuoteIssued) *api.Answer[sale.QuoteIssued] {
	return api.Of(q, q.Version).At(path + "/" + q.ID)
}

// create registers a quote. Its token is derived, so the answer that is kept for the Idempotency-Key holds none.
func (d door) create(c *api.Call, in *api.Create[sale.QuoteNew]) (*api.Answer[sale.QuoteIssued], error) {
	return api.Do(c, issued, func(u *change.Unit) (sale.QuoteIssued, error) {
		return d.quotes(c).Register(c, u, in.Body)
	})
}

// withToken completes a kept answer before it is given again: it derives the token from the quote's id. So a partner
// whose connection broke off gets the token by sending the request again.
func (d door) withToken(_ *api.Call, body []byte) ([]byte, error) {
	var q sale.QuoteIssued
	if err := json.Unmarshal(body, &q); err != nil {
		return nil, err
	}
	q.Token = sale.Quoting{Key: d.Key}.Token(q.ID)
	return json.Marshal(q)
}

// read shows one quote of the access, without its token. A quote whose time is over is `expired`, with the end of its
// time as `changed` and another ETag, though nobody has written anything.
func (d door) read(c *api.Call, in *api.ByID) (*api.Answer[sale.Quote], error) {
	q, err := d.quotes(c).Read(c, d.Main, c.Shop, in.ID, d.Now())
	if err != nil {
		return nil, err
	}
	return api.Of(q, q.Version), nil
}

// revoke ends a quote: its token buys no more. A quote that was used stays so: 409 `quote_used`.
func (d door) revoke(c *api.Call, in *api.ByID) (*api.None, error) {
	return api.Done(c, func(u *change.Unit) error { return d.quotes(c).Revoke(c, u, in.ID) })
}

// QuoteImageNew is the multipart body with which an image comes.
type QuoteImageNew struct {
	File    api.File `json:"file" doc:"The image, as its first bytes say: a name and a type of the part are not looked at"`
	QuoteID string   `json:"quoteId,omitempty" doc:"The id of the quote that the image joins"`
}

// addImage decodes and stores an image, and joins it to a quote if the body names one. An image without a quote is
// there for 24 h, so that a quote can name it in its `imageIds`.
func (d door) addImage(c *api.Call, in *api.Create[QuoteImageNew]) (*api.Plain[sale.QuoteImage], error) {
	return api.Do(c, api.PlainOf[sale.QuoteImage], func(u *change.Unit) (sale.QuoteImage, error) {
		return d.quotes(c).AddImage(c, u, in.Body.File, in.Body.QuoteID)
	})
}
