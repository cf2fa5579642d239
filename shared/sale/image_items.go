package sale

import (
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	"eshop/shared/field"
	"eshop/shared/id"
	"eshop/shared/record"
	"eshop/shared/store"
)

// ImageKey is the item of an image, which is found without its shop. Beside the document it has the texts "shop",
// "access", "secret", "quote" once it belongs to a quote, "ready" once its file is there, and the number "until".
func ImageKey(id string) store.Key { return store.Key{PK: "IMG#" + id, SK: "A"} }

// ImageShards is how many partitions of Index2 the images that end are spread over.
const ImageShards = 2

// ImagesEnding is the n-th of them, by when the sweeper is to look at each.
func ImagesEnding(n int) string { return "IMAGES#" + strconv.Itoa(n) }

// ImagesEnded bounds the sort keys of the images that the sweeper looks at now: those that ended an hour ago. By then
// no request can still be under way that joins one to a quote.
func ImagesEnded(now time.Time) string { return id.Stamp(now.Add(-time.Hour)) }

// imageFile is where the file of an image is in the bucket.
func imageFile(key string) string { return "images/" + key }

// item is the image as it is stored. It is written before its file, so that the sweeper finds every file that there may
// be.
func (i Image) item() store.Item {
	text := map[string]string{"shop": i.shop, "access": i.access, "secret": i.secret}
	if i.QuoteID != "" {
		text["quote"] = i.QuoteID
	}
	if i.ready {
		text["ready"] = "1"
	}
	doc := i
	// It lies beside the document, where joinOp can set it without reading the image.
	doc.QuoteID = ""
	return store.Item{Key: ImageKey(i.ID), Doc: record.Document(doc), Text: text,
		Num: map[string]int64{"until": int64(i.until)}, Index2: imageEndIndex(i.ID, i.until)}
}

// imageOf is the image of an item; the zero Image of none.
func imageOf(item *store.Item) (i Image, err error) {
	if item == nil {
		return i, nil
	}
	err = item.Into(&i)
	i.shop, i.access, i.secret = item.Text["shop"], item.Text["access"], item.Text["secret"]
	i.QuoteID, i.ready, i.until = item.Text["quote"], item.Text["ready"] != "", field.Time(item.Num["until"])
	return i, err
}

// imageEndIndex is the key in Index2 of an image that ends at a moment: by it the sweeper finds the image.
func imageEndIndex(image string, until field.Time) store.Key {
	h := fnv.New32a()
	h.Write([]byte(image))
	return store.Key{PK: ImagesEnding(int(h.Sum32() % ImageShards)), SK: id.Stamp(until.Go()) + "#" + image}
}

// imagesEnd is when the images of the quote are gone, unless it is used.
func (q Quote) imagesEnd() field.Time { return field.At(q.ExpiresAt.Go().Add(quoteLife)) }

// addImageOp is the operation by which the quote, as it was read, gets one more image.
func (q Quote) addImageOp(shop string, i Image, version string, now time.Time) store.Op {
	set := q.Ref().update(shop, version)
	set.Text = map[string]string{"images": strings.Join(append(slices.Clone(q.ImageKeys), i.publicKey()), " ")}
	return store.Update(QuoteKey(shop, q.ID), set, store.VersionIs(q.Version), store.AtLeast("ends", now.UnixMilli()+1))
}

// joinOp is the operation by which an image that has no quote yet becomes that one's.
func (i Image) joinOp(q Quote, now time.Time) store.Op {
	until := q.imagesEnd()
	index := imageEndIndex(i.ID, until)
	return store.Update(ImageKey(i.ID), store.Set{Text: map[string]string{"quote": q.ID},
		Num: map[string]int64{"until": int64(until)}, Index2: &index},
		// So of two quotes that are registered with one image at once, one gets it.
		store.Present(), store.TextIs("quote", ""), store.AtLeast("until", now.UnixMilli()+1))
}

// revoke is what ends the quote, of the quote as it was read, and moves the end of its images.
func (q Quote) revoke(shop, version string, now time.Time) []store.Op {
	goes := quoteRowExpires(now)
	set := q.Ref().update(shop, version)
	set.Text, set.Expires = map[string]string{"status": string(QuoteStatusRevoked)}, &goes
	nowhere := store.Key{}
	ops := []store.Op{
		store.Update(QuoteKey(shop, q.ID), set, store.VersionIs(q.Version)),
		store.Update(tokenClaimKey(shop, q.Hash), store.Set{Index1: &nowhere, Index2: &nowhere, Expires: &goes},
			store.TextIs("owner", q.ID)),
	}
	until := field.At(now.Add(quoteLife))
	for _, image := range q.ImageIDs {
		index := imageEndIndex(image, until)
		ops = append(ops, store.Update(ImageKey(image), store.Set{Num: map[string]int64{"until": int64(until)},
			Index2: &index}, store.TextIs("quote", q.ID)))
	}
	return ops
}

// keepOp is the operation by which the image of a quote that was used never ends, unless its end was moved meanwhile.
func (i Image) keepOp() store.Op {
	return store.Update(ImageKey(i.ID), store.Set{Num: map[string]int64{"until": 0}, Index2: &store.Key{}},
		store.NumIs("until", int64(i.until)))
}

// deleteOp is the operation that deletes the image, unless its end was moved meanwhile.
func (i Image) deleteOp() store.Op {
	return store.Delete(ImageKey(i.ID), store.NumIs("until", int64(i.until)))
}
