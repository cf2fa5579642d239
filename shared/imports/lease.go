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

// lease is how long a claim of an import lasts: each move prolongs it.
const lease = time.Minute

// ErrLost is an import that somebody else has claimed, because its lease had ended.
var ErrLost = errors.New("imports: the import is in other hands")

// Unit is the import as a unit of work: its rows change the records of its shop in the name of the request that made
// it. The table, the clock and the randomness are u's.
func (k *Job) Unit(u *change.Unit) *change.Unit {
	u = &change.Unit{Shop: k.Shop, Request: k.Request, Table: u.Table, Now: u.Now, Random: u.Random}
	if k.RequestID != k.Request {
		u.ClientRequest = k.RequestID
	}
	return u
}

// Claim claims the import, unless it is over or somebody else's. Where the claimer is the only process nobody else can
// have it: a lease that has not ended was a process's that is gone.
func (k *Job) Claim(ctx context.Context, u *change.Unit, files blob.Bucket, alone bool) (mine bool, err error) {
	unmoved := k.Unmoved()
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
	if err = k.Move(ctx, u, events.Nothing, unmoved); errors.Is(err, ErrLost) {
		return false, nil
	}
	return err == nil, err
}

// Move writes the state that k is to be in, with more in the same transaction. It is ErrLost if somebody else has
// claimed the import. It prolongs the lease of a running import that has a holder, and ends any other lease.
func (k *Job) Move(
	ctx context.Context, u *change.Unit, change events.Change, unmoved store.Condition, ops ...store.Op,
) error {
	k.Version = u.NextVersion(k.Version)
	k.Lease = u.Now().Add(lease).UnixMilli()
	if k.State != Running || k.Holder == "" {
		k.Lease = 0
	}
	at := Key(k.Shop, k.ID)
	state := store.Update(at, k.update(), unmoved)
	_, err := u.Table.Write(ctx, change, append([]store.Op{state}, ops...)...)
	if _, moved := store.Failed(err, at); moved {
		return ErrLost
	}
	return err
}
