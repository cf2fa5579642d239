package store

import (
	"strings"
	"time"

	"eshop/shared/base/id"
)

// stampSize is the number of characters of an id's moment, with which the sort keys of Index1 begin, too.
var stampSize = len(id.Stamp(time.Time{}))

// Overtaken says whether an update would hold for the item if its version were a later one: nothing is against it but
// VersionBefore.
func (o Op) Overtaken(by *Item) bool {
	if by == nil || o.Kind != Updating || !id.Valid(o.Set.Version) || !id.Valid(by.Version) || o.Set.Index1 == nil {
		return false
	}
	overtaken := false
	for _, c := range o.Conds {
		switch {
		case c.Holds(by):
		case c.Test == VersionLess:
			overtaken = true
		default:
			return false
		}
	}
	return overtaken
}

// Above is the update with a version a millisecond later than one that has overtaken it, and the entry in Index1 that
// goes with it.
func (o Op) Above(version string) Op {
	was, stamp := o.Set.Version, id.Stamp(id.Time(version).Add(time.Millisecond))
	o.Set.Version = stamp + was[stampSize:]
	index := *o.Set.Index1
	index.SK = stamp + strings.TrimPrefix(index.SK, was[:stampSize])
	o.Set.Index1 = &index
	conds := make([]Condition, len(o.Conds))
	for i, c := range o.Conds {
		if conds[i] = c; c.Test == VersionLess {
			conds[i] = VersionBefore(stamp)
		}
	}
	o.Conds = conds
	return o
}
