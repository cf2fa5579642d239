package sale

import (
	"strings"
	"time"

	"eshop/shared/field"
)

// Image is an image for a basket price quote, as answers show it. Type and size are those of the file that is served,
// not of the one that was sent.
type Image struct {
	ID          string     `json:"id"`
	QuoteID     string     `json:"quoteId,omitempty"`
	ContentType string     `json:"contentType" enum:"image/png,image/jpeg"`
	Size        int64      `json:"size" doc:"Bytes"`
	Width       int        `json:"width" doc:"Pixels"`
	Height      int        `json:"height" doc:"Pixels"`
	URL         string     `json:"url" doc:"Needs no token; nobody can guess it" example:"https://api.example.com/images/01KAJ1V4S7TGXSAKB4YV5Q2D3E-…"`
	Created     field.Time `json:"created"`

	shop, access string
	secret       string     // of its public key
	until        field.Time // from when on it is gone, unless its quote was used by then; 0: it stays
	ready        bool       // its file is there
}

// imageLife is how long an image without a quote stays.
const imageLife = 24 * time.Hour

// publicKey is what the image's address ends with: its id, a dash, and its secret of 130 random bits.
func (i Image) publicKey() string { return i.ID + "-" + i.secret }

// imageID is the id of the image that has this public key.
func imageID(key string) string {
	id, _, _ := strings.Cut(key, "-")
	return id
}

// over says whether the image's time is over, or its file is not there yet: such an image joins no quote. It does not
// know whether the image's quote was used, for which reason the image stays (see used).
func (i Image) over(now time.Time) bool { return !i.ready || i.until != 0 && field.At(now) >= i.until }

// owns says whether the image is this access's; the zero Image is nobody's.
func (q Quoting) owns(shop string, i Image) bool {
	return i.ID != "" && i.shop == shop && i.access == q.Access
}
