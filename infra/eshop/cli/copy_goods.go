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
	"eshop/shared/record/field"
)

// copyProducts copies the pictures of each product, and then the record that shows them.
func (d *duplicate) copyProducts(ctx context.Context) error {
	shown := map[field.Code][]catalog.Image{}
	err := walk(ctx, d.to, "/api-engine/products?itemsPerPage=250", func(page []catalog.Product) error {
		for _, p := range page {
			shown[p.Code] = p.Images
		}
		return nil
	})
	if err != nil {
		return err
	}
	return carry(ctx, d, "products", func(p catalog.Product) (rows []row, err error) {
		ids := []string{}
		for _, id := range p.CategoryIDs {
			if of := d.categories[id]; of != "" && !slices.Contains(ids, of) {
				ids = append(ids, of)
			}
		}
		p.CategoryIDs = ids
		if p.Images, err = d.copyPictures(ctx, p.Images, shown[p.Code]); err != nil {
			return nil, fmt.Errorf("the pictures of %s: %w", p.Code, err)
		}
		return rowsOf(p), nil
	})
}

// mostVariants is how many variants a row brings.
const mostVariants = 60

// rowsOf are the rows that make the products: one with more variants than a row brings has several.
func rowsOf(products ...catalog.Product) (rows []row) {
	for _, p := range products {
		for at := 0; at == 0 || at < len(p.Variants); at += mostVariants {
			body := catalog.ProductNew{ProductDetails: p.ProductDetails, Variants: []catalog.VariantFields{}}
			for _, v := range p.Variants[at:min(at+mostVariants, len(p.Variants))] {
				body.Variants = append(body.Variants, catalog.VariantFields{VariantDetails: v.VariantDetails})
			}
			rows = append(rows, row{string(p.Code), body})
		}
	}
	return rows
}

// copyPictures copies the pictures of a product that the source's platform holds. Those on other hosts stay there. If
// the copy's product has as many pictures, on such hosts and with the same words, it keeps them: nothing tells one
// picture of a platform from another.
func (d *duplicate) copyPictures(ctx context.Context, theirs, ours []catalog.Image) (all []catalog.Image, err error) {
	if slices.EqualFunc(theirs, ours, func(a, b catalog.Image) bool {
		return a.Alt == b.Alt && (a.URL == b.URL || images.KeyOf(a.URL) != "" && images.KeyOf(b.URL) != "")
	}) {
		return ours, nil
	}
	all = []catalog.Image{}
	for _, i := range theirs {
		if key := images.KeyOf(i.URL); key != "" {
			if i.URL, err = d.copyPicture(ctx, key); err != nil {
				return nil, err
			}
			if d.pictures++; d.pictures%50 == 0 {
				d.progress("%d pictures so far", d.pictures)
			}
		}
		all = append(all, i)
	}
	return all, nil
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
