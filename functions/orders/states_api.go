package orders

import (
	"eshop/shared/api"
	"eshop/shared/base/permission"
	"eshop/shared/sale"
)

// statesPath is where the order states are.
const statesPath = "/api-engine/order-states"

// registerStates registers the states. Deleting one marks it: it leaves the list, unless `includeDeleted` asks for it,
// and is still found by its id, because orders are in it and must be able to say so.
func registerStates(a *api.API) {
	api.AddRecords(a, api.Records[sale.OrderState, sale.OrderStateFields]{
		TagDoc: "What an order can be: new, shipped, …",
		Kind:   sale.OrderStates, Path: statesPath, Tag: "Order states", ID: "OrderState",
		One: "an order state", Many: "order states",
		NeedsToRead: permission.ReadOrders, NeedsToWrite: permission.WriteOrders,
		Marked:  api.Param{Name: "includeDeleted", Flag: true, Doc: "Whether deleted states are shown, too"},
		ListDoc: "Deleted ones are left out unless `includeDeleted` is true.",
		CreateDoc: "Adds a state of the shop's own, behind the others unless `position` says where. 409 " +
			"`too_many_states` when the shop has 100, or a thousand with the deleted ones.",
		ReadDoc:   "One state. A deleted one can still be read, with `deleted` true.",
		ChangeDoc: "Renames a state, or moves it among the others. 409 `state_deleted` for a deleted one.",
		DeleteDoc: "It is marked as deleted: it leaves the collection and can still be read by its id; orders " +
			"in it stay " +
			"there. 409 `last_state` for the last one left.",
	})
}
