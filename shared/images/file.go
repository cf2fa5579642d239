package images

import (
	"context"
	"crypto/subtle"
	"errors"
	"io"
	"slices"
	"time"

	"eshop/shared/base/id"
	"eshop/shared/base/problem"
	"eshop/shared/ports/blob"
	"eshop/shared/ports/store"
	"eshop/shared/record/field"
)

// Keeper says whether an image of a quote stays though its own time is over, because the quote was sold (shared/sale).
// If not, until is when it goes; 0, or in the past: now.
type Keeper func(ctx context.Context, t store.Table, i Image) (stays bool, until field.Time, err error)

// Shelf is the images of all shops, to be served and swept.
type Shelf struct {
	Table store.Table
	Files blob.Bucket
	Used  Keeper
	Now   func() time.Time
}

// Open is the image of a public key, and its bytes in one of Widths, or in its own with width 0; not_found if there is
// none, or none any more. One that is no wider than the width is served as it is, and so is one of a quote.
func (s Shelf) Open(ctx context.Context, key string, width int) (image Image, body []byte, err error) {
	// What is no id is not looked for: anybody may ask for any address.
	if !id.Valid(IDOf(key)) {
		return image, nil, problem.NotFound()
	}
	items, err := s.Table.Get(ctx, Key(IDOf(key)))
	if err != nil {
		return image, nil, err
	}
	if image, err = Decode(items[0]); err != nil {
		return image, nil, err
	}
	// Compared in constant time, so that the time of an answer tells nothing of the secret.
	if image.ID == "" || !image.ready || subtle.ConstantTimeCompare([]byte(image.PublicKey()), []byte(key)) != 1 {
		return image, nil, problem.NotFound()
	}
	if image.Over(s.Now()) {
		stays, until, err := s.stays(ctx, image)
		if err == nil && !stays && until == 0 {
			err = problem.NotFound()
		}
		if err != nil {
			return image, nil, err
		}
	}
	if image.OfProducts() && width < image.Width && slices.Contains(Widths, width) {
		body, err = load(ctx, s.Files, fileOf(key, width))
	}
	if body == nil && (err == nil || errors.Is(err, blob.ErrNotFound)) { // not every width is made
		body, err = load(ctx, s.Files, fileOf(key, 0))
	}
	if errors.Is(err, blob.ErrNotFound) {
		err = problem.NotFound() // the sweeper deletes the file before its image
	}
	return image, body, bucketProblem(err)
}

// stays says whether something shows the image, which stays then though its own time is over. If not, until is when the
// last product let it go for good, or its quote goes; 0: none has shown it, or their rows are deleted, or it is gone.
func (s Shelf) stays(ctx context.Context, i Image) (stays bool, until field.Time, err error) {
	switch {
	case i.OfProducts():
		return s.shownBy(ctx, i)
	case i.quote != "":
		if stays, until, err = s.Used(ctx, s.Table, i); stays || until <= field.At(s.Now()) {
			until = 0
		}
	}
	return stays, until, err
}

// load is a whole file.
func load(ctx context.Context, files blob.Bucket, key string) ([]byte, error) {
	info, err := files.Stat(ctx, key)
	if err != nil {
		return nil, err
	}
	r, err := files.Open(ctx, key, info.Tag, 0)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	body := make([]byte, info.Size)
	if _, err = io.ReadFull(r, body); err != nil {
		return nil, errors.Join(blob.ErrUnavailable, err)
	}
	return body, nil
}
