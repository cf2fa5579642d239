package sale

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/images"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// QuoteImage is an image for a basket price quote, as answers show it.
type QuoteImage struct {
	images.Image
	QuoteID string `json:"quoteId,omitempty"`
}

// AddImage keeps an image that an add-on has sent, and joins it to a quote if one is named.
func (q Quoting) AddImage(ctx context.Context, u *change.Unit, file []byte, quoteID string) (QuoteImage, error) {
	// Asked before the costly part, and again at the end, because the quote may be used or full by then.
	if _, err := q.joinable(ctx, u, quoteID); err != nil {
		return QuoteImage{}, err
	}
	i, err := q.Images.ForQuote(ctx, u, file, q.Access)
	if err != nil {
		return QuoteImage{}, err
	}
	return record.Retry(ctx, func() (QuoteImage, error) { return q.finish(ctx, u, i, quoteID) })
}

// finish shows an image whose file is stored, and joins it to the quote of the id, if there is one.
func (q Quoting) finish(ctx context.Context, u *change.Unit, image images.Image, quoteID string) (QuoteImage, error) {
	quote, err := q.joinable(ctx, u, quoteID)
	if err != nil {
		return QuoteImage{}, err
	}
	done, op := image.Finished(quoteID, quote.imagesEnd())
	var ops []store.Op
	if quoteID != "" {
		ops = append(ops, quote.addImageOp(u.Shop, done, u.NextVersion(quote.Version), u.Now()))
	}
	shown := QuoteImage{done, quoteID}
	_, err = u.Write(ctx, shown, events.Nothing, append(ops, op)...)
	return shown, image.Refused(err)
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

// imagesEnd is when the images of the quote are gone, unless it is used.
func (q Quote) imagesEnd() field.Time { return field.At(q.ExpiresAt.Go().Add(quoteLife)) }

// addImageOp is the operation by which the quote, as it was read, gets one more image.
func (q Quote) addImageOp(shop string, i images.Image, version string, now time.Time) store.Op {
	set := q.Ref().update(shop, version)
	set.Text = map[string]string{"images": strings.Join(append(slices.Clone(q.ImageKeys), i.PublicKey()), " ")}
	return store.Update(QuoteKey(shop, q.ID), set, store.VersionIs(q.Version), store.AtLeast("ends", now.UnixMilli()+1))
}

// revoke is what ends the quote, of the quote as it was read, and moves the end of its images.
func (q Quote) revoke(shop, version string, now time.Time) []store.Op {
	ops := q.moveTo(QuoteStatusRevoked, shop, version, quoteRowExpires(now))
	until := field.At(now.Add(quoteLife))
	for _, image := range q.ImageIDs {
		ops = append(ops, images.EndsAt(image, q.ID, until))
	}
	return ops
}

// KeepsImage says whether an image's quote was sold (images.Keeper): such an image stays. One that was used stays until
// the quote goes.
func KeepsImage(ctx context.Context, t store.Table, i images.Image) (stays bool, until field.Time, err error) {
	items, err := t.Get(ctx, QuoteKey(i.Shop(), i.Quote()))
	if err != nil || items[0] == nil || items[0].Text["status"] != string(QuoteStatusUsed) {
		return false, 0, err
	}
	return items[0].Expires == 0, field.At(time.Unix(items[0].Expires, 0)), nil
}
