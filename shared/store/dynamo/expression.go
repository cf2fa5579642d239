package dynamo

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"eshop/shared/store"
)

// expression collects the names and values of one action's expressions, in which each stands as a placeholder. Names
// do, too, because many words are reserved.
type expression struct {
	names  map[string]string // attributes' names by their placeholders
	values attributes        // values by their placeholders; nil while there are none
	byName map[string]string // the opposite of names
}

func newExpression() *expression {
	return &expression{names: map[string]string{}, byName: map[string]string{}}
}

// name is the placeholder of an attribute's name.
func (e *expression) name(n string) string {
	p, ok := e.byName[n]
	if !ok {
		p = "#" + strconv.Itoa(len(e.names))
		e.byName[n], e.names[p] = p, n
	}
	return p
}

// value is a placeholder for the value. The map of values stays nil until there is one: DynamoDB refuses an empty map.
func (e *expression) value(v types.AttributeValue) string {
	if e.values == nil {
		e.values = attributes{}
	}
	p := ":" + strconv.Itoa(len(e.values))
	e.values[p] = v
	return p
}

func (e *expression) text(s string) string  { return e.value(stringValue(s)) }
func (e *expression) number(n int64) string { return e.value(numberValue(n)) }

// namesOrNil is for actions that may have no expression: DynamoDB refuses an empty map.
func (e *expression) namesOrNil() map[string]string {
	if len(e.names) == 0 {
		return nil
	}
	return e.names
}

// conditions is the condition expression of all of them, nil when there are none.
func (e *expression) conditions(conds []store.Condition) *string {
	if len(conds) == 0 {
		return nil
	}
	parts := make([]string, len(conds))
	for i, c := range conds {
		parts[i] = "(" + e.condition(c) + ")"
	}
	all := strings.Join(parts, " AND ")
	return &all
}

// condition says what store.Condition.Holds says, absent items and attributes included.
func (e *expression) condition(c store.Condition) string {
	absent := func(n string) string { return "attribute_not_exists(" + n + ")" }
	present := func(n string) string { return "attribute_exists(" + n + ")" }
	switch c.Test {
	case store.IsAbsent:
		return absent(e.name(attrPK))
	case store.IsPresent:
		return present(e.name(attrPK))
	case store.IsGone:
		return absent(e.name(attrPK)) + " OR " + e.name(AttrExpires) + " <= " + e.number(c.Num)
	case store.VersionSame:
		if c.Text == "" {
			return present(e.name(attrPK)) + " AND " + absent(e.name(attrVersion))
		}
		return e.name(attrVersion) + " = " + e.text(c.Text)
	case store.TextEquals, store.TextDiffers:
		return e.textCondition(c)
	}
	n := e.name(prefixNum + c.Name)
	switch c.Test {
	case store.NumEquals:
		return n + " = " + e.number(c.Num)
	case store.NumAtLeast:
		return n + " >= " + e.number(c.Num)
	case store.NumAtMost:
		return absent(n) + " OR " + n + " <= " + e.number(c.Num)
	}
	panic(fmt.Sprintf("dynamo: unknown test %d", c.Test))
}

// textCondition compares a text that counts as "" when it is not there.
func (e *expression) textCondition(c store.Condition) string {
	n := e.name(prefixText + c.Name)
	equal := n + " = " + e.text(c.Text)
	if c.Text == "" {
		equal += " OR attribute_not_exists(" + n + ")"
	}
	if c.Test == store.TextEquals {
		return equal
	}
	return "NOT (" + equal + ")"
}

// update is the update expression of a set, and of the change that rides on the item. Without a change ("") the
// attribute is removed, so that the change of an earlier write does not ride again.
func (e *expression) update(s store.Set, change string) *string {
	u := updating{e: e}
	u.text(attrVersion, s.Version)
	u.text(AttrChange, change)
	if change == "" {
		u.remove(AttrChange)
	}
	if s.Doc != nil {
		u.set(attrDoc, docValue(s.Doc))
	}
	u.number(AttrExpires, s.Expires)
	if s.Parts != nil {
		n := int64(*s.Parts)
		u.number(AttrParts, &n)
	}
	u.place(store.Index1, s.Index1)
	u.place(store.Index2, s.Index2)
	u.attributes(s)
	all := u.String()
	return &all
}

// updating collects the terms of an update's clauses.
type updating struct {
	e                   *expression
	sets, removes, adds []string
}

func (u *updating) set(name string, v types.AttributeValue) {
	u.sets = append(u.sets, u.e.name(name)+" = "+u.e.value(v))
}

func (u *updating) remove(name string) { u.removes = append(u.removes, u.e.name(name)) }

// text sets what is not "".
func (u *updating) text(name, s string) {
	if s != "" {
		u.set(name, stringValue(s))
	}
}

// number sets what is not nil; 0 removes the attribute.
func (u *updating) number(name string, n *int64) {
	switch {
	case n == nil:
	case *n == 0:
		u.remove(name)
	default:
		u.set(name, numberValue(*n))
	}
}

// place moves the item in an index, or takes it out.
func (u *updating) place(i store.Index, k *store.Key) {
	pk, sk := KeyNames(i)
	switch {
	case k == nil:
	case *k == (store.Key{}):
		u.remove(pk)
		u.remove(sk)
	default:
		u.set(pk, stringValue(k.PK))
		u.set(sk, stringValue(k.SK))
	}
}

// attributes adds the terms of texts and numbers. DynamoDB takes no attribute in two clauses. After store.Merge that
// could only be one that is dropped and set again, for which to set it is enough.
func (u *updating) attributes(s store.Set) {
	for _, name := range slices.Sorted(maps.Keys(s.Text)) {
		u.set(prefixText+name, stringValue(s.Text[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Num)) {
		u.set(prefixNum+name, numberValue(s.Num[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Add)) {
		u.adds = append(u.adds, u.e.name(prefixNum+name)+" "+u.e.number(s.Add[name]))
	}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(s.Drop))) {
		if _, again := s.Text[name]; !again {
			u.remove(prefixText + name)
		}
		if _, again := s.Num[name]; !again {
			u.remove(prefixNum + name)
		}
	}
}

// String is the whole expression. One that would only remove attributes sets one, too, so that it makes the item when
// there is none.
func (u *updating) String() string {
	if len(u.sets)+len(u.adds) == 0 {
		u.set(attrMade, numberValue(0))
	}
	var clauses []string
	for _, c := range []struct {
		word  string
		terms []string
	}{{"SET", u.sets}, {"REMOVE", u.removes}, {"ADD", u.adds}} {
		if len(c.terms) > 0 {
			clauses = append(clauses, c.word+" "+strings.Join(c.terms, ", "))
		}
	}
	return strings.Join(clauses, " ")
}
