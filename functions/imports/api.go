// Package imports is the API of a shop's imports (contract, section 4, "Imports").
package imports

import (
	"encoding/json"
	"net/url"
	"time"

	"eshop/shared/api"
	"eshop/shared/change"
	"eshop/shared/host"
	"eshop/shared/imports"
	"eshop/shared/permission"
)

// Function is the imports' API.
var Function = host.Function{
	Name: "imports", Doc: "Imports: ask for one, see how far it has come and what was wrong.",
	HTTP: register, Progress: true,
	Needs:   append([]host.Need{{Resource: host.Files, Does: []host.Action{host.Write}}}, host.Frame...),
	Timeout: 10 * time.Second, Memory: 512,
}

// path is where imports are.
const path = "/api-engine/imports"

const tag = "Imports"

const about = "Answers `uploadUrl`, in this answer only: `PUT` the file there within an hour, as the body, " +
	"without a token; no header is " +
	"needed and any `Content-Type` taken. The PUT answers 204 (on AWS it is S3's own: 200), and one that broke " +
	"off can be made again. " +
	"A wrong address, or one that is over, is 403. So is a used one; on AWS S3 answers 200 there and the file " +
	"is not looked at: the import is of " +
	"the first one. Who wants to hear of it sends `If-None-Match: *` with the PUT, and a used address answers " +
	"412 on AWS.\n\n" +
	"CSV is UTF-8, with or without a BOM. Its first row holds the names of fields, nested ones dotted: " +
	"`billingAddress.city`, `stock.quantity`, " +
	"`priceLevels.default`. An empty cell leaves the field as it is, `priceLevels.<level>` sets that level " +
	"only, `categoryIds` are separated by `|`, " +
	"booleans are `true` or `false`. An unknown column, or one that is there twice, fails the import before any row. " +
	"A file without any comma in its first row may be separated by semicolons.\n\n" +
	"JSONL has one body of the POST in each line. That of an existing record is merged as a PATCH is, its " +
	"`variants` by their `code`; none is removed.\n\n" +
	"The key is `code` of products and `email` of customers. A row of more than 1 MiB ends the import there: " +
	"`failed`, the rows before it stay done. The import is one request: its webhooks are cut at 500 ids only.\n\n" +
	"It belongs to the access that asked for it. When that loses the permission, or its package is no longer active, " +
	"the PUT is 403 (on AWS S3 takes the file, and none of it is brought in), and an import that runs ends before " +
	"its next rows: `failed`, with an error of row 0 whose code is `insufficient_permission` or `package_inactive`. " +
	"While there is no room for files the PUT is 503 `unavailable`: try again later."

func register(p *host.Platform, a *api.API) {
	d := door{p}
	api.Add(a, api.Op{Route: "GET " + path, ID: "listImports", Tag: tag, Asks: either, Summary: "List imports",
		Doc: "Those of the types that the access may write: `products:write`, `customers:write`."}, d.list)
	api.Add(a, api.Op{Route: "POST " + path, ID: "createImport", Tag: tag, Asks: either, Summary: "Begin an import",
		CompleteReplay: stillAllowed,
		Doc:            "Needs `products:write` or `customers:write`, by its type. " + about}, d.create)
	api.Add(a, api.Op{Route: "GET " + path + "/{id}", ID: "readImport", Tag: tag, Asks: either,
		Summary: "Read an import",
		Doc:     "How far it has come. Needs the `:write` permission of its type."}, d.read)
	api.Add(a, api.Op{Route: "GET " + path + "/{id}/errors", ID: "listImportErrors", Tag: tag, Asks: either,
		Summary: "What was wrong with an import's rows",
		Doc: "By row; an unusable file has one error of row 0. Kept for 30 days. Needs the `:write` permission " +
			"of the import's type."}, d.errors)
}

// either asks for the permission of one of the types, whatever the request is about.
func either(c *change.Caller, _ url.Values) permission.Permission {
	if c.Has(imports.Products.Needs()) || c.Has(imports.Customers.Needs()) {
		return ""
	}
	return imports.Products.Needs()
}

// stillAllowed gives the answer to a POST again to who may still write the import's type: the address of the upload is
// in it. Which permission that is, only the body says, so the frame has not asked for it.
func stillAllowed(c *api.Call, body []byte) ([]byte, error) {
	var made imports.Import
	if err := json.Unmarshal(body, &made); err != nil {
		return nil, err
	}
	return body, made.Type.Allowed(c.Caller)
}

// Made is the answer to a POST: the only one with the address of the upload.
type Made struct {
	imports.Import
	UploadURL string `json:"uploadUrl" doc:"PUT the file here, once, within an hour, without a token, of any type and size"`
}

// door is the operations.
type door struct{ *host.Platform }

func (d door) create(c *api.Call, in *api.Create[imports.Fields]) (*api.Answer[Made], error) {
	answer := func(a imports.NewJob) *api.Answer[Made] {
		return api.Of(Made{a.Import, a.UploadURL}, a.Version).At(path + "/" + a.ID)
	}
	return api.Do(c, answer, func(u *change.Unit) (imports.NewJob, error) {
		return imports.Begin(c, u, d.Files, c.Caller, in.Body)
	})
}

func (d door) list(c *api.Call, in *api.List) (*api.Collection[imports.Import], error) {
	rows, load := imports.List(d.Main, c.Shop, func(i imports.Import) bool { return c.Has(i.Type.Needs()) })
	return api.Page(c, *in, rows, load)
}

func (d door) read(c *api.Call, in *api.ByID) (*api.Answer[imports.Import], error) {
	k, err := d.one(c, in.ID)
	if err != nil {
		return nil, err
	}
	return api.Of(k.Import, k.Version), nil
}

// one is the caller's import of that id.
func (d door) one(c *api.Call, id string) (*imports.Job, error) {
	k, err := imports.Read(c, d.Main, c.Shop, id)
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

func (d door) errors(c *api.Call, in *byImport) (*api.Collection[imports.Error], error) {
	k, err := d.one(c, in.ID)
	if err != nil {
		return nil, err
	}
	rows, load := imports.Errors(d.Main, k.Shop, k.ID)
	return api.Page(c, in.Paging, rows, load)
}
