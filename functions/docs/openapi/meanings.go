package openapi

import "strings"

// meanings are the descriptions of fields that have none where they are declared. A key is a field's name, wherever the
// field stands, or `Schema.field` for one schema. A name that says everything by itself is not here.
var meanings = map[string]string{
	"accessId":                       "The access: the package on this shop",
	"shopId":                         "The shop",
	"orderId":                        "The order",
	"productId":                      "The product",
	"variantId":                      "The variant, of a product that has some",
	"BatchResult.variantId":          "The variant that is meant; absent: the product itself",
	"BatchPriceLevelsItem.variantId": "The variant that is meant; absent: the product itself",
	"BatchStockItem.variantId":       "The variant that is meant; absent: the product itself",
	"receiverId":                     "The receiver that it goes to",
	"CustomCode.packageId":           "The package that put it in",
	"ManageAccess.packageId":         "The package that is installed",
	"NewAccess.packageId":            "The package to install, one of yours",
	"Order.stateId":                  "The order state that it is in",
	"QuoteImage.quoteId":             "The price quote that it has joined; absent until then",
	"Quote.imageIds":                 "Its images, which the basket and the order show",
	"Product.categoryIds":            "The categories that show it",

	"changed":                       "When it last changed",
	"nextCursor":                    "Where the next page begins: send it as `cursor`. Absent on the last page",
	"ChangeList.nextCursor":         "Where to go on, now or later: send it as `cursor`",
	"expiresAt":                     "From when on it is good no more",
	"SigningKey.revokedAt":          "When it signed no more",
	"CleanupOrder.executedAt":       "When its custom code was removed",
	"OrderState.deletedAt":          "When it was deleted",
	"DiscountCoupon.validFrom":      "From when on it applies; absent: at once",
	"Change.at":                     "When it was made",
	"WebhookAttempt.at":             "When it began",
	"WebhookReceiver.lastSuccessAt": "When an attempt was last answered 2xx; right to a minute",
	"WebhookReceiver.lastFailureAt": "When an attempt last failed",

	"currency":             "Of all the shop's amounts",
	"unitPrice":            "Of one piece, with VAT",
	"ProductPrice.price":   "Of one piece, with VAT",
	"total":                "Of the line",
	"OrderTotals.items":    "What the lines come to",
	"OrderTotals.total":    "What is to be paid: `items` less `discount`",
	"discount":             "What the coupon takes off, not negative",
	"OrderTotals.discount": "What all coupons take off, not negative",
	"OrderDiscount.value":  "Per cent or an amount, as `type` says",
	"vatRate":              "In per cent; it is in the price",
	"ProductUnit.quantity": "How many pieces are in one",
	"BatchReport.cost":     "What the request has cost, under `dryRun` what it would have",

	"SigningKey.state":             "`pending` signs beside the `primary` for a trial, `retiring` for 24 hours more",
	"WebhookReceiver.state":        "`failing` while its breaker is open, `disabled` after five days of it",
	"WebhookDelivery.state":        "`parked` while its receiver is failing; `exhausted` after the last attempt",
	"ManageAccess.state":           "`installed` until it is activated for the first time",
	"ManageShopDelivery.state":     "`parked` while its receiver is failing; `exhausted` after the last attempt",
	"WebhookDeliverySummary.state": "`parked` while its receiver is failing; `exhausted` after the last attempt",
	"Quote.status":                 "`used` once its line is in a basket",
	"OrderState.deleted":           "It is in no collection any more, and no order can move into it",
	"BatchResult.status":           "Under `dryRun` what would become of it",
	"BatchResult.index":            "Its place in `items`, from 0",
	"BatchError.code":              "Stable, as a problem's `code`",
	"ImportError.code":             "Stable, as a problem's `code`",
	"BatchReport.changed":          "How many items changed",
	"BatchReport.results":          "One for each item, in their order",
	"CustomUrl.kind":               "`system` is made of the item's name, `custom` by a POST",
	"CustomUrl.path":               "The slug behind a slash",
	"CustomUrl.urlItem":            "What is found there",
	"OrderState.color":             "For people's lists, as #rrggbb",

	"WebhookAttempt.status":   "The HTTP status; absent when there was no answer",
	"WebhookAttempt.number":   "From 1",
	"WebhookAttempt.error":    "Why it failed, as in a receiver's `lastFailure`",
	"WebhookAttempt.answer":   "The first 2 KiB of the answer's body",
	"WebhookReceiver.groups":  "It hears only of records whose change touches one of these; absent: of all",
	"WebhookReplay.from":      "Deliveries created from then",
	"WebhookReplay.to":        "Deliveries created until then",
	"WebhookReplay.perSecond": "How many it sends a second",
	"WebhookReplay.states":    "Deliveries in these states",

	"ProductPrice.level":                  "`default`, or a name that customers have as `priceLevel`",
	"ProductUnit.unit":                    "What it is called",
	"availability":                        "In the shop's own words",
	"OrderConfirmation.number":            "The order's number, which people see",
	"OrderDeliveryPayment.trackingNumber": "null until there is one",
	"OrderDeliveryPayment.trackingLink":   "null until there is one",
	"Import.rows":                         "How many rows there were, and what became of them",
	"ImportRows.unchanged":                "They held what was there already",
	"RateLimits.hourly":                   "In the UTC hour",
	"RateLimits.daily":                    "In the UTC day",
	"Status.environment":                  "`production`, or the name of another one",
	"Shop.locale":                         "The language of its pages",
	"Shop.domain":                         "The host of its storefront",
}

// meaning is the description of a field; "" when its name says it. What is sent, listed or patched of a record has the
// record's meanings.
func meaning(schema, field string) string {
	for _, of := range []string{"Patch", "New", "Created", "Issued", "Summary"} {
		schema = strings.TrimSuffix(schema, of)
	}
	if m := meanings[schema+"."+field]; m != "" {
		return m
	}
	return meanings[field]
}
