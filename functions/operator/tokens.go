package operator

import (
	"eshop/shared/api"
	"eshop/shared/people/operator"
	"eshop/shared/record"
	"eshop/shared/shop/audit"
)

// registerTokens registers the operator's named tokens.
func (d door) registerTokens(a *api.API) {
	api.AddRecords(a, api.Records[operator.NamedToken, operator.Fields]{
		Kind: operator.Tokens, Path: "/operator/tokens", Tag: "Operator", ID: "OperatorToken",
		One: "a token of the operator's", Many: "tokens of the operator's", Once: []string{"token"}, Fixed: true,
		CreateDoc: "For each person and program that uses `/operator`. `token` is in this answer only. It opens what " +
			"the first token opens, and the audit trail names it.",
		DeleteDoc: "The token ends at once. What it did stays in the audit trail.",
	})
}

// registerAudit registers the look at who did what.
func (d door) registerAudit(a *api.API) {
	api.Add(a, api.Op{Route: "GET /operator/audit", ID: "listAudit", Tag: "Operator",
		Summary: "List who did what",
		Doc: "What the operator did, by (`created`, `id`); with `shopId` what admins and the operator did to that " +
			"shop. Newest first with `order[created]=desc`. Requests that only read, or were refused before " +
			"they wrote anything, are not in it. Entries are kept for 400 days."},
		d.listAudit)
}

// auditOf is the query of the trail.
type auditOf struct {
	api.CreatedList
	Shop string `query:"shopId" maxLength:"26" doc:"Of this shop only"`
}

// listAudit lists what was done.
func (d door) listAudit(c *api.Call, in *auditOf) (*api.Collection[audit.Entry], error) {
	return api.Page(c, in, audit.Listing(d.Main, in.Shop), record.Load(d.Main, audit.Show))
}
