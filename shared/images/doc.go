// Package images is the images that are sent to the platform, of products and of basket price quotes (contract,
// "Images"): each is decoded and encoded again, so that it is safe to serve, and kept under an address that nobody can
// guess.
//
// An image belongs to a quote, of the access that sent it (shared/sale says to which), or it is one of the shop's
// products. Nobody deletes one: an image is gone a while after the last that shows it let it go, and one that nothing
// ever showed 24 h after it came.
//
// image.go says what an image is, upload.go how one comes in, file.go how it is served. product.go keeps what products
// show, and sweep.go takes away what is over. items.go has the keys.
//
// # What products show
//
// Many products may show one image, and many requests may change them at once. So a product's transaction writes no
// item that others write too: it puts a row of its own beside the image, its *showing*, and when the product shows the
// image no more, that row gets an end, 24 h later. The sweeper finds the row then. If it was the last, the image ends
// too, and no product can begin to show it; an hour later, when no request can still be under way that saw it before,
// the sweeper looks once more, and deletes the image only if no row has come meanwhile.
package images
