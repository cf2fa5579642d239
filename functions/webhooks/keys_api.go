package webhooks

import (
	"eshop/shared/api"
	"eshop/shared/record/change"
	"eshop/shared/webhook/signingkey"
)

// registerKeys registers the life of signing keys (contract, "Signing keys"): pending → primary → retiring → revoked.
// The order of the steps lets a receiver change keys without one webhook that it cannot verify.
func (d door) registerKeys(a *api.API) {
	api.Add(a, api.Op{Route: "GET " + keysPath, ID: "listSigningKeys", Tag: tag,
		Summary: "List the access's signing keys",
		Doc: "The keys that sign your webhooks, without their secrets, sorted by `created`. Revoked ones are " +
			"listed for 30 days."}, d.listKeys)
	api.Add(a, api.Op{Route: "POST " + keysPath, ID: "createSigningKey", Tag: tag, Once: []string{"key"},
		Summary: "Make a signing key",
		Doc: "The first is primary at once; a later one is pending (409 `key_pending` while one is). " +
			"At most 10 sign or may sign (409 `too_many_keys`). " +
			"`key` is in this answer only."}, d.createKey)
	api.Add(a, api.Op{Route: "POST " + keysPath + "/{id}/activate", ID: "activateSigningKey", Tag: tag, Status: 200,
		Summary: "Activate a signing key",
		Doc: "The pending key signs, and the one before it beside it, in `X-Webhook-Signature-Previous`, for " +
			"24 hours. The primary one changes nothing; 409 `key_not_pending` of a retiring or revoked one."},
		d.activateKey)
	api.Add(a, api.Op{Route: "DELETE " + keysPath + "/{id}", ID: "deleteSigningKey", Tag: tag,
		Summary: "Revoke a signing key",
		Doc: "The key signs nothing more, at once. In place of the primary the pending key signs, else a retiring " +
			"one again, else webhooks go unsigned."}, d.deleteKey)
}

// listKeys lists the keys by `created`, without their texts. A retiring key whose 24 h are over is shown as revoked,
// though nobody has written that.
func (d door) listKeys(c *api.Call, in *api.CreatedList) (*api.Collection[signingkey.Record], error) {
	rows, load := signingkey.List(d.main, c.Access, d.now())
	return api.Page(c, *in, rows, load)
}

// keyAnswer is the answer with a key. It has no ETag, because a key has no `changed`.
func keyAnswer(k *signingkey.Record) *api.Plain[signingkey.Record] { return api.PlainOf(*k) }

// createKey makes a key. The first one signs at once. A later one is pending, and signs X-Webhook-Signature-Next beside
// the old one's signature, so that a receiver can try it before it counts.
func (d door) createKey(c *api.Call, _ *struct{}) (*api.Plain[signingkey.Record], error) {
	return api.Do(c, keyAnswer, func(u *change.Unit) (*signingkey.Record, error) {
		return signingkey.Make(c, u, d.signing, c.Access)
	})
}

// activateKey makes the pending key the one that signs. The key before it signs X-Webhook-Signature-Previous for 24 h
// more, for receivers that have not changed yet.
func (d door) activateKey(c *api.Call, in *api.ByID) (*api.Plain[signingkey.Record], error) {
	return api.Do(c, keyAnswer, func(u *change.Unit) (*signingkey.Record, error) {
		return signingkey.Activate(c, u, c.Access, in.ID)
	})
}

// deleteKey revokes a key at once, for a key that has leaked. When it was the primary, the pending key takes its place,
// else a retiring one; without either the access's webhooks go unsigned.
func (d door) deleteKey(c *api.Call, in *api.ByID) (*api.None, error) {
	return api.Done(c, func(u *change.Unit) error { return signingkey.Revoke(c, u, c.Access, in.ID) })
}
