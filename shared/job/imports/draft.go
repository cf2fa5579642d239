package imports

import (
	"context"
	"errors"
	"io"
	"time"

	"eshop/shared/base/problem"
	"eshop/shared/ports/blob"
)

// Drafts begins the keys of all drafts. Where the bucket has a lifecycle, it ends them after DraftLife.
const (
	Drafts    = "drafts/"
	DraftLife = 24 * time.Hour
)

// Draft is a CSV that a person has uploaded, and that becomes an import once they have said what its columns are. A
// person has one of each type: the next takes its place, so what is never imported takes no more room than one file.
type Draft struct {
	Type Type
	File []byte
	Tag  string // names these very bytes
}

// draftKey is where a person's draft lies.
func draftKey(shop, person string, t Type) string {
	return Drafts + shop + "/" + person + "/" + string(t)
}

// KeepDraft keeps a file as the person's draft of the type.
func KeepDraft(ctx context.Context, files blob.Bucket, shop, person string, d Draft) error {
	return busy(files.Put(ctx, draftKey(shop, person, d.Type), d.File))
}

// ReadDraft is the person's draft of the type; a problem not_found when there is none.
func ReadDraft(ctx context.Context, files blob.Bucket, shop, person string, t Type) (draft Draft, err error) {
	if t != Products && t != Customers {
		return draft, problem.NotFound()
	}
	key := draftKey(shop, person, t)
	info, err := files.Stat(ctx, key)
	if err != nil {
		return draft, busy(err)
	}
	file, err := files.Open(ctx, key, info.Tag, 0)
	if err != nil {
		return draft, busy(err)
	}
	draft = Draft{Type: t, Tag: info.Tag}
	draft.File, err = io.ReadAll(file)
	return draft, errors.Join(err, file.Close())
}

// DropDraft deletes the person's draft of the type.
func DropDraft(ctx context.Context, files blob.Bucket, shop, person string, t Type) error {
	return busy(files.Delete(ctx, draftKey(shop, person, t)))
}

// busy is a bucket's error as a request is told of it.
func busy(err error) error {
	switch {
	case errors.Is(err, blob.ErrNotFound):
		return problem.NotFound()
	case errors.Is(err, blob.ErrUnavailable):
		return problem.Unavailable(time.Second)
	}
	return err
}
