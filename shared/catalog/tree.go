package catalog

import (
	"cmp"
	"context"
	"slices"

	"eshop/events"
	"eshop/shared/change"
	"eshop/shared/pending"
	"eshop/shared/problem"
	"eshop/shared/record"
	"eshop/shared/store"
)

// CreateCategory makes a category.
func (c Catalog) CreateCategory(ctx context.Context, u *change.Unit, fields CategoryFields) (*KeptCategory, error) {
	id := u.NewID()
	names := c.names(u, nil)
	return record.Again(ctx, func() (*KeptCategory, error) {
		names.begin(ownerOf(OfCategory, id))
		version := u.Next("")
		k := &KeptCategory{ID: id, Version: version, Fields: fields, Created: record.ChangedAt(version)}
		tree, err := moved(ctx, u, "", fields.Parent, id)
		if err != nil {
			return nil, err
		}
		address, err := names.address(addressed{of: OfCategory, id: id}, string(fields.Name), version)
		if err != nil {
			return nil, err
		}
		k.Address = address.Address
		ops := slices.Concat([]store.Op{store.Put(k.item(u.Shop), store.Absent())}, address.ops, tree)
		told := append([]events.Record{k.told(events.Created)}, address.records...)
		_, err = u.Write(ctx, k, u.Told(told), ops...)
		return k, names.learn(ctx, err)
	})
}

// moved is what it takes to move a category in the tree, nothing when it stays. It finds a parent that is not there
// and a circle; writes that move categories go one after the other, so that two of them cannot close one, and none
// puts one below another that goes at the same moment.
func moved(ctx context.Context, u *change.Unit, from, to, category string) ([]store.Op, error) {
	if from == to {
		return nil, nil
	}
	first, err := turn(ctx, u)
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

// turn is the operation that no other write to the tree of categories may come before.
func turn(ctx context.Context, u *change.Unit) (store.Op, error) {
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

// ancestors walks up from a parent: it must be there, and the category itself not above it.
func ancestors(ctx context.Context, u *change.Unit, parent, category string) error {
	for up := parent; up != ""; {
		if up == category {
			return problem.InvalidAt("parentId", problem.Conflicting, "would put the category below itself")
		}
		k, err := ReadCategory(ctx, u.Table, u.Shop, up)
		switch {
		case err != nil:
			return err
		case k == nil && up == parent:
			return problem.InvalidAt("parentId", problem.Unknown, "is not a category of this shop")
		case k == nil:
			return nil
		}
		up = k.Fields.Parent
	}
	return nil
}

// ChangeCategory changes a category to what merge makes of its fields.
func (c Catalog) ChangeCategory(
	ctx context.Context, u *change.Unit, id string, merge func(CategoryFields) (CategoryFields, error),
) (*KeptCategory, error) {
	names := c.names(u, nil)
	return record.Again(ctx, func() (*KeptCategory, error) {
		before, err := currentCategory(ctx, u, id, merge)
		if err != nil {
			return nil, err
		}
		next := *before
		if next.Fields, err = merge(before.Fields); err != nil {
			return nil, err
		}
		k, err := putCategory(ctx, u, before, &next, names)
		return k, names.learn(ctx, err)
	})
}

// currentCategory is the category as it is: faults of form, then 404, then 412.
func currentCategory(
	ctx context.Context, u *change.Unit, id string, merge func(CategoryFields) (CategoryFields, error),
) (*KeptCategory, error) {
	k, err := ReadCategory(ctx, u.Table, u.Shop, id)
	if err != nil {
		return nil, err
	}
	if k != nil {
		if err = u.Match(k.Version); err == nil {
			return k, nil
		}
	} else {
		err = problem.NotFound()
	}
	if _, bad := merge(CategoryFields{Name: "x"}); bad != nil {
		return nil, bad
	}
	return nil, err
}

// putCategory writes what changed of a category once.
func putCategory(
	ctx context.Context, u *change.Unit, before, next *KeptCategory, names *names,
) (*KeptCategory, error) {
	tree, err := moved(ctx, u, before.Fields.Parent, next.Fields.Parent, next.ID)
	if err != nil {
		return nil, err
	}
	next.Version = u.Next(before.Version)
	names.begin(ownerOf(OfCategory, next.ID))
	category := addressed{OfCategory, next.ID, before.Address, before.Version}
	address, err := names.address(category, string(next.Fields.Name), next.Version)
	if err != nil {
		return nil, err
	}
	next.Address = address.Address
	groups := before.diff(next)
	if len(groups) == 0 {
		return before, nil
	}
	told := append([]events.Record{next.told(events.Changed, groups...)}, address.records...)
	head := store.Put(next.item(u.Shop), store.VersionIs(before.Version))
	_, err = u.Write(ctx, next, u.Told(told), slices.Concat([]store.Op{head}, address.ops, tree)...)
	return next, err
}

// DeleteCategory deletes a category that nothing is in, with its URLs.
func (c Catalog) DeleteCategory(ctx context.Context, u *change.Unit, id string) error {
	_, err := record.Again(ctx, func() (*KeptCategory, error) {
		head, urls, err := URLsOf(ctx, u.Table, u.Shop, OfCategory, id)
		if err != nil {
			return nil, err
		}
		k, err := CategoryOf(head)
		if err != nil {
			return nil, err
		}
		if k == nil {
			return nil, problem.NotFound()
		}
		if err := u.Match(k.Version); err != nil {
			return nil, err
		}
		return k, c.takeCategory(ctx, u, k, urls)
	})
	return err
}

// takeCategory deletes a category that nothing is in, once.
func (c Catalog) takeCategory(ctx context.Context, u *change.Unit, k *KeptCategory, urls []URL) error {
	first, err := turn(ctx, u)
	if err != nil {
		return err
	}
	inside, err := u.Table.Query(ctx, store.Query{PK: InCategory(u.Shop, k.ID), Limit: 1})
	if err != nil {
		return err
	}
	if len(inside.Items) > 0 {
		return problem.Conflict("category_in_use", "The category still has products or other categories in it.")
	}
	was := k.Version
	k.Version = u.Next(was)
	ops := []store.Op{tombstone(k.head.Key, was, k.Version, u.Now()), first}
	if k.Fields.Parent != "" {
		ops = append(ops, store.Delete(childOf(u.Shop, k.Fields.Parent, k.ID)))
	}
	gone, told := removed(u.Shop, urls, k.Version)
	own := k.told(events.Deleted)
	ops = append(ops, pending.Remind(u.Told([]events.Record{own}), u.Now(), record.Abandoned))
	most := min(len(gone), store.MaxOperations-len(ops)-riders(len(urls)))
	told = append([]events.Record{own}, told...)
	if _, err = u.Write(ctx, k, u.Told(told), append(ops, gone[:most]...)...); err != nil {
		return err
	}
	c.sweep(ctx, u, gone[most:])
	if err := vacate(ctx, u, k.ID); err != nil {
		c.Log.WarnContext(ctx, "a category that is gone may have products",
			"requestId", cmp.Or(u.Caller, u.Request), "error", err)
	}
	return nil
}

// told is what happened to the category.
func (k *KeptCategory) told(did events.Did, groups ...events.Group) events.Record {
	return events.Record{Kind: events.Categories, ID: k.ID, Did: did, Version: k.Version, Groups: groups}
}
