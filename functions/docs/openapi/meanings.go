package openapi

import "strings"

// meanings are the descriptions of fields that have none where they are declared. A key is a field's name, wherever the
// field stands, or `Schema.field` for one schema. A name that says everything by itself is not here.
var meanings = map[string]string{
	"accessId":                       "The id of the access: of the package on this shop",
	"shopId":                         "The id of the shop",
	"orderId":                        "The id of the order",
	"productId":                      "The id of the product",
	"variantId":                      "The id of the variant, of a product that has some",
	"BatchResult.variantId":          "The variant that is meant; absent: the product itself",
	"BatchPriceLevelsItem.variantId": "The variant that is meant; absent: the product itself",
	"BatchStockItem.variantId":       "The variant that is meant; absent: the product itself",
	"receiverId":                     "The receiver that it goes to",
	"CustomCode.packageId":           "The package that put it in",
	"ManageAccess.packageId":         "The package that is installed",
	"NewAccess.packageId":            "The package to install, one of yours",
	"Order.stateId":                  "The id of the order state that it is in",
	"QuoteImage.quoteId":             "The id of the price quote that it has joined; absent until then",
	"Quote.imageIds":                 "The ids of the quote's images, which basket and order show",
	"Product.categoryIds":            "The categories that show it",

	"changed":                       "When the record last changed",
	"nextCursor":                    "The cursor of the next page: send it as `cursor`. Absent on the last page",
	"ChangeList.nextCursor":         "The cursor of what comes next, now or later: send it as `cursor`",
	"expiresAt":                     "The moment from which it can be used no more",
	"SigningKey.revokedAt":          "When the key was revoked, and stopped signing",
	"CleanupOrder.executedAt":       "When the custom code was removed",
	"OrderState.deletedAt":          "When the state was deleted",
	"DiscountCoupon.validFrom":      "The moment from which the coupon applies; absent: at once",
	"Change.at":                     "When it was made",
	"WebhookAttempt.at":             "When the attempt began",
	"WebhookReceiver.lastSuccessAt": "When an attempt was last answered 2xx; right to a minute",
	"WebhookReceiver.lastFailureAt": "When an attempt last failed",

	"currency":              "The currency of the amounts, which is the shop's",
	"unitPrice":             "The price of one piece, with VAT",
	"ProductPrice.price":    "The price of one piece, with VAT",
	"total":                 "What the line comes to",
	"OrderTotals.items":     "What the lines come to",
	"OrderTotals.total":     "What is to be paid: `items` less `discount`",
	"ShopperOrder.total":    "What is to be paid",
	"ShopperOrder.discount": "The amount that all coupons take off, not negative",
	"discount":              "The amount that the coupon takes off, not negative",
	"OrderTotals.discount":  "What all coupons take off, not negative",
	"OrderDiscount.value":   "The value of the coupon: per cent or an amount, as `type` says",
	"vatRate":               "The rate of VAT in per cent, which is in the price",
	"ProductUnit.quantity":  "How many pieces are in one unit",
	"BatchReport.cost":      "The cost of the request, under `dryRun` what it would have been",

	"SigningKey.state":             "How it signs: `pending` for a trial, `primary`, and `retiring` for 24 hours",
	"WebhookReceiver.state":        "How it is: `failing` while its breaker is open, `disabled` after five days of it",
	"WebhookDelivery.state":        "How far it is: `parked` while its receiver fails, `exhausted` at the end",
	"ManageAccess.state":           "How far it is: `installed` until it is activated for the first time",
	"ManageShopDelivery.state":     "How far it is: `parked` while its receiver fails, `exhausted` at the end",
	"WebhookDeliverySummary.state": "How far it is: `parked` while its receiver fails, `exhausted` at the end",
	"Quote.status":                 "How far the quote is; `used` once its line is in a basket",
	"OrderState.deleted":           "Whether it is deleted: no collection has it any more, and no order moves into it",
	"BatchResult.status":           "What became of the item; under `dryRun` what would",
	"BatchResult.index":            "The place of the item, from 0",
	"BatchError.code":              "The name of the fault for programs, as a problem's `code`",
	"ImportError.code":             "The name of the fault for programs, as a problem's `code`",
	"BatchReport.changed":          "How many items changed",
	"BatchReport.results":          "What became of each item, in their order",
	"CustomUrl.kind":               "How the URL was made: `system` of the item's name, `custom` by a POST",
	"CustomUrl.path":               "The path of the address: the slug behind a slash",
	"CustomUrl.urlItem":            "The product or category that is found there",
	"OrderState.color":             "The color in people's lists, as #rrggbb",

	"WebhookAttempt.status":   "The HTTP status of the answer; absent when there was none",
	"WebhookAttempt.number":   "Which attempt it is, from 1",
	"WebhookAttempt.error":    "Why the attempt failed, as in a receiver's `lastFailure`",
	"WebhookAttempt.answer":   "The first 2 KiB of the answer's body",
	"WebhookReceiver.groups":  "The groups that it hears of: records whose change touches one of these; absent: all",
	"WebhookReplay.from":      "The moment from which deliveries were created that are sent again",
	"WebhookReplay.to":        "The moment until which deliveries were created that are sent again",
	"WebhookReplay.perSecond": "How many it sends a second",
	"WebhookReplay.states":    "The states of the deliveries that are sent again",

	"ProductPrice.level":                  "The level's name: `default`, or one that customers have as `priceLevel`",
	"ProductUnit.unit":                    "The name of the unit",
	"availability":                        "When it can be had, in the shop's own words",
	"OrderConfirmation.number":            "The order's number, which people see",
	"OrderDeliveryPayment.trackingNumber": "What the shipment is tracked by; null until there is one",
	"OrderDeliveryPayment.trackingLink":   "What the shipment is tracked by; null until there is one",
	"Import.rows":                         "How many rows there were, and what became of them",
	"ImportRows.unchanged":                "How many rows held what was there already",
	"RateLimits.hourly":                   "Units in the UTC hour",
	"RateLimits.daily":                    "Units in the UTC day",
	"Status.environment":                  "`production`, or the name of another one",
	"Shop.locale":                         "The language of the shop's pages",
	"Shop.domain":                         "The host of the shop's storefront",
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
