package webhooks

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"strconv"
	"strings"

	"eshop/events"
	"eshop/shared/access"
	"eshop/shared/api"
	"eshop/shared/id"
	"eshop/shared/store"
)

// State of a receiver.
type State string

// The states of a receiver (contract, section 4, "Webhooks"). Failing and Disabled are its breaker's.
const (
	Unverified State = "unverified" // its address has not answered a ping with the nonce yet: it gets pings only
	Enabled    State = "enabled"
	Failing    State = "failing"  // the breaker is open
	Disabled   State = "disabled" // it was failing for five days, or said 410 for good
)

// Receiver is an address of an access that takes webhooks, as it is stored.
type Receiver struct {
	ID       string         `json:"id"`
	Shop     string         `json:"shopId"`
	Access   string         `json:"accessId"`
	URL      string         `json:"url"`
	Events   Events         `json:"events"`
	Groups   []events.Group `json:"groups,omitempty"` // none: all
	Active   bool           `json:"active"`
	State    State          `json:"state"`
	Verified bool           `json:"verified"`        // the address it has now answered a ping with its nonce
	Proven   bool           `json:"proven"`          // some address of it did: webhooks are queued for it, and wait for the one it has now
	Since    api.Time       `json:"since,omitempty"` // when it came into its state
	Created  api.Time       `json:"created"`
	Version  string         `json:"-"`
}

// KeyState is the state of a signing key.
type KeyState string

// The states of a signing key: pending → primary → retiring → revoked (contract, section 5, "Keys").
const (
	Pending  KeyState = "pending"
	Primary  KeyState = "primary"
	Retiring KeyState = "retiring"
	Revoked  KeyState = "revoked"
)

// Key is a signing key as it is stored. State is what it was written with: StateAt compares its expiry.
type Key struct {
	ID          string   `json:"id"`
	Owner       string   `json:"owner"` // the access; of the keys to a package's systemUrl the package
	State       KeyState `json:"state"`
	Fingerprint string   `json:"fingerprint"`
	Sealed      []byte   `json:"sealed,omitempty"` // under SealName; in the ring only
	Created     api.Time `json:"created"`
	Activated   api.Time `json:"activatedAt,omitempty"`
	Expires     api.Time `json:"expiresAt,omitempty"` // of a retiring key
	Revoked     api.Time `json:"revokedAt,omitempty"`
}

// ReceiverKey is the receiver's item: in the partition that the batcher reads, behind the accesses.
func ReceiverKey(shop, acc, receiver string) store.Key {
	return store.Key{PK: access.Hooks(shop), SK: "R#" + acc + "#" + receiver}
}

// idIn is the receiver's id in its item's key.
func idIn(k store.Key) string { return k.SK[strings.LastIndexByte(k.SK, '#')+1:] }

// receiversOf is the partition of Index1 with the receivers of an access, by (changed, id).
func receiversOf(acc string) string { return "AC#" + acc + "#RCV" }

// countKey counts the receivers of an access, so that parallel registrations cannot pass the limit.
func countKey(acc string) store.Key { return store.Key{PK: "AC#" + acc, SK: "RCV"} }

// HealthKey is the receiver's health. It is made and deleted with the receiver: traffic updates it on condition that it
// is there.
func HealthKey(receiver string) store.Key { return store.Key{PK: "RH#" + receiver, SK: "A"} }

// keyKey is the item by which a signing key is listed; it holds no secret.
func keyKey(owner, key string) store.Key { return store.Key{PK: "AC#" + owner, SK: "K#" + key} }

// ringKey is the item with all of an owner's keys that sign, sealed: one read for who signs, and its version keeps two
// changes of them from passing each other. The owner is an access, or a package for its systemUrl.
func ringKey(owner string) store.Key { return store.Key{PK: "AC#" + owner, SK: "K"} }

// keysOf is the partition of Index1 with the signing keys of an owner, by created.
func keysOf(owner string) string { return "AC#" + owner + "#KEY" }

// SealName is what the owner's keys are sealed under.
func SealName(owner, key string) string { return "AC#" + owner + "#K#" + key }

// Item is the receiver as it is stored.
func (r Receiver) Item() store.Item {
	return store.Item{Key: ReceiverKey(r.Shop, r.Access, r.ID), Version: r.Version, Doc: encode(r),
		Index1: store.Key{PK: receiversOf(r.Access), SK: r.Version[:10] + "#" + r.ID}}
}

// Of reads a receiver's item.
func Of(i *store.Item) (r Receiver, err error) {
	err = json.Unmarshal(i.Doc, &r)
	r.Version = i.Version
	return r, err
}

// Item is the key as it is listed. A revoked one goes away after thirty days.
func (k Key) Item() store.Item {
	k.Sealed = nil
	i := store.Item{Key: keyKey(k.Owner, k.ID), Doc: encode(k),
		Index1: store.Key{PK: keysOf(k.Owner), SK: id.Stamp(k.Created.Go()) + "#" + k.ID}}
	if end := k.ended(); end != 0 {
		i.Expires = end.Go().Add(listedFor).Unix()
	}
	return i
}

// KeyOf reads a signing key's item.
func KeyOf(i *store.Item) (k Key, err error) {
	err = json.Unmarshal(i.Doc, &k)
	return k, err
}

// DrainShards is how many partitions of Index2 hold the drains.
const DrainShards = 4

// Drains is the nth partition of Index2 with drains, by when they are due.
func Drains(n int) string { return "DRAIN#" + strconv.Itoa(n) }

// DrainKey is the receiver's drain, if one is under way or to come.
func DrainKey(receiver string) store.Key { return store.Key{PK: "RH#" + receiver, SK: "DRAIN"} }

// Item is the drain as it is stored.
func (d Drain) Item() store.Item {
	h := fnv.New32a()
	h.Write([]byte(d.Receiver))
	return store.Item{Key: DrainKey(d.Receiver), Version: d.Version, Doc: encode(d),
		Index2: store.Key{PK: Drains(int(h.Sum32() % DrainShards)), SK: id.Stamp(d.Due) + "#" + d.Receiver}}
}

// DrainOf reads a drain's item.
func DrainOf(i *store.Item) (d Drain, err error) {
	err = json.Unmarshal(i.Doc, &d)
	d.Version = i.Version
	return d, err
}

// Hooks is who may hear of a shop's changes: its accesses, and the receivers of each.
type Hooks struct {
	Accesses  []access.Access
	Receivers map[string][]Receiver // by access
}

// HooksOf reads a shop's accesses and receivers as they are now, strongly consistent, in one query.
func HooksOf(ctx context.Context, table store.Table, shop string) (Hooks, error) {
	h := Hooks{Receivers: map[string][]Receiver{}}
	for after := ""; ; {
		page, err := table.Query(ctx, store.Query{PK: access.Hooks(shop), After: after})
		if err != nil {
			return h, err
		}
		for i := range page.Items {
			if err := h.add(&page.Items[i]); err != nil {
				return h, err
			}
		}
		if after = page.Next; after == "" {
			return h, nil
		}
	}
}

func (h *Hooks) add(i *store.Item) error {
	if strings.HasPrefix(i.SK, "A#") {
		a, err := access.Of(i)
		h.Accesses = append(h.Accesses, a)
		return err
	}
	r, err := Of(i)
	h.Receivers[r.Access] = append(h.Receivers[r.Access], r)
	return err
}

func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("webhooks: " + err.Error()) // these records hold nothing that JSON cannot
	}
	return b
}
