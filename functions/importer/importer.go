package importer

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"

	"eshop/events"
	"eshop/functions/imports"
	"eshop/shared/api"
	"eshop/shared/blob"
	"eshop/shared/catalog"
	"eshop/shared/change"
	"eshop/shared/customer"
	"eshop/shared/host"
	"eshop/shared/record"
	"eshop/shared/store"
)

// Function is the importer's place in THE list.
var Function = host.Function{
	Name: "importer", Doc: "Brings the rows of uploaded files into the shop.",
	Upload: func(p *host.Platform) func(context.Context, string) error { return newImporter(p).put },
	Needs: []host.Need{
		{Resource: host.Main, Does: []host.Action{host.Read, host.Write}},
		{Resource: host.Files, Does: []host.Action{host.Read, host.Write}},
	},
	Uploads: imports.Uploads,
	Timeout: 15 * time.Minute,
	Memory:  1769, // one whole processor
}

// How long an importer has an import for itself: each batch prolongs it, and a batch that is long in coming is waited for
// so long before it is prolonged apart.
const (
	lease   = time.Minute
	waiting = 15 * time.Second
)

// Resting is how long before the end of its time an importer stops to hand on what is left.
const Resting = 20 * time.Second

// maxTries is how often an import is taken up without moving on before it fails.
const maxTries = 10

// importer works on imports.
type importer struct {
	*host.Platform
	frame     *api.API
	customers record.Form[customer.Fields]
	products  catalog.Forms

	mu   sync.Mutex
	here map[string]bool // what this process works on
}

func newImporter(p *host.Platform) *importer {
	i := &importer{Platform: p, frame: p.Frame(), here: map[string]bool{}}
	i.customers = api.FormOf(i.frame, customer.Kind)
	i.products = catalog.Forms{
		Product: api.Form[catalog.ProductNew, catalog.Product](i.frame),
		Check: func(fields map[string]any) error {
			return api.Check[catalog.ProductNew, catalog.Product](i.frame, fields, true)
		},
		Fields:  api.Form[catalog.ProductFields, catalog.Product](i.frame),
		Variant: api.Form[catalog.VariantFields, catalog.Variant](i.frame),
	}
	return i
}

// put works on the import whose object was put, as far as there is time. An error wants it to be tried again.
func (i *importer) put(ctx context.Context, key string) error {
	shop, id, ok := imports.Named(key)
	if !ok || !i.enter(id) {
		return nil
	}
	defer i.leave(id)
	items, err := i.Main.Get(ctx, imports.Key(shop, id))
	if err != nil {
		return err
	}
	if items[0] == nil {
		return i.tidy(ctx, shop, id)
	}
	k, err := imports.Of(items[0])
	if err != nil {
		return err
	}
	return i.work(i.frame.Behind(ctx, &api.Caller{Shop: shop}, k.Request, k.RequestID), k)
}

// work goes on with an import, if nobody else does.
func (i *importer) work(ctx context.Context, k *imports.Kept) error {
	if mine, err := i.claim(ctx, k); err != nil || !mine {
		return err
	}
	r := &run{importer: i, k: k}
	err := r.do(ctx)
	switch {
	case errors.Is(err, errLost):
		return nil // whoever has it now goes on
	case k.State == imports.Running:
		return errors.Join(err, r.release(ctx))
	case err != nil:
		return err
	}
	return i.tidy(ctx, k.Shop, k.ID)
}

// enter is false when this process works on the import already.
func (i *importer) enter(id string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.here[id] {
		return false
	}
	i.here[id] = true
	return true
}

func (i *importer) leave(id string) { i.mu.Lock(); defer i.mu.Unlock(); delete(i.here, id) }

// claim takes the import for this importer, unless it is over or somebody else's.
func (i *importer) claim(ctx context.Context, k *imports.Kept) (mine bool, err error) {
	held := k.Held()
	switch {
	case k.State == imports.Waiting:
		info, err := i.Files.First(ctx, imports.File(k.Shop, k.ID))
		if errors.Is(err, blob.ErrNotFound) {
			return false, nil
		} else if err != nil {
			return false, err
		}
		k.Size, k.Tag = info.Size, info.Tag
	case k.State != imports.Running:
		return false, i.tidy(ctx, k.Shop, k.ID)
	case k.Lease > i.Now().UnixMilli() && !i.OneProcess: // in the one process nobody else can have it
		return false, nil
	}
	k.State, k.Holder, k.Tries = imports.Running, rand.Text(), k.Tries+1
	if err = i.move(ctx, k, events.Nothing, held); store.IsCondition(err) {
		return false, nil
	}
	return err == nil, err
}

// move writes the state that k is to be in, with more in the same transaction.
func (i *importer) move(ctx context.Context, k *imports.Kept, change events.Change, held store.Condition, ops ...store.Op) error {
	return i.moving(ctx, k, change, held, ops...)()
}

// moving is move with the writing left to do: k has its version already.
func (i *importer) moving(ctx context.Context, k *imports.Kept, change events.Change, held store.Condition, ops ...store.Op) func() error {
	k.Version = api.From(ctx).Next(k.Version)
	k.Lease = i.Now().Add(lease).UnixMilli()
	if k.State != imports.Running || k.Holder == "" {
		k.Lease = 0
	}
	state := store.Update(imports.Key(k.Shop, k.ID), k.Moved(), held)
	return func() error {
		_, err := i.Main.Write(ctx, change, append([]store.Op{state}, ops...)...)
		return err
	}
}

// unit is the import as a unit of work: its rows change the records of its shop in the name of the request that made it.
func (i *importer) unit(k *imports.Kept) *change.Unit {
	u := &change.Unit{Shop: k.Shop, Request: k.Request, Table: i.Main, Now: i.Now, Random: i.Random}
	if k.RequestID != k.Request {
		u.Caller = k.RequestID
	}
	return u
}

// tidy takes away what an import that is over has left in the bucket.
func (i *importer) tidy(ctx context.Context, shop, id string) error {
	return errors.Join(i.Files.Delete(ctx, imports.Again(shop, id)), i.Files.Delete(ctx, imports.File(shop, id)))
}

// parse decodes a line of JSON as the body of a POST of the type's records.
func (i *importer) parse(ctx context.Context, t imports.Type, line []byte) (any, error) {
	if t == imports.Customers {
		return i.customers.Parse(ctx, line)
	}
	return i.products.Product.Parse(ctx, line)
}

// kind is the records that the import brings, and what rows name them by.
func (i *importer) kind(k *imports.Kept) (kind record.Upserts, key string) {
	if k.Type == imports.Customers {
		return customer.Kind.Rows(i.unit(k), i.customers, customer.RowKey), "email"
	}
	c := catalog.Catalog{Reserved: i.Reserved, Instant: i.OneProcess, Log: i.Log}
	return c.Rows(i.unit(k), i.products), "code"
}
