package openapi

import (
	"slices"
	"strings"
)

// Code is a code of problems as /docs/errors explains it, where a problem's `type` leads (contract, "Errors").
type Code struct {
	Name   string
	Status []int
	Means  string
	Do     string
}

// Codes are all codes that operations answer, in the contract's order. A code that an operation answers and that is not
// here would lead its reader to a page without it, so a new code comes with its row.
var Codes = []Code{
	{"unauthenticated", []int{401}, "The token is missing, malformed, unknown, expired or revoked; or the " +
		"install code is.",
		"Send `Authorization: Bearer <token>` with a token of this platform that is still good. Do not repeat the " +
			"request as it is."},
	{"package_inactive", []int{403}, "The package of this access is not active on the shop.",
		"Wait for `packageActivate`; a shop admin switches it on. The request cost nothing. A redelivery of what it " +
			"would not hear of is refused by this code as 409."},
	{"insufficient_permission", []int{403}, "The access lacks the permission that the problem names in `permission`.",
		"Ask for the permission. `write` does not imply `read`. What a package is given later, an access that is " +
			"installed has only once it is given it, too."},
	{"rate_limited", []int{429}, "A limit of this access is used up; `limit` says which, `remaining` what is " +
		"left and `cost` what the request would have cost. Nothing was done or charged: the header " +
		"`X-RateLimit-Request-Cost` is 0. Of a request without a token its address made too many in a second, or " +
		"120 searches of a shop in a minute, unless the operator has set another number of baskets for it; " +
		"or a developer's packages fire 10 system webhooks in a second: there is no limit to name.",
		"Wait for the seconds in `Retry-After`, then repeat."},
	{"batch_too_expensive", []int{422}, "The batch, or the picture, can cost more than a whole limit of this access.",
		"Send fewer items in each call, or a smaller picture."},
	{"unknown_api_version", []int{400}, "The `Api-Version` header names no version.",
		"Leave the header out, or send a version that this reference names."},
	{"not_found", []int{404}, "There is nothing at this address: the record does not exist, was deleted, or is " +
		"another shop's.", "Check the id. A deleted record never comes back under its id."},
	{"method_not_allowed", []int{405}, "The address exists and does not answer this method.",
		"Use one of the methods in `Allow`."},
	{"body_too_large", []int{413}, "The body is larger than the operation takes: 1 MiB, images 4 MiB, 64 KiB " +
		"from who has no token and is not signed in.", "Send less."},
	{"too_many_items", []int{413}, "The batch has more than 100 items, or under an `Idempotency-Key` more than " +
		"99. Nothing was written.", "Send at most 99 at a time."},
	{"unsupported_media_type", []int{415}, "The body is not of a type that the operation takes, or it is compressed.",
		"Send `Content-Type: application/json` and no `Content-Encoding`; of an image PNG, JPEG, GIF or a still WebP."},
	{"malformed_json", []int{400}, "The body is not valid JSON: a syntax error, bad UTF-8, a lone surrogate, or " +
		"a key given twice. Of a form: it is not complete, or a part has no name or comes twice.",
		"Send what a library writes."},
	{"idempotency_key_reused", []int{422}, "The `Idempotency-Key` was used for another request within 24 hours.",
		"Use a new key for each request, and the same one only to repeat it unchanged."},
	{"idempotency_in_progress", []int{409}, "The first request with this `Idempotency-Key` is still running.",
		"Repeat after a moment: you get the first one's answer."},
	{"invalid", []int{422}, "The input is not valid; `errors` has one entry for each fault, with its place.",
		"Correct what `errors` names. Nothing was written."},
	{"bad_cursor", []int{422}, "The `cursor` is not one of this collection with these filters and this order.",
		"Pass on `nextCursor` as it came, or start again without a cursor."},
	{"version_conflict", []int{412}, "The record has changed since the version in `If-Match`.",
		"Read it again, and repeat the change upon its new `ETag`."},
	{"unavailable", []int{503}, "The platform cannot serve the request now. What a single record was to become " +
		"was not written; a batch may be done in part, and repeating it does the rest; under " +
		"`errorPolicy=rejectAll` it is done whole or not at all.",
		"Repeat after the seconds in `Retry-After`, a POST with an `Idempotency-Key`."},
	{"internal", []int{500}, "Something went wrong on our side.",
		"Repeat later, a POST with an `Idempotency-Key`; tell us the `requestId` when it stays."},
	{"external_id_taken", []int{409}, "Another record of this type in the shop has this `externalId`.",
		"Find it by `?externalId=`, and change that one."},
	{"last_admin", []int{409}, "This is the last person who can sign in to the shop's admin.",
		"Add another person first."},
	{"email_taken", []int{409}, "Another customer of the shop has this e-mail address, compared without case.",
		"Find the customer by `?email=`, and change that one."},
	{"code_taken", []int{409}, "Another record of the shop has this code: products and variants share theirs.",
		"Find it by `?code=`, or choose another code."},
	{"batch_rejected", []int{422}, "Under `errorPolicy=rejectAll` at least one item could not be changed, so " +
		"none was; `results` says which and why.", "Correct or leave out the failed items."},
	{"insufficient_stock", []int{409}, "There is less in stock than was asked for; `available` says how much " +
		"there is. As an item's error of a batch: the stock would fall below zero.",
		"Ask for less. Nothing was taken."},
	{"category_in_use", []int{409}, "The category has children or products.", "Move or delete those first."},
	{"coupon_invalid", []int{422}, "A coupon does not apply; `reason` is `unknown`, `inactive`, " +
		"`not_yet_valid`, `expired`, `minimum` or `used_up`.", "Leave the coupon out, or meet its conditions."},
	{"last_state", []int{409}, "It is the last order state left.", "Make another one first."},
	{"state_deleted", []int{409, 422}, "The order state is marked as deleted: it cannot be changed (409), and " +
		"no order can move into it (422).", "Use a state of the collection."},
	{"state_final", []int{409}, "The order is in a final state, which no order leaves.", "Make a new order."},
	{"too_many_states", []int{409}, "The shop has 100 order states, or a thousand with those that are marked as " +
		"deleted.", "Change a state instead of making another."},
	{"system_url", []int{409}, "A system URL cannot be deleted.",
		"Make a custom URL: it becomes the active one, and the system URL leads there."},
	{"slug_empty", []int{422}, "Nothing is left of the URL by the slug rules.", "Send a URL with letters or digits."},
	{"slug_reserved", []int{422}, "The platform itself serves that address.", "Choose another URL."},
	{"slug_taken", []int{409}, "The slug and all its variants up to `-100`, or all addresses that a name makes, " +
		"belong to other items.", "Choose another URL or name."},
	{"too_many_urls", []int{409}, "The product or category has 100 URLs that were made by a POST.",
		"Delete one of them first."},
	{"upload_forbidden", []int{403}, "The address of an upload is wrong, over, or was used already.",
		"Begin another import, and PUT its file once."},
	{"download_forbidden", []int{403}, "The address of a download is wrong or over.",
		"Read the export again: its `downloadUrl` leads to a new one."},
	{"quote_used", []int{409}, "The price quote was used: its token buys once.", "Register a new quote."},
	{"quote_expired", []int{410}, "The price quote has expired.", "Register a new quote, with a longer `expiresIn`."},
	{"quote_invalid", []int{422}, "The token is no quote for this product in this shop, or its package is not active.",
		"Register a quote for the product that is put into the basket."},
	{"quote_not_issued", []int{409}, "An image joins only a quote of the same access that is still issued.",
		"Send images before the quote is used, or register a new one."},
	{"too_many_codes", []int{409}, "The package has 40 custom codes on the shop, or the active ones of all " +
		"packages on it would have more than 1 MiB together.",
		"Delete or switch off one, put several into one, or shorten them."},
	{"cleanup_exists", []int{409}, "There is an active cleanup order for this code and package.",
		"Nothing is to be done: it will run at deactivation."},
	{"cleanup_executed", []int{409}, "The cleanup order was executed: the deactivation removed its custom code.",
		"Nothing is left to cancel."},
	{"receiver_unverified", []int{409}, "The receiver has not proved that it is yours.",
		"Answer its ping with 2xx and the nonce in the body: `POST …/ping` sends another."},
	{"receiver_inactive", []int{409}, "The receiver is switched off.", "Set `active` to true."},
	{"too_many_receivers", []int{409}, "The access has 10 receivers.", "Delete one, or take several events at one."},
	{"not_redeliverable", []int{409}, "Pings, tests, and what the receiver takes no more are not delivered again.",
		"Send another with `…/ping` or `…/test`; see the receiver's `events` and `missingPermissions`."},
	{"delivery_cancelled", []int{409}, "The delivery was cancelled; its `reason` says why.",
		"Read the records again: what the webhook told of is their present state."},
	{"key_pending", []int{409}, "There is a pending signing key.", "Activate or delete it first."},
	{"too_many_keys", []int{409}, "The access has 10 signing keys that sign or may sign.",
		"Delete one that is retiring, or wait until it is over."},
	{"too_many_tokens", []int{409}, "The access has 1,000 tokens, those that have expired within 30 days among them.",
		"Revoke those that nobody uses: `lastUsedAt` says which."},
	{"key_not_pending", []int{409}, "Only a pending signing key can be activated; this one is retiring or revoked.",
		"Make a new key."},
	{"too_many_admins", []int{409}, "The shop has 1,000 admins.", "Delete one."},
	{"feed_expired", []int{410}, "The cursor or `from` is older than 30 days, which is as far as the change feed goes.",
		"Begin anew with an export, then follow the feed from a minute before you asked for it: " +
			"[Keep a copy of a shop](/docs/sync)."},
	{"basket_empty", []int{409}, "There is nothing in the visitor's basket.",
		"Put something in first; a basket that became an order is empty."},
	{"prices_changed", []int{409}, "What is in the basket costs something else than was shown last; `basket` is " +
		"what it costs now.", "Show it to the shopper: the next checkout charges it."},
	{"https_only", []int{403}, "The request came by plain http, where others can read its token.",
		"Ask by https."},
	{"cross_site", []int{403}, "A browser sent the request from a page of another site.",
		"Send it from a page of the shop itself, or from a server, where there is no `Origin`."},
	{"sign_in_failed", []int{401}, "This e-mail address and this password do not belong to an account of the " +
		"storefront, whether or not the address is known.",
		"Try again, or ask the shop for a link that sets a password."},
	{"too_many_tries", []int{429}, "There was too much within a minute: 10 tries at passwords of an address or 5 of " +
		"an account, good ones counted; 120 new baskets and changes of one under a new `Idempotency-Key`, or 20 " +
		"checkouts, of an address, or 5 checkouts of one basket, unless the operator has set others for the shop; " +
		"20 changes of a customer's account by themselves.",
		"Wait for the seconds in `Retry-After`, then try again."},
	{"domain_taken", []int{409}, "Another shop has this domain.", "Choose another domain."},
	{"package_installed", []int{409}, "The package is installed on this shop; or, where the package is to be " +
		"deleted, on some shop.", "Use the access that there is, or delete it first."},
	{"too_many_packages", []int{409}, "1,000 packages are installed on the shop, deactivated ones among them; or a " +
		"developer has 20.", "Change or delete an access or a package that there is."},
	{"too_many_shops", []int{409}, "A developer has five test shops.",
		"Change one that there is, or delete one: it counts until it is gone, a minute or two."},
	{"shop_closed", []int{409}, "The shop is closed, and will be deleted.",
		"The operator can restore it until `deletesAt`."},
	{"shop_deleting", []int{409}, "The deletion of the shop has begun.", "It cannot be restored."},
}

// FaultCodes are the codes of single faults, in a problem's `errors` (contract, "Errors").
var FaultCodes = []struct{ Name, Means string }{
	{"required", "The field is missing, blank, or null where it needs a value."},
	{"unknown_field", "There is no such field or parameter."},
	{"read_only", "The platform makes this field; it cannot be set."},
	{"wrong_type", "The value is of another JSON type."},
	{"too_long", "The text is longer than allowed."},
	{"too_many", "The list has more entries than allowed."},
	{"too_small", "The number is below the least allowed."},
	{"too_big", "The number is above the greatest allowed; or what is to be written is larger than can be, as a " +
		"batch under `errorPolicy=rejectAll` that does not fit into one transaction: the message says how many " +
		"items would."},
	{"bad_format", "The value is of the right type and not of the right form."},
	{"not_found", "The value names a record that does not exist in this shop."},
	{"inactive", "The value names a record that is not active."},
	{"duplicate", "The value is given twice."},
	{"conflict", "The value contradicts another one."},
}

// notForPartners are codes that no partner is answered: of the admin's pages, the operator and developers.
var notForPartners = []string{"last_admin", "domain_taken", "package_installed", "too_many_packages",
	"too_many_shops", "shop_closed", "shop_deleting"}

// Answered are the codes that partners are Answered.
func Answered() []Code {
	return slices.DeleteFunc(slices.Clone(Codes), func(c Code) bool { return slices.Contains(notForPartners, c.Name) })
}

// forDevelopers are the codes that developers are answered under /developer.
var forDevelopers = []string{"unauthenticated", "rate_limited", "not_found", "method_not_allowed", "body_too_large",
	"unsupported_media_type", "malformed_json", "idempotency_key_reused", "idempotency_in_progress", "invalid",
	"bad_cursor", "version_conflict", "unavailable", "internal", "email_taken", "code_taken", "not_redeliverable",
	"delivery_cancelled", "domain_taken", "package_installed", "too_many_packages", "too_many_shops", "shop_closed",
	"too_many_tokens", "too_many_admins"}

// answeredDevelopers are those.
func answeredDevelopers() []Code {
	return slices.DeleteFunc(slices.Clone(Codes), func(c Code) bool { return !slices.Contains(forDevelopers, c.Name) })
}

// WithStatus are those of some codes that have this WithStatus.
func WithStatus(of []Code, n int) []Code {
	return slices.DeleteFunc(slices.Clone(of), func(c Code) bool { return !slices.Contains(c.Status, n) })
}

// IsCode says whether a word is a problem's code.
func IsCode(word string) bool {
	return slices.ContainsFunc(Codes, func(c Code) bool { return c.Name == word })
}

// names of codes as Markdown.
func names(codes []Code) string {
	var all []string
	for _, c := range codes {
		all = append(all, "`"+c.Name+"`")
	}
	return strings.Join(all, ", ")
}
