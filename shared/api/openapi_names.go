package api

import (
	"path"
	"reflect"
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
	name := nounName(t, hint)
	if to, is := partners[name]; is {
		return to
	}
	if of, is := strings.CutSuffix(name, "Fields"); is {
		return of + "New"
	}
	return name
}

// partners are the names that partners know things by, where the program has others.
var partners = map[string]string{
	"BasketNew": "BasketItemNew", "ChangeEntry": "Change", "CheckoutDelivery": "CheckoutDeliveryAddress",
	"CleanupFields": "CleanupOrderNew", "CodeFields": "CustomCodeNew", "Coupon": "DiscountCoupon",
	"CouponFields": "DiscountCouponNew", "Delivery": "WebhookDelivery", "DeliveryAttempt": "WebhookAttempt",
	"DeliveryListed": "WebhookDeliverySummary", "Image": "QuoteImage", "ImportMade": "ImportCreated",
	"OrderShipping": "OrderDeliveryPayment", "OrderMethods": "OrderDeliveryPaymentNew",
	"ProductBasicItem": "BatchBasicItem", "ProductBasicItems": "BatchBasic",
	"ProductCategory": "Category", "ProductCategoryFields": "CategoryNew",
	"ProductNewVariantItems": "ProductVariantListNew", "ProductVariantItems": "ProductVariantList",
	"ProductFailure": "BatchError", "ProductPricesItem": "BatchPriceLevelsItem",
	"ProductPricesItems": "BatchPriceLevels", "ProductReport": "BatchReport", "ProductResult": "BatchResult",
	"ProductStockItem": "BatchStockItem", "ProductStockItems": "BatchStock", "ProductUnitsItem": "BatchHasUnitsItem",
	"ProductUnitsItems": "BatchHasUnits", "QuoteNewImage": "QuoteImageNew", "RegisterForm": "AccountNew",
	"ProfileForm": "AccountFields", "ReplayRecord": "WebhookReplay", "ShopPackage": "Package", "ShopStatus": "Status",
	"ShopView": "Shop", "ShopWindows": "RateLimits", "SignInForm": "SignIn", "StorefrontBasketCode": "BasketCouponNew",
	"StorefrontBasketQuantity": "BasketItemQuantity", "StorefrontConsentForm": "ConsentNew",
	"StorefrontNewPassword": "PasswordNew", "StorefrontOrdered": "OrderConfirmation", "TokenFields": "TokenNew",
	"URL": "CustomUrl", "UrlFields": "CustomUrlNew", "UrlItem": "CustomUrlItem", "UrlMade": "CustomUrlCreated",
	"WebhookFields": "WebhookReceiverNew", "SigningKeyRecord": "SigningKey", "WebhookReceiverRecord": "WebhookReceiver",
	"WebhookReplay": "WebhookReplayNew", "WebhookTest": "WebhookTestNew",
	// What only a PATCH takes: Patch names it.
	"ProductFields": "ProductFields", "OrderFields": "OrderFields",
	// The operator's, which are in no document of partners.
	"Shop": "OperatorShop", "Package": "OperatorPackage",
}

// nounName is a type's name with its noun's, where it says nothing alone. A type of an API group that does not say so
// itself is named after its noun, so that each can have its Fields: customer.Fields is CustomerFields. What the catalog
// holds is named after its products: catalog.Variant is ProductVariant.
func nounName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	switch path.Dir(t.PkgPath()) {
	case "eshop/functions":
	case "eshop/shared":
		of, is := bare[name]
		if of != "" {
			return of + name
		}
		if !is && t.PkgPath() != "eshop/shared/catalog" {
			return name
		}
	default:
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
