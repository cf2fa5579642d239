package dynamo

import (
	"fmt"
	"strconv"
	"time"

	"eshop/events"
	"eshop/shared/store"
)

// How much may ride: a change over maxRiding, or one that would bring its item over maxItem (DynamoDB ends at 400 KB),
// is an item of its own, several when it is over maxItem itself. They are kept for apartFor.
const (
	maxRiding = 16 << 10
	maxItem   = 350 << 10
	apartFor  = 48 * time.Hour
)

// action is an operation with the change that rides on it, "" for none.
type action struct {
	store.Op
	change string
}

// ride puts the change on the first operation that can carry it, or makes it an item of its own in the same
// transaction. With a hundred operations there is no place for one more: the change rides then however long it is.
func ride(change events.Change, ops []store.Op, apart bool) ([]action, error) {
	actions := make([]action, len(ops), len(ops)+1)
	for i, o := range ops {
		actions[i] = action{Op: o}
	}
	encoded := change.Encode()
	if encoded == "" {
		return actions, nil
	}
	room := len(ops) < store.MaxOperations
	if carrier := carrier(ops, len(encoded)); carrier >= 0 && !apart && (len(encoded) <= maxRiding || !room) {
		actions[carrier].change = encoded
		return actions, nil
	}
	parts := change.Parts(maxItem)
	if len(ops)+len(parts) > store.MaxOperations {
		return nil, fmt.Errorf("dynamo: no place for a change of %d bytes in a write of %d keys", len(encoded), len(ops))
	}
	for n, part := range parts {
		actions = append(actions, action{Op: store.Put(store.Item{
			Key:     store.Key{PK: "CH#" + change.Request, SK: strconv.Itoa(n)},
			Expires: change.Time().Add(apartFor).Unix(),
		}), change: part.Encode()})
	}
	return actions, nil
}

// carrier is the first operation whose item can carry so many bytes more, -1 when none can. What an update's item
// weighs already is not known; DynamoDB refuses one that gets too heavy, and the write is made again with the change
// apart.
func carrier(ops []store.Op, bytes int) int {
	for i, o := range ops {
		if (o.Kind == store.Putting || o.Kind == store.Updating) && size(encode(*o.Apply(nil)))+bytes <= maxItem {
			return i
		}
	}
	return -1
}
