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
		if _, err = u.Write(ctx, result, c, ops...); !overtaken(err, ops) {
			return err
		}
		c.Records, ops = slices.Clone(c.Records), slices.Clone(ops)
		var refused *store.ConditionError
		errors.As(err, &refused)
		for _, f := range refused.Failures {
			i := slices.IndexFunc(ops, func(o store.Op) bool { return o.Key == f.Key })
			last := ops[i].Set.Version
			next := u.NextVersion(f.Item.Version)
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

// overtaken says whether err is that of conditions on Later alone.
func overtaken(err error, ops []store.Op) bool {
	var refused *store.ConditionError
	if !errors.As(err, &refused) {
		return false
	}
	for _, f := range refused.Failures {
		for _, o := range ops {
			if o.Key == f.Key && !onlyLate(o, f.Item) {
				return false
			}
		}
	}
	return true
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
