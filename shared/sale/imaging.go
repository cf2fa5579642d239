package sale

import (
	"context"
	"crypto/subtle"
	"encoding/base32"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"eshop/events"
	"eshop/shared/blob"
	"eshop/shared/change"
	"eshop/shared/field"
	"eshop/shared/id"
	"eshop/shared/picture"
	"eshop/shared/problem"
	"eshop/shared/record"
	"eshop/shared/store"
)

// AddImage keeps an image that an add-on has sent, cleaned of everything that cannot be seen, and joins it to a quote
// if one is named. The image is written before its file, so that no crash leaves a file that nobody knows.
func (q Quoting) AddImage(ctx context.Context, u *change.Unit, file []byte, quoteID string) (Image, error) {
	// Asked before the costly part, and again at the end, because the quote may be used or full by then.
	if _, err := q.joinable(ctx, u, quoteID); err != nil {
		return Image{}, err
	}
	p, err := q.clean(ctx, u.Shop, file)
	if err != nil {
		return Image{}, err
	}
	i := Image{ID: u.NewID(), ContentType: p.ContentType, Size: int64(len(p.Bytes)), Width: p.Width, Height: p.Height,
		Created: field.At(u.Now()), shop: u.Shop, access: q.Access, secret: newImageSecret(u.Random)}
	i.until = i.Created + field.Time(imageLife.Milliseconds())
	switch _, err := u.Write(ctx, nil, events.Nothing, store.Put(i.item(), store.Absent())); {
	case store.IsCondition(err):
		return i, problem.Unavailable(time.Second) // the id is in use
	case err != nil:
		return i, err
	}
	if err := q.Files.Put(ctx, imageFile(i.publicKey()), p.Bytes); err != nil {
		return i, bucketProblem(err)
	}
	return record.Retry(ctx, func() (Image, error) { return q.finish(ctx, u, i, quoteID) })
}

// clean is the picture in a file. The sender is charged by its megapixels before it waits for its turn to be decoded
// (contract, section 10), whatever becomes of it then.
func (q Quoting) clean(ctx context.Context, shop string, file []byte) (p picture.Picture, err error) {
	width, height, err := picture.Measure(file)
	if err != nil {
		return p, pictureProblem(err)
	}
	if q.Limit != nil {
		if err := q.Limit.Charge(ctx, picture.Cost(width, height)); err != nil {
			return p, err
		}
	}
	p, err = picture.Clean(ctx, shop, file)
	if errors.Is(err, picture.ErrBusy) && q.Limit != nil {
		q.Limit.LowerCost(ctx, 1) // nothing was done
	}
	return p, pictureProblem(err)
}

// newImageSecret is the secret of an image's public key: 130 random bits as 26 characters of base32, the fewest that
// hold 128. It is kept as it is, unlike a secret text (shared/secret), because everybody who sees the image has its
// address.
func newImageSecret(random io.Reader) string {
	b := make([]byte, 17) // 136 bits
	if _, err := io.ReadFull(random, b); err != nil {
		panic(err) // it does not fail
	}
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b)[:26]
}

// finish shows an image whose file is stored, and joins it to the quote of the id, if there is one.
func (q Quoting) finish(ctx context.Context, u *change.Unit, i Image, quoteID string) (Image, error) {
	quote, err := q.joinable(ctx, u, quoteID)
	if err != nil {
		return i, err
	}
	was := i.until
	i.ready, i.URL = true, ImageURL(q.BaseURL, i.publicKey())
	var ops []store.Op
	if quoteID != "" {
		i.QuoteID, i.until = quoteID, quote.imagesEnd()
		ops = append(ops, quote.addImageOp(u.Shop, i, u.NextVersion(quote.Version), u.Now()))
	}
	// On condition that the sweeper has not touched the image, and that it was not finished before.
	ops = append(ops, store.Put(i.item(), store.NumIs("until", int64(was)), store.TextIs("ready", "")))
	_, err = u.Write(ctx, i, events.Nothing, ops...)
	if _, swept := store.Failed(err, ImageKey(i.ID)); swept {
		return i, problem.Unavailable(time.Second) // the sweeper took it, a day later
	}
	return i, err
}

// joinable is the access's quote that an image can join; the zero Quote when none is named.
func (q Quoting) joinable(ctx context.Context, u *change.Unit, quoteID string) (Quote, error) {
	if quoteID == "" {
		return Quote{}, nil
	}
	found, err := q.read(ctx, u.Table, u.Shop, quoteID)
	switch {
	case problem.Is(err, "not_found"), err == nil && found.At(u.Now()).Status != QuoteStatusIssued:
		return found, problem.Conflict("quote_not_issued",
			"An image joins a quote of the same access that is issued: neither used, nor expired, nor revoked.")
	case err == nil && len(found.ImageKeys) >= MaxQuoteImages:
		return found, problem.InvalidAt("quoteId", problem.TooMany,
			"has "+strconv.Itoa(MaxQuoteImages)+" images, and there can be no more")
	}
	return found, err
}

// pictureProblem is the problem of a file that is no picture, or one beyond the bounds.
func pictureProblem(err error) error {
	switch {
	case errors.Is(err, picture.ErrType):
		return &problem.Problem{Status: http.StatusUnsupportedMediaType, Code: "unsupported_media_type",
			Detail: "Send a PNG, JPEG, WebP or GIF: the file begins like none of them."}
	case errors.Is(err, picture.ErrTooBig):
		return problem.InvalidAt("file", problem.TooBig, "is too big: at most 40 megapixels, 10,000 pixels a side, "+
			"160 MiB while it is decoded (interlaced, progressive and 16-bit pictures take more), and 4 MiB when it "+
			"is encoded again")
	case errors.Is(err, picture.ErrBusy):
		return problem.Unavailable(time.Second)
	case errors.Is(err, picture.ErrFormat):
		return problem.InvalidAt("file", problem.BadFormat, "cannot be decoded")
	}
	return err
}

// bucketProblem is an error of a bucket as a problem: a bucket that cannot serve is unavailable.
func bucketProblem(err error) error {
	if errors.Is(err, blob.ErrUnavailable) {
		return problem.Unavailable(time.Second)
	}
	return err
}

// OpenImage is the image of a public key, and its bytes; not_found if there is none, or none any more.
func OpenImage(
	ctx context.Context, t store.Table, files blob.Bucket, now time.Time, key string,
) (i Image, body []byte, err error) {
	// What is no id is not looked for: anybody may ask for any address.
	if !id.Valid(imageID(key)) {
		return i, nil, problem.NotFound()
	}
	items, err := t.Get(ctx, ImageKey(imageID(key)))
	if err != nil {
		return i, nil, err
	}
	if i, err = imageOf(items[0]); err != nil {
		return i, nil, err
	}
	// Compared in constant time, so that the time of an answer tells nothing of the secret.
	if i.ID == "" || !i.ready || subtle.ConstantTimeCompare([]byte(i.publicKey()), []byte(key)) != 1 {
		return i, nil, problem.NotFound()
	}
	if i.over(now) {
		if stays, err := i.used(ctx, t); err != nil || !stays {
			return i, nil, orNotFound(err)
		}
	}
	body, err = load(ctx, files, imageFile(key), i.Size)
	if errors.Is(err, blob.ErrNotFound) {
		err = problem.NotFound() // the sweeper deletes the file before its image
	}
	return i, body, bucketProblem(err)
}

// orNotFound is the error, or not_found if there is none.
func orNotFound(err error) error {
	if err == nil {
		return problem.NotFound()
	}
	return err
}

// load is a whole file of so many bytes.
func load(ctx context.Context, files blob.Bucket, key string, size int64) ([]byte, error) {
	info, err := files.Stat(ctx, key)
	if err != nil {
		return nil, err
	}
	r, err := files.Open(ctx, key, info.Tag, 0)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	body := make([]byte, size)
	if _, err = io.ReadFull(r, body); err != nil {
		return nil, errors.Join(blob.ErrUnavailable, err)
	}
	return body, nil
}

// used says whether the image's quote was used. Such an image stays, also when it is over by its own time.
func (i Image) used(ctx context.Context, t store.Table) (bool, error) {
	if i.QuoteID == "" {
		return false, nil
	}
	items, err := t.Get(ctx, QuoteKey(i.shop, i.QuoteID))
	return err == nil && items[0] != nil && items[0].Text["status"] == string(QuoteStatusUsed), err
}

// SweepImage deletes an image whose end was an hour ago or more, its file first. An image whose quote was used stays.
func SweepImage(ctx context.Context, t store.Table, files blob.Bucket, now time.Time, item *store.Item) error {
	i, err := imageOf(item)
	if err != nil || i.until == 0 || field.At(now.Add(-time.Hour)) < i.until {
		return err // its end was moved meanwhile
	}
	stays, err := i.used(ctx, t)
	if err != nil {
		return err
	}
	op := i.keepOp()
	if !stays {
		if err := files.Delete(ctx, imageFile(i.publicKey())); err != nil {
			return err
		}
		op = i.deleteOp()
	}
	if _, err = t.Write(ctx, events.Nothing, op); store.IsCondition(err) {
		return nil
	}
	return err
}
