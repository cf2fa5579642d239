package dynamo

import (
	"fmt"
	"strconv"
	"time"

	"eshop/events"
	"eshop/shared/ports/store"
)

// apartLife is how long a change that is apart stays in the table. The stream has it from the start, and keeps its
// records for 24 hours.
const apartLife = 48 * time.Hour

// action is an operation with the change that rides on it, "" for none.
type action struct {
	store.Op
	change string
}

// placing puts a change into a write of these operations.
type placing func(change events.Change, ops []store.Op) ([]action, error)

// ride puts the change on the first operation that can carry it, which costs neither a call nor an item. A change that
// is too long goes apart. A transaction of a hundred operations has no room for one more: there the change rides
// however long it is.
func ride(change events.Change, ops []store.Op) ([]action, error) {
	actions, encoded := actionsOf(ops), change.Encode()
	if encoded == "" {
		return actions, nil
	}
	room := len(ops) < store.MaxOperations
	if carrier := carrier(ops, len(encoded)); carrier >= 0 && (len(encoded) <= store.MaxRiding || !room) {
		actions[carrier].change = encoded
		return actions, nil
	}
	return goApart(change, ops)
}

func actionsOf(ops []store.Op) []action {
	actions := make([]action, len(ops), len(ops)+1)
	for i, o := range ops {
		actions[i] = action{Op: o}
	}
	return actions
}

// goApart puts the change into further actions of the same transaction, which costs one or several items. Each part is
// a change in itself, with the same request: readers of the stream need not put them together.
func goApart(change events.Change, ops []store.Op) ([]action, error) {
	actions, parts := actionsOf(ops), change.Parts(store.MaxCarrier)
	if len(ops)+len(parts) > store.MaxOperations {
		return nil, fmt.Errorf("dynamo: no place for a change of %d bytes in a write of %d keys",
			len(change.Encode()), len(ops))
	}
	for n, part := range parts {
		actions = append(actions, action{Op: store.Put(store.Item{
			Key:     store.Key{PK: "CH#" + change.Request, SK: strconv.Itoa(n)},
			Expires: change.Time().Add(apartLife).Unix(),
		}), change: part.Encode()})
	}
	return actions, nil
}

// carrier is the index of the first operation whose item can carry so many bytes more; -1 if none can. The size of an
// updated item is not known here, only that of what the update sets. If the item gets too big, DynamoDB refuses it, and
// Write puts the change apart.
func carrier(ops []store.Op, bytes int) int {
	for i, o := range ops {
		if (o.Kind == store.Putting || o.Kind == store.Updating) &&
			size(encode(*o.Apply(nil)))+bytes <= store.MaxCarrier {
			return i
		}
	}
	return -1
}
