// Package operator is the API of the platform's operator: shops and their admins, packages, their accesses and tokens,
// and the developers of packages (contract, "Operating the platform"). Its operations stand under /operator, are left
// out of the public OpenAPI document, and take the operator's token. The frame checks the token and answers 401 without
// it, so no operation here asks for it. No call is charged to a limit.
//
// Most operations are those of shared/host/manage, with everything in reach. This folder has what only the operator
// has: developers (api.go), tokens of its own and the trail of who did what (tokens.go), what accesses have used
// (uses.go), how shops leave (leaving.go), how customers are erased (erasures.go), and the making of the index of
// searches (search.go).
package operator

import (
	"time"

	"eshop/shared/api"
	"eshop/shared/host"
	"eshop/shared/host/manage"
	"eshop/shared/job/exports"
	"eshop/shared/people/developer"
	"eshop/shared/record/change"
)

// Function is the operator's API. Beside what shared/host/manage needs it writes the index of searches to the pipeline,
// reads the counters for what accesses have used, and asks for exports of whole shops.
var Function = host.Function{
	Name: "operator", Doc: "The platform's operator: shops, their admins, packages, accesses, tokens, developers.",
	HTTP: register, Timeout: 10 * time.Second, Memory: 512,
	ReservedConcurrency: 5, // a flood at the other functions leaves the operator these calls to end it
	Needs: append(append(manage.Needs(),
		host.Need{Resource: host.Counters, Does: []host.Action{host.Read}},
		host.Admits(manage.Admits, host.Operators),
		host.FilesBelow(host.Write, exports.Asks)), host.UnlimitedFrame...),
}

func register(p *host.Platform, a *api.API) {
	d := door{p}
	manages := manage.Door{Platform: p, Path: "/operator", Tag: "Operator"}
	api.AddRecords(a, manages.Shops())
	manages.Register(a)
	d.registerTokens(a)
	d.registerAudit(a)
	d.registerDevelopers(a)
	d.registerUses(a)
	d.registerErasures(a)
	d.registerLeaving(a)
	d.registerSearch(a)
}

// door answers the operations that are the operator's alone.
type door struct{ *host.Platform }

// registerDevelopers registers what is done to developers (contract, "Developers").
func (d door) registerDevelopers(a *api.API) {
	const all = "/operator/developers"
	api.AddRecords(a, api.Records[developer.Developer, developer.Fields]{
		Kind: developer.Developers, Path: all, Tag: "Operator", ID: "Developer", One: "a developer",
		Many: "developers", Once: []string{"token"},
		CreateDoc: "`token` is in this answer only. It opens `/developer`.",
		DeleteDoc: "The token ends at once. Test shops and packages stay.",
	})
	api.Add(a, api.Op{Route: "POST " + all + "/{id}/token", ID: "renewDeveloperToken", Tag: "Operator",
		Summary: "Make another token of a developer", Once: []string{"token"},
		Doc: "`token` is in this answer only. The one before ends at once."}, d.renewToken)
}

// renewToken gives a developer another token.
func (d door) renewToken(c *api.Call, in *api.ByID) (*api.Plain[developer.Developer], error) {
	return api.Do(c, api.PlainOf[developer.Developer], func(u *change.Unit) (developer.Developer, error) {
		return developer.NewToken(c, u, in.ID, "")
	})
}

// registerSearch registers what makes the index of a shop anew by which its records are found.
func (d door) registerSearch(a *api.API) {
	api.Add(a, api.Op{Route: "POST /operator/shops/{shopId}/search-index", ID: "rebuildSearchIndex", Tag: "Operator",
		Summary: "Make the index of a shop's searches anew", Status: 200,
		Doc: "The next few hundred records, `from` where the answer before says. Without a `next` it is done. " +
			"Searches and changes go on meanwhile."}, d.rebuild)
}

// rebuild is what comes in with the making of an index.
type rebuild struct {
	manage.OfShop
	Body rebuildFrom
}
