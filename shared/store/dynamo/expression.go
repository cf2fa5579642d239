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

// expression collects the names and values that the expressions of one action stand on. Every name is a placeholder:
// half of the dictionary is reserved.
type expression struct {
	names  map[string]string
	values attributes
	byName map[string]string
}

func newExpression() *expression {
	return &expression{names: map[string]string{}, byName: map[string]string{}}
}

func (e *expression) name(n string) string {
	p, ok := e.byName[n]
	if !ok {
		p = "#" + strconv.Itoa(len(e.names))
		e.byName[n], e.names[p] = p, n
	}
	return p
}

// value keeps the map nil until there is one: DynamoDB refuses an empty one.
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
	n := e.name(preNum + c.Name)
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
	n := e.name(preText + c.Name)
	equal := n + " = " + e.text(c.Text)
	if c.Text == "" {
		equal += " OR attribute_not_exists(" + n + ")"
	}
	if c.Test == store.TextEquals {
		return equal
	}
	return "NOT (" + equal + ")"
}

// update is the update expression of a set and of the change that rides, "" for none: it goes then, so that it never
// rides again.
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

// updating gathers the clauses of one update.
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

// number sets what is not nil; 0 is kept as nothing.
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

// attributes are the texts and numbers. No attribute can be in two clauses, and none is after store.Merge but those
// that are dropped and set again: set is enough.
func (u *updating) attributes(s store.Set) {
	for _, name := range slices.Sorted(maps.Keys(s.Text)) {
		u.set(preText+name, stringValue(s.Text[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Num)) {
		u.set(preNum+name, numberValue(s.Num[name]))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Add)) {
		u.adds = append(u.adds, u.e.name(preNum+name)+" "+u.e.number(s.Add[name]))
	}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(s.Drop))) {
		if _, again := s.Text[name]; !again {
			u.remove(preText + name)
		}
		if _, again := s.Num[name]; !again {
			u.remove(preNum + name)
		}
	}
}

// String is the whole expression. One that only takes away sets something, too: it makes an item that is not there.
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
