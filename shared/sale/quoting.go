package sale

import (
	"context"
	"encoding/base64"
	"slices"
	"strconv"
	"time"

	"eshop/events"
	"eshop/shared/base/each"
	"eshop/shared/base/id"
	"eshop/shared/base/problem"
	"eshop/shared/catalog"
	"eshop/shared/images"
	"eshop/shared/ports/secret"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// Quoting is the commands on basket price quotes and their images, for the access that they are of.
type Quoting struct {
	Key             []byte // the platform's own secret, of which tokens are derived
	Access, Package string
	Images          images.Uploads
}

// Token is the token of the quote of that id: 256 bits that nobody can tell without the platform's secret.
func (q Quoting) Token(quoteID string) string {
	return base64.RawURLEncoding.EncodeToString(secret.MAC(q.Key, "quote\n"+quoteID))
}

// Register makes a quote of what the add-on has calculated, with the images that join it.
func (q Quoting) Register(ctx context.Context, u *change.Unit, want QuoteNew) (QuoteIssued, error) {
	if err := want.check(); err != nil {
		return QuoteIssued{}, err
	}
	quoteID := u.NewID()
	return record.Retry(ctx, func() (QuoteIssued, error) { return q.register(ctx, u, quoteID, want) })
}

// check finds what is wrong with a new quote whatever is stored.
func (n QuoteNew) check() error {
	var f problem.Faults
	for i, image := range n.ImageIDs {
		if slices.Contains(n.ImageIDs[:i], image) {
			f.Add(imageAt(i), problem.Duplicate, "is in the list twice")
		}
	}
	return f.Err()
}

func imageAt(i int) string { return "imageIds[" + strconv.Itoa(i) + "]" }

// register is one try: what it names is read in one call, a variant in a second, and all is written in one transaction.
func (q Quoting) register(
	ctx context.Context, u *change.Unit, quoteID string, want QuoteNew,
) (none QuoteIssued, err error) {
	shown, err := q.orderable(ctx, u, want)
	if err != nil {
		return none, err
	}
	quote := Quote{QuoteFields: want.QuoteFields, Status: QuoteStatusIssued, Access: q.Access, Package: q.Package,
		Hash: secret.Hash(q.Token(quoteID))}
	quote.ID = quoteID
	quote.SetVersion(u.NextVersion(""))
	quote.ExpiresAt = quote.Created + field.Time((time.Duration(want.ExpiresIn) * time.Second).Milliseconds())
	var joins []store.Op
	for _, i := range shown {
		quote.ImageIDs, quote.ImageKeys = append(quote.ImageIDs, i.ID), append(quote.ImageKeys, i.PublicKey())
		joins = append(joins, i.Join(quote.ID, quote.imagesEnd(), u.Now()))
	}
	ops := append([]store.Op{store.Put(Quotes.Item(u.Shop, quote), store.Absent()), quote.tokenClaim(u.Shop)}, joins...)
	claims := record.Claims{Owner: quote.ID, Now: u.Now(), Acquire: quote.claims(u.Shop),
		Of:      func(owner string) store.Key { return QuoteKey(u.Shop, owner) },
		GivenUp: func(owner *store.Item) bool { return ended(owner, u.Now()) }}
	issued := QuoteIssued{ID: quoteID, Token: q.Token(quoteID), ExpiresAt: quote.ExpiresAt, Status: quote.Status,
		Version: quote.Version}
	_, err = claims.Write(ctx, u.Table, func(ops ...store.Op) (store.Item, error) {
		return u.Write(ctx, issued, events.Nothing, ops...)
	}, ops...)
	if _, own := store.Failed(err, QuoteKey(u.Shop, quoteID)); own {
		return none, problem.Unavailable(time.Second) // the id is in use: another round would find it so again
	}
	return issued, err
}

// orderable holds what a new quote names against what is stored, as a line of an order, and is its images.
func (q Quoting) orderable(ctx context.Context, u *change.Unit, want QuoteNew) ([]images.Image, error) {
	var keys []store.Key
	if id.Valid(want.ProductID) {
		keys = append(keys, catalog.ProductKey(u.Shop, want.ProductID))
	}
	for _, image := range want.ImageIDs {
		if id.Valid(image) {
			keys = append(keys, images.Key(image))
		}
	}
	found, err := store.GetByKey(ctx, u.Table, keys)
	if err != nil {
		return nil, err
	}
	head, err := catalog.HeadOf(found[catalog.ProductKey(u.Shop, want.ProductID)])
	if err != nil {
		return nil, err
	}
	var faults problem.Faults
	refuseProduct(&faults, "", head, want.VariantID)
	if len(faults) == 0 && want.VariantID != "" {
		variants, err := catalog.VariantsOf(ctx, u.Table, []*catalog.Head{head},
			[]string{want.VariantID}, found)
		if err != nil {
			return nil, err
		}
		refuseVariant(&faults, "", want.VariantID, variants[0])
	}
	shown := make([]images.Image, len(want.ImageIDs))
	for i, image := range want.ImageIDs {
		if shown[i], err = images.Decode(found[images.Key(image)]); err != nil {
			return nil, err
		}
		switch {
		case !shown[i].OfAccess(u.Shop, q.Access) || shown[i].Over(u.Now()):
			faults.Add(imageAt(i), problem.Unknown, "is no image of this access")
		case shown[i].Quote() != "":
			faults.Add(imageAt(i), problem.Conflicting, "belongs to another quote")
		}
	}
	return shown, faults.Err()
}

// Read is the access's quote of this id, as it is now.
func (q Quoting) Read(ctx context.Context, t store.Table, shop, quoteID string, now time.Time) (Quote, error) {
	found, err := q.read(ctx, t, shop, quoteID)
	return found.At(now), err
}

// read is the access's quote as it is stored; a problem not_found when it has none of this id.
func (q Quoting) read(ctx context.Context, t store.Table, shop, quoteID string) (Quote, error) {
	found, err := Quotes.Read(ctx, t, shop, quoteID)
	if err == nil && found.Access != q.Access {
		return Quote{}, problem.NotFound()
	}
	return found, err
}

// Revoke ends a quote, so that its token sells nothing any more. One that is over stays as it is.
func (q Quoting) Revoke(ctx context.Context, u *change.Unit, quoteID string) error {
	_, err := record.Retry(ctx, func() (Quote, error) {
		was, err := q.read(ctx, u.Table, u.Shop, quoteID)
		if err != nil {
			return was, err
		}
		now := was.At(u.Now())
		if err := u.Match(now.Version); err != nil {
			return now, err
		}
		switch now.Status {
		case QuoteStatusUsed:
			return now, quoteUsed()
		case QuoteStatusExpired, QuoteStatusRevoked:
			return now, nil
		}
		_, err = u.Write(ctx, nil, events.Nothing, was.revoke(u.Shop, u.NextVersion(was.Version), u.Now())...)
		return now, err
	})
	return err
}

// Load is the load of a page of an access's quotes (record.Page), as they are at the moment; status is what they are
// asked to be, "" anything.
func (q Quoting) Load(
	t store.Table, shop string, now time.Time, status QuoteStatus,
) func(context.Context, []store.Item) ([]record.Shown[Quote], error) {
	return func(ctx context.Context, rows []store.Item) ([]record.Shown[Quote], error) {
		keys := each.Of(rows, func(row store.Item) store.Key { return QuoteKey(shop, rowID(row)) })
		items, err := store.GetReadable(ctx, t, keys)
		if err != nil {
			return nil, err
		}
		all := make([]record.Shown[Quote], len(rows))
		for i, item := range items {
			all[i] = record.Show(ctx, item, func(item *store.Item) (Quote, time.Time, bool, error) {
				stored, _, there, err := Quotes.Show(item)
				found := stored.At(now)
				expiry := rows[i].Key != keys[i] // the row is that of the token's claim: see tokenClaim
				there = there && expiry == (found.Status == QuoteStatusExpired) &&
					(status == "" || status == found.Status)
				return found, found.Changed.Go(), there, err
			})
		}
		return all, nil
	}
}
