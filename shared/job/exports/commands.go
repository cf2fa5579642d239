package exports

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"net/http"
	"net/url"
	"time"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/job/imports"
	"eshop/shared/ports/blob"
	"eshop/shared/ports/limit"
	"eshop/shared/ports/secret"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
	"eshop/shared/record/job"
	"eshop/shared/shop"
)

// Cost is what an export costs of its access's limits, in calls: it reads all of a shop.
const Cost = 100

// maxTries is how often an export is tried before it fails.
const maxTries = 5

// Exports are the commands on exports.
type Exports struct {
	Main  store.Table
	Files blob.Bucket
	Key   []byte // signs the addresses of downloads
}

// Wish is what is asked for, and who is charged for it: nil for nobody.
type Wish struct {
	Fields
	Language string // a person's, whose spreadsheet will open the CSV; "": it is for programs
	Charged  limit.Charged
}

// Begin makes an export that waits for its exporter. It belongs to the caller, who must be allowed to read the type.
func (x Exports) Begin(ctx context.Context, u *change.Unit, by *change.Caller, wish Wish) (*Job, error) {
	if err := wish.Type.Allowed(by); err != nil {
		return nil, err
	}
	if wish.Charged != nil {
		if err := wish.Charged.Charge(ctx, Cost); err != nil {
			return nil, err
		}
	}
	return x.begin(ctx, u, &Job{Asker: job.Asker{Access: by.Access, Package: by.Package},
		Language: wish.Language, Export: Export{Fields: wish.Fields}})
}

// BeginWhole makes an export of all that the unit's shop has, for the operator. It is not_found if there is no such
// shop.
func (x Exports) BeginWhole(ctx context.Context, u *change.Unit) (*Job, error) {
	if _, err := shop.Read(ctx, u.Table, u.Shop); err != nil {
		return nil, err
	}
	return x.begin(ctx, u, &Job{Export: Export{Fields: Fields{Type: Whole, Format: imports.JSONL}}})
}

// begin writes the export of the unit's shop, and wakes its exporter.
func (x Exports) begin(ctx context.Context, u *change.Unit, j *Job) (*Job, error) {
	j.Head = job.Head{Version: u.NextVersion(""), Due: u.Now().Add(unheard)}
	j.ID, j.Shop, j.State = u.NewID(), u.Shop, job.Waiting
	j.Changed = record.ChangedAt(j.Version)
	j.Created = j.Changed
	if _, err := u.Write(ctx, j, events.Nothing, store.Put(j.Item(), store.Absent())); err != nil {
		return nil, err
	}
	// If the bucket cannot take it now, the sweeper asks again.
	_ = x.ask(ctx, j)
	return j, nil
}

// ask wakes an exporter.
func (x Exports) ask(ctx context.Context, j *Job) error {
	return x.Files.Put(ctx, AskKey(j.Shop, j.ID), nil)
}

// ReadAny is the export of that id, whoever asked for it; a problem not_found when the shop has none.
func (x Exports) ReadAny(ctx context.Context, shop, id string) (*Job, error) {
	return job.Read(ctx, x.Main, Key(shop, id), Decode)
}

// Read is the export of that id if an access or a person of the shop has asked for it. An export of a Whole shop is
// not_found: the operator has asked for that one.
func (x Exports) Read(ctx context.Context, shop, id string) (*Job, error) {
	j, err := x.ReadAny(ctx, shop, id)
	if err == nil && j.Type == Whole {
		err = problem.NotFound()
	}
	return j, err
}

// List is the list of the shop's exports that may be shown, by (changed, id).
func (x Exports) List(shop string, show func(*Job) (Export, bool)) (
	record.Listing, func(context.Context, []store.Item) ([]record.Shown[Export], error),
) {
	rows := record.InPartitions(x.Main, store.Index1, ofShop(shop))
	return rows, record.Load(x.Main, func(item *store.Item) (Export, time.Time, bool, error) {
		j, err := Decode(item)
		if err != nil {
			return Export{}, time.Time{}, false, err
		}
		e, may := show(j)
		return e, e.Changed.Go(), may, nil
	})
}

// Allowed is nil while the asker of the export may read what is in it. Else it is the problem of a request.
func (j *Job) Allowed(ctx context.Context, callers job.Callers) error {
	return j.May(ctx, callers, j.Type.Needs())
}

// Work has do make the file of the export (job.Kind.Work), unless somebody else does. Without an error the export is
// done; refused by 403 it has failed, and so it has at its sixth try. The object that asked for an exporter of an
// export that has ended is deleted.
func (x Exports) Work(ctx context.Context, u *change.Unit, j *Job, alone bool, do func(context.Context) error) error {
	if !j.ended() {
		j.State, j.Rows, j.Counted = job.Running, 0, 0
		try := func(ctx context.Context) error { return j.try(ctx, u, do) }
		if err := Jobs.Work(ctx, u, j, alone, try); err != nil {
			return err
		}
	}
	if !j.ended() {
		return nil
	}
	return x.Answered(ctx, j.Shop, j.ID)
}

// try is Work's, once the export is the caller's.
func (j *Job) try(ctx context.Context, u *change.Unit, do func(context.Context) error) error {
	var why *problem.Problem
	if j.Tries > maxTries {
		why = &problem.Problem{Code: "internal", Detail: "The export could not be finished; ask for a new one."}
	} else if err := do(ctx); err != nil {
		p, is := problem.As(err)
		if !is || p.Status != http.StatusForbidden { // only Allowed says that
			return err
		}
		why = p
	}
	ended := *j
	if why == nil {
		ended.State, ended.Until = job.Done, u.Now().Add(FileLife)
		ended.Wait(ended.Until)
	} else {
		ended.State, ended.Error = job.Failed, &Error{why.Code, why.Detail}
		ended.End()
	}
	err := Jobs.Move(ctx, u, &ended, events.Nothing)
	if err == nil {
		*j = ended
	}
	return err
}

// ended says whether nobody is to make the file any more.
func (j *Job) ended() bool { return j.State == job.Done || j.State == job.Failed }

// Sweep wakes an exporter for an export that nobody works on, and deletes a file that is over.
func (x Exports) Sweep(ctx context.Context, item *store.Item) error {
	j, err := Decode(item)
	if err != nil {
		return err
	}
	if j.State != job.Done {
		return x.ask(ctx, j)
	}
	for n := range j.Tries {
		if err := x.Files.Delete(ctx, j.file(n+1)); err != nil {
			return err
		}
	}
	j.End() // in the version that shows say has ended
	_, err = x.Main.Write(ctx, events.Nothing, store.Put(j.Item(), store.VersionIs(j.Version)))
	return err
}

// Answered deletes the object that asked for an exporter.
func (x Exports) Answered(ctx context.Context, shop, id string) error {
	return x.Files.Delete(ctx, AskKey(shop, id))
}

// DownloadPath begins the path of the address from which a file is fetched. It lies beside the API: no access is
// charged for it, and none is told of its limits.
const DownloadPath = "/exports/"

// Show is the export with the address of its download while that is good, and the version of what is shown: without the
// address it is another one, that changed when the address ended. base is the platform's address.
func (x Exports) Show(j *Job, base string, now time.Time) (e Export, version string) {
	switch e = j.Export; {
	case j.ready(now):
		e.DownloadURL = base + DownloadPath + j.ID + "?" +
			url.Values{"shop": {j.Shop}, "key": {x.sign(j)}}.Encode()
	case j.State == job.Done:
		e.Changed = field.At(j.Until)
		return e, j.Version + "-ended"
	}
	return e, j.Version
}

// ready says whether there is a file to be had.
func (j *Job) ready(now time.Time) bool { return j.State == job.Done && now.Before(j.Until) }

// sign is what the address of a download proves itself by. It is in the query, which no log shows.
func (x Exports) sign(j *Job) string {
	return base64.RawURLEncoding.EncodeToString(secret.MAC(x.Key, "export\n"+j.Shop+"\n"+j.ID))
}

// Download is where the file of an export is to be fetched, for whoever knows the key of its address; a problem
// not_found if the key is wrong, or the file is over.
func (x Exports) Download(ctx context.Context, j *Job, key string, now time.Time) (string, error) {
	if subtle.ConstantTimeCompare([]byte(key), []byte(x.sign(j))) != 1 || !j.ready(now) {
		return "", problem.NotFound()
	}
	return x.Files.DownloadURL(ctx, j.File(), j.download(), fetchWithin)
}

// fetchWithin is how long the bucket's own address is good: for one client that is led there.
const fetchWithin = 15 * time.Minute

// download is what the file is called.
func (j *Job) download() blob.Download {
	d := blob.Download{Name: string(j.Type) + "." + string(j.Format), ContentType: "text/csv; charset=utf-8"}
	if j.Format == imports.JSONL {
		d.ContentType = "application/x-ndjson"
	}
	return d
}
