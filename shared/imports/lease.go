package imports

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"eshop/events"
	"eshop/shared/blob"
	"eshop/shared/change"
	"eshop/shared/store"
)

// lease is how long whoever claims an import has it for himself: each move prolongs it.
const lease = time.Minute

// ErrLost is an import that somebody else has taken over, because its lease had ended.
var ErrLost = errors.New("imports: the import is in other hands")

// Unit is the import as a unit of work: its rows change the records of its shop in the name of the request that made it.
// The table, the clock and the randomness are u's.
func (k *Kept) Unit(u *change.Unit) *change.Unit {
	u = &change.Unit{Shop: k.Shop, Request: k.Request, Table: u.Table, Now: u.Now, Random: u.Random}
	if k.RequestID != k.Request {
		u.ClientRequest = k.RequestID
	}
	return u
}

// Claim takes the import, unless it is over or somebody else's. Where the claimer is alone nobody else can have it: a
// lease that has not ended was an earlier claimer's, who is gone.
func (k *Kept) Claim(ctx context.Context, u *change.Unit, files blob.Bucket, alone bool) (mine bool, err error) {
	held := k.Held()
	switch {
	case k.State == Waiting:
		info, err := files.First(ctx, File(k.Shop, k.ID))
		if errors.Is(err, blob.ErrNotFound) {
			return false, nil
		} else if err != nil {
			return false, err
		}
		k.Size, k.Tag = info.Size, info.Tag
	case k.State != Running:
		return false, Tidy(ctx, files, k.Shop, k.ID)
	case k.Lease > u.Now().UnixMilli() && !alone:
		return false, nil
	}
	k.State, k.Holder, k.Tries = Running, rand.Text(), k.Tries+1
	if err = k.Move(ctx, u, events.Nothing, held); errors.Is(err, ErrLost) {
		return false, nil
	}
	return err == nil, err
}

// Move writes the state that k is to be in, with more in the same transaction; ErrLost when the import is in other hands.
// It prolongs the lease of one that runs and has a holder, and ends every other's.
func (k *Kept) Move(ctx context.Context, u *change.Unit, change events.Change, held store.Condition, ops ...store.Op) error {
	return k.Moving(u, change, held, ops...)(ctx)
}

// Moving is Move with the writing left to do: k has its version already.
func (k *Kept) Moving(u *change.Unit, change events.Change, held store.Condition, ops ...store.Op) func(context.Context) error {
	k.Version = u.NextVersion(k.Version)
	k.Lease = u.Now().Add(lease).UnixMilli()
	if k.State != Running || k.Holder == "" {
		k.Lease = 0
	}
	at := Key(k.Shop, k.ID)
	state := store.Update(at, k.Moved(), held)
	return func(ctx context.Context) error {
		_, err := u.Table.Write(ctx, change, append([]store.Op{state}, ops...)...)
		if _, lost := store.Failed(err, at); lost {
			return ErrLost
		}
		return err
	}
}
