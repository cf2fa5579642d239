package dynamo

import (
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"

	"eshop/shared/ports/store"
)

// named is an attribute by its name, in which a dot is an ordinary letter: `t.name` is one attribute, not a field of
// `t`. Names have no brackets, because the builder would take those for paths into lists.
func named(name string) expression.NameBuilder { return expression.NameNoDotSplit(name) }

// expression is the action's conditions and, for an update, what it sets. The builder puts placeholders in place of all
// names and values, because DynamoDB reserves many words. Maps without entries are nil, because DynamoDB refuses empty
// ones.
//
// DynamoDB refuses a check without a condition. So a check that asks for nothing gets a condition that always holds:
// the item exists, or it does not.
func (a action) expression() expression.Expression {
	b := expression.NewBuilder()
	switch pk := named(attrPK); {
	case len(a.Conds) > 0:
		b = b.WithCondition(conditions(a.Conds))
	case a.Kind == store.Checking:
		b = b.WithCondition(pk.AttributeExists().Or(pk.AttributeNotExists()))
	case a.Kind != store.Updating:
		return expression.Expression{} // to build nothing is an error
	}
	if a.Kind == store.Updating {
		b = b.WithUpdate(update(a.Set, a.change))
	}
	return built(b)
}

// built is what was put together. A name that cannot be one is a fault of the program.
func built(b expression.Builder) expression.Expression {
	e, err := b.Build()
	if err != nil {
		panic(fmt.Sprintf("dynamo: %v", err))
	}
	return e
}

// conditions hold when all of them do.
func conditions(conds []store.Condition) expression.ConditionBuilder {
	all := make([]expression.ConditionBuilder, len(conds))
	for i, c := range conds {
		all[i] = condition(c)
	}
	if len(all) == 1 {
		return all[0]
	}
	return expression.And(all[0], all[1], all[2:]...)
}

// condition says the same as store.Condition.Holds, in DynamoDB's language. There a comparison with an attribute that
// is missing is false, so tests that hold on absent items say so themselves.
func condition(c store.Condition) expression.ConditionBuilder {
	pk, version := named(attrPK), named(attrVersion)
	n, num := named(prefixNum+c.Name), expression.Value(c.Num)
	switch c.Test {
	case store.IsAbsent:
		return pk.AttributeNotExists()
	case store.IsPresent:
		return pk.AttributeExists()
	case store.IsGone:
		return pk.AttributeNotExists().Or(named(AttrExpires).LessThanEqual(num))
	case store.VersionSame:
		if c.Text == "" {
			return pk.AttributeExists().And(version.AttributeNotExists())
		}
		return version.Equal(expression.Value(c.Text))
	case store.VersionLess:
		return version.LessThan(expression.Value(c.Text))
	case store.TextEquals:
		text := named(prefixText + c.Name)
		equal := text.Equal(expression.Value(c.Text))
		if c.Text == "" { // a text that is not there counts as one
			return equal.Or(text.AttributeNotExists())
		}
		return equal
	case store.NumEquals:
		return n.Equal(num)
	case store.NumAtLeast:
		return n.GreaterThanEqual(num)
	case store.NumAtMost:
		return n.AttributeNotExists().Or(n.LessThanEqual(num))
	}
	panic(fmt.Sprintf("dynamo: unknown test %d", c.Test))
}

// update is the update expression of a set, with the change that rides on the item. Without a change ("") the attribute
// is removed, so that the change of an earlier write does not ride again.
//
// An update that only removes attributes would make no item where there is none. Such an update sets the attribute
// attrMade, too.
func update(set store.Set, change string) expression.UpdateBuilder {
	var u updating
	if set.Version != "" {
		u.set(attrVersion, set.Version)
	}
	if change != "" {
		u.set(AttrChange, change)
	} else {
		u.remove(AttrChange)
	}
	if set.Doc != nil {
		u.set(attrDoc, docValue(set.Doc))
	}
	u.number(AttrExpires, set.Expires)
	if set.Parts != nil {
		n := int64(*set.Parts)
		u.number(AttrParts, &n)
	}
	u.indexKey(store.Index1, set.Index1)
	u.indexKey(store.Index2, set.Index2)
	u.attributes(set)
	if !u.makes {
		u.set(attrMade, 0)
	}
	return u.UpdateBuilder
}

// updating collects the clauses of an update, and whether one of them makes the item when there is none.
type updating struct {
	expression.UpdateBuilder
	makes bool
}

// set adds an attribute to what the update sets.
func (u *updating) set(name string, v any) {
	u.UpdateBuilder, u.makes = u.Set(named(name), expression.Value(v)), true
}

// remove adds an attribute to what the update removes.
func (u *updating) remove(name string) { u.UpdateBuilder = u.Remove(named(name)) }

// number sets what is not nil; 0 removes the attribute.
func (u *updating) number(name string, n *int64) {
	switch {
	case n == nil:
	case *n == 0:
		u.remove(name)
	default:
		u.set(name, *n)
	}
}

// indexKey moves the item in an index, or takes it out.
func (u *updating) indexKey(i store.Index, k *store.Key) {
	pk, sk := KeyNames(i)
	switch {
	case k == nil:
	case *k == (store.Key{}):
		u.remove(pk)
		u.remove(sk)
	default:
		u.set(pk, k.PK)
		u.set(sk, k.SK)
	}
}

// attributes adds the terms of texts and numbers. DynamoDB refuses an attribute that is in two clauses. After
// store.Merge only one that is dropped and set again could be; it is only set, which does the same.
func (u *updating) attributes(s store.Set) {
	for _, name := range slices.Sorted(maps.Keys(s.Text)) {
		u.set(prefixText+name, s.Text[name])
	}
	for _, name := range slices.Sorted(maps.Keys(s.Num)) {
		u.set(prefixNum+name, s.Num[name])
	}
	for _, name := range slices.Sorted(maps.Keys(s.Add)) {
		u.UpdateBuilder, u.makes = u.Add(named(prefixNum+name), expression.Value(s.Add[name])), true
	}
	for _, name := range slices.Compact(slices.Sorted(slices.Values(s.Drop))) {
		if _, set := s.Text[name]; !set {
			u.remove(prefixText + name)
		}
		if _, set := s.Num[name]; !set {
			u.remove(prefixNum + name)
		}
	}
}
