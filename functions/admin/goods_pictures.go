package admin

import (
	"slices"
	"strconv"

	"eshop/shared/api"
	"eshop/shared/base/problem"
	"eshop/shared/catalog"
	"eshop/shared/images"
	"eshop/shared/images/picture"
	"eshop/shared/page"
	"eshop/shared/record/field"
)

// pictures registers what is done with a product's images on its page: files are added behind those that there are, and
// one of them is moved to another place, or taken away. Their addresses and alternative texts are fields of the
// product's own form.
func (d door) pictures() {
	at := productsPath + "/{id}/images"
	refused := func(c *api.Call, v *visit, s page.Sent) (screen, error) {
		return d.productScreen(c, v, &productOf{ByID: api.ByID{ID: c.PathValue("id")}}, ofPictures, s)
	}
	actBy(d, api.Op{Route: "POST " + at, MaxBody: picture.MaxFile, People: d.forSignedIn(refused)}, d.addPictures)
	act(d, at+"/{n}/move", d.movePicture, nil)
	act(d, at+"/{n}/delete", d.deletePicture, nil)
}

// ofPictures stands in place of a variant's id for the form that adds images.
const ofPictures = "images"

// shownPicture is an image of a product on its page.
type shownPicture struct {
	URL, Alt, Key, Title string
	Before, After        string // the places that it can be moved to; "": it is the first, or the last
}

// picturesData is the part of a product's page that is about its images, with the form that adds some.
type picturesData struct {
	page.Form
	Shown []shownPicture
	File  page.Field
	Full  bool // it has as many as it can have
}

// picturesData shows a product's images. s is what was sent of the form that adds some.
func (v *visit) picturesData(product catalog.Product, s page.Sent) (data picturesData) {
	f := v.filler(s)
	data.File = f.Named("file", "pictures.file", "off").Hinted(v.say("pictures.fileIs"))
	data.File.Required = true
	data.Form, data.Full = f.Done(), len(product.Images) >= maxEntries
	for i, image := range product.Images {
		shown := shownPicture{URL: v.thumb(image.URL), Alt: string(image.Alt), Key: image.URL,
			Title: v.say("product.image") + page.NBSP + strconv.Itoa(i+1)}
		if i > 0 {
			shown.Before = strconv.Itoa(i - 1)
		}
		if i < len(product.Images)-1 {
			shown.After = strconv.Itoa(i + 1)
		}
		data.Shown = append(data.Shown, shown)
	}
	return data
}

// thumb is the address of an image as a small picture, at the shop's host where it was sent to the platform (the
// admin's host has no images); "" of what is no address.
func (v *visit) thumb(url string) string {
	if key := images.KeyOf(url); key != "" {
		return images.URL(v.website, key) + "?w=320"
	}
	if field.WebAddress(url) {
		return url
	}
	return ""
}

// pictureFiles are the files of the form that adds images.
type pictureFiles struct {
	File api.Files `json:"file" minItems:"1" maxItems:"20"`
}

// addPictures keeps the files as images, and then adds all of them to the product in one change. When a file is refused
// the product has not changed: what was kept before it goes by itself.
func (d door) addPictures(c *api.Call, v *visit, in *formAbout[pictureFiles]) (string, error) {
	w, err := catalog.ReadProduct(c, d.Main, v.shop.ID, in.ID)
	if err != nil {
		return "", err
	}
	if len(w.Details().Images)+len(in.Body.File) > maxEntries {
		return "", tooManyPictures()
	}
	if slices.ContainsFunc(in.Body.File, isEmpty) {
		return "", problem.InvalidAt("file", problem.Required, "is empty")
	}
	added, err := d.keepPictures(c, in.Body.File)
	if err != nil {
		return "", err
	}
	v.says("pictures.added")
	return d.changeImages(c, in.ID, func(all []catalog.Image) ([]catalog.Image, error) {
		if len(all)+len(added) > maxEntries {
			return nil, tooManyPictures()
		}
		return append(all, added...), nil
	})
}

// isEmpty says whether a file is the one that a form sends where none is chosen.
func isEmpty(file api.File) bool { return len(file) == 0 }

// keepPictures keeps files as images that a product can show.
func (d door) keepPictures(c *api.Call, files api.Files) (added []catalog.Image, err error) {
	pixels := 0
	for _, file := range files {
		width, height, _ := picture.Measure(file) // what is wrong with it is said as it is kept
		if pixels += width * height; pixels > picture.MaxPixels {
			return nil, problem.InvalidAt("file", problem.TooBig,
				"are together more than 40 megapixels: send them one by one")
		}
	}
	for _, file := range files {
		i, err := d.Uploads(nil).Add(c, c.Unit(), file)
		if err != nil {
			return nil, err
		}
		added = append(added, catalog.Image{URL: i.URL})
	}
	return added, nil
}

func tooManyPictures() error {
	return problem.InvalidAt("file", problem.TooMany, "are too many: a product has at most 20 images")
}

// pictureIn is the input of what is done with one image. It is named by its place, from 0. The form sends the address,
// too, so that a page that is older than the product is about the image that it shows.
type pictureIn struct {
	api.ByID
	N    string `path:"n"`
	Body pictureAct
}

// pictureAct is what the form says: where the image goes, and its address.
type pictureAct struct {
	To  int    `json:"to,omitempty" minimum:"0" maximum:"19"`
	URL string `json:"url,omitempty" maxLength:"2000"`
}

// in is where the image is now; not_found if the product has it no more.
func (p *pictureIn) in(all []catalog.Image) (int, error) {
	at, err := strconv.Atoi(p.N)
	there := err == nil && at >= 0 && at < len(all)
	if p.Body.URL != "" && (!there || all[at].URL != p.Body.URL) {
		at = slices.IndexFunc(all, func(i catalog.Image) bool { return i.URL == p.Body.URL })
		there = at >= 0
	}
	if !there {
		return 0, problem.NotFound()
	}
	return at, nil
}

// movePicture moves an image to another place among the product's.
func (d door) movePicture(c *api.Call, v *visit, in *pictureIn) (string, error) {
	v.says("pictures.moved")
	return d.changePicture(c, in, func(all []catalog.Image, at int) []catalog.Image {
		moved := all[at]
		all = slices.Delete(all, at, at+1)
		return slices.Insert(all, min(in.Body.To, len(all)), moved)
	})
}

// deletePicture takes an image away from the product.
func (d door) deletePicture(c *api.Call, v *visit, in *pictureIn) (string, error) {
	v.says("pictures.deleted")
	return d.changePicture(c, in, func(all []catalog.Image, at int) []catalog.Image {
		return slices.Delete(all, at, at+1)
	})
}

// changePicture changes the list of a product's images around the one that is named.
func (d door) changePicture(
	c *api.Call, in *pictureIn, change func(all []catalog.Image, at int) []catalog.Image,
) (string, error) {
	return d.changeImages(c, in.ID, func(all []catalog.Image) ([]catalog.Image, error) {
		at, err := in.in(all)
		if err != nil {
			return nil, err
		}
		return change(all, at), nil
	})
}

// changeImages changes the list of a product's images, and leads back to where they are on its page.
func (d door) changeImages(
	c *api.Call, product string, change func([]catalog.Image) ([]catalog.Image, error),
) (string, error) {
	_, err := d.Catalog().ChangeProduct(c, c.Unit(), product, catalog.Patch[catalog.ProductFields]{
		Sent: func(string) (any, bool) { return nil, false },
		Merge: func(was catalog.ProductFields) (catalog.ProductFields, error) {
			list, err := change(slices.Clone(was.Images))
			was.Images = list
			return was, err
		}})
	return productsPath + "/" + product + "#pictures", err
}
