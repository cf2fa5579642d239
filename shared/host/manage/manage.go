// Package manage is the operations by which shops, packages, accesses, tokens and admins are made and changed. Two
// doors have them: the operator sees everything, a developer only their own test shops and packages (contract,
// "Operator" and "Developers"). The doors register them at their paths; the frame finds out who asks.
//
// # A tour
//
// Begin with manage.go: the list of operations, and what comes in with each. package.go answers what is about packages
// and their system webhooks, access.go what is about accesses, token.go what is about tokens, admin.go what is about
// admins. Shops and packages are plain records: api.AddRecords makes their operations. All others call the commands of
// shared/people/staff, shared/addon and shared/webhook, where the rules are, and encode what comes back.
//
// # Promises
//
//   - An access, a token or an admin is found only below the shop that the path names: below another shop it is 404.
//   - What is another developer's, or the operator's own, is 404 to a developer.
//   - A secret (an access's token, a system key, a link to set a password) is in the answer that makes it and never
//     again, not even in the answer that is kept for the request's Idempotency-Key.
//   - Every change of an access counts at once in the one process, and within 30 s on AWS (contract, "Who is who").
package manage

import (
	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/people/staff"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/shop"
	"eshop/shared/webhook"
	"slices"
)

// Door answers the operations below a path, such as "/operator".
type Door struct {
	*host.Platform
	Path, Tag string
	// Whose is "Developer" where callers see only their own, and a part of the ids of operations; "": the operator's.
	Whose string
}

// Needs are what the operations need. They read the pipeline for the deliveries of system webhooks and write there to
// send one again, ring for it and for parked ones by the queues, and seal the keys that they make.
func Needs() []host.Need {
	return []host.Need{
		{Resource: host.Pipeline, Does: []host.Action{host.Read, host.Write}},
		{Resource: host.Fresh, Does: []host.Action{host.Send}},
		{Resource: host.Retry, Does: []host.Action{host.Send}},
		{Resource: host.Signing, Does: []host.Action{host.Seal}},
	}
}

// Admits are the guarded partitions that they write.
var Admits = slices.Concat(host.Tokens, host.Packages, host.Developers, host.Admins)

// Register registers everything but the operations on shops. Each door registers those itself, because a developer's
// POST takes `demo` as well.
func (d Door) Register(a *api.API) {
	d.registerPackages(a)
	d.registerAccesses(a)
	d.registerTokens(a)
	d.registerAdmins(a)
}

// Shops are the operations on shops; how one leaves is the operator's own matter. A change of a shop drops the
// callers that are remembered of it, because a caller carries its shop's locale and currency.
func (d Door) Shops() api.Records[shop.Shop, shop.Fields] {
	return api.Records[shop.Shop, shop.Fields]{
		Kind: shop.Shops(d.ShopNames(), d.Accesses.DropShop), KindOf: d.Own,
		Path: d.Path + "/shops", Tag: d.Tag,
		ID: d.Whose + "Shop", One: "a shop",
		Many: "shops", Show: d.Platform.Shops.Show, Lasting: true,
		CreateDoc: "It has its order states at once. 409 `domain_taken` when another shop has the domain.",
		ChangeDoc: "Another owner fires `shopOwnerChange`.",
	}
}

// Own are the shops that are there for the caller.
func (d Door) Own(by *change.Caller) *record.Kind[shop.Shop, shop.Fields] {
	all := shop.Shops(d.ShopNames(), d.Accesses.DropShop)
	if d.Whose == "" {
		return all
	}
	return shop.ShopsOf(all, by.Developer)
}

// Packages are the packages that are there for the caller.
func (d Door) Packages(by *change.Caller) *record.Kind[addon.Package, addon.PackageFields] {
	all := addon.Packages(d.system(), d.Accesses)
	if d.Whose == "" {
		return all
	}
	return addon.PackagesOf(all, by.Developer)
}

// within is an operation below a shop or a package, which the input looks for first.
func within[I any, P interface {
	*I
	there(*api.Call, Door) error
}, O any](d Door, do func(*api.Call, P) (*O, error)) func(*api.Call, *I) (*O, error) {
	return func(c *api.Call, in *I) (*O, error) {
		if err := P(in).there(c, d); err != nil {
			return nil, err
		}
		return do(c, in)
	}
}

// systemPerSecond is how many system webhooks the packages of one developer may fire in any second, all together. The
// addresses that they go to are not asked whether they want them.
const systemPerSecond = 10

// CountSystem counts what may fire a system webhook of a package of this developer's. It is the problem rate_limited
// once their packages have fired as many in this second as they may. What the operator or a merchant does, "", is not
// counted.
func CountSystem(c *api.Call, developer string) error {
	if developer == "" {
		return nil
	}
	return c.PerSecond("system webhooks of "+developer, systemPerSecond)
}

// fires is within for what may fire a system webhook of a package.
func fires[I any, P interface {
	*I
	there(*api.Call, Door) error
}, O any](d Door, do func(*api.Call, P) (*O, error)) func(*api.Call, *I) (*O, error) {
	return within(d, func(c *api.Call, in P) (*O, error) {
		if err := CountSystem(c, c.Developer); err != nil {
			return nil, err
		}
		return do(c, in)
	})
}

// id is the id of an operation of this door.
func (d Door) id(does, what string) string { return does + d.Whose + what }

func (d Door) shopPath() string { return d.Path + "/shops/{shopId}" }

func (d Door) packagePath() string { return d.Path + "/packages/{packageId}" }

func (d Door) accessPath() string { return d.shopPath() + "/accesses/{accessId}" }

// registerPackages registers what is done to packages, to the keys of their systemUrl, and to the deliveries that went
// there. The operator deletes none: a merchant may have had it installed, and deliveries name it.
func (d Door) registerPackages(a *api.API) {
	api.AddRecords(a, api.Records[addon.Package, addon.PackageFields]{
		Kind: addon.Packages(d.system(), d.Accesses), KindOf: d.Packages, Path: d.Path + "/packages",
		Tag: d.Tag, ID: d.Whose + "Package", One: "a package", Many: "packages",
		Lasting: d.Whose == "", CreateDoc: "409 `code_taken` when another package has the code.",
		DeleteDoc: "Its code is free at once, and nothing is sent to its `systemUrl` any more. 409 " +
			"`package_installed` while a shop has it installed.",
	})
	api.Add(a, api.Op{Route: "POST " + d.packagePath() + "/system-keys", ID: d.id("create", "SystemKey"), Tag: d.Tag,
		Once: []string{"key"}, Summary: "Make the key that signs system webhooks",
		Doc: "`key` is in this answer only; the key before it signs `X-Webhook-Signature-Previous` for 24 h."},
		within(d, d.createSystemKey))
	system := d.packagePath() + "/system-webhook"
	api.Add(a, api.Op{Route: "GET " + system, ID: d.id("read", "SystemWebhook"), Tag: d.Tag,
		Summary: "Read how a package's systemUrl does",
		Doc:     "As an access reads a receiver of its own. 404 when the package has no systemUrl."},
		within(d, d.readSystemWebhook))
	api.Add(a, api.Op{Route: "POST " + system + "/enable", ID: d.id("enable", "SystemWebhook"), Tag: d.Tag,
		Summary: "Enable a failing or disabled systemUrl", Status: 200,
		Doc: "Closes the breaker at once: what is parked goes out. Changes nothing on an enabled one."},
		within(d, d.enableSystemWebhook))
	all := d.packagePath() + "/webhook-deliveries"
	api.Add(a, api.Op{Route: "GET " + all, ID: d.id("list", "SystemDeliveries"), Tag: d.Tag,
		Summary: "List the deliveries to a package's systemUrl",
		Doc:     "By `created`, as an access sees its own."}, within(d, d.listDeliveries))
	api.Add(a, api.Op{Route: "GET " + all + "/{deliveryId}", ID: d.id("read", "SystemDelivery"), Tag: d.Tag,
		Summary: "Read a delivery with its attempts"}, within(d, d.readDelivery))
	api.Add(a, api.Op{Route: "POST " + all + "/{deliveryId}/redeliver", ID: d.id("redeliver", "SystemDelivery"),
		Tag: d.Tag, Summary: "Redeliver to a package's systemUrl", Status: 202,
		Doc: "One further attempt at once, under the same id, also past an open breaker; of a `packageActivate` with " +
			"a new `installCode`. 409 `delivery_cancelled` of one that was cancelled, `package_inactive` of one that " +
			"only an active package hears of, such as `packageActivate`."}, fires(d, d.redeliver))
	api.Add(a, api.Op{Route: "GET " + d.packagePath() + "/deliveries", ID: d.id("list", "PackageDeliveries"),
		Tag: d.Tag, Summary: "List the deliveries to a package's receivers on all shops",
		Doc: "Access by access, the one first that was changed longest ago, and of each by `created`. A page looks " +
			"at ten accesses, so it may be short or empty and have a `nextCursor`."}, within(d, d.listAllDeliveries))
}

// registerAccesses registers what is done to accesses, a package installed on a shop: install, limit, activate,
// deactivate, and open the instructions. Only a move into another state fires a webhook, so doing it twice tells
// nobody.
func (d Door) registerAccesses(a *api.API) {
	all := d.shopPath() + "/accesses"
	api.Add(a, api.Op{Route: "GET " + all, ID: d.id("list", "Accesses"), Tag: d.Tag,
		Summary: "List a shop's accesses"}, d.listAccesses)
	api.Add(a, api.Op{Route: "POST " + all, ID: d.id("create", "Access"), Tag: d.Tag,
		Summary: "Install a package on a shop", Once: []string{"token"},
		Doc: "`token` is in this answer only. An active access fires `packageActivate`. " +
			"409 `package_installed` when it is installed already, " +
			"`too_many_packages` when the shop has 1,000."}, fires(d, d.createAccess))
	api.Add(a, api.Op{Route: "GET " + d.accessPath(), ID: d.id("read", "Access"), Tag: d.Tag,
		Summary: "Read an access"}, within(d, d.readAccess))
	api.Add(a, api.Op{Route: "PATCH " + d.accessPath(), ID: d.id("change", "Access"), Tag: d.Tag,
		Summary: "Change an access"}, within(d, d.changeAccess))
	if d.Whose != "" { // the operator takes none from a merchant
		api.Add(a, api.Op{Route: "DELETE " + d.accessPath(), ID: d.id("delete", "Access"), Tag: d.Tag,
			Summary: "Delete an access",
			Doc: "With its tokens, receivers, keys, custom codes, cleanup orders and quotes. An active one is " +
				"deactivated first, and `systemUrl` hears `packageDeactivate`. The package can be installed anew."},
			fires(d, d.deleteAccess))
	}
	api.Add(a, api.Op{Route: "POST " + d.accessPath() + "/activate", ID: d.id("activate", "Access"), Tag: d.Tag,
		Summary: "Activate a package on a shop", Status: 200,
		Doc: "Fires `packageActivate` unless it is active."}, fires(d, d.activate))
	api.Add(a, api.Op{Route: "POST " + d.accessPath() + "/deactivate", ID: d.id("deactivate", "Access"), Tag: d.Tag,
		Summary: "Deactivate a package on a shop", Status: 200,
		Doc: "Fires `packageDeactivate` unless it is not active. Custom codes with an active " +
			"cleanup order are removed."},
		fires(d, d.deactivate))
	api.Add(a, api.Op{Route: "POST " + d.accessPath() + "/open-instructions", ID: d.id("open", "Instructions"),
		Tag: d.Tag, Summary: "Open a package's instructions", Status: 200,
		Doc: "Fires `packageOpenInstructions`."}, fires(d, d.openInstructions))
}

// registerTokens registers what is done to the tokens of an access. A token is revoked by its id, because its text is
// not kept.
func (d Door) registerTokens(a *api.API) {
	all := d.accessPath() + "/tokens"
	api.Add(a, api.Op{Route: "GET " + all, ID: d.id("list", "Tokens"), Tag: d.Tag, Summary: "List an access's tokens",
		Doc: "By `created`."}, within(d, d.listTokens))
	api.Add(a, api.Op{Route: "POST " + all, ID: d.id("create", "Token"), Tag: d.Tag, Summary: "Make a token",
		Once: []string{"token"}, Doc: "`token` is in this answer only. 409 `too_many_tokens` when the access has " +
			"1,000, those that have expired within 30 days among them."}, within(d, d.createToken))
	api.Add(a, api.Op{Route: "DELETE " + all + "/{tokenId}", ID: d.id("delete", "Token"), Tag: d.Tag,
		Summary: "Revoke a token"}, within(d, d.deleteToken))
}

// registerAdmins registers who may sign in to a shop's admin (contract, "People").
func (d Door) registerAdmins(a *api.API) {
	all := d.shopPath() + "/admins"
	api.Add(a, api.Op{Route: "GET " + all, ID: d.id("list", "Admins"), Tag: d.Tag, Summary: "List a shop's admins"},
		d.listAdmins)
	api.Add(a, api.Op{Route: "POST " + all, ID: d.id("create", "Admin"), Tag: d.Tag,
		Summary: "Let a person sign in to a shop's admin", Once: []string{"setPasswordUrl"},
		Doc: "`setPasswordUrl` is in this answer only, good once and for 24 hours. " +
			"409 `email_taken` when another admin of the shop has the address, `too_many_admins` when it has " +
			"1,000."}, d.createAdmin)
	api.Add(a, api.Op{Route: "DELETE " + all + "/{adminId}", ID: d.id("delete", "Admin"), Tag: d.Tag,
		Summary: "Delete an admin and end their sessions"}, within(d, d.deleteAdmin))
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
)

// there is the 404 of a shop that is not the developer's. For the operator it asks nothing: below a shop that is not
// there nothing is found, which is 404 as well.
func (in OfShop) there(c *api.Call, d Door) error {
	if d.Whose == "" {
		return nil
	}
	_, err := d.Own(c.Caller).Read(c, d.Main, "", in.Shop)
	return err
}

// there is the 404 of a package that is not there for the caller. Rows of accesses lie under their ids as those of
// packages do, so without this an access's id would open its log of deliveries.
func (in OfPackage) there(c *api.Call, d Door) error {
	_, err := d.Packages(c.Caller).Read(c, d.Main, "", in.Package)
	return err
}

// within makes the shop of the path the shop that a unit of work is about. The tokens here say no shop, so without this
// a command would look for its records in none.
func (in OfShop) within(u *change.Unit) *change.Unit {
	u.Shop = in.Shop
	return u
}
