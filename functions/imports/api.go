// Package imports is the API of a shop's imports (contract, "Imports"): asking for one, and seeing how far it has come.
// The file itself goes to the answer's uploadUrl, by one PUT without a token; functions/importer brings its rows in.
// What an import is and who holds it is shared/job/imports.
//
// Each operation takes the `:write` permission of the import's type. Which type that is, only the record or the body
// says. So the frame asks for either permission (`either`), and each operation asks for the type's own once it knows
// it.
package imports

import (
	"encoding/json"
	"net/url"
	"time"

	"eshop/shared/api"
	"eshop/shared/base/permission"
	"eshop/shared/host"
	"eshop/shared/job/imports"
	"eshop/shared/ports/blob"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
)

// Function is the imports' API. Progress says that its requests do not hold up the importer, which lets other requests
// go first: who looks how far an import has come must not slow it down.
var Function = host.Function{
	Name: "imports", Doc: "Imports: ask for one, see how far it has come and what was wrong.",
	HTTP: register, Progress: true,
	Needs:   append([]host.Need{host.FilesBelow(host.Write, imports.Uploads)}, host.Frame...),
	Timeout: 10 * time.Second, Memory: 512,
}

// path is where imports are.
const path = "/api-engine/imports"

const tag = "Imports"

// about is the text of the documents on the file, for the operation that begins an import.
const about = "Brings thousands of products or customers in by one file, in the background, as one request. The " +
	"answer has `uploadUrl`, in this answer only: `PUT` the file there within an hour, as the body, without a token " +
	"and with any `Content-Type`. One that broke off can be made again; an address that is wrong, over or used is " +
	"403. A program that goes the whole way, and all names of columns, are at [Import a " +
	"file](/docs/import-a-file).\n\n" +
	"The PUT answers 204. On AWS it is S3's own and answers 200, at a used address too, where the file is not looked " +
	"at: the import is of the first one. With `If-None-Match: *` a used address answers 412 there.\n\n" +
	"CSV is UTF-8, with or without a BOM. Its first row holds the names of fields, nested ones dotted: " +
	"`billingAddress.city`, `stock.quantity`, `priceLevels.default`. An empty cell leaves the field as it is, " +
	"`priceLevels.<level>` sets that level only, `categoryIds` are separated by `|`, booleans are `true` or `false`. " +
	"In place of the ids `category` names categories from the top down, `Kitchen > Mugs`, several with `|` between " +
	"them (before such a sign within a name stands a `\\`): names are compared without case and accents, and those " +
	"that are not there are made. An unknown column, or one that is there twice, fails the import before any row. A " +
	"column named `-` is passed over. Cells are separated by commas, semicolons or tabs, whichever the first row has " +
	"most of. What spreadsheets have in Czech, Slovak and English is [understood, too]" +
	"(/docs/import-a-file#columns): `Kód`, `Cena`, `Skladem`; `1 290,50 Kč`, `21 %`, `ano` and `ne`.\n\n" +
	"JSONL has one body of the POST in each line. That of an existing record is merged as a PATCH is, its `variants` " +
	"by their `code`; none is removed.\n\n" +
	"The key is `code` of products and `email` of customers. A row of more than 1 MiB ends the import there: " +
	"`failed`, the rows before it stay done. So does a quote in a CSV that is never closed. The import is one " +
	"request: its webhooks are cut at 500 ids only.\n\n" +
	"It belongs to the access that asked for it. When that loses the permission, or its package is no longer active, " +
	"the PUT is 403 (on AWS S3 takes the file, and none of it is brought in), and an import that runs ends before " +
	"its next rows: `failed`, with an error of row 0 whose code is `insufficient_permission` or `package_inactive`. " +
	"While there is no room for files the PUT is 503 `unavailable`: try again later."

// register registers the operations. An import is never changed or deleted by its owner: it ends by itself.
func register(p *host.Platform, a *api.API) {
	d := door{main: p.Main, files: p.Files}
	api.Add(a, api.Op{Route: "GET " + path, ID: "listImports", Tag: tag, Asks: either, Summary: "List imports",
		Doc: "The imports of the types that the access may write: `products:write`, `customers:write`."}, d.list)
	api.Add(a, api.Op{Route: "POST " + path, ID: "createImport", Tag: tag, Asks: either, Summary: "Begin an import",
		CompleteReplay: stillAllowed,
		Doc:            about + "\n\nNeeds `products:write` or `customers:write`, by its type."}, d.create)
	api.Add(a, api.Op{Route: "GET " + path + "/{id}", ID: "readImport", Tag: tag, Asks: either,
		Summary: "Read an import",
		Doc: "Says how far it has come, and how many rows did what. It is `failed` two hours after it was begun when " +
			"no file has come, and is kept for 30 days after its end. Needs the `:write` permission of its type."},
		d.read)
	api.Add(a, api.Op{Route: "GET " + path + "/{id}/errors", ID: "listImportErrors", Tag: tag, Asks: either,
		Summary: "What was wrong with an import's rows",
		Doc: "The rows that could not be brought in, each with its field and the reason: the first 10,000; " +
			"`rows.failed` counts all. How to read them is at [What was wrong]" +
			"(/docs/import-a-file#what-was-wrong). An unusable file has one error of row 0. Kept for 30 days. Needs " +
			"the `:write` permission of the import's type."}, d.errors)
}

// either asks for the permission of any one type, as far as the frame can tell: a caller that may write neither is 403
// before anything is read.
func either(c *change.Caller, _ url.Values) permission.Permission {
	if c.Has(imports.Products.Needs()) || c.Has(imports.Customers.Needs()) {
		return ""
	}
	return imports.Products.Needs()
}

// stillAllowed judges a replay of the answer that began an import. That answer holds the address of the upload, so it
// is given again only to a caller who may still write the import's type. Only the kept body says which type that is.
func stillAllowed(c *api.Call, body []byte) ([]byte, error) {
	var made imports.Import
	if err := json.Unmarshal(body, &made); err != nil {
		return nil, err
	}
	return body, made.Type.Allowed(c.Caller)
}

// ImportCreated is the answer to the POST, the only one with the address of the upload. Who knows the address can
// upload, without a token.
type ImportCreated struct {
	imports.Import
	UploadURL string `json:"uploadUrl" doc:"The address to PUT the file to, of any type and size: once, within an hour, without a token"`
}

// door answers the operations.
type door struct {
	main  store.Table
	files blob.Bucket
}

// create begins an import. It is `waiting` until its file has come.
func (d door) create(c *api.Call, in *api.Create[imports.Fields]) (*api.Answer[ImportCreated], error) {
	answer := func(a imports.NewJob) *api.Answer[ImportCreated] {
		return api.Of(ImportCreated{a.Import, a.UploadURL}, a.Version).At(path + "/" + a.ID)
	}
	return api.Do(c, answer, func(u *change.Unit) (imports.NewJob, error) {
		return imports.Begin(c, u, d.files, c.Caller, in.Body)
	})
}

// list lists the shop's imports of those types that the caller may write.
func (d door) list(c *api.Call, in *api.List) (*api.Collection[imports.Import], error) {
	rows, load := imports.List(d.main, c.Shop, func(i imports.Import) bool { return c.Has(i.Type.Needs()) })
	return api.Page(c, *in, rows, load)
}

// read shows how far an import has come: rows read, changed, unchanged, failed, and progress from 0 to 1.
func (d door) read(c *api.Call, in *api.ByID) (*api.Answer[imports.Import], error) {
	k, err := d.one(c, in.ID)
	if err != nil {
		return nil, err
	}
	return api.Of(k.Import, k.Version), nil
}

// one reads an import for the caller: 404 when the shop has none of this id, 403 when the caller may not write its
// type.
func (d door) one(c *api.Call, id string) (*imports.Job, error) {
	k, err := imports.Read(c, d.main, c.Shop, id)
	if err != nil {
		return nil, err
	}
	return k, k.Type.Allowed(c.Caller)
}

// byImport is the query of an import's errors.
type byImport struct {
	api.ByID
	api.Paging
}

// errors lists what was wrong with an import's rows, by row: 1 is the first row of data, 0 the file as a whole.
func (d door) errors(c *api.Call, in *byImport) (*api.Collection[imports.Error], error) {
	k, err := d.one(c, in.ID)
	if err != nil {
		return nil, err
	}
	rows, load := imports.Errors(d.main, k.Shop, k.ID)
	return api.Page(c, in.Paging, rows, load)
}
