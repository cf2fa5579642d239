package images

import (
	"context"
	"strings"

	"eshop/events"
	"eshop/shared/field"
	"eshop/shared/store"
)

// Sweep does what is due about an item that Ending has, an hour or more after its end: it deletes an image that nothing
// shows, its files first, and the row of a product that shows an image no more.
func (s Shelf) Sweep(ctx context.Context, item *store.Item) (err error) {
	if until := item.Num["until"]; until == 0 || field.At(s.Now().Add(-grace)) < field.Time(until) {
		return nil // its end was moved meanwhile
	}
	if product, is := strings.CutPrefix(item.SK, showings); is {
		err = s.forgetShowing(ctx, item, product)
	} else {
		err = s.sweepImage(ctx, item)
	}
	if store.IsCondition(err) {
		return nil // it has changed meanwhile
	}
	return err
}

// sweepImage deletes an image, unless something shows it: then it stays.
func (s Shelf) sweepImage(ctx context.Context, item *store.Item) error {
	i, err := Of(item)
	if err != nil {
		return err
	}
	stays, err := s.stays(ctx, i)
	if err != nil {
		return err
	}
	op := i.stayOp()
	if !stays {
		if err := s.deleteFiles(ctx, i); err != nil {
			return err
		}
		op = store.Delete(item.Key, store.NumIs("until", int64(i.until)))
	}
	_, err = s.Table.Write(ctx, events.Nothing, op)
	return err
}

// deleteFiles deletes the files of an image; one that is not there is no fault.
func (s Shelf) deleteFiles(ctx context.Context, i Image) error {
	if i.access == "" {
		for _, w := range Widths {
			if err := s.Files.Delete(ctx, fileOf(i.PublicKey(), w)); err != nil {
				return err
			}
		}
	}
	return s.Files.Delete(ctx, fileOf(i.PublicKey(), 0))
}

// forgetShowing deletes the row of a product that shows an image no more. If it was the last of the image, the image
// ends now: nothing can begin to show it, and it is deleted the next time round (see the package comment).
func (s Shelf) forgetShowing(ctx context.Context, row *store.Item, product string) error {
	items, err := s.Table.Get(ctx, store.Key{PK: row.PK, SK: Key("").SK})
	if err != nil {
		return err
	}
	i, err := Of(items[0])
	if err != nil {
		return err
	}
	ops := []store.Op{store.Delete(row.Key, store.NumIs("until", row.Num["until"]))}
	rows, err := s.shownBy(ctx, i)
	if err != nil {
		return err
	}
	if i.ID != "" && len(rows) == 1 && rows[0].SK == showings+product && i.until == 0 {
		until := field.At(s.Now())
		index := i.endIndex(until, "")
		set := store.Set{Num: map[string]int64{"until": int64(until)}, Index2: &index}
		ops = append(ops, store.Update(Key(i.ID), set, store.NumIs("until", 0)))
	}
	_, err = s.Table.Write(ctx, events.Nothing, ops...)
	return err
}

// shownBy are the first two of an image's showings, those that end among them.
func (s Shelf) shownBy(ctx context.Context, i Image) ([]store.Item, error) {
	page, err := s.Table.Query(ctx, store.Query{PK: Key(i.ID).PK, From: showings, Limit: 2})
	return page.Items, err
}
