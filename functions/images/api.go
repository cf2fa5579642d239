// Package images is the API of product images (contract, "Images"), and what serves those and the images of price
// quotes. What an image is and how long it stays is shared/images.
package images

import (
	"net/http"
	"strconv"
	"time"

	"eshop/shared/api"
	"eshop/shared/base/permission"
	"eshop/shared/host"
	"eshop/shared/images"
	"eshop/shared/images/picture"
	"eshop/shared/ports/limit"
	"eshop/shared/record/change"
)

// Function is the API of product images. Its 29 s and 1,769 MB, which is one whole processor on AWS, are for a picture
// of 40 megapixels.
var Function = host.Function{
	Name: "images", Doc: "Images: take those of products, serve all.",
	HTTP: register,
	Needs: append([]host.Need{host.FilesBelow(host.Read, images.Begin), host.FilesBelow(host.Write, images.Begin)},
		host.Frame...),
	Timeout: 29 * time.Second, Memory: 1769,
}

func register(p *host.Platform, a *api.API) {
	d := door{shelf: p.Images(), uploads: p.Uploads}
	api.Add(a, api.Op{Route: "POST /api-engine/images", ID: "createImage", Tag: "Products",
		Needs: permission.WriteProducts, Summary: "Add an image for products",
		Doc: images.FileRules +
			"Any product of the shop can have its `url` in its `images`. With `?w=320`, `?w=640` or `?w=1280` the " +
			"`url` answers a narrower image, if it is wider itself. Browsers keep it for a year.\n\n" +
			"It is gone when no product has shown it for 24 hours. In `images` an address of an image that the shop " +
			"does not have is 422 `not_found`.",
		MaxBody: picture.MaxFile}, d.add)
	a.Handle("GET /images/{secret}", http.HandlerFunc(d.serve))
}

// door answers the operations.
type door struct {
	shelf   images.Shelf
	uploads func(limit.Charged) images.Uploads
}

// ImageNew is the multipart body with which an image comes.
type ImageNew struct {
	File api.File `json:"file" doc:"The image, as its first bytes say: a name and a type of the part are not looked at"`
}

// add decodes and stores an image. It is there for 24 h, so that a product can show it.
func (d door) add(c *api.Call, in *api.Create[ImageNew]) (*api.Plain[images.Image], error) {
	return api.Do(c, api.PlainOf[images.Image], func(u *change.Unit) (images.Image, error) {
		return d.uploads(c).Add(c, u, in.Body.File)
	})
}

// serve answers the bytes of an image to whoever knows its address, which cannot be guessed. Its bytes never change, so
// browsers keep it, a product's for a year: whoever has seen it may do so when it is gone. Whatever the bytes are taken
// for, nothing in them runs: the policy allows no source at all. Storefronts on their own hosts show it, so it is open
// to other origins.
func (d door) serve(w http.ResponseWriter, r *http.Request) {
	width, _ := strconv.Atoi(r.URL.Query().Get("w")) // 0, as any other width that there is not, is its own
	image, body, err := d.shelf.Open(r.Context(), r.PathValue("secret"), width)
	if err != nil {
		api.RefuseError(r, err)
		return
	}
	age := 24 * time.Hour
	if image.OfProducts() {
		age *= 365
	}
	h := w.Header()
	h.Set("Content-Type", image.ContentType)
	h.Set("ETag", api.ETag(image.ID))
	h.Set("Cache-Control", "public, max-age="+strconv.Itoa(int(age.Seconds()))+", immutable")
	h.Set("Content-Disposition", "inline")
	h.Set("Content-Security-Policy", "default-src 'none'")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	w.Write(body)
}
