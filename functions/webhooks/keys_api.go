package webhooks

import (
	"context"
	"time"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/store"
)

// KeyRecord is a signing key as answers show it; Key only once, in the answer that makes it.
type KeyRecord struct {
	ID          string   `json:"id"`
	State       KeyState `json:"state" enum:"pending,primary,retiring,revoked"`
	Fingerprint string   `json:"fingerprint" doc:"The first 16 hex digits of the SHA-256 of the key's 32 bytes"`
	Created     api.Time `json:"created"`
	Activated   api.Time `json:"activatedAt,omitempty" doc:"When it became the primary"`
	Expires     api.Time `json:"expiresAt,omitempty" doc:"When a retiring key signs no more"`
	Revoked     api.Time `json:"revokedAt,omitempty"`
	Key         string   `json:"key,omitempty" doc:"whsec_ and the key's 32 bytes in base64; only in the answer that makes it"`
}

// Show is the key as it is at a time.
func (k Key) Show(now time.Time) KeyRecord {
	s := KeyRecord{ID: k.ID, State: k.StateAt(now), Fingerprint: k.Fingerprint,
		Created: k.Created, Activated: k.Activated, Expires: k.Expires, Revoked: k.Revoked}
	if s.State == Revoked && s.Revoked == 0 {
		s.Revoked = k.Expires
	}
	return s
}

func (d door) registerKeys(a *api.API) {
	api.Add(a, api.Op{Route: "GET " + keysPath, ID: "listSigningKeys", Tag: tag,
		Summary: "List the access's signing keys",
		Doc:     "By `created`. Revoked ones are listed for 30 days."}, d.listKeys)
	api.Add(a, api.Op{Route: "POST " + keysPath, ID: "createSigningKey", Tag: tag, Once: []string{"key"},
		Summary: "Make a signing key",
		Doc: "The first is primary at once; a later one is pending (409 `key_pending` while one is). " +
			"`key` is in this answer only."}, d.createKey)
	api.Add(a, api.Op{Route: "POST " + keysPath + "/{id}/activate", ID: "activateSigningKey", Tag: tag, Status: 200,
		Summary: "Activate a signing key",
		Doc: "The pending key signs, and the one before it beside it, in `X-Webhook-Signature-Previous`, for " +
			"24 hours. The primary one changes nothing; 409 `key_not_pending` of a retiring or revoked one."},
		d.activateKey)
	api.Add(a, api.Op{Route: "DELETE " + keysPath + "/{id}", ID: "deleteSigningKey", Tag: tag,
		Summary: "Revoke a signing key",
		Doc: "At once. In place of the primary the pending key signs, else a retiring one again, " +
			"else webhooks go unsigned."}, d.deleteKey)
}

func (d door) listKeys(ctx context.Context, in *api.CreatedList) (*api.Collection[KeyRecord], error) {
	rows := api.Rows{Table: d.Main, Index: store.Index1, Partitions: []string{keysOf(api.From(ctx).Access)}}
	return api.Page(ctx, *in, rows, api.Load(d.Main, func(i *store.Item) (KeyRecord, time.Time, bool, error) {
		k, err := KeyOf(i)
		return k.Show(d.Now()), k.Created.Go(), !i.Expired(d.Now().Unix()), err
	}))
}

func (d door) createKey(ctx context.Context, _ *struct{}) (*api.Plain[KeyRecord], error) {
	return api.Again(ctx, func() (*api.Plain[KeyRecord], error) { return d.tryCreateKey(ctx) })
}

func (d door) tryCreateKey(ctx context.Context) (*api.Plain[KeyRecord], error) {
	c := api.From(ctx)
	ring, err := RingOf(ctx, d.Main, c.Access)
	if err != nil {
		return nil, err
	}
	state := Primary
	if ring.In(Primary, c.Now()) != nil {
		state = Pending
	}
	if ring.In(Pending, c.Now()) != nil {
		return nil, api.Conflict("key_pending", "A key is pending: activate or delete it first.")
	}
	key, text, err := NewKey(ctx, d.Platform, c.Access, state)
	if err != nil {
		return nil, err
	}
	shown := key.Show(c.Now())
	shown.Key = text
	answer := api.PlainOf(shown)
	_, err = c.Write(ctx, answer, events.Nothing, ring.With(c.Next(ring.Version), c.Now(), key)...)
	return answer, err
}

func (d door) activateKey(ctx context.Context, in *api.ByID) (*api.Plain[KeyRecord], error) {
	return api.Again(ctx, func() (*api.Plain[KeyRecord], error) { return d.tryActivateKey(ctx, in.ID) })
}

func (d door) tryActivateKey(ctx context.Context, id string) (*api.Plain[KeyRecord], error) {
	c := api.From(ctx)
	ring, err := d.ringWith(ctx, id)
	if err != nil {
		return nil, err
	}
	key := ring.Key(id)
	switch {
	case key != nil && key.State == Primary:
		return api.PlainOf(key.Show(c.Now())), nil
	case key == nil || key.State != Pending:
		return nil, api.Conflict("key_not_pending",
			"Only a pending key can be activated: this one has signed already, or never will.")
	}
	changed := ring.Activated(*key, c.Now())
	answer := api.PlainOf(changed[0].Show(c.Now()))
	_, err = c.Write(ctx, answer, events.Nothing, ring.With(c.Next(ring.Version), c.Now(), changed...)...)
	return answer, err
}

// ringWith is the caller's ring; a 404 when no key with this id is listed: revoked ones are for thirty days.
func (d door) ringWith(ctx context.Context, id string) (Ring, error) {
	c := api.From(ctx)
	items, err := d.Main.Get(ctx, ringKey(c.Access), keyKey(c.Access, id))
	if err != nil {
		return Ring{}, err
	}
	if items[1] == nil || items[1].Expired(c.Now().Unix()) {
		return Ring{}, api.NotFound()
	}
	return ringIn(c.Access, items[0])
}

func (d door) deleteKey(ctx context.Context, in *api.ByID) (*api.None, error) {
	return api.Again(ctx, func() (*api.None, error) {
		c := api.From(ctx)
		ring, err := d.ringWith(ctx, in.ID)
		if err != nil {
			return nil, err
		}
		changed := ring.Without(in.ID, c.Now())
		if len(changed) == 0 {
			return &api.None{}, nil
		}
		_, err = c.Write(ctx, &api.None{}, events.Nothing, ring.With(c.Next(ring.Version), c.Now(), changed...)...)
		return &api.None{}, err
	})
}
