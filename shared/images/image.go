package images

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"eshop/shared/record/field"
)

// Image is an image as answers show it. Type and size are those of the file that is served, not of the one that was
// sent.
type Image struct {
	ID          string     `json:"id"`
	ContentType string     `json:"contentType" enum:"image/png,image/jpeg"`
	Size        int64      `json:"size" doc:"The size of the file, in bytes"`
	Width       int        `json:"width" doc:"The size of the image on this side, in pixels"`
	Height      int        `json:"height" doc:"The size of the image on this side, in pixels"`
	URL         string     `json:"url" doc:"The address of the image, which needs no token, and which nobody can guess" example:"https://api.example.com/images/01KAJ1V4S7TGXSAKB4YV5Q2D3E-…"`
	Created     field.Time `json:"created"`

	shop   string
	access string     // of the add-on that sent it for a quote; "": it is one of the shop's products
	quote  string     // the id of the quote that it belongs to; "": of none, or none yet
	secret string     // of its public key
	until  field.Time // from when on it is gone, unless something shows it by then; 0: it stays
	ready  bool       // its file is there
}

// life is how long an image stays that nothing shows.
const life = 24 * time.Hour

// Widths are those in which an image of a product is served beside its own, in pixels, as far as it is wider than they
// are (contract, "Images").
var Widths = []int{1280, 640, 320}

// PublicKey is what the image's address ends with: its id, a dash, and its secret of 130 random bits.
func (i Image) PublicKey() string { return i.ID + "-" + i.secret }

// Quote is the id of the quote that the image belongs to; "" of none.
func (i Image) Quote() string { return i.quote }

// Shop is the shop of the image.
func (i Image) Shop() string { return i.shop }

// OfAccess says whether the image was sent for a quote by this access of the shop; the zero Image is nobody's.
func (i Image) OfAccess(shop, access string) bool {
	return i.ID != "" && i.shop == shop && i.access == access && access != ""
}

// OfProducts says whether the image is one of products, and no quote's.
func (i Image) OfProducts() bool { return i.ID != "" && i.access == "" }

// Over says whether the image's time is over, or its file is not there yet: nothing new can show such an image. It does
// not know what shows it already.
func (i Image) Over(now time.Time) bool { return !i.ready || i.until != 0 && field.At(now) >= i.until }

// IDOf is the id of the image that has this public key.
func IDOf(key string) string {
	id, _, _ := strings.Cut(key, "-")
	return id
}

// URL is the address of an image by its public key, on the host at base (without a slash at its end).
func URL(base, key string) string { return base + "/images/" + key }

// ofOurs is the path of an image of this platform, on whatever host: a product shows none with such an address that is
// not its shop's (Showing).
var ofOurs = regexp.MustCompile(`^/images/([0-9A-HJKMNP-TV-Z]{26}-[A-Z2-7]{26})(/|$)`)

// KeyOf is the public key of the image at an address; "" if it has none, as an address from elsewhere.
func KeyOf(address string) string {
	if !strings.Contains(address, "/images/") {
		return "" // seen without parsing it: lists of products ask this of each
	}
	if u, err := url.Parse(address); err == nil {
		if m := ofOurs.FindStringSubmatch(u.Path); m != nil {
			return m[1]
		}
	}
	return ""
}

// Set is Widths as an srcset of HTML, at an address of a product's image without `?w=`. An image that is narrower than
// some of them is served as it is there.
func Set(address string) string {
	all := make([]string, len(Widths))
	for i, w := range Widths {
		all[i] = address + "?w=" + strconv.Itoa(w) + " " + strconv.Itoa(w) + "w"
	}
	return strings.Join(all, ", ")
}

// fileOf is where the file of an image is in the bucket, in one of Widths; 0: its own.
func fileOf(key string, width int) string {
	if width != 0 {
		key += "_" + strconv.Itoa(width)
	}
	return Begin + key
}

// Begin is what the names of all files of images begin with.
const Begin = "images/"
