package store

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// OpKind is what an operation does.
type OpKind int

// The operations of a Write.
const (
	Putting OpKind = iota + 1
	Updating
	Deleting
	Checking
)

// Op is one operation of a Write; made by Put, Update, Delete and Check.
type Op struct {
	Kind  OpKind
	Key   Key
	Item  Item // of a Put
	Set   Set  // of an Update
	Conds []Condition
}

// Set is what an Update changes. What is zero or nil stays as it is. An Update makes an item that does not exist,
// unless a condition forbids that. Drop is done first, then Text and Num, Add last: a number whose name is in Drop and
// in Add starts at 0.
type Set struct {
	Version string
	Doc     []byte
	Text    map[string]string
	Num     map[string]int64
	Add     map[string]int64 // added to the number, which counts as 0 when it is not there
	Drop    []string         // names of texts and numbers that go away
	Index1  *Key             // &Key{} takes the item out of the index
	Index2  *Key
	Parts   *int
	Expires *int64
}

// Put writes the item whole, whatever was there.
func Put(item Item, conds ...Condition) Op {
	return Op{Kind: Putting, Key: item.Key, Item: item, Conds: conds}
}

// Update changes what set names.
func Update(key Key, set Set, conds ...Condition) Op {
	return Op{Kind: Updating, Key: key, Set: set, Conds: conds}
}

// Delete deletes the item; one that is not there is no fault.
func Delete(key Key, conds ...Condition) Op { return Op{Kind: Deleting, Key: key, Conds: conds} }

// Check writes nothing, and refuses the Write unless the conditions hold. It is not for an item that many writes share:
// parallel checks of one item conflict.
func Check(key Key, conds ...Condition) Op { return Op{Kind: Checking, Key: key, Conds: conds} }

// Test is how a condition compares.
type Test int

// The tests of conditions.
const (
	IsAbsent Test = iota + 1
	IsPresent
	IsGone      // absent, or expired at Num (unix seconds)
	VersionSame // Version equals Text
	VersionLess // Version sorts before Text; false when there is none
	TextEquals  // Text[Name] equals Text; a text that is not there equals ""
	NumEquals   // Num[Name] equals Num; a number that is not there equals nothing
	NumAtLeast  // Num[Name] >= Num; false when it is not there
	NumAtMost   // Num[Name] <= Num; true when it is not there, or the item is not
)

// Condition must hold for the item as it is before the Write.
type Condition struct {
	Test Test
	Name string
	Text string
	Num  int64
}

// Absent: there is no such item.
func Absent() Condition { return Condition{Test: IsAbsent} }

// Present: there is one.
func Present() Condition { return Condition{Test: IsPresent} }

// Gone: there is none, or one whose Expires is at or before now (unix seconds).
func Gone(now int64) Condition { return Condition{Test: IsGone, Num: now} }

// VersionIs: the item is there with this version.
func VersionIs(v string) Condition { return Condition{Test: VersionSame, Text: v} }

// VersionBefore: the item is there, and its version sorts before v. A store that does one write after the other may let
// the update rise above the version that it finds (Op.Above), also in the write's change, instead of refusing it.
func VersionBefore(v string) Condition { return Condition{Test: VersionLess, Text: v} }

// TextIs: the item's text has this value; "" also holds when it, or the item, is not there.
func TextIs(name, value string) Condition {
	return Condition{Test: TextEquals, Name: name, Text: value}
}

// NumIs: the item has this number with this value.
func NumIs(name string, n int64) Condition { return Condition{Test: NumEquals, Name: name, Num: n} }

// AtLeast: the item has this number and it is n or more.
func AtLeast(name string, n int64) Condition { return Condition{Test: NumAtLeast, Name: name, Num: n} }

// AtMost: the number is n or less, or not there.
func AtMost(name string, n int64) Condition { return Condition{Test: NumAtMost, Name: name, Num: n} }

// Holds evaluates the condition against the item as it is, nil when there is none.
func (c Condition) Holds(item *Item) bool {
	var zero Item
	i := item
	if i == nil {
		i = &zero
	}
	n, has := i.Num[c.Name]
	switch c.Test {
	case IsAbsent:
		return item == nil
	case IsPresent:
		return item != nil
	case IsGone:
		return item == nil || item.Expired(c.Num)
	case VersionSame:
		return item != nil && item.Version == c.Text
	case VersionLess:
		return i.Version != "" && i.Version < c.Text
	case TextEquals:
		return i.Text[c.Name] == c.Text
	case NumEquals:
		return has && n == c.Num
	case NumAtLeast:
		return has && n >= c.Num
	case NumAtMost:
		return !has || n <= c.Num
	}
	panic(fmt.Sprintf("store: unknown test %d", c.Test))
}

// Apply is the item after the operation, nil when there is none. It shares no maps with before.
func (o Op) Apply(before *Item) *Item {
	switch o.Kind {
	case Putting:
		return o.Item.clone()
	case Deleting:
		return nil
	case Checking:
		return before
	}
	after := &Item{Key: o.Key}
	if before != nil {
		after = before.clone()
	}
	o.Set.applyTo(after)
	return after
}

// clone is a copy with maps of its own; the Doc is shared.
func (i *Item) clone() *Item {
	c := *i
	c.Text, c.Num = maps.Clone(i.Text), maps.Clone(i.Num)
	return &c
}

// applyTo changes the item as the set says.
func (s Set) applyTo(i *Item) {
	for _, k := range s.Drop {
		delete(i.Text, k)
		delete(i.Num, k)
	}
	if s.Version != "" {
		i.Version = s.Version
	}
	if s.Doc != nil {
		i.Doc = s.Doc
	}
	if i.Text == nil && len(s.Text) > 0 {
		i.Text = make(map[string]string, len(s.Text))
	}
	if i.Num == nil && len(s.Num)+len(s.Add) > 0 {
		i.Num = make(map[string]int64, len(s.Num)+len(s.Add))
	}
	maps.Copy(i.Text, s.Text)
	maps.Copy(i.Num, s.Num)
	for k, n := range s.Add {
		i.Num[k] += n
	}
	if s.Index1 != nil {
		i.Index1 = *s.Index1
	}
	if s.Index2 != nil {
		i.Index2 = *s.Index2
	}
	if s.Parts != nil {
		i.Parts = *s.Parts
	}
	if s.Expires != nil {
		i.Expires = *s.Expires
	}
}

// Merge brings operations down to one for each key, in the order of the first of each. Conditions add up: all are held
// against the item as it was before. A Check becomes a part of any other operation on its key. An Update after a Put
// changes what is put. Two Updates become one. A Delete goes with Checks only.
//
// It is an error of the program if operations cannot be merged, if there are more than MaxOperations, or if a key or
// index key is incomplete or too long. In the Sets that it returns, no name in Add is also in Num or Drop. A name in
// Drop may also be in Text or Num: then only the other of the two loses it.
func Merge(ops []Op) ([]Op, error) {
	at := make(map[Key]int, len(ops))
	out := make([]Op, 0, len(ops))
	for _, op := range ops {
		if err := op.checkKeys(); err != nil {
			return nil, err
		}
		op.Set = op.Set.disjoint()
		i, seen := at[op.Key]
		if !seen {
			at[op.Key] = len(out)
			out = append(out, op)
			continue
		}
		m, err := out[i].then(op)
		if err != nil {
			return nil, err
		}
		out[i] = m
	}
	if len(out) == 0 || len(out) > MaxOperations {
		return nil, fmt.Errorf("store: a write of %d keys, not of 1 to %d", len(out), MaxOperations)
	}
	return out, nil
}

// then is the operation followed by b on the same key, as one operation.
func (o Op) then(b Op) (Op, error) {
	conds := slices.Concat(o.Conds, b.Conds)
	switch {
	case b.Kind == Checking:
	case o.Kind == Checking:
		o = b
	case o.Kind == Putting && b.Kind == Updating:
		o.Item = *o.Item.clone()
		b.Set.applyTo(&o.Item)
	case o.Kind == Updating && b.Kind == Updating:
		o.Set = o.Set.then(b.Set)
	default:
		return o, fmt.Errorf("store: operations on %s %s that cannot be merged", o.Key.PK, o.Key.SK)
	}
	o.Conds = conds
	return o, nil
}

// checkKeys is an error when the operation has no key, or any of its keys is half a key or too long.
func (o Op) checkKeys() error {
	keys := []Key{o.Key, o.Item.Index1, o.Item.Index2}
	for _, p := range []*Key{o.Set.Index1, o.Set.Index2} {
		if p != nil {
			keys = append(keys, *p)
		}
	}
	for i, k := range keys {
		if (k.PK == "") != (k.SK == "") || i == 0 && k.PK == "" {
			return fmt.Errorf("store: an operation on %q %q with half a key or none", o.Key.PK, o.Key.SK)
		}
	}
	return CheckKeys(keys...)
}

// then is the set followed by b, as one set.
func (s Set) then(b Set) Set {
	text, num, add := merged(s.Text, b.Text, b.Drop), merged(s.Num, b.Num, b.Drop), merged(s.Add, nil, b.Drop)
	for k := range b.Num { // a number that is set replaces what was added before
		delete(add, k)
	}
	if add == nil && len(b.Add) > 0 {
		add = make(map[string]int64, len(b.Add))
	}
	for k, n := range b.Add {
		add[k] += n
	}
	b.Text, b.Num, b.Add = text, num, add
	b.Drop = slices.Compact(slices.Sorted(slices.Values(slices.Concat(s.Drop, b.Drop))))
	b.Version = cmp.Or(b.Version, s.Version)
	if b.Doc == nil {
		b.Doc = s.Doc
	}
	b.Index1, b.Index2 = cmp.Or(b.Index1, s.Index1), cmp.Or(b.Index2, s.Index2)
	b.Parts, b.Expires = cmp.Or(b.Parts, s.Parts), cmp.Or(b.Expires, s.Expires)
	return b.disjoint()
}

// disjoint is the same set with no name in Add that is also in Num or Drop: what is added to such a number is added to
// the number that is set, or to 0.
func (s Set) disjoint() Set {
	replaced := func(k string) bool { _, set := s.Num[k]; return set || slices.Contains(s.Drop, k) }
	if !slices.ContainsFunc(slices.Collect(maps.Keys(s.Add)), replaced) {
		return s
	}
	num, add := merged(s.Num, nil, nil), maps.Clone(s.Add)
	if num == nil {
		num = make(map[string]int64, len(add))
	}
	for k, n := range s.Add {
		if replaced(k) {
			num[k] += n
			delete(add, k)
		}
	}
	s.Num, s.Add = num, add
	return s
}

// merged is a new map with the entries of a that are not dropped, and those of b; nil if it would be empty.
func merged[V any](a, b map[string]V, drop []string) map[string]V {
	if len(a) == 0 && len(b) == 0 {
		return nil
	}
	m := make(map[string]V, len(a)+len(b))
	maps.Copy(m, a)
	for _, k := range drop {
		delete(m, k)
	}
	maps.Copy(m, b)
	return m
}
