// Package shop tells an access where it stands: its shop, its package, its permissions and its limits (contract,
// "Package, shop and status"). api.go has the operations, shop.go what they show. Nothing is changed here but what an
// add-on says of its own set-up: the owner, activation and deactivation are the admin's and the operator's.
package shop

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/base/permission"
	"eshop/shared/ports/limit"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
	"eshop/shared/shop"
)

// Status is how the calling access stands: who it is, what it may do, and what is left of its limits.
type Status struct {
	AccessID    string            `json:"accessId"`
	Permissions field.Permissions `json:"permissions" doc:"What the access may do: its own permissions within its package's" example:"[\"customers:read\",\"products:read\"]"`
	Limits      RateLimits        `json:"limits" doc:"What may be spent in each window"`
	Remaining   RateLimits        `json:"remaining" doc:"What is left of each window after this request"`
	Version     string            `json:"version" doc:"The API version that this access has without an Api-Version header" example:"2026-11-01"`
	Environment string            `json:"environment" example:"production"`
}

// RateLimits are numbers of requests in the two windows of limits: the UTC hour and the UTC day.
type RateLimits struct {
	Hourly int64 `json:"hourly" example:"7200"`
	Daily  int64 `json:"daily" example:"86400"`
}

// Shop is the shop as one of its accesses sees it: its addresses, its language and currency, and its owner's e-mail.
type Shop struct {
	ID         string       `json:"id"`
	Name       string       `json:"name" example:"Zahrada u lípy"`
	Domain     string       `json:"domain" example:"www.example.cz"`
	WebsiteURL string       `json:"websiteUrl" doc:"The storefront's address, without a slash at its end" example:"https://www.example.cz"`
	Locale     field.Locale `json:"locale"`
	Currency   string       `json:"currency" enum:"CZK,EUR"`
	Owner      ShopOwner    `json:"owner"`
}

// ShopOwner is who owns the shop: whom `shopOwnerChange` is about.
type ShopOwner struct {
	Email string `json:"email" format:"email" example:"majitel@example.cz"`
}

// Package is the package of the calling access as it is on this shop.
type Package struct {
	ID          string            `json:"id"`
	Code        string            `json:"code" example:"stock-sync"`
	Name        string            `json:"name" example:"Stock sync"`
	State       addon.AccessState `json:"state" enum:"installed,active,deactivated" doc:"How far the package is on this shop"`
	Permissions field.Permissions `json:"permissions" doc:"What the access may do on this shop" example:"[\"customers:read\",\"products:read\"]"`
	Locale      field.Locale      `json:"locale" doc:"The shop's locale"`
	Setup       addon.SetupState  `json:"setup" enum:"done,in_progress,required" doc:"What you have said of your set-up on this shop; done until you say otherwise, and again once the package is deactivated" example:"required"`
	SetupURL    field.URL         `json:"setupUrl,omitempty" doc:"Where the shop's admin goes on with the set-up" example:"https://addon.example/setup"`
}

// status shows how a caller stands. left is what remains of its limits.
func status(c *change.Caller, left limit.Standing, environment string) Status {
	return Status{AccessID: c.Access, Permissions: listed(c.Permissions),
		Limits:    RateLimits{Hourly: c.Limits.Hourly, Daily: c.Limits.Daily},
		Remaining: RateLimits{left.Hourly, left.Daily}, Environment: environment,
		// What was current when the access was made (contract, "API versions").
		Version: cmp.Or(c.Version, events.APIVersion)}
}

// shown is a shop as its accesses see it. website is the storefront's address.
func shown(s shop.Shop, website string) Shop {
	return Shop{ID: s.ID, Name: string(s.Name), Domain: string(s.Domain), WebsiteURL: website, Locale: s.Locale,
		Currency: s.Currency, Owner: ShopOwner{string(s.Owner.Email)}}
}

// installed is a package as it is on one shop: what it is from the package, its state from the access, the rest from
// both or from the shop.
func installed(p addon.Package, a addon.Access, s shop.Shop) Package {
	return Package{ID: p.ID, Code: string(p.Code), Name: string(p.Name), State: a.State,
		Permissions: listed(addon.EffectivePermissions(a, p)), Locale: s.Locale,
		Setup: a.SetupShown(), SetupURL: a.SetupURL}
}

// version is a hash of what the answer shows. The answer is made of three records; a change of one of them that does
// not show must not move the ETag (contract, "Optimistic locking"). A set-up that is done is left out: so it was before
// packages showed one, and the ETags of then stay.
func (p Package) version() string {
	shows := struct {
		Package
		Setup addon.SetupState `json:"setup,omitempty"` // in the place of the package's
	}{Package: p}
	if p.Setup != addon.SetupDone {
		shows.Setup = p.Setup
	}
	b, err := json.Marshal(shows)
	if err != nil {
		panic("shop: " + err.Error()) // a package holds nothing that JSON cannot
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:13])
}

// listed is the list of permissions as JSON's `[]`, never `null`.
func listed(p []permission.Permission) field.Permissions {
	if p == nil {
		return []permission.Permission{}
	}
	return p
}
