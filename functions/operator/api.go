// Package operator is the API of the platform's operator: shops and their admins, packages, their accesses and tokens
// (contract, sections 7 and 9). Its operations stand under /operator, are left out of the public OpenAPI document, and
// take the operator's token. The frame checks the token and answers 401 without it, so no operation here asks for it.
// No call is charged to a limit.
//
// # A tour
//
// Begin with api.go: the list of operations, and what comes in with each. package.go answers what is about packages and
// their system webhooks, access.go what is about accesses, token.go what is about tokens, admin.go what is about
// admins, search.go what is about searches. Shops and packages are plain records: api.AddRecords makes their
// operations. All others call the commands of shared/shop, shared/staff, shared/addon, shared/webhook and
// shared/search, where the rules are, and encode what comes back.
//
// # Promises
//
//   - An access, a token or an admin is found only below the shop that the path names: below another shop it is 404.
//   - A secret (an access's token, a system key, a link to set a password) is in the answer that makes it and never
//     again, not even in the answer that is kept for the request's Idempotency-Key.
//   - Every change of an access counts at once in the one process, and within 30 s on AWS (contract, section 1).
package operator

import (
	"time"

	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/change"
	"eshop/shared/host"
	"eshop/shared/shop"
	"eshop/shared/staff"
	"eshop/shared/webhook"
)

// Function is the operator's API. It reads the pipeline for the deliveries of system webhooks and writes the
// index of searches there, reads the counters for what accesses have used, sends to the retry queue to let parked
// deliveries go, and seals the keys that it makes.
var Function = host.Function{
	Name: "operator", Doc: "The platform's operator: shops, their admins, packages, accesses, tokens.",
	HTTP: register, Timeout: 10 * time.Second, Memory: 512,
	ReservedConcurrency: 5, // a flood at the other functions leaves the operator these calls to end it
	Needs: append([]host.Need{
		{Resource: host.Pipeline, Does: []host.Action{host.Read, host.Write}},
		{Resource: host.Counters, Does: []host.Action{host.Read}},
		{Resource: host.Retry, Does: []host.Action{host.Send}},
		{Resource: host.Signing, Does: []host.Action{host.Seal}},
	}, host.UnlimitedFrame...),
}

// Where the operations stand (contract, section 9). accessesPath is for lists across shops; everything else about an
// access stands below its shop.
const (
	shopsPath    = "/operator/shops"
	packagesPath = "/operator/packages"
	accessesPath = "/operator/accesses"
	shopPath     = shopsPath + "/{shopId}"
	packagePath  = packagesPath + "/{packageId}"
	accessPath   = shopPath + "/accesses/{accessId}"
)

func register(p *host.Platform, a *api.API) {
	d := door{p}
	d.registerShops(a)
	d.registerPackages(a)
	d.registerAccesses(a)
	d.registerTokens(a)
	d.registerAdmins(a)
	d.registerSearch(a)
}

// door answers the operations. All that they need is the platform.
type door struct{ *host.Platform }

// registerShops registers what is done to shops. No shop is ever deleted. A change of a shop drops the callers that are
// remembered of it, because a caller carries its shop's locale and currency.
func (d door) registerShops(a *api.API) {
	api.AddRecords(a, api.Records[shop.Shop, shop.Fields]{
		Kind: shop.Kind(d.Website, d.Accesses.DropShop), Path: shopsPath, Tag: "Operator", ID: "Shop", One: "a shop",
		Many: "shops", Show: shop.Website(d.Website).Show, Lasting: true,
		CreateDoc: "It has its order states at once. 409 `domain_taken` when another shop has the domain.",
		ChangeDoc: "Another owner fires `shopOwnerChange`.",
	})
}

// registerPackages registers what is done to packages, to the keys of their systemUrl, and to the deliveries that went
// there. No package is ever deleted: shops have it installed, and deliveries name it.
func (d door) registerPackages(a *api.API) {
	api.AddRecords(a, api.Records[addon.Package, addon.PackageFields]{
		Kind: addon.Packages(d.system(), d.Accesses), Path: packagesPath,
		Tag: "Operator", ID: "Package", One: "a package", Many: "packages",
		Lasting: true, CreateDoc: "409 `code_taken` when another package has the code.",
	})
	api.Add(a, api.Op{Route: "POST " + packagePath + "/system-keys", ID: "createSystemKey", Tag: "Operator",
		Once: []string{"key"}, Summary: "Make the key that signs system webhooks",
		Doc: "`key` is in this answer only; the key before it signs `X-Webhook-Signature-Previous` for 24 h."},
		d.createSystemKey)
	system := packagePath + "/system-webhook"
	api.Add(a, api.Op{Route: "GET " + system, ID: "readSystemWebhook", Tag: "Operator",
		Summary: "Read how a package's systemUrl does",
		Doc:     "As an access reads a receiver of its own. 404 when the package has no systemUrl."},
		d.readSystemWebhook)
	api.Add(a, api.Op{Route: "POST " + system + "/enable", ID: "enableSystemWebhook", Tag: "Operator",
		Summary: "Enable a failing or disabled systemUrl", Status: 200,
		Doc: "Closes the breaker at once: what is parked goes out. Changes nothing on an enabled one."},
		d.enableSystemWebhook)
	all := packagePath + "/webhook-deliveries"
	api.Add(a, api.Op{Route: "GET " + all, ID: "listSystemDeliveries", Tag: "Operator",
		Summary: "List the deliveries to a package's systemUrl",
		Doc:     "By `created`, as an access sees its own."}, d.listDeliveries)
	api.Add(a, api.Op{Route: "GET " + all + "/{deliveryId}", ID: "readSystemDelivery", Tag: "Operator",
		Summary: "Read a delivery with its attempts"}, d.readDelivery)
}

// registerAccesses registers what is done to accesses, a package installed on a shop: install, limit, activate,
// deactivate, and open the instructions. Only a move into another state fires a webhook, so doing it twice tells
// nobody.
func (d door) registerAccesses(a *api.API) {
	all := shopPath + "/accesses"
	api.Add(a, api.Op{Route: "GET " + all, ID: "listAccesses", Tag: "Operator", Summary: "List a shop's accesses"},
		d.listAccesses)
	api.Add(a, api.Op{Route: "GET " + accessesPath, ID: "listUses", Tag: "Operator",
		Summary: "List the accesses of a shop or a package, with their use of today",
		Doc: "By `packageId`, `shopId` or both. `usedThisHour` and `usedToday` are what was charged of " +
			"`hourlyLimit` and " +
			"`dailyLimit` so far."}, d.listUses)
	api.Add(a, api.Op{Route: "POST " + all, ID: "createAccess", Tag: "Operator", Summary: "Install a package on a shop",
		Once: []string{"token"},
		Doc: "`token` is in this answer only. An active access fires `packageActivate`. " +
			"409 `package_installed` when it is installed already, " +
			"`too_many_packages` when the shop has 1,000."}, d.createAccess)
	api.Add(a, api.Op{Route: "GET " + accessPath, ID: "readAccess", Tag: "Operator", Summary: "Read an access"},
		d.readAccess)
	api.Add(a, api.Op{Route: "PATCH " + accessPath, ID: "changeAccess", Tag: "Operator", Summary: "Change an access"},
		d.changeAccess)
	api.Add(a, api.Op{Route: "POST " + accessPath + "/activate", ID: "activateAccess", Tag: "Operator",
		Summary: "Activate a package on a shop", Status: 200,
		Doc: "Fires `packageActivate` unless it is active."}, d.activate)
	api.Add(a, api.Op{Route: "POST " + accessPath + "/deactivate", ID: "deactivateAccess", Tag: "Operator",
		Summary: "Deactivate a package on a shop", Status: 200,
		Doc: "Fires `packageDeactivate` unless it is not active. Custom codes with an active " +
			"cleanup order are removed."},
		d.deactivate)
	api.Add(a, api.Op{Route: "POST " + accessPath + "/open-instructions", ID: "openInstructions", Tag: "Operator",
		Summary: "Open a package's instructions", Status: 200,
		Doc: "Fires `packageOpenInstructions`."}, d.openInstructions)
}

// registerTokens registers what is done to the tokens of an access. A token is revoked by its id, because its text is
// not kept.
func (d door) registerTokens(a *api.API) {
	all := accessPath + "/tokens"
	api.Add(a, api.Op{Route: "GET " + all, ID: "listTokens", Tag: "Operator", Summary: "List an access's tokens",
		Doc: "By `created`."}, d.listTokens)
	api.Add(a, api.Op{Route: "POST " + all, ID: "createToken", Tag: "Operator", Summary: "Make a token",
		Once: []string{"token"}, Doc: "`token` is in this answer only."}, d.createToken)
	api.Add(a, api.Op{Route: "DELETE " + all + "/{tokenId}", ID: "deleteToken", Tag: "Operator",
		Summary: "Revoke a token"}, d.deleteToken)
}

// registerAdmins registers who may sign in to a shop's admin (contract, section 7, "People").
func (d door) registerAdmins(a *api.API) {
	all := shopPath + "/admins"
	api.Add(a, api.Op{Route: "GET " + all, ID: "listAdmins", Tag: "Operator", Summary: "List a shop's admins"},
		d.listAdmins)
	api.Add(a, api.Op{Route: "POST " + all, ID: "createAdmin", Tag: "Operator",
		Summary: "Let a person sign in to a shop's admin", Once: []string{"setPasswordUrl"},
		Doc: "`setPasswordUrl` is in this answer only, good once and for 24 hours. " +
			"409 `email_taken` when another admin of the shop has the address."}, d.createAdmin)
	api.Add(a, api.Op{Route: "DELETE " + all + "/{adminId}", ID: "deleteAdmin", Tag: "Operator",
		Summary: "Delete an admin and end their sessions"}, d.deleteAdmin)
}

// registerSearch registers what makes the index of a shop anew by which its records are found.
func (d door) registerSearch(a *api.API) {
	api.Add(a, api.Op{Route: "POST " + shopPath + "/search-index", ID: "rebuildSearchIndex", Tag: "Operator",
		Summary: "Make the index of a shop's searches anew", Status: 200,
		Doc: "The next few hundred records, `from` where the answer before says. Without a `next` it is done. " +
			"Searches and changes go on meanwhile."}, d.rebuild)
}

// What the paths of operations name.
type (
	OfShop struct {
		Shop string `path:"shopId"`
	}
	OfPackage struct {
		Package string `path:"packageId"`
	}
	OfAccess struct {
		OfShop
		Access string `path:"accessId"`
	}
	OfToken struct {
		OfAccess
		Token string `path:"tokenId"`
	}
	OfAdmin struct {
		OfShop
		Admin string `path:"adminId"`
	}
)

// The further inputs of operations.
type (
	deliveriesOf struct {
		OfPackage
		api.CreatedList
		webhook.Wanted
	}
	deliveryOf struct {
		OfPackage
		Delivery string `path:"deliveryId"`
	}
	changeAccess struct {
		OfAccess
		Body api.Patch[addon.AccessFields]
	}
	accessesOf struct {
		OfShop
		api.List
	}
	usesOf struct {
		api.List
		Shop    string `query:"shopId" maxLength:"64" doc:"Of this shop"`
		Package string `query:"packageId" maxLength:"64" doc:"Of this package, on all shops"`
	}
	newAccess struct {
		OfShop
		Body addon.NewAccess
	}
	tokensOf struct {
		OfAccess
		api.CreatedList
	}
	newToken struct {
		OfAccess
		Body TokenFields
	}
	adminsOf struct {
		OfShop
		api.List
	}
	newAdmin struct {
		OfShop
		Body staff.Fields
	}
	rebuild struct {
		OfShop
		Body rebuildFrom
	}
)

// of makes the shop of the path the shop that a unit of work is about. The operator's token says no shop, so without
// this a command would look for its records in none.
func (in OfShop) of(u *change.Unit) *change.Unit {
	u.Shop = in.Shop
	return u
}
