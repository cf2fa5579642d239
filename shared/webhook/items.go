package webhook

import (
	"strconv"
	"strings"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/job"
)

// ReceiverKey is the receiver's item: in the partition that the batcher reads, behind the accesses.
func ReceiverKey(shop, acc, receiver string) store.Key {
	return store.Key{PK: addon.Hooks(shop), SK: "R#" + acc + "#" + receiver}
}

// idIn reads the receiver's id in its item's key.
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
	if r.System() { // one that was written before an event was a system event hears it nevertheless
		r.Events = SystemEvents
	}
	return r, err
}

// countKey is the item that counts the receivers of an access, so that parallel registrations cannot pass the limit.
func countKey(acc string) store.Key { return store.Key{PK: "AC#" + acc, SK: "RCV"} }

// HealthKey is the item with the receiver's health (health.go). It is made and deleted with the receiver; traffic
// updates it on condition that it is there.
func HealthKey(receiver string) store.Key { return store.Key{PK: healthPartition(receiver), SK: "A"} }

// healthPartition has what is kept of a receiver apart from it: its health and its releases.
func healthPartition(receiver string) string { return "RH#" + receiver }

// The names of releases.
const (
	drainName  = "DRAIN"
	replayName = "REPLAY#" // begins them
)

// releaseKey is the item of a receiver's release.
func releaseKey(receiver, name string) store.Key {
	return store.Key{PK: healthPartition(receiver), SK: name}
}

// Releases are the releases, by when their next steps are due.
var Releases = job.Kind{Name: "DRAIN", Shards: 4}

// RowKey is the delivery's item. The rows of an access are in RowShards partitions, each in the order of ids, which is
// that of created.
func RowKey(acc, webhook string) store.Key {
	return store.Key{PK: RowPartition(acc, shard(webhook, 1)%RowShards), SK: webhook}
}

// RowShards is how many partitions hold the deliveries of an access.
const RowShards = 4

// RowPartition is one of an access's partitions of deliveries.
func RowPartition(acc string, n int) string { return "D#" + acc + "#" + strconv.Itoa(n) }

// RowPartitions are the partitions with the deliveries of an owner: an access, or a package for its systemUrl.
func RowPartitions(owner string) []string {
	all := make([]string, RowShards)
	for n := range all {
		all[n] = RowPartition(owner, n)
	}
	return all
}

// accessOf is the access in a delivery's key.
func accessOf(k store.Key) string {
	acc, _, _ := strings.Cut(strings.TrimPrefix(k.PK, "D#"), "#")
	return acc
}

// DueRows are the deliveries of all accesses that wait for another attempt, in the one process also those that wait for
// their first, by when the sweeper rings. On DynamoDB each partition takes a thousand writes a second, so 16,000
// attempts may fail in a second.
var DueRows = job.Kind{Name: "DUE", Shards: 16, Index: store.Index1}

// StatePartition is the partition of Index2 with a receiver's deliveries in a state, by id. There is one for each state
// that is a stop without an answer of 2xx: parked, exhausted and cancelled.
func StatePartition(receiver string, s DeliveryState) string {
	return "R#" + receiver + "#" + string(s)
}

// stateEntry is the delivery's key in its StatePartition.
func stateEntry(receiver, webhook string, s DeliveryState) store.Key {
	return store.Key{PK: StatePartition(receiver, s), SK: webhook}
}

// ListKey is the item with a call's data that is too long for a row. Receivers that filter by the same groups share it.
func ListKey(request string, event events.Name, chunk int, groups []events.Group) store.Key {
	sk := "A"
	for _, g := range groups {
		sk += "#" + string(g)
	}
	return store.Key{PK: "BODY#" + request + "#" + string(event) + "#" + strconv.Itoa(chunk), SK: sk}
}

// digits of ULIDs, to shard by.
const digits = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// shard is the value of the id's nth digit from its end, 0 to 31. The last sixteen digits of a webhook id are part of a
// hash, so they spread evenly.
func shard(webhook string, n int) int {
	if len(webhook) < n {
		return 0
	}
	return max(0, strings.IndexByte(digits, webhook[len(webhook)-n]))
}
