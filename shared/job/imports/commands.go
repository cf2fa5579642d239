package imports

import (
	"context"
	"errors"
	"time"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/ports/blob"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/job"
)

// uploadWithin is how long an address of an upload is good (contract, "Imports").
const uploadWithin = time.Hour

// NewJob is the job of an import that was begun, and where its file is to be PUT.
type NewJob struct {
	*Job
	UploadURL string
}

// Begin makes an import that waits for its file. It belongs to the caller, who must be allowed to bring such records
// in.
func Begin(
	ctx context.Context, u *change.Unit, files blob.Bucket, by *change.Caller, f Fields,
) (asked NewJob, err error) {
	if err := f.Type.Allowed(by); err != nil {
		return asked, err
	}
	asked.Job = &Job{Asker: job.Asker{Shop: u.Shop, Access: by.Access, Package: by.Package},
		Head:    job.Head{Version: u.NextVersion(""), Due: u.Now().Add(unseen)},
		Request: u.Request, RequestID: u.LogID(), Import: Import{ID: u.NewID(), Fields: f, State: job.Waiting}}
	asked.Changed = record.ChangedAt(asked.Version)
	asked.Created = asked.Changed
	asked.UploadURL, err = files.UploadURL(ctx, File(u.Shop, asked.ID), uploadWithin)
	if errors.Is(err, blob.ErrUnavailable) {
		return asked, problem.Unavailable(time.Second)
	} else if err != nil {
		return asked, err
	}
	_, err = u.Write(ctx, asked, events.Nothing, store.Put(asked.Item(), store.Absent()))
	return asked, err
}

// PutFile gives an import that was begun its file, where that is here already.
func (k *Job) PutFile(ctx context.Context, files blob.Bucket, file []byte) error {
	return busy(files.Put(ctx, File(k.Shop, k.ID), file))
}

// Read is the import of that id; a problem not_found when the shop has none.
func Read(ctx context.Context, t store.Table, shop, id string) (*Job, error) {
	return job.Read(ctx, t, Key(shop, id), Decode)
}

// List is the list of the shop's imports that may be shown, by (changed, id).
func List(t store.Table, shop string, may func(Import) bool) (
	record.Listing, func(context.Context, []store.Item) ([]record.Shown[Import], error),
) {
	rows := record.InPartitions(t, store.Index1, Partition(shop))
	return rows, record.Load(t, func(item *store.Item) (Import, time.Time, bool, error) {
		k, err := Decode(item)
		if err != nil {
			return Import{}, time.Time{}, false, err
		}
		return k.Import, k.Changed.Go(), may(k.Import), nil
	})
}

// Errors is the list of what was wrong with an import's rows, by row.
func Errors(t store.Table, shop, id string) (
	record.Listing, func(context.Context, []store.Item) ([]record.Shown[Error], error),
) {
	rows := record.Listing{Entries: func(ctx context.Context, q store.Query) (store.Page, error) {
		q.PK, q.From, q.To = Key(shop, id).PK, ErrorsFrom, ErrorsTo
		return unpacked(ctx, t, q)
	}}
	return rows, func(_ context.Context, rows []store.Item) ([]record.Shown[Error], error) {
		shown := make([]record.Shown[Error], len(rows))
		for i, r := range rows {
			errs, err := ErrorsOf(&r)
			if err != nil {
				return nil, err
			}
			shown[i].Record = errs[0]
		}
		return shown, nil
	}
}

// firstItems is how many items are read for a page at first: they have more errors than a page, unless each has few.
const firstItems = 3

// unpacked is a page of errors, in the order of their rows, as if each had an item of its own.
func unpacked(ctx context.Context, t store.Table, query store.Query) (page store.Page, err error) {
	for inner, most := query, firstItems; ; most = query.Limit {
		inner.Limit = most
		found, err := t.Query(ctx, inner)
		if err != nil {
			return store.Page{}, err
		}
		for _, item := range found.Items {
			errs, err := ErrorsOf(&item)
			if err != nil {
				record.LogUnreadable(ctx, item.Key, err)
			}
			for i := range errs {
				one := packed(query.PK, errs[i:i+1])
				if one.SK <= query.After {
					continue
				}
				if query.Limit > 0 && len(page.Items) == query.Limit {
					page.Next = page.Items[query.Limit-1].SK
					return page, nil
				}
				page.Items = append(page.Items, one)
			}
		}
		if inner.After = found.Next; found.Next == "" {
			return page, nil
		}
	}
}

// Allowed is nil while the asker of the import may bring its records in. Else it is the problem of a request.
func (k *Job) Allowed(ctx context.Context, callers job.Callers) error {
	return k.May(ctx, callers, k.Type.Needs())
}

// MayUpload is nil when the file of a key may be uploaded: the key is of no import, or of one whose access may bring it
// in.
func MayUpload(ctx context.Context, t store.Table, callers job.Callers, key string) error {
	shop, id, is := job.ParseObject(Uploads, key)
	if !is {
		return nil
	}
	k, err := Read(ctx, t, shop, id)
	if problem.Is(err, "not_found") {
		return blob.ErrForbidden
	}
	if err != nil {
		return err
	}
	return k.Allowed(ctx, callers)
}

// Unit is the import as a unit of work: its rows change the records of its shop in the name of the request that made
// it, and of who made that. The table, the clock and the randomness are u's.
func (k *Job) Unit(u *change.Unit) *change.Unit {
	u = &change.Unit{Shop: k.Shop, Request: k.Request, By: k.Actor(), Table: u.Table, Now: u.Now, Random: u.Random}
	if k.RequestID != k.Request {
		u.ClientRequest = k.RequestID
	}
	return u
}

// Work has do bring rows in (job.Kind.Work), once the file has come and unless somebody else does. What the bucket has
// of an import that is over is deleted, at once or when Sweep comes to it.
func (k *Job) Work(ctx context.Context, u *change.Unit, files blob.Bucket, alone bool,
	do func(context.Context) error) error {
	if k.ended() && !k.Over() {
		return nil // its file stays a while
	}
	if k.State == job.Waiting {
		info, err := files.First(ctx, File(k.Shop, k.ID))
		if errors.Is(err, blob.ErrNotFound) {
			return nil
		} else if err != nil {
			return err
		}
		k.State, k.Size, k.Tag = job.Running, info.Size, info.Tag
	}
	if err := Jobs.Work(ctx, u, k, alone, do); err != nil || !k.Over() {
		return err
	}
	return Tidy(ctx, files, k.Shop, k.ID)
}

// Sweep wakes an importer for an import that nobody works on, or whose file has come though none has begun, and deletes
// a file that was kept for its wrong rows. An import whose file can come no more fails: whoever uploads has as long as
// an address is good, and as long again to send what they began with.
func Sweep(ctx context.Context, u *change.Unit, files blob.Bucket, item *store.Item) error {
	k, err := Decode(item)
	if err != nil {
		return err
	}
	switch {
	case k.ended():
		if err := Tidy(ctx, files, k.Shop, k.ID); err != nil {
			return err
		}
		k.End() // in the version that it ended with: nothing that is shown has changed
		_, err = u.Table.Write(ctx, events.Nothing, store.Put(k.Item(), store.VersionIs(k.Version)))
		return err
	case k.State != job.Waiting:
		return k.WakeNext(ctx, files)
	}
	_, err = files.First(ctx, File(k.Shop, k.ID))
	switch {
	case err == nil:
		return k.WakeNext(ctx, files)
	case !errors.Is(err, blob.ErrNotFound):
		return err
	case u.Now().Before(k.Created.Go().Add(2 * uploadWithin)):
		return nil
	}
	k.State = job.Failed
	k.End()
	return Jobs.Move(ctx, u, k, events.Nothing, store.Put(ErrorsItem(k.Shop, k.ID, u.Now(), Error{Code: "not_found",
		Message: "No file came to the upload's address while it was good.", Fault: "file_gone"})))
}

// WakeNext wakes the next importer to go on.
func (k *Job) WakeNext(ctx context.Context, files blob.Bucket) error {
	return files.Put(ctx, WakeKey(k.Shop, k.ID), nil)
}

// Tidy deletes what an import has left in the bucket that is over, or of which nothing is known.
func Tidy(ctx context.Context, files blob.Bucket, shop, id string) error {
	return errors.Join(files.Delete(ctx, WakeKey(shop, id)), files.Delete(ctx, File(shop, id)))
}
