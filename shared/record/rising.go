package record

import (
	"context"
	"errors"
	"slices"
	"strings"

	"eshop/events"
	"eshop/shared/change"
	"eshop/shared/store"
)

// Later is the condition of an update that adds to a record whoever else does: the version that it sets is at least a
// millisecond later than the one that it finds, so `changed` rises strictly.
func Later(version string) store.Condition { return store.VersionBefore(version[:10]) }

// WriteLater is u.Write for operations some of which are conditional on Later. Those which another writer overtook get
// versions after his, in the change too, and are written again without reading anything: buyers of one product wait for
// each other's writes, and not for each other's orders. The result must not tell the versions of these records.
func WriteLater(ctx context.Context, u *change.Unit, result any, c events.Change, ops []store.Op) error {
	var err error
	for range Rounds(ctx) {
		if _, err = u.Write(ctx, result, c, ops...); !store.IsCondition(err) {
			return err
		}
		late := overtaken(err, ops)
		if len(late) == 0 {
			return err
		}
		c.Records, ops = slices.Clone(c.Records), slices.Clone(ops)
		for i, item := range late {
			last, next := ops[i].Set.Version, u.NextVersion(item.Version)
			postpone(&ops[i], next)
			for j := range c.Records {
				if c.Records[j].Version == last {
					c.Records[j].Version = next
				}
			}
		}
	}
	return err
}

// overtaken are the places of the operations that a write was refused for, with the items that they met: none when it
// was refused for anything but conditions on Later.
func overtaken(err error, ops []store.Op) map[int]*store.Item {
	var refused *store.ConditionError
	if !errors.As(err, &refused) {
		return nil
	}
	late := map[int]*store.Item{}
	for _, f := range refused.Failures {
		i := slices.IndexFunc(ops, func(o store.Op) bool { return o.Key == f.Key })
		if i < 0 || !onlyLate(ops[i], f.Item) {
			return nil
		}
		late[i] = f.Item
	}
	return late
}

// onlyLate says whether an operation would hold for the item with a later version.
func onlyLate(o store.Op, item *store.Item) bool {
	late := false
	for _, c := range o.Conds {
		switch {
		case c.Holds(item):
		case c.Test == store.VersionLess && item != nil:
			late = true
		default:
			return false
		}
	}
	return late
}

// postpone gives an update a later version.
func postpone(o *store.Op, version string) {
	index := *o.Set.Index1
	index.SK = version[:10] + strings.TrimPrefix(index.SK, o.Set.Version[:10])
	o.Set.Version, o.Set.Index1 = version, &index
	o.Conds = slices.Clone(o.Conds)
	for i, c := range o.Conds {
		if c.Test == store.VersionLess {
			o.Conds[i] = Later(version)
		}
	}
}
