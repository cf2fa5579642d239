package api

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"eshop/shared/base/id"
	"eshop/shared/shop/audit"
)

// auditWait is how long an entry may take to be written.
const auditWait = 5 * time.Second

// audit keeps what the operator or an admin has done: what was answered well, and what has written something before it
// was refused. It is done, so an entry that cannot be written is logged, and the answer stays as it is. A client who
// has gone meanwhile ends nothing here.
func (a *API) audit(c *Call, res *response, well bool) {
	admin, method := c.By.Person(), c.r.Method
	reads := method == http.MethodGet || method == http.MethodHead // of an admin it acts all the same: By says so
	switch {
	case admin == "" && (c.Operator == "" || reads):
		return
	case !c.acted && (!well || method == http.MethodPatch): // a PATCH may find all as it should be
		return
	}
	entry := audit.Entry{ID: c.Request, Token: c.Operator, TokenName: c.OperatorName, Admin: admin, Shop: c.Shop,
		Method: method, Path: a.logged(c.r.URL.Path), Address: c.Address()}
	// What a request has made lies below its own path. Any other address comes of whoever asked.
	if made, is := strings.CutPrefix(res.header.Get("Location"), entry.Path+"/"); is && id.Valid(made) {
		entry.Made = entry.Path + "/" + made
	}
	if c.Operator != "" {
		entry.Shop = audit.ShopOf(cmp.Or(entry.Made, entry.Path))
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c), auditWait)
	defer cancel()
	if err := audit.Add(ctx, a.Table, entry); err != nil {
		a.Log.ErrorContext(c, "an action is not in the audit trail", "requestId", c.RequestID, "method", entry.Method,
			"path", entry.Path, "operator", entry.Token, "admin", entry.Admin, "error", err)
	}
}
