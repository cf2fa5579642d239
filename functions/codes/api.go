// Package codes is the API of the custom codes that packages put into a shop's storefront, and of the cleanup orders by
// which a deactivation removes them (contract, "Custom codes and cleanup orders"). What they are is shared/addon.
//
// What a partner can count on: an access sees and touches its own package's codes only; a code stays in the storefront
// when the package is deactivated, unless a cleanup order asks for its removal.
package codes

import (
	"time"

	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/base/permission"
	"eshop/shared/host"
	"eshop/shared/record"
	"eshop/shared/record/change"
)

// Function is the API of custom codes and cleanup orders.
var Function = host.Function{
	Name: "codes", Doc: "Custom codes and cleanup orders: read, list, make, change, delete.",
	HTTP: register, Needs: host.Frame, Timeout: 10 * time.Second, Memory: 512,
}

// Where codes and cleanup orders are. They share a tag in the documents.
const (
	codesPath  = "/api-engine/custom-codes"
	ordersPath = "/api-engine/cleanup-orders"
	tag        = "Custom code"
)

// register registers codes and cleanup orders as records of the caller's package: another package's are 404. A cleanup
// order has no PATCH, because its status is what became of it. DELETE cancels it.
func register(_ *host.Platform, a *api.API) {
	api.AddRecords(a, api.Records[addon.CustomCode, addon.CodeFields]{
		Kind: addon.CustomCodes(""), KindOf: ownCodes, Path: codesPath, Tag: tag, ID: "CustomCode",
		One: "a custom code", Many: "custom codes",
		NeedsToRead: permission.ReadCodes, NeedsToWrite: permission.WriteCodes,
		ListDoc: "The codes that your package has on this shop; deleted ones are left out.",
		CreateDoc: "The storefront puts active codes into its pages as they are, in the order of `created`. Make a " +
			"[cleanup order](/docs/cleanup-orders#createCleanupOrder) with each: a code without one stays in the " +
			"pages when your package is deactivated, and you can then no longer delete it. " +
			"409 `too_many_codes` when your package has 40 on the shop, or when the active ones of all packages on " +
			"it would have more than 1 MiB together (also for a change).",
		ReadDoc: "One code of your package; another's is 404.",
		ChangeDoc: "Changes what the storefront's pages get from now on. With `active` false they leave the code " +
			"out; it keeps its place among the others, and its cleanup order.",
		DeleteDoc: "The storefront's pages leave it out from now on. Its active cleanup order is cancelled.",
	})
	api.AddRecords(a, api.Records[addon.CleanupOrder, addon.CleanupFields]{
		Kind: addon.CleanupOrders(""), KindOf: ownOrders, Path: ordersPath, Tag: tag, ID: "CleanupOrder",
		One: "a cleanup order", Many: "cleanup orders", Fixed: true,
		NeedsToRead: permission.ReadCodes, NeedsToWrite: permission.WriteCodes,
		ListDoc: "The cleanup orders that your package has on this shop, for 30 days executed and cancelled ones too.",
		CreateDoc: "When your package is deactivated, the code is removed and the order becomes `executed`; the " +
			"webhook " +
			"`packageDeactivate` names the codes that were removed and those that were kept. A code without an " +
			"active order stays in the storefront. 409 `cleanup_exists` when the code has an active one.",
		ReadDoc: "One cleanup order; a cancelled or executed one for 30 days more.",
		DeleteDoc: "Cancels it: the custom code will stay when your package is deactivated. It can be read for 30 " +
			"days. 409 `cleanup_executed` for an executed one; of a cancelled one nothing changes.",
	})
}

// ownCodes are the codes that a caller may see: their own package's on their shop.
func ownCodes(c *change.Caller) *record.Kind[addon.CustomCode, addon.CodeFields] {
	return addon.CustomCodes(c.Package)
}

// ownOrders are the cleanup orders of the caller's package.
func ownOrders(c *change.Caller) *record.Kind[addon.CleanupOrder, addon.CleanupFields] {
	return addon.CleanupOrders(c.Package)
}
