package page

// Deliveries and Payments are the texts of the ways in which a shop delivers and is paid. Delivery and payment are free
// texts of the contract; whoever fills in a form is offered these, and the order gets the chosen one in the shop's
// language.
var (
	Deliveries = []string{"deliveryHome", "deliveryPickUp"}
	Payments   = []string{"paymentTransfer", "paymentOnTake"}
)
