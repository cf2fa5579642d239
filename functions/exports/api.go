// Package exports is the API of a shop's exports (contract, "Exports"): asking for one, seeing how far it has come, and
// the address from which its file is fetched. functions/exporter makes the file. What an export is, is
// shared/job/exports.
//
// Each operation takes the `:read` permission of the export's type. Which type that is, only the record or the body
// says. So the frame asks for any of them (`anyType`), and each operation asks for the type's own once it knows it.
package exports

import (
	"encoding/json"
	"net/http"
	"net/url"
	"time"

	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/base/id"
	"eshop/shared/base/permission"
	"eshop/shared/base/problem"
	"eshop/shared/host"
	"eshop/shared/job/exports"
	"eshop/shared/record/change"
)

// Function is the exports' API.
var Function = host.Function{
	Name: "exports", Doc: "Exports: ask for one, see how far it has come, fetch its file.",
	HTTP: register,
	Needs: append([]host.Need{host.FilesBelow(host.Read, exports.Files), host.FilesBelow(host.Write, exports.Asks)},
		host.Frame...),
	Timeout: 10 * time.Second, Memory: 512,
}

// path is where exports are.
const path = "/api-engine/exports"

const tag = "Exports"

// about is the text of the documents on the file, for the operation that begins an export.
const about = "Writes all records of a type into one file, in the background, at the cost of 100 requests, however " +
	"many there are; it needs the `:read` permission of the type. `GET` the export until it is `done`; `downloadUrl` " +
	"then leads (302) to the file for 24 hours, without a token. Programs that keep a copy by it are at [Keep a " +
	"copy](/docs/sync).\n\n" +
	"The file holds each record as it is when it is read, and all that were there throughout. One that is changed " +
	"meanwhile may be in it twice: the later one is newer. Oldest changes come first.\n\n" +
	"JSONL has in each line what `GET` of the record answers. CSV has a column for each field, nested ones dotted: " +
	"as imports take them, with `id`, `created` and `changed` beside; of products all price levels (the first 200), " +
	"but variants, units and images in JSONL only; of orders a row for each line (`items.…`), with `totals.…` in an " +
	"order's first row only. An import takes files of customers and products as they are, and passes over what the " +
	"platform makes."

func register(p *host.Platform, a *api.API) {
	d := door{jobs: p.Exports(), accesses: p.Accesses, now: p.Now, baseURL: p.BaseURL}
	api.Add(a, api.Op{Route: "GET " + path, ID: "listExports", Tag: tag, Asks: anyType, Summary: "List exports",
		Doc: "The exports of the last 30 days, of the types that the access may read."}, d.list)
	api.Add(a, api.Op{Route: "POST " + path, ID: "createExport", Tag: tag, Asks: anyType, Summary: "Begin an export",
		CompleteReplay: stillAllowed, Doc: about}, d.create)
	api.Add(a, api.Op{Route: "GET " + path + "/{id}", ID: "readExport", Tag: tag, Asks: anyType,
		Summary: "Read an export", Doc: "Says how far it has come, and has `downloadUrl` once it is done."}, d.read)
	a.Handle("GET "+exports.DownloadPath+"{id}", http.HandlerFunc(d.fetch))
}

// anyType asks for the permission of any one type, as far as the frame can tell: a caller that may read none is 403
// before anything is read.
func anyType(c *change.Caller, _ url.Values) permission.Permission {
	for _, t := range []exports.Type{exports.Customers, exports.Products, exports.Orders} {
		if c.Has(t.Needs()) {
			return ""
		}
	}
	return exports.Products.Needs()
}

// stillAllowed judges a replay of the answer that began an export: it is given again only to a caller who may still
// read the type.
func stillAllowed(c *api.Call, body []byte) ([]byte, error) {
	var made exports.Export
	if err := json.Unmarshal(body, &made); err != nil {
		return nil, err
	}
	return body, made.Type.Allowed(c.Caller)
}

// door answers the operations.
type door struct {
	jobs     exports.Exports
	accesses *addon.Resolver
	now      func() time.Time
	baseURL  string
}

// create begins an export.
func (d door) create(c *api.Call, in *api.Create[exports.Fields]) (*api.Answer[exports.Export], error) {
	answer := func(j *exports.Job) *api.Answer[exports.Export] {
		return api.Of(j.Export, j.Version).At(path + "/" + j.ID)
	}
	return api.Do(c, answer, func(u *change.Unit) (*exports.Job, error) {
		return d.jobs.Begin(c, u, c.Caller, exports.Wish{Fields: in.Body, Charged: c})
	})
}

// list lists the shop's exports of those types that the caller may read.
func (d door) list(c *api.Call, in *api.List) (*api.Collection[exports.Export], error) {
	rows, load := d.jobs.List(c.Shop, func(j *exports.Job) (exports.Export, bool) {
		e, _ := d.show(j)
		return e, c.Has(j.Type.Needs())
	})
	return api.Page(c, *in, rows, load)
}

// read shows how far an export has come, and where its file is.
func (d door) read(c *api.Call, in *api.ByID) (*api.Answer[exports.Export], error) {
	j, err := d.jobs.Read(c, c.Shop, in.ID)
	if err == nil {
		err = j.Type.Allowed(c.Caller)
	}
	if err != nil {
		return nil, err
	}
	return api.Of(d.show(j)), nil
}

func (d door) show(j *exports.Job) (shown exports.Export, version string) {
	return d.jobs.Show(j, d.baseURL, d.now())
}

// fetch leads whoever knows the address to the file, while the access that asked for it may still read the type.
func (d door) fetch(w http.ResponseWriter, r *http.Request) {
	to, err := d.fileOf(r)
	if err != nil {
		api.RefuseError(r, err)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, to, http.StatusFound)
}

// fileOf is where the file is that a request's address is of.
func (d door) fileOf(r *http.Request) (string, error) {
	q := r.URL.Query()
	if !id.Valid(q.Get("shop")) || !id.Valid(r.PathValue("id")) {
		return "", problem.NotFound()
	}
	j, err := d.jobs.ReadAny(r.Context(), q.Get("shop"), r.PathValue("id"))
	if err != nil {
		return "", err
	}
	to, err := d.jobs.Download(r.Context(), j, q.Get("key"), d.now())
	if err == nil {
		err = j.Allowed(r.Context(), d.accesses)
	}
	return to, err
}
