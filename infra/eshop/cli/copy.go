package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"eshop/shared/base/guard"
	"eshop/shared/base/permission"
	"eshop/shared/record/field"
	"eshop/shared/sale"
)

// duplicate copies a shop: it reads the source by from and writes the copy by to.
//
// It keeps no file of its own. The same command finds what an earlier one has made by what the records say: the shop by
// its domain, a product and a coupon by the code, a category by its name and parent, a state by its key or name, a
// customer by the made-up e-mail address, and an order by its note.
type duplicate struct {
	options
	late       context.Context // ends a minute after an interruption
	from, to   *client
	access     string // the id of the access that reads the source
	like, shop object // the source and the copy

	categories, states map[string]string // the copy's ids, by the source's
	left               map[string]int    // how many records are not in the copy as they should be, by kind and reason
	pictures           int               // how many were copied so far
}

// copyShop makes a test shop of what a token may read of a shop. Called again, it goes on, and brings in what is new.
func copyShop(ctx context.Context, _ *client, o options) error {
	from, err := o.source()
	if err != nil {
		return err
	}
	status, err := ask[struct {
		AccessID    string
		Permissions []permission.Permission
	}](ctx, from, "GET", "/api-engine/status", nil)
	if err != nil {
		return err
	}
	from.again = o.again
	late, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	defer context.AfterFunc(ctx, func() {
		o.progress("interrupted: an import that has begun ends first, in a minute at most")
		guard.After(late, 60*o.Every, stop) // Every is a second, and less in tests
	})()
	d := &duplicate{options: o, late: late, from: from, access: status.AccessID, left: map[string]int{},
		like: object{"name": "Copy", "domain": status.AccessID, "locale": "cs_CZ", "currency": "CZK"}}
	for _, part := range []struct {
		what  string
		needs permission.Permission // "" if nothing is read
		do    func(context.Context) error
	}{
		{"the shop's name, language and currency", permission.ReadShop, d.readShop},
		{"the copy", "", d.open},
		{"categories", permission.ReadProducts, d.copyCategories},
		{"coupons", permission.ReadCoupons, d.copyCoupons},
		{"customers", permission.ReadCustomers, d.copyCustomers},
		{"order states", permission.ReadOrders, d.copyStates},
		{"products", permission.ReadProducts, d.copyProducts},
		{"orders", permission.ReadOrders, d.copyOrders},
	} {
		if part.needs != "" && !slices.Contains(status.Permissions, part.needs) {
			d.tell(object{"leftOut": part.what, "permission": part.needs},
				"left out  %s: the token lacks %s", part.what, part.needs)
		} else if err := part.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", part.what, err)
		}
	}
	for _, why := range slices.Sorted(maps.Keys(d.left)) {
		d.tell(object{"leftOut": why, "number": d.left[why]}, "left out  %d of the %s", d.left[why], why)
	}
	d.tell(object{"done": true, "shopId": d.shop["id"], "websiteUrl": d.shop["websiteUrl"]},
		"done      open %s", d.shop["websiteUrl"])
	return nil
}

func (d *duplicate) readShop(ctx context.Context) (err error) {
	d.like, err = ask[object](ctx, d.from, "GET", "/api-engine/shop", nil)
	return err
}

// copyCategories copies the tree. Categories of the same name and parent become one.
func (d *duplicate) copyCategories(ctx context.Context) (err error) {
	d.categories, err = d.mirror(ctx, "categories", "categories", []string{"name", "parentId"},
		func(o object) string { return fmt.Sprint(o["parentId"], " ", o["name"]) })
	return err
}

func (d *duplicate) copyCoupons(ctx context.Context) error {
	_, err := d.mirror(ctx, "coupons", "discount-coupons",
		[]string{"code", "type", "value", "minimumOrder", "validFrom", "validTo", "usageLimit", "active"},
		func(o object) string { return sale.FoldCode(field.Code(fmt.Sprint(o["code"]))) })
	return err
}

// copyStates copies the states of orders: those that every shop has are known by their keys.
func (d *duplicate) copyStates(ctx context.Context) (err error) {
	d.states, err = d.mirror(ctx, "order states", "order-states", []string{"name", "color", "position", "final"},
		func(o object) string { return fmt.Sprint(o["key"] == nil, cmp.Or(o["key"], o["name"])) })
	return err
}

// mirror makes the given fields of a small collection the same in the copy, and returns the copy's ids by the source's.
// Two records are the same one if identity gives both the same text. A category's parentId is replaced by that of the
// copy before identity is asked.
func (d *duplicate) mirror(
	ctx context.Context, what, path string, fields []string, identity func(object) string,
) (map[string]string, error) {
	path = "/api-engine/" + path
	theirs, err := list[object](ctx, d.from, path+"?itemsPerPage=250")
	if err != nil {
		return nil, err
	}
	ours, err := list[object](ctx, d.to, path+"?itemsPerPage=250")
	if err != nil {
		return nil, err
	}
	there, ids, changed := map[string]object{}, map[string]string{}, 0
	for _, o := range ours {
		there[identity(o)] = o
	}
	all, enough := len(theirs), 33*len(theirs) // a tree of categories has 33 levels at most
	for at := 0; at < len(theirs); at++ {
		from := theirs[at]
		if parent, is := from["parentId"].(string); is && ids[parent] == "" && len(theirs) < enough {
			theirs = append(theirs, from) // after its parent
			continue
		} else if is {
			from["parentId"] = ids[parent]
		}
		to, is := there[identity(from)]
		wanted, has := object{}, object{}
		for _, field := range fields {
			wanted[field], has[field] = from[field], to[field] // null clears what the source has not
		}
		if !is || !reflect.DeepEqual(wanted, has) {
			method, at := "PATCH", fmt.Sprint(path, "/", to["id"])
			if !is {
				method, at = "POST", path
				maps.DeleteFunc(wanted, func(_ string, value any) bool { return value == nil })
			}
			if to, err = ask[object](ctx, d.to, method, at, wanted); err != nil {
				return nil, err
			}
			there[identity(to)] = to
			changed++
		}
		ids[fmt.Sprint(from["id"])] = fmt.Sprint(to["id"])
	}
	d.came(what, all, changed)
	return ids, nil
}

// carry copies a large collection page by page. rowsOf makes the rows of one record of the source.
func carry[T any](ctx context.Context, d *duplicate, what string, rowsOf func(T) ([]row, error)) error {
	total, changed := 0, 0
	err := walk(ctx, d.from, "/api-engine/"+what+"?itemsPerPage=250", func(page []T) error {
		var rows []row
		for _, record := range page {
			of, err := rowsOf(record)
			if err != nil {
				return err
			}
			rows = append(rows, of...)
		}
		n, err := d.bring(d.late, what, rows)
		total, changed = total+len(page), changed+n
		d.progress("%d %s so far", total, what)
		return err
	})
	if err == nil {
		d.came(what, total, changed)
	}
	return err
}

// row is a row of an import, and the name of its record for who reads what was wrong with it.
type row struct {
	name string
	body any
}

// bring brings rows into the copy by an import, and returns how many of them have changed something.
func (d *duplicate) bring(ctx context.Context, what string, rows []row) (int, error) {
	if len(rows) == 0 {
		return 0, nil
	}
	var file bytes.Buffer
	lines := json.NewEncoder(&file)
	lines.SetEscapeHTML(false) // escapes could make a row longer than an import takes
	for _, r := range rows {
		if err := lines.Encode(r.body); err != nil {
			return 0, err
		}
	}
	type begun struct {
		ID, UploadURL, State string
		Rows                 struct{ Changed int }
	}
	const imports = "/api-engine/imports"
	j, err := ask[begun](ctx, d.to, "POST", imports, object{"type": what, "format": "jsonl", "mode": "upsert"})
	if err != nil {
		return 0, err
	}
	// The address needs no token, and is good once: 403 says that an earlier try has brought the file, though its
	// answer was lost.
	address, query, _ := strings.Cut(j.UploadURL, "?")
	uploads := newClient(address, "")
	uploads.again = d.again
	_, err = uploads.call(ctx, "PUT", "?"+query, file.Bytes())
	if refused := new(refusal); err != nil && !(errors.As(err, &refused) && refused.status == http.StatusForbidden) {
		return 0, err
	}
	for pause := d.Every / 10; j.State != "done" && j.State != "failed"; pause = min(2*pause, d.Every) {
		if !guard.Wait(ctx, pause) {
			return 0, ctx.Err()
		}
		if j, err = ask[begun](ctx, d.to, "GET", imports+"/"+j.ID, nil); err != nil {
			return 0, err
		}
	}
	wrong, err := list[struct {
		Row     int
		Message string
	}](ctx, d.to, imports+"/"+j.ID+"/errors?itemsPerPage=250")
	for _, e := range wrong {
		if e.Row == 0 { // of the file as a whole
			return 0, errors.New(e.Message)
		}
		d.progress("left out: %s: %s", rows[e.Row-1].name, e.Message)
		d.left[what+": "+e.Message]++
	}
	return j.Rows.Changed, err
}

// came tells how many records of a kind the copy has, and how many of them this command has made or changed.
func (d *duplicate) came(what string, all, changed int) {
	d.tell(object{"copied": what, "number": all, "changed": changed}, "copied    %d %s, %d of them new or changed",
		all, what, changed)
}

// progress says on stderr how far the copy has come.
func (o options) progress(line string, args ...any) { fmt.Fprintf(o.Errs, line+"\n", args...) }

// again waits until a request that failed can be made again. It is false if the request would fail again, or if ctx
// ends.
func (o options) again(ctx context.Context, failed error, tries int) bool {
	after, passes := pause(failed, tries, o.Every)
	if passes && after > time.Minute {
		o.progress("waiting %s until more requests are taken", after)
	}
	return passes && ctx.Err() == nil && guard.Wait(ctx, after)
}

// pause is how long to wait after a request that failed: for as long as the platform says, and for twice as long after
// each try. A limit passes, and a platform that does not answer is asked five times more; no other failure passes.
func pause(failed error, tries int, begin time.Duration) (after time.Duration, passes bool) {
	r := &refusal{status: http.StatusServiceUnavailable} // as if a platform that does not answer had said so
	errors.As(failed, &r)
	return max(r.after, begin<<min(tries, 5)), r.status == http.StatusTooManyRequests || r.status >= 500 && tries < 5
}
