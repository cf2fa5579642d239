package catalog

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/catalog/address"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/pending"
)

// CreateCategory makes a category.
func (c Catalog) CreateCategory(ctx context.Context, u *change.Unit, fields CategoryFields) (StoredCategory, error) {
	return c.createCategory(ctx, u, fields, another)
}

// twin says what is done where somebody else has just made a category with the same fields: another category is made
// beside it, or it is the answer itself.
type twin int

const (
	another twin = iota
	theSame
)

// createCategory is CreateCategory, where a twin is what the caller says.
func (c Catalog) createCategory(
	ctx context.Context, u *change.Unit, fields CategoryFields, as twin,
) (StoredCategory, error) {
	category := StoredCategory{CategoryFields: fields}
	category.ID = u.NewID()
	return record.Retry(ctx, func() (StoredCategory, error) {
		now := category
		now.SetVersion(u.NextVersion(""))
		tree, err := planMove(ctx, u, "", fields.Parent, category.ID)
		if err != nil {
			return category, err
		}
		names := c.Addresses.Names(u)
		plan, err := names.Plan(ctx, category.owner(), address.Address{}, string(fields.Name), now.Version)
		if err != nil {
			return category, err
		}
		if as == theSame {
			if made, err := same(ctx, u, names, fields); made != nil || err != nil {
				return *cmp.Or(made, &category), err
			}
		}
		now.Address = plan.Address
		ops := slices.Concat([]store.Op{store.Put(Categories.Item(u.Shop, now), store.Absent())}, plan.Ops, tree)
		records := append([]events.Record{now.eventRecord(events.Created)}, plan.Records...)
		_, err = u.Write(ctx, now, u.ChangeOf(records), ops...)
		return now, err
	})
}

// ChangeCategory changes a category to what merge makes of its fields. Faults of form come before 404, and that before
// 412.
func (c Catalog) ChangeCategory(
	ctx context.Context, u *change.Unit, id string, merge func(CategoryFields) (CategoryFields, error),
) (StoredCategory, error) {
	return record.Retry(ctx, func() (StoredCategory, error) {
		before, err := Categories.Read(ctx, u.Table, u.Shop, id)
		if err == nil {
			err = u.Match(before.Version)
		}
		if _, is := problem.As(err); is {
			if _, bad := merge(CategoryFields{Name: "x"}); bad != nil {
				return before, bad
			}
		}
		if err != nil {
			return before, err
		}
		next := before
		if next.CategoryFields, err = merge(before.CategoryFields); err != nil {
			return before, err
		}
		tree, err := planMove(ctx, u, before.Parent, next.Parent, id)
		if err != nil {
			return before, err
		}
		next.SetVersion(u.NextVersion(before.Version))
		plan, err := c.Addresses.Names(u).Plan(ctx, next.owner(), before.Address, string(next.Name), next.Version)
		if err != nil {
			return before, err
		}
		next.Address = plan.Address
		groups := before.diff(next)
		if len(groups) == 0 {
			return before, nil
		}
		records := append([]events.Record{next.eventRecord(events.Changed, groups...)}, plan.Records...)
		head := store.Put(Categories.Item(u.Shop, next), store.VersionIs(before.Version))
		_, err = u.Write(ctx, next, u.ChangeOf(records), slices.Concat([]store.Op{head}, plan.Ops, tree)...)
		return next, err
	})
}

// planMove makes the operations that move a category in the tree, none when it stays. It finds a parent that is not
// there and a circle; writes that move categories go one after the other, so that two of them cannot close one, and
// none puts one below another that goes at the same moment.
func planMove(ctx context.Context, u *change.Unit, from, to, category string) ([]store.Op, error) {
	if from == to {
		return nil, nil
	}
	first, err := countWrite(ctx, u)
	if err != nil {
		return nil, err
	}
	ops := []store.Op{first}
	if from != "" {
		ops = append(ops, store.Delete(childOf(u.Shop, from, category)))
	}
	if to == "" {
		return ops, nil
	}
	if err := ancestors(ctx, u, to, category); err != nil {
		return nil, err
	}
	return append(ops, store.Put(store.Item{Key: childOf(u.Shop, to, category)})), nil
}

// countWrite is the operation that no other write to the tree of categories may come before.
func countWrite(ctx context.Context, u *change.Unit) (store.Op, error) {
	key := treeKey(u.Shop)
	items, err := u.Table.Get(ctx, key)
	if err != nil {
		return store.Op{}, err
	}
	cond := store.Absent()
	if items[0] != nil {
		cond = store.NumIs("turn", items[0].Num["turn"])
	}
	return store.Update(key, store.Set{Add: map[string]int64{"turn": 1}}, cond), nil
}

// maxDepth is how many categories may be above a category. Each is read to find out, one after the other.
const maxDepth = 32

// ancestors walks up from a parent: it must be there, and the category itself not above it.
func ancestors(ctx context.Context, u *change.Unit, parent, category string) error {
	depth := 0
	for up := parent; up != ""; depth++ {
		if depth == maxDepth {
			return problem.InvalidAt("parentId", problem.TooMany,
				fmt.Sprintf("would put the category below more than %d others", maxDepth))
		}
		if up == category {
			return problem.InvalidAt("parentId", problem.Conflicting, "would put the category below itself")
		}
		k, err := Categories.Read(ctx, u.Table, u.Shop, up)
		switch gone := problem.Is(err, "not_found"); {
		case gone && up == parent:
			return problem.InvalidAt("parentId", problem.Unknown, "is not a category of this shop")
		case gone:
			return nil
		case err != nil:
			return err
		}
		up = k.Parent
	}
	return nil
}

// DeleteCategory deletes a category that nothing is in, with its URLs, and has the sweeper look for products that
// joined it in the same moment.
func (c Catalog) DeleteCategory(ctx context.Context, u *change.Unit, id string) error {
	_, err := record.Retry(ctx, func() (gone StoredCategory, err error) {
		owner := address.Owner{Kind: address.Category, Item: id}
		head, urls, err := address.URLsOf(ctx, u.Table, u.Shop, owner)
		if err != nil {
			return gone, err
		}
		if head == nil {
			return gone, problem.NotFound()
		}
		was, err := Categories.Decode(head)
		if err != nil {
			return gone, err
		}
		if err := u.Match(was.Version); err != nil {
			return gone, err
		}
		first, err := countWrite(ctx, u)
		if err != nil {
			return gone, err
		}
		inside, err := u.Table.Query(ctx, store.Query{PK: InCategory(u.Shop, id), Limit: 1})
		if err != nil {
			return gone, err
		}
		if len(inside.Items) > 0 {
			return gone, problem.Conflict("category_in_use",
				"The category still has products or other categories in it.")
		}
		gone = was
		gone.SetVersion(u.NextVersion(was.Version))
		own := gone.eventRecord(events.Deleted)
		ops := []store.Op{tombstone(head.Key, was.Version, gone.Version, u.Now()), first,
			pending.Remind(u.ChangeOf([]events.Record{own}), u.Now(), record.Abandoned)}
		if was.Parent != "" {
			ops = append(ops, store.Delete(childOf(u.Shop, was.Parent, id)))
		}
		if err := c.writeDeletion(ctx, u, own, ops, urls); err != nil {
			return gone, err
		}
		c.release(ctx, u, owner, urls)
		if err := emptyCategory(ctx, u, id); err != nil {
			c.Log.WarnContext(ctx, "a category that is gone may have products",
				"requestId", u.LogID(), "error", err)
		}
		return gone, nil
	})
	return err
}
