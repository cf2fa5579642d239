package images

import (
	"context"
	"strings"

	"eshop/events"
	"eshop/shared/ports/store"
	"eshop/shared/record/field"
)

// Sweep does what is due about an item of Ends, an hour or more after its end: it deletes an image that nothing
// shows, its files first, and the row of a product that shows an image no more.
func (s Shelf) Sweep(ctx context.Context, item *store.Item) error {
	if strings.HasPrefix(item.SK, showings) {
		return s.forgetShowing(ctx, item)
	}
	return s.sweepImage(ctx, item)
}

// sweepImage deletes an image, unless something shows it: then it stays. If all products have let it go, and the row of
// one is still there, it ends with the last of these rows.
func (s Shelf) sweepImage(ctx context.Context, item *store.Item) error {
	image, err := Decode(item)
	if err != nil {
		return err
	}
	stays, until, err := s.stays(ctx, image)
	if err != nil {
		return err
	}
	op := image.endOp(until)
	if !stays && until == 0 {
		if err := s.deleteFiles(ctx, image); err != nil {
			return err
		}
		op = store.Delete(item.Key, store.NumIs("until", int64(image.until)))
	}
	_, err = s.Table.Write(ctx, events.Nothing, op)
	return err
}

// deleteFiles deletes the files of an image; one that is not there is no fault.
func (s Shelf) deleteFiles(ctx context.Context, i Image) error {
	if i.OfProducts() {
		for _, w := range Widths {
			if err := s.Files.Delete(ctx, fileOf(i.PublicKey(), w)); err != nil {
				return err
			}
		}
	}
	return s.Files.Delete(ctx, fileOf(i.PublicKey(), 0))
}

// forgetShowing deletes the row of a product that shows an image no more. If no other shows the image, it ends now:
// nothing can begin to show it, and it is deleted the next time round (see the package comment). One that ends already
// is looked at then by itself.
func (s Shelf) forgetShowing(ctx context.Context, row *store.Item) error {
	items, err := s.Table.Get(ctx, store.Key{PK: row.PK, SK: Key("").SK})
	if err != nil {
		return err
	}
	image, err := Decode(items[0])
	if err != nil {
		return err
	}
	ops := []store.Op{store.Delete(row.Key, store.NumIs("until", row.Num["until"]))}
	if image.ID != "" && image.until == 0 {
		live, _, err := s.shownBy(ctx, image)
		if err != nil {
			return err
		}
		if !live {
			ops = append(ops, image.endOp(field.At(s.Now())))
		}
	}
	_, err = s.Table.Write(ctx, events.Nothing, ops...)
	return err
}

// shownBy says whether a product shows the image. If no product does, ends is when the last one stopped showing it; it
// is 0 if none ever did. Only the first hundred rows are read. Should a product behind them show the image, the sweeper
// finds it when it looks once more, because it deletes rows that have ended.
func (s Shelf) shownBy(ctx context.Context, i Image) (live bool, ends field.Time, err error) {
	page, err := s.Table.Query(ctx, store.Query{PK: Key(i.ID).PK, From: showings, Limit: 100})
	for _, row := range page.Items {
		until := field.Time(row.Num["until"])
		live, ends = live || until == 0, max(ends, until)
	}
	if live {
		ends = 0
	}
	return live, ends, err
}
