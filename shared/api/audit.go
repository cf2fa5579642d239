package api

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"eshop/shared/audit"
)

// auditWait is how long an entry may take to be written.
const auditWait = 5 * time.Second

// audit keeps what the operator or an admin has done. It is done, so an entry that cannot be written is logged, and the
// answer stays as it is. A client who has gone meanwhile ends nothing here. A PATCH that found all as it should be did
// nothing.
func (a *API) audit(c *Call, res *response) {
	admin, method := c.By.Person(), c.r.Method
	switch {
	case admin == "" && c.Operator == "",
		method == http.MethodGet, method == http.MethodHead, method == http.MethodPatch && !c.wrote:
		return
	}
	e := audit.Entry{ID: c.Request, Token: c.Operator, TokenName: c.OperatorName, Admin: admin, Shop: c.Shop,
		Method: method, Path: a.logged(c.r.URL.Path), Address: c.Address()}
	// What a request has made lies below its own path.
	to, _, _ := strings.Cut(res.header.Get("Location"), "?")
	if below := strings.TrimPrefix(to, a.BaseURL); strings.HasPrefix(below, e.Path+"/") {
		e.Made = below
	}
	if c.Operator != "" {
		e.Shop = audit.ShopOf(cmp.Or(e.Made, e.Path))
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c), auditWait)
	defer cancel()
	if err := audit.Add(ctx, a.Table, e); err != nil {
		a.Log.ErrorContext(c, "an action is not in the audit trail", "requestId", c.RequestID, "method", e.Method,
			"path", e.Path, "operator", e.Token, "admin", e.Admin, "error", err)
	}
}
