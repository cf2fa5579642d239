// Package sale is what a shop sells by (contract, "Orders", "Order states", "Discount coupons", "Basket price quotes"
// and "Baskets and checkout"): orders, the states that they go through, the coupons that take something off them, the
// prices that add-ons quote for one line of a basket, and the baskets of shoppers that become orders.
//
// # A tour
//
// order.go, coupon.go and state.go have the rules; order_items.go and items.go where orders, coupons and states are
// kept: all three are kinds of shared/record. Coupons and states have its commands, too. An order is placed in
// place.go: it plans the order by what it reads, checks what can be sold (sellable.go), and writes one transaction with
// the stock that it takes from products, the coupons that it uses and its number, which numbers.go draws before.
// move.go is how it goes to another state, which may put its stock back, and how its note and tracking change.
//
// basket.go has the rules of baskets and basket_items.go where they are kept. Each command (basket_commands.go,
// basket_add.go) answers the basket and keeps what it answers, so that a page shows a basket without reading a product.
// checkout.go makes an order of a basket by what place.go makes one of a request, and empties the basket, with all else
// that goes along, in the order's transaction; it takes nothing when the order would cost what was not shown.
// order_page.go is how who ordered finds the order again.
//
// quote.go has the rules of price quotes, quote_items.go where they are kept and what the basket does to them (Use,
// NoteOrder), quoting.go what add-ons do. image.go, image_items.go and imaging.go are the same of their images, whose
// files are in a bucket.
//
// # Glossary
//
//   - Line: a product or variant as it was sold, a snapshot; of a basket, as it was shown last.
//   - Shopper: who a basket belongs to, by what a door knows of them.
//   - Shown: of what a basket stores: lines, prices and discount as the last answer had them. They are charged.
//   - Page: the end of the address of the page of an order that a checkout made: the order's id, and a secret of which
//     the order keeps the hash only.
//   - Pieces: so many of a product or variant, as the lines of an order take them.
//   - Placing: an order that is being made. What it reads is read in two waves: all reads of a wave are made at the
//     same time, and those of the second wave by what the first has found.
//   - Final: of a state that no order leaves. Two of those that every shop has return: they put the stock back, once.
//   - Marked: of a state that was deleted: it can still be read. The others are live, and counted.
//   - Use: an order's counting of a coupon. It moves nothing of the coupon that another use would mind. Of a price
//     quote: its token's one sale, when it comes into a basket. It is sold when that becomes an order.
package sale
