package record

import (
	"context"
	"reflect"
	"slices"
	"time"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
)

// Step is one change of one record, ready to be written. Ops[0] writes the record itself; Extend appends to Ops,
// Records and Notices.
type Step[R any] struct {
	// Before is nil of a new record, After of one that is removed. Ops[0] is made before Extend: what Extend changes in
	// After is answered, and not stored
	Before, After *R
	Shop          string // whose change it is; the unit's unless Extend says otherwise
	Ops           []store.Op
	Records       []events.Record
	Notices       []events.Notice

	claims Claims
}

// result is what a command answers that writes this step.
func (s *Step[R]) result() any {
	if s.After == nil {
		return nil
	}
	return *s.After
}

// Create makes a record of what a client wrote. A value that another record has is the problem of its claim.
func (k *Kind[R, F]) Create(ctx context.Context, u *change.Unit, fields F) (R, error) {
	id := u.NewID()
	return k.write(ctx, u, func() (*Step[R], error) { return k.create(ctx, u, id, fields) })
}

// Change changes a record to what change makes of its fields. The result is checked as a new record's fields are. If
// the fields stay the same it writes and publishes nothing. If somebody else has changed the record meanwhile, it calls
// change again with what is stored then.
func (k *Kind[R, F]) Change(ctx context.Context, u *change.Unit, id string, change func(F) (F, error)) (R, error) {
	return k.write(ctx, u, func() (*Step[R], error) {
		stored, err := k.current(ctx, u, id)
		if err != nil {
			return nil, err
		}
		_, fields := k.Split(&stored)
		next, err := change(*fields)
		if err != nil {
			return nil, err
		}
		return k.change(ctx, u, stored, next)
	})
}

// Delete leaves a tombstone in the record's place, marks it where its kind is marked, or erases it where its kind is
// erased.
func (k *Kind[R, F]) Delete(ctx context.Context, u *change.Unit, id string) error {
	_, err := k.write(ctx, u, func() (*Step[R], error) {
		stored, err := k.current(ctx, u, id)
		if err != nil {
			return nil, err
		}
		return k.delete(ctx, u, stored)
	})
	return err
}

// current is the record that is to be changed, held against the version that the caller expects.
func (k *Kind[R, F]) current(ctx context.Context, u *change.Unit, id string) (R, error) {
	stored, err := k.Read(ctx, u.Table, u.Shop, id)
	if err != nil {
		return stored, err
	}
	head, _ := k.Split(&stored)
	return stored, u.Match(head.Version)
}

// create plans a new record: its version, its claims, and the event that tells of it. Its key must be absent.
func (k *Kind[R, F]) create(ctx context.Context, u *change.Unit, id string, fields F) (*Step[R], error) {
	if err := k.check(ctx, u, "", &fields); err != nil {
		return nil, err
	}
	var now R
	if k.Init != nil {
		k.Init(&now)
	}
	if k.Owned != nil {
		*k.Owned.In(&now) = k.Owned.Owner
	}
	head, own := k.Split(&now)
	head.ID, *own = id, fields
	head.SetVersion(u.NextVersion(""))
	s := &Step[R]{After: &now, claims: Claims{Acquire: k.claims(u.Shop, fields)}}
	return s, k.complete(ctx, u, s, events.Record{Did: events.Created}, store.Absent())
}

// change plans the change of a record to other fields. The same fields make a step without operations. Claims of values
// that change are released and acquired with it. The record must still have the version that it was read with.
func (k *Kind[R, F]) change(ctx context.Context, u *change.Unit, stored R, fields F) (*Step[R], error) {
	now := stored
	head, own := k.Split(&now)
	if err := k.frozen(stored); err != nil {
		return nil, err
	}
	if err := k.check(ctx, u, head.ID, &fields); err != nil {
		return nil, err
	}
	before := *own
	if reflect.DeepEqual(before, fields) {
		return &Step[R]{Before: &stored, After: &stored}, nil
	}
	version := head.Version
	*own = fields
	head.SetVersion(u.NextVersion(version))
	published := events.Record{Did: events.Changed}
	if k.Groups != nil {
		published.Groups = k.Groups(before, fields)
	}
	s := &Step[R]{Before: &stored, After: &now}
	s.claims.Acquire, s.claims.Release = ClaimsBetween(k.claims(u.Shop, before), k.claims(u.Shop, fields))
	if k.Hold != nil {
		s.claims.Hold = k.Hold(stored)
	}
	return s, k.complete(ctx, u, s, published, store.VersionIs(version))
}

// delete plans the deletion of a record: it is marked, if its kind marks records; it is removed, if its kind says so;
// else a tombstone takes its place, by which a reader of the change feed learns of it, and its claims go. Deleting what
// is already marked plans nothing.
func (k *Kind[R, F]) delete(ctx context.Context, u *change.Unit, stored R) (*Step[R], error) {
	if k.frozen(stored) != nil {
		return &Step[R]{Before: &stored, After: &stored}, nil
	}
	gone := stored
	head, _ := k.Split(&gone)
	version := head.Version
	head.SetVersion(u.NextVersion(version))
	step := &Step[R]{Before: &stored}
	published := events.Record{Did: events.Deleted, ID: head.ID, Version: head.Version}
	if k.Deletion != nil {
		k.Deletion.Mark(&gone, head.Changed)
		step.After = &gone
		return step, k.complete(ctx, u, step, published, store.VersionIs(version))
	}
	key := k.Key(u.Shop, head.ID)
	step.Ops = []store.Op{store.Put(Tombstone(key, head.Version, u.Now()), store.VersionIs(version))}
	if k.Erased {
		step.Ops[0] = store.Delete(key, store.VersionIs(version))
	}
	k.claimsOf(u, step, head.ID)
	_, own := k.Split(&stored)
	_, step.claims.Release = ClaimsBetween(k.claims(u.Shop, *own), nil)
	return step, k.extend(ctx, u, step, published)
}

// complete gives a step the operation of the record that it makes, on condition of held, and extends it.
func (k *Kind[R, F]) complete(
	ctx context.Context, u *change.Unit, s *Step[R], published events.Record, held store.Condition,
) error {
	head, _ := k.Split(s.After)
	published.ID, published.Version = head.ID, head.Version
	k.claimsOf(u, s, head.ID)
	s.Ops = []store.Op{store.Put(k.Item(u.Shop, *s.After), held)}
	return k.extend(ctx, u, s, published)
}

// claimsOf says of which record the step's claims are.
func (k *Kind[R, F]) claimsOf(u *change.Unit, s *Step[R], owner string) {
	s.claims.Owner, s.claims.Now = owner, u.Now()
	s.claims.Of = func(id string) store.Key { return k.Key(u.Shop, id) }
}

// extend gives a step the record's change, and what is done along it.
func (k *Kind[R, F]) extend(ctx context.Context, u *change.Unit, s *Step[R], published events.Record) error {
	s.Shop = u.Shop
	if published.Kind = k.PublishedAs; published.Kind != "" {
		s.Records = []events.Record{published}
	}
	for _, a := range k.Along {
		if a.Extend != nil {
			if err := a.Extend(ctx, u, s); err != nil {
				return err
			}
		}
	}
	return nil
}

// explain is the caller's error for a refused write, refused itself when nobody knows better.
func (k *Kind[R, F]) explain(u *change.Unit, s *Step[R], refused error) error {
	for _, a := range slices.Backward(k.Along) {
		if a.Explain != nil {
			refused = a.Explain(u, s, refused)
		}
	}
	return refused
}

// check holds fields against the rules, after the platform has given them what it decides.
func (k *Kind[R, F]) check(ctx context.Context, u *change.Unit, id string, fields *F) error {
	if k.Fill != nil {
		if err := k.Fill(ctx, u, id, fields); err != nil {
			return err
		}
	}
	if k.Check == nil {
		return nil
	}
	return k.Check(*fields)
}

// write writes what plan plans, and plans anew when others were faster.
func (k *Kind[R, F]) write(ctx context.Context, u *change.Unit, plan func() (*Step[R], error)) (R, error) {
	return Retry(ctx, func() (R, error) {
		step, err := plan()
		if err != nil {
			return *new(R), err
		}
		if step.Ops == nil {
			return *step.Before, nil // it stays as it is
		}
		published := u.ChangeOf(step.Records, step.Notices...)
		published.Shop = step.Shop
		_, err = step.claims.Write(ctx, u.Table, func(ops ...store.Op) (store.Item, error) {
			return u.Write(ctx, step.result(), published, ops...)
		}, step.Ops...)
		for _, a := range k.Along {
			if a.AfterTry != nil {
				a.AfterTry(ctx, u, step, err)
			}
		}
		switch {
		case err == nil && step.After == nil:
			return *step.Before, nil
		case err == nil:
			return *step.After, nil
		}
		err = k.explain(u, step, err)
		if _, own := store.Failed(err, step.Ops[0].Key); own && step.Before == nil {
			err = problem.Unavailable(time.Second) // the id is in use: another round would find it so again
		}
		return *new(R), err
	})
}
