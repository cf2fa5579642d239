package webhook

import (
	"strings"

	"eshop/shared/addon"
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
