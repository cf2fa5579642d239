// Package functions is THE list: what the platform consists of. The Lambdas' mains, the one-process host and the AWS
// stack walk it; a new resource is a folder and a line here.
package functions

import (
	"eshop/functions/admin"
	"eshop/functions/batcher"
	"eshop/functions/changes"
	"eshop/functions/codes"
	"eshop/functions/coupons"
	"eshop/functions/customers"
	"eshop/functions/deliveries"
	"eshop/functions/delivery"
	"eshop/functions/docs"
	"eshop/functions/importer"
	"eshop/functions/imports"
	"eshop/functions/operator"
	"eshop/functions/orders"
	"eshop/functions/products"
	"eshop/functions/quotes"
	"eshop/functions/shop"
	"eshop/functions/storefront"
	"eshop/functions/sweeper"
	"eshop/functions/tokens"
	"eshop/functions/urls"
	"eshop/functions/webhooks"
	"eshop/shared/host"
)

// List is every function: what partners call, what everybody reads, what the operator calls, and what works behind
// them.
var List = []host.Function{
	customers.Function,
	products.Function,
	urls.Function,
	orders.Function,
	coupons.Function,
	codes.Function,
	quotes.Function,
	imports.Function,
	changes.Function,
	shop.Function,
	webhooks.Function,
	deliveries.Function,
	tokens.Function,
	storefront.Function,
	admin.Function,
	docs.Function,
	operator.Function,
	batcher.Function,
	delivery.Function,
	importer.Function,
	sweeper.Function,
}
