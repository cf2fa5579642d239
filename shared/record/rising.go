package record

import (
	"context"
	"errors"
	"slices"

	"eshop/events"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
)

// VersionRises is the condition of an update that adds to a record, whoever else adds to it. The new version must be at
// least a millisecond later than the stored one, so that `changed` rises strictly. The update sets Index1 by IndexKey.
func VersionRises(version string) store.Condition { return store.VersionBefore(version[:10]) }

// WriteRising is u.Write for operations some of which are conditional on VersionRises. Those which another writer
// overtook get versions after his, in the change too, and are written again: a buyer who was overtaken repeats one
// transaction, and none of the reads before it. The result must not tell the versions of these records. After all
// Rounds it is refused as a write is that others were faster with.
func WriteRising(ctx context.Context, u *change.Unit, result any, c events.Change, ops []store.Op) error {
	var err error
	for range Rounds(ctx) {
		if _, err = u.Write(ctx, result, c, ops...); !store.IsCondition(err) {
			return err
		}
		late := overtaken(err, ops)
		if len(late) == 0 {
			return err
		}
		ops = slices.Clone(ops)
		for i, item := range late {
			last := ops[i].Set.Version
			ops[i] = ops[i].Above(item.Version)
			c, _ = c.Risen(last, ops[i].Set.Version)
		}
	}
	return err
}

// overtaken are the indexes of the operations that a write was refused for, with the items that they met: none when it
// was refused for anything but VersionRises.
func overtaken(err error, ops []store.Op) map[int]*store.Item {
	var refused *store.ConditionError
	if !errors.As(err, &refused) {
		return nil
	}
	late := map[int]*store.Item{}
	for _, f := range refused.Failures {
		i := slices.IndexFunc(ops, func(o store.Op) bool { return o.Key == f.Key })
		if i < 0 || !ops[i].Overtaken(f.Item) {
			return nil
		}
		late[i] = f.Item
	}
	return late
}
