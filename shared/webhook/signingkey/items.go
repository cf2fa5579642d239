package signingkey

import (
	"eshop/shared/base/id"
	"eshop/shared/ports/store"
	"eshop/shared/record"
)

// itemKey is the item by which a signing key is listed; it holds no secret.
func itemKey(owner, key string) store.Key { return store.Key{PK: "AC#" + owner, SK: "K#" + key} }

// partition is the partition of Index1 with the signing keys of an owner, by (created, id).
func partition(owner string) string { return "AC#" + owner + "#KEY" }

// setKey is the item with all of an owner's keys that sign, sealed: one read for who signs, and its version keeps two
// changes of them from passing each other. The owner is an access, or a package for its systemUrl.
func setKey(owner string) store.Key { return store.Key{PK: "AC#" + owner, SK: "K"} }

// SealName is what the owner's keys are sealed under.
func SealName(owner, key string) string { return "AC#" + owner + "#K#" + key }

// Item is the key as it is listed, without its secret. A revoked one goes away after thirty days.
func (k Key) Item() store.Item {
	k.Sealed = nil
	i := store.Item{Key: itemKey(k.Owner, k.ID), Doc: record.Document(k),
		Index1: store.Key{PK: partition(k.Owner), SK: id.Stamp(k.Created.Go()) + "#" + k.ID}}
	if end := k.revocation(); end != 0 {
		i.Expires = end.Go().Add(listedFor).Unix()
	}
	return i
}

// Decode reads a signing key's item.
func Decode(i *store.Item) (k Key, err error) {
	err = i.Into(&k)
	return k, err
}

// item is the set with these keys as it is stored under its next version.
func (s Set) item(next string, keys []Key) store.Item {
	return store.Item{Key: setKey(s.Owner), Version: next, Doc: record.Document(keys)}
}

// setOf reads the item of an owner's set; nil is one without keys.
func setOf(owner string, item *store.Item) (Set, error) {
	s := Set{Owner: owner}
	if item == nil {
		return s, nil
	}
	s.Version = item.Version
	return s, item.Into(&s.Keys)
}
