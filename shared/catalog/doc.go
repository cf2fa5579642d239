// Package catalog is what a shop sells: products with their variants, and categories (contract, "Products",
// "Categories" and "Batch edits"). Their URLs are package address's, which lies below, and what visitors of a
// storefront see of them is package shelf's, which stands above.
//
// # A tour
//
// Begin with the rules, which are pure functions: product.go, variant.go, prices.go, category.go and bounds.go. Then
// items.go has the keys. A product is stored as a head (head.go) and, beside it, parts with its variants and a text
// item (whole.go, parts.go); read.go reads products, and finds out when one was written meanwhile.
//
// A change of one product goes: read it, change a copy, plan, write. edit.go has the commands on a product and its
// variants. plan.go compares the product with its copy (diff.go), has address look up and claim the codes, externalIds
// and slugs that are new, and makes the operations and the records of the change. All of it is written in one
// transaction, on condition of the head's version and of the claims. When somebody else was faster, that is refused,
// and record.Retry begins anew. Three others plan and write in the same way: batch edits, rows of an import (rows.go),
// and products that leave a category which was deleted (leave_category.go).
//
// A batch edit is batch.go (items in, report out), batch_decide.go (looks at the products, and decides what becomes of
// each item) and batch_write.go (in one transaction or several); batch_items.go has the four kinds of items.
// form_edits.go does by batches what people want of many products. Stock alone does not go through a plan: it is one
// update of the head, which holds whoever else writes the product (stock.go, for orders; headUpdate in
// batch_decide.go).
//
// tree.go is the commands on categories. product_list.go is the list of the API, set_prices.go prices by level, as
// imports and forms name them.
//
// # Glossary
//
//   - Head: a product's first item: all but its variants' own fields and texts too long for it. So it is all that
//     orders and most batch edits read and write. Its version is the product's.
//   - Whole: a product with its texts and variants, too. Only it shows them: batches that need no more than heads leave
//     the rest unread, and change a product as far as it is known.
//   - Part: up to 50 of a product's variants, in an item of their own. The head has a partRef for each.
//   - Plan: the operations and records of a change that is ready to be written.
//   - Pieces: so many of a variant, or of a product without variants, as orders take them.
//   - Edit: all items of a batch about one product. A batch writes whole edits.
//   - Torn: read while it was written, so that head and rest are not of one write.
//   - Turn: a count that writes to a shop's tree of categories move, so that they go one after the other.
package catalog
