package importer

import (
	"context"
	"sync"
	"time"

	"eshop/shared/api"
	"eshop/shared/base/problem"
	"eshop/shared/catalog"
	"eshop/shared/host"
	"eshop/shared/job/imports"
	"eshop/shared/people/customer"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/job"
)

// Function is the importer's entry in THE list.
var Function = host.Function{
	Name: "importer", Doc: "Brings the rows of uploaded files into the shop.",
	Upload: &host.Upload{
		Prefix: imports.Uploads, Margin: handOverTime,
		Handler: func(p *host.Platform) func(context.Context, string) error { return newImporter(p).put },
		MayUpload: func(ctx context.Context, p *host.Platform, key string) error {
			return imports.MayUpload(ctx, p.Main, p.Accesses, key)
		},
	},
	Needs: []host.Need{
		{Resource: host.Main, Does: []host.Action{host.Read, host.Write}},
		host.FilesBelow(host.Read, imports.Uploads), host.FilesBelow(host.Write, imports.Uploads),
	},
	Timeout: 15 * time.Minute,
	Memory:  1769, // one whole processor
	// Files that come in together wait for each other, and never use the concurrency that requests need. One that waits
	// for longer than EventBridge keeps it is woken by the sweeper.
	ReservedConcurrency: 20,
}

// renewAfter is how long the importer waits for the next block of rows before it prolongs its lease: 15 s, well within
// the lease of a minute.
const renewAfter = 15 * time.Second

// handOverTime is how long before the end of its time an importer stops. In the 20 s it waits for the batches in
// flight, and gives up the lease.
const handOverTime = 20 * time.Second

// maxTries is how often an import is taken without progress before it fails, so that a file that breaks its importer
// does not do so for ever. Tries that ended because the store was unavailable do not count.
const maxTries = 10

// importer works on imports: in the one process on several files side by side, on AWS on one for each call.
type importer struct {
	*host.Platform
	frame     *api.API
	customers record.Form[customer.Fields]
	products  catalog.Forms

	mu     sync.Mutex
	active map[string]bool // ids of the imports that this process works on
}

// newImporter makes the importer of one process. It decodes and checks rows with the forms of the API's own operations,
// so that a row is refused for what a request would be refused for, in the same words.
func newImporter(p *host.Platform) *importer {
	importer := &importer{Platform: p, frame: p.Frame(), active: map[string]bool{}}
	importer.customers = api.FormOf(importer.frame, customer.Customers)
	importer.products = catalog.Forms{
		Product: api.Form[catalog.ProductNew, catalog.Product](importer.frame),
		Check: func(fields map[string]any) error {
			return api.CheckPatch[catalog.ProductNew, catalog.Product](importer.frame, fields)
		},
		Fields:  api.Form[catalog.ProductFields, catalog.Product](importer.frame),
		Variant: api.Form[catalog.VariantFields, catalog.Variant](importer.frame),

		Category: api.Form[catalog.CategoryFields, catalog.Category](importer.frame),
	}
	return importer
}

// put works on the import whose object was put, as far as there is time. If it returns an error, the host calls again.
func (i *importer) put(ctx context.Context, key string) error {
	shop, id, ok := job.ParseObject(imports.Uploads, key)
	if !ok || !i.enter(id) {
		return nil
	}
	defer i.leave(id)
	if err := i.Room(); err != nil {
		return err // before it is taken, which writes
	}
	k, err := imports.Read(ctx, i.Main, shop, id)
	if problem.Is(err, "not_found") {
		return imports.Tidy(ctx, i.Files, shop, id)
	}
	if err != nil {
		return err
	}
	return k.Work(ctx, i.unit(k), i.Files, i.Alone, (&run{importer: i, k: k}).do)
}

// enter marks an import as this process's; false if this process works on it already.
func (i *importer) enter(id string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.active[id] {
		return false
	}
	i.active[id] = true
	return true
}

// leave ends what enter began.
func (i *importer) leave(id string) { i.mu.Lock(); defer i.mu.Unlock(); delete(i.active, id) }

// unit is the import as a unit of work.
func (i *importer) unit(k *imports.Job) *change.Unit { return k.Unit(i.Unit()) }

// parse decodes a line of JSON as the body of a POST of the type's records.
func (i *importer) parse(ctx context.Context, t imports.Type, line []byte) (any, error) {
	if t == imports.Customers {
		return i.customers.Parse(ctx, line)
	}
	return i.products.Product.Parse(ctx, line)
}

// kind is the kind of records that the import brings (contract, "Imports").
func (i *importer) kind(k *imports.Job) record.Upserts {
	if k.Type == imports.Customers {
		return customer.Customers.Rows(i.unit(k), i.customers, customer.RowKey)
	}
	return i.Catalog().Rows(i.unit(k), i.products)
}
