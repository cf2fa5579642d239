package webhook

import (
	"strings"

	"eshop/shared/addon"
	"eshop/shared/id"
	"eshop/shared/record"
	"eshop/shared/store"
)

// ReceiverKey is the receiver's item: in the partition that the batcher reads, behind the accesses.
func ReceiverKey(shop, acc, receiver string) store.Key {
	return store.Key{PK: addon.Hooks(shop), SK: "R#" + acc + "#" + receiver}
}

// idIn is the receiver's id in its item's key.
func idIn(k store.Key) string { return k.SK[strings.LastIndexByte(k.SK, '#')+1:] }

// ReceiversPartition is the partition of Index1 with the receivers of an access, by (changed, id).
func ReceiversPartition(acc string) string { return "AC#" + acc + "#RCV" }

// Item is the receiver as it is stored.
func (r Receiver) Item() store.Item {
	return store.Item{Key: ReceiverKey(r.Shop, r.Access, r.ID), Version: r.Version, Doc: record.Document(r),
		Index1: store.Key{PK: ReceiversPartition(r.Access), SK: r.Version[:10] + "#" + r.ID}}
}

// ReceiverOf reads a receiver's item.
func ReceiverOf(i *store.Item) (r Receiver, err error) {
	err = i.Into(&r)
	r.Version = i.Version
	return r, err
}

// countKey counts the receivers of an access, so that parallel registrations cannot pass the limit.
func countKey(acc string) store.Key { return store.Key{PK: "AC#" + acc, SK: "RCV"} }

// HealthKey is the receiver's health. It is made and deleted with the receiver: traffic updates it on condition that it
// is there. Its attributes are in health.go.
func HealthKey(receiver string) store.Key { return store.Key{PK: healthPartition(receiver), SK: "A"} }

// healthPartition has what is kept of a receiver apart from it: its health and its releases.
func healthPartition(receiver string) string { return "RH#" + receiver }

// keyKey is the item by which a signing key is listed; it holds no secret.
func keyKey(owner, key string) store.Key { return store.Key{PK: "AC#" + owner, SK: "K#" + key} }

// KeysPartition is the partition of Index1 with the signing keys of an owner, by (created, id).
func KeysPartition(owner string) string { return "AC#" + owner + "#KEY" }

// keySetKey is the item with all of an owner's keys that sign, sealed: one read for who signs, and its version keeps
// two changes of them from passing each other. The owner is an access, or a package for its systemUrl.
func keySetKey(owner string) store.Key { return store.Key{PK: "AC#" + owner, SK: "K"} }

// SealName is what the owner's keys are sealed under.
func SealName(owner, key string) string { return "AC#" + owner + "#K#" + key }

// Item is the key as it is listed, without its secret. A revoked one goes away after thirty days.
func (k Key) Item() store.Item {
	k.Sealed = nil
	i := store.Item{Key: keyKey(k.Owner, k.ID), Doc: record.Document(k),
		Index1: store.Key{PK: KeysPartition(k.Owner), SK: id.Stamp(k.Created.Go()) + "#" + k.ID}}
	if end := k.ended(); end != 0 {
		i.Expires = end.Go().Add(listedFor).Unix()
	}
	return i
}

// KeyOf reads a signing key's item.
func KeyOf(i *store.Item) (k Key, err error) {
	err = i.Into(&k)
	return k, err
}

// item is the key set with these keys as it is stored under its next version.
func (r KeySet) item(next string, keys []Key) store.Item {
	return store.Item{Key: keySetKey(r.Owner), Version: next, Doc: record.Document(keys)}
}

// keySetIn reads the item of an owner's key set; nil is one without keys.
func keySetIn(owner string, item *store.Item) (KeySet, error) {
	r := KeySet{Owner: owner}
	if item == nil {
		return r, nil
	}
	r.Version = item.Version
	return r, item.Into(&r.Keys)
}
