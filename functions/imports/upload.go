package imports

import (
	"context"
	"errors"

	"eshop/shared/api"
	"eshop/shared/blob"
	"eshop/shared/host"
	"eshop/shared/store"
)

// Allowed is nil while the access that asked for the import may bring its records in: one as current as the host
// promises of accesses. Else it is the problem that a request of that access would have.
func Allowed(ctx context.Context, p *host.Platform, k *Kept) error {
	c, err := p.Accesses.Caller(ctx, k.Shop, k.Access, k.Package)
	if errors.Is(err, api.ErrUnauthenticated) {
		c, err = &api.Caller{}, nil // the access is gone: one that is not active
	}
	if err != nil {
		return err
	}
	return k.Type.allowed(c)
}

// Takes is nil when the file of a key may be uploaded: the key is of no import, or of one whose access may bring it in.
func Takes(ctx context.Context, p *host.Platform, key string) error {
	shop, id, is := Named(key)
	if !is {
		return nil
	}
	items, err := p.Main.Get(ctx, Key(shop, id))
	if err != nil {
		return err
	}
	if items[0] == nil {
		return blob.ErrForbidden
	}
	k, err := Of(items[0])
	if err != nil {
		return err
	}
	return Allowed(ctx, p, k)
}

// Wake wakes an importer for an import that nobody works on any more: whoever did has let its lease end.
func Wake(ctx context.Context, p *host.Platform, item *store.Item) error {
	k, err := Of(item)
	if err != nil || k.State != Running || k.Lease > p.Now().UnixMilli() {
		return err
	}
	return p.Files.Put(ctx, Again(k.Shop, k.ID), nil)
}
