package api

import (
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// schemaName is the name of a type in the document, as a partner's program has it: a record has its noun's, what a POST
// takes of it ends in New, of a PATCH in Patch, and a page of them is a List.
func schemaName(t reflect.Type, hint string) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() == reflect.Struct && strings.HasPrefix(t.Name(), "Items[") {
		return strings.TrimSuffix(schemaName(t.Field(0).Type.Elem(), hint), "Summary") + "List"
	}
	if to, is := operators[t.PkgPath()+"."+t.Name()]; is {
		return to
	}
	name := nounName(t, hint)
	if to, is := partners[name]; is {
		return to
	}
	if of, is := strings.CutSuffix(name, "Fields"); is {
		return of + "New"
	}
	return name
}

// partners are the names that partners know nouns by, where the program has others. A door's own types have theirs.
var partners = map[string]string{
	"BasketNew": "BasketItemNew", "CheckoutDelivery": "CheckoutDeliveryAddress",
	"CleanupFields": "CleanupOrderNew", "CodeFields": "CustomCodeNew", "Coupon": "DiscountCoupon",
	"CouponFields": "DiscountCouponNew", "Delivery": "WebhookDelivery", "DeliveryAttempt": "WebhookAttempt",
	"DeliveryListed": "WebhookDeliverySummary",
	"OrderShipping":  "OrderDeliveryPayment", "OrderMethods": "OrderDeliveryPaymentNew",
	"ProductBasicItem": "BatchBasicItem", "ProductCategory": "Category", "ProductCategoryFields": "CategoryNew",
	"ProductFailure": "BatchError", "ProductPricesItem": "BatchPriceLevelsItem", "ProductReport": "BatchReport",
	"ProductResult": "BatchResult", "ProductStockItem": "BatchStockItem", "ProductUnitsItem": "BatchHasUnitsItem",
	"ProfileForm": "AccountFields", "RegisterForm": "AccountNew", "ReplayRecord": "WebhookReplay",
	"SignInForm": "SignIn", "SigningKeyRecord": "SigningKey", "WebhookFields": "WebhookReceiverNew",
	"WebhookReceiverRecord": "WebhookReceiver", "WebhookReplay": "WebhookReplayNew",
	// What only a PATCH takes: Patch names it.
	"ProductFields": "ProductFields", "OrderFields": "OrderFields",
}

// operators are the names of the operator's records, which are in no document of partners: those have a Shop and a
// Package of their own.
var operators = map[string]string{
	"eshop/shared/shop.Shop": "OperatorShop", "eshop/shared/addon.Package": "OperatorPackage",
}

// ownDocument are the doors whose types are named after them: those of other doors, and of nouns, have the same names.
var ownDocument = []string{"eshop/functions/admin", "eshop/functions/operator", "eshop/shared/host/manage"}

// nounName is a type's name with its noun's, where it says nothing alone: customer.Fields is CustomerFields. What the
// catalog holds is named after its products: catalog.Variant is ProductVariant. An address is a Url to partners.
func nounName(t reflect.Type, hint string) string {
	name := strings.ReplaceAll(huma.DefaultSchemaNamer(t, hint), "URL", "Url")
	if !strings.HasPrefix(t.PkgPath(), "eshop/functions/") && !strings.HasPrefix(t.PkgPath(), "eshop/shared/") {
		return name
	}
	of, is := bare[name]
	if of != "" {
		return of + name
	}
	if !is && t.PkgPath() != "eshop/shared/catalog" && !slices.Contains(ownDocument, t.PkgPath()) {
		return name
	}
	if strings.Contains(t.Name(), "[") {
		return name
	}
	noun := strings.TrimSuffix(path.Base(t.PkgPath()), "s")
	if noun == "catalog" {
		noun = "product"
	}
	if stem, is := strings.CutSuffix(noun, "ie"); is {
		noun = stem + "y"
	}
	noun = strings.ToUpper(noun[:1]) + noun[1:]
	if strings.HasPrefix(strings.ToLower(name), strings.ToLower(noun)) {
		return name
	}
	return noun + name
}

// bare are the names of nouns' types that say nothing alone, with what they are named after: "" for their noun.
var bare = map[string]string{"Fields": "", "Address": "", "ReceiverRecord": "", "Record": "SigningKey", "Replay": "",
	"Rows": "", "Error": "", "Listed": "Delivery", "Form": "SignIn"}
