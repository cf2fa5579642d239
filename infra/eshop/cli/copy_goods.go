package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime/multipart"
	"slices"

	"eshop/shared/catalog"
	"eshop/shared/images"
)

// offered is what is read of a product of the copy, or of a variant.
type offered struct {
	product, variant string // their ids
	images           []catalog.Image
}

// offers are the products and variants that the copy has, by their codes.
func (d *duplicate) offers(ctx context.Context) (map[string]offered, error) {
	all := map[string]offered{}
	return all, walk(ctx, d.to, "/api-engine/products?itemsPerPage=250", func(page []struct {
		ID, Code string
		Images   []catalog.Image
		Variants []struct{ ID, Code string }
	}) error {
		for _, p := range page {
			all[p.Code] = offered{product: p.ID, images: p.Images}
			for _, v := range p.Variants {
				all[v.Code] = offered{product: p.ID, variant: v.ID}
			}
		}
		return nil
	})
}

// copyProducts copies the products page by page: first the pictures, then the records that show them.
func (d *duplicate) copyProducts(ctx context.Context) error {
	there, err := d.offers(ctx)
	if err != nil {
		return err
	}
	total, changed := 0, 0
	err = walk(ctx, d.from, "/api-engine/products?itemsPerPage=250", func(page []catalog.Product) error {
		var rows []row
		for _, p := range page {
			ids := []string{}
			for _, id := range p.CategoryIDs {
				if of := d.categories[id]; of != "" && !slices.Contains(ids, of) {
					ids = append(ids, of)
				}
			}
			p.CategoryIDs = ids
			if p.Images, err = d.copyPictures(ctx, p.Images, there[string(p.Code)].images); err != nil {
				return fmt.Errorf("the pictures of %s: %w", p.Code, err)
			}
			if _, sold := d.sold[p.ID]; sold {
				d.sold[p.ID] = &p
				if len(p.Variants) == 0 { // else it is sold by them alone
					d.codes[p.ID] = string(p.Code)
				}
				for _, v := range p.Variants {
					d.codes[v.ID] = string(v.Code)
				}
			}
			rows = append(rows, rowsOf(p)...)
		}
		n, err := d.bring(ctx, "products", rows)
		total, changed = total+len(page), changed+n
		d.progress("%d products so far", total)
		return err
	})
	if err == nil {
		d.came("products", total, changed)
	}
	return err
}

// mostVariants is how many variants a row brings.
const mostVariants = 60

// rowsOf are the rows that make the product: one with more variants than a row brings has several.
func rowsOf(p catalog.Product) (rows []row) {
	for first := true; first || len(p.Variants) > 0; first = false {
		n := min(len(p.Variants), mostVariants)
		body := catalog.ProductNew{ProductDetails: p.ProductDetails, Variants: []catalog.VariantFields{}}
		for _, v := range p.Variants[:n] {
			body.Variants = append(body.Variants, catalog.VariantFields{VariantDetails: v.VariantDetails})
		}
		rows, p.Variants = append(rows, row{string(p.Code), body}), p.Variants[n:]
	}
	return rows
}

// copyPictures copies the pictures that a product shows, from the source's own address. Those that lie elsewhere stay
// there. A product of the copy that shows as many, in the same places and with the same words, keeps its own.
func (d *duplicate) copyPictures(
	ctx context.Context, theirs, ours []catalog.Image,
) (copied []catalog.Image, err error) {
	if slices.EqualFunc(theirs, ours, func(a, b catalog.Image) bool {
		return a.Alt == b.Alt && (a.URL == b.URL || images.KeyOf(a.URL) != "" && images.KeyOf(b.URL) != "")
	}) {
		return ours, nil
	}
	copied = []catalog.Image{}
	for _, i := range theirs {
		if key := images.KeyOf(i.URL); key != "" {
			if i.URL, err = d.copyPicture(ctx, key); err != nil {
				return nil, err
			}
			if d.pictures++; d.pictures%50 == 0 {
				d.progress("%d pictures so far", d.pictures)
			}
		}
		copied = append(copied, i)
	}
	return copied, nil
}

// copyPicture sends a picture of the source to the copy, and returns its address there.
func (d *duplicate) copyPicture(ctx context.Context, key string) (string, error) {
	from := newClient(d.from.url, "") // pictures need no token
	from.again = d.again
	picture, err := from.call(ctx, "GET", images.URL("", key), nil)
	if err != nil {
		return "", err
	}
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	file, err := w.CreateFormFile("file", "picture")
	if err == nil {
		_, err = file.Write(picture)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return "", err
	}
	text, err := d.to.send(ctx, "POST", "/api-engine/images", w.FormDataContentType(), form.Bytes())
	if err != nil {
		return "", err
	}
	var made images.Image
	err = json.Unmarshal(text, &made)
	return made.URL, err
}
