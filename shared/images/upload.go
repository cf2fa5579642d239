package images

import (
	"context"
	"encoding/base32"
	"errors"
	"io"
	"net/http"
	"time"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/images/picture"
	"eshop/shared/ports/blob"
	"eshop/shared/ports/limit"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// FileRules is what a file has to be, for the documents of whatever takes one.
const FileRules = "Send a PNG, JPEG, WebP or GIF of up to 4 MiB, 40 megapixels and 10,000 pixels a side: 415 of " +
	"another type and of an animated WebP, 413 `body_too_large`, 422 `too_big` at `body.file`. Decoding it may take " +
	"160 MiB: a PNG interlaced or of 16-bit colours reaches that with fewer pixels (20 megapixels, with both 10), " +
	"and so do a progressive JPEG (11, with colours of half the points 22), a lossless WebP (24) and a GIF (27), and " +
	"one that is turned.\n\n" +
	"It costs one of the limit for each four megapixels begun: 10 for 40 megapixels. It is kept as decoded, turned " +
	"as its EXIF says and encoded again: of an animated GIF the first picture, without metadata. A PNG stays one, " +
	"and a JPEG; GIF and WebP become one of them. Encoded again it has at most 4 MiB, too.\n\n"

// Uploads is the commands by which images come in.
type Uploads struct {
	Files   blob.Bucket
	BaseURL string        // the platform's, without a slash at its end, for the addresses of images
	Limit   limit.Charged // is charged what an image costs; nil: nobody is
}

// Add keeps an image that products of the shop can show, in all Widths.
func (up Uploads) Add(ctx context.Context, u *change.Unit, file []byte) (Image, error) {
	p, err := up.clean(ctx, u.Shop, file, Widths)
	if err != nil {
		return Image{}, err
	}
	return up.Keep(ctx, u, p)
}

// Keep is Add of a picture that is clean already.
func (up Uploads) Keep(ctx context.Context, u *change.Unit, p picture.Picture) (Image, error) {
	i, err := up.store(ctx, u, p, "")
	if err != nil {
		return i, err
	}
	done, op := i.Finished("", 0)
	_, err = u.Write(ctx, done, events.Nothing, op)
	return done, i.Refused(err)
}

// ForQuote keeps the file of an image that an access has sent for its quotes. Nobody sees it before Finished is
// written.
func (up Uploads) ForQuote(ctx context.Context, u *change.Unit, file []byte, access string) (Image, error) {
	p, err := up.clean(ctx, u.Shop, file, nil)
	if err != nil {
		return Image{}, err
	}
	return up.store(ctx, u, p, access)
}

// store keeps a picture with its file. The image is written before its file, so that no crash leaves a file that nobody
// knows.
func (up Uploads) store(ctx context.Context, u *change.Unit, made picture.Picture, access string) (Image, error) {
	image := Image{ID: u.NewID(), ContentType: made.ContentType, Size: int64(len(made.Bytes)), Width: made.Width,
		Height: made.Height, Created: field.At(u.Now()), shop: u.Shop, access: access, secret: newSecret(u.Random)}
	image.until = image.Created + field.Time(life.Milliseconds())
	switch _, err := u.Write(ctx, nil, events.Nothing, store.Put(image.item(), store.Absent())); {
	case store.IsCondition(err):
		return image, problem.Unavailable(time.Second) // the id is in use
	case err != nil:
		return image, err
	}
	image.URL = URL(up.BaseURL, image.PublicKey())
	for _, n := range made.Narrower {
		if err := up.Files.Put(ctx, fileOf(image.PublicKey(), n.Width), n.Bytes); err != nil {
			return image, bucketProblem(err)
		}
	}
	return image, bucketProblem(up.Files.Put(ctx, fileOf(image.PublicKey(), 0), made.Bytes))
}

// Finished is an image whose file is stored as everybody sees it, and the operation that shows it: as one of the quote
// of that id, with which it ends, or with quote "" of none.
func (i Image) Finished(quote string, until field.Time) (Image, store.Op) {
	was := i.until
	i.ready = true
	if quote != "" {
		i.quote, i.until = quote, until
	}
	// On condition that the sweeper has not touched the image, and that it was not finished before.
	return i, store.Put(i.item(), store.NumIs("until", int64(was)), store.TextIs("ready", ""))
}

// Refused is the error of a write with the operation of Finished: the sweeper may have taken the image, a day later.
func (i Image) Refused(err error) error {
	if _, swept := store.Failed(err, Key(i.ID)); swept {
		return problem.Unavailable(time.Second)
	}
	return err
}

// clean is the picture in a file. The sender is charged by its megapixels before it waits for its turn to be decoded
// (contract, "Rate limits"), whatever becomes of it then.
func (up Uploads) clean(ctx context.Context, shop string, file []byte, widths []int) (made picture.Picture, err error) {
	width, height, err := picture.Measure(file)
	if err != nil {
		return made, pictureProblem(err)
	}
	if up.Limit != nil {
		if err := up.Limit.Charge(ctx, picture.Cost(width, height)); err != nil {
			return made, err
		}
	}
	made, err = picture.Clean(ctx, shop, file, widths...)
	if errors.Is(err, picture.ErrBusy) && up.Limit != nil {
		up.Limit.LowerCost(ctx, 1) // nothing was done
	}
	return made, pictureProblem(err)
}

// newSecret is the secret of an image's public key: 130 random bits as 26 characters of base32, the fewest that hold
// 128. It is kept as it is, unlike a secret text (shared/ports/secret), because everybody who sees the image has its
// address.
func newSecret(random io.Reader) string {
	b := make([]byte, 17) // 136 bits
	if _, err := io.ReadFull(random, b); err != nil {
		panic(err) // it does not fail
	}
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b)[:26]
}

// pictureProblem is the problem of a file that is no picture, or one beyond the bounds.
func pictureProblem(err error) error {
	switch {
	case errors.Is(err, picture.ErrType):
		return &problem.Problem{Status: http.StatusUnsupportedMediaType, Code: "unsupported_media_type",
			Detail: "Send a PNG, JPEG, GIF or a WebP that is not animated: the file is none of them.",
			Errors: []problem.Fault{{Location: "body.file", Code: problem.BadFormat,
				Message: "is no PNG, JPEG, GIF or still WebP"}}}
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
