package images

import (
	"time"

	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/field"
	"eshop/shared/record/job"
)

// Key is the item of an image. It does not name the shop, because an image is found by its address. Beside the document
// the item has these texts and this number:
//
//   - "shop", and "secret", the second half of its public key;
//   - "access", whose quote the image is sent for; an image of products has none;
//   - "quote", once the image belongs to one;
//   - "ready", once the file is there;
//   - the number "until", when the image ends; 0: never.
func Key(image string) store.Key { return store.Key{PK: "IMG#" + image, SK: "A"} }

// Ends are the images and showings that end, by when the sweeper looks at them: an hour after their end. By then no
// request can still be under way that saw the image before.
var Ends = job.Kind{Name: "IMAGES", Shards: 4}

// grace is longer than any request.
const grace = time.Hour

// endIndex is the key in Index2 of what is of an image and ends at a moment. beside tells apart what ends of one image.
func (i Image) endIndex(until field.Time, beside string) store.Key {
	return Ends.Entry(i.ID+beside, until.Go().Add(grace))
}

// item is the image as it is stored. It is written before its file, so that the sweeper finds every file that there may
// be.
func (i Image) item() store.Item {
	text := map[string]string{"shop": i.shop, "secret": i.secret}
	if i.access != "" {
		text["access"] = i.access
	}
	if i.quote != "" {
		text["quote"] = i.quote
	}
	if i.ready {
		text["ready"] = "1"
	}
	return store.Item{Key: Key(i.ID), Doc: record.Document(i), Text: text,
		Num: map[string]int64{"until": int64(i.until)}, Index2: i.endIndex(i.until, "")}
}

// Decode is the image of an item; the zero Image of none.
func Decode(item *store.Item) (i Image, err error) {
	if item == nil {
		return i, nil
	}
	err = item.Into(&i)
	i.shop, i.access, i.secret = item.Text["shop"], item.Text["access"], item.Text["secret"]
	i.quote, i.ready, i.until = item.Text["quote"], item.Text["ready"] != "", field.Time(item.Num["until"])
	return i, err
}

// EndsAt is the operation that moves the end of a quote's image, if it still belongs to that quote.
func EndsAt(image, quote string, until field.Time) store.Op {
	index := Image{ID: image}.endIndex(until, "")
	return store.Update(Key(image), store.Set{Num: map[string]int64{"until": int64(until)}, Index2: &index},
		store.TextIs("quote", quote))
}

// Join is the operation by which an image that belongs to no quote yet becomes that quote's, and ends when it says.
func (i Image) Join(quote string, until field.Time, now time.Time) store.Op {
	index := i.endIndex(until, "")
	return store.Update(Key(i.ID), store.Set{Text: map[string]string{"quote": quote},
		Num: map[string]int64{"until": int64(until)}, Index2: &index},
		// So of two quotes that are registered with one image at once, one gets it.
		store.Present(), store.TextIs("quote", ""), store.AtLeast("until", now.UnixMilli()+1))
}

// endOp is the operation by which the image ends at another time, unless its end was moved meanwhile; 0: never.
func (i Image) endOp(until field.Time) store.Op {
	index := store.Key{}
	if until != 0 {
		index = i.endIndex(until, "")
	}
	return store.Update(Key(i.ID), store.Set{Num: map[string]int64{"until": int64(until)}, Index2: &index},
		store.NumIs("until", int64(i.until)))
}

// showing is the row that says that a product shows an image. With until 0 it does. Else it has let the image go, and
// until is when the row goes, too.
func (i Image) showing(product string, until field.Time) store.Item {
	row := store.Item{Key: store.Key{PK: Key(i.ID).PK, SK: showings + product}}
	if until != 0 {
		row.Num = map[string]int64{"until": int64(until)}
		row.Index2 = i.endIndex(until, "#"+product)
	}
	return row
}

// showings begins the sort keys of an image's showings; the product's id follows.
const showings = "P#"
