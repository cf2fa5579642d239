package dynamo

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"eshop/shared/ports/store"
)

// size is what DynamoDB counts: the bytes of names and values. Numbers are counted by two digits a byte and one more.
func size(a attributes) int {
	n := 0
	for name, v := range a {
		n += len(name)
		switch v := v.(type) {
		case *types.AttributeValueMemberS:
			n += len(v.Value)
		case *types.AttributeValueMemberB:
			n += len(v.Value)
		case *types.AttributeValueMemberN:
			n += (len(v.Value)+1)/2 + 1
		}
	}
	return n
}

// transactionUnits are the write units of a transaction. They are computed here because DynamoDB Local answers with
// those of one action only.
//
// Each item counts twice. Each index in which it gets an entry counts once more, or twice when an entry there goes away
// for it. What was there before is known only from the conditions: a write that does not ask for an absent item counts
// as a write of an item that was in the index.
func transactionUnits(actions []action) float64 {
	units := 0.0
	for _, a := range actions {
		units += 2 * store.WriteUnits(size(a.written()))
		entries := 0
		for _, k := range a.indexKeys() {
			if k != nil && k.PK != "" {
				entries++
			}
		}
		if !a.makes() {
			entries *= 2
		}
		units += float64(entries)
	}
	return units
}

// written is what the action sends to be stored.
func (a action) written() attributes {
	after := a.Apply(nil)
	if a.Kind == store.Checking || after == nil {
		return keyAttributes(a.Key)
	}
	raw := encode(*after)
	if a.change != "" {
		raw[AttrChange] = stringValue(a.change)
	}
	return raw
}

// indexKeys are the keys under which the action puts its item into the indexes; nil or zero: it does not.
func (a action) indexKeys() [2]*store.Key {
	switch a.Kind {
	case store.Putting:
		return [2]*store.Key{&a.Item.Index1, &a.Item.Index2}
	case store.Updating:
		return [2]*store.Key{a.Set.Index1, a.Set.Index2}
	}
	return [2]*store.Key{}
}

// makes says whether the conditions hold only where there is no item: the action makes it.
func (a action) makes() bool {
	for _, c := range a.Conds {
		if c.Test == store.IsAbsent {
			return true
		}
	}
	return false
}
