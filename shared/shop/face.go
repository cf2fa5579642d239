package shop

import (
	"context"
	"unicode/utf8"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/images"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// Face is how a shop looks and what it says of itself, as its people set it (contract, "Shop settings"). All of it may
// be empty. Long texts are Markdown.
type Face struct {
	Logo    Logo        `json:"logo,omitzero"`
	Accent  field.Color `json:"accent,omitempty"`
	Welcome field.Text  `json:"welcome,omitempty"`
	Contact field.Text  `json:"contact,omitempty"`
	Terms   field.Text  `json:"terms,omitempty"`
	Privacy field.Text  `json:"privacy,omitempty"`
	Payment Payment     `json:"payment,omitzero"`
}

// Logo is an image of the shop, of the kind that products show; its size is in pixels.
type Logo struct {
	URL    string `json:"url"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

// Payment is what a customer is told who pays in one of the ways of a checkout. {number} and {total} stand for the
// order's.
type Payment struct {
	Transfer   field.Text `json:"transfer,omitempty"`
	OnDelivery field.Text `json:"onDelivery,omitempty"`
}

// Look is what each page of a storefront shows of a face.
type Look struct {
	Logo            Logo
	Accent, Welcome string
	Pages           []string // those of Pages that have a text
}

// Pages are the pages of a storefront that its shop writes, by their addresses without the slash.
var Pages = []string{"contact", "terms", "privacy"}

// Text is the text of one of Pages; "": the shop has no such page.
func (f Face) Text(page string) field.Text {
	return map[string]field.Text{"contact": f.Contact, "terms": f.Terms, "privacy": f.Privacy}[page]
}

// How many characters the texts of a face have at most.
const (
	MaxWelcome = 300
	MaxPayment = 2_000
	MaxPage    = 20_000
)

// Check refuses texts that are too long, at the fields of the form that they come from.
func (f Face) Check() error {
	var faults problem.Faults
	for _, text := range []struct {
		at   string
		text field.Text
		most int
	}{{"welcome", f.Welcome, MaxWelcome}, {"contact", f.Contact, MaxPage}, {"terms", f.Terms, MaxPage},
		{"privacy", f.Privacy, MaxPage}, {"payment.transfer", f.Payment.Transfer, MaxPayment},
		{"payment.onDelivery", f.Payment.OnDelivery, MaxPayment}} {
		if utf8.RuneCountInString(string(text.text)) > text.most {
			faults.Add(text.at, problem.TooLong, "must have at most %d characters", text.most)
		}
	}
	return faults.Err()
}

// look is what each page shows of the face.
func (f Face) look() Look {
	l := Look{Logo: f.Logo, Accent: f.Accent.Shown(), Welcome: string(f.Welcome)}
	for _, page := range Pages {
		if f.Text(page) != "" {
			l.Pages = append(l.Pages, page)
		}
	}
	return l
}

// FaceKey is the item of a shop's face. A shop whose people have set nothing has none.
func FaceKey(shop string) store.Key { return store.Key{PK: Key(shop).PK, SK: "FACE"} }

// FaceOf reads the item; the zero Face of none.
func FaceOf(item *store.Item) (f Face, err error) {
	if item != nil {
		err = item.Into(&f)
	}
	return f, err
}

// PurgeFace lets the logo of the unit's shop end, which ends itself. The rest of its face Purge deletes.
func PurgeFace(ctx context.Context, u *change.Unit) error {
	items, err := u.Table.Get(ctx, FaceKey(u.Shop))
	if err != nil {
		return err
	}
	face, err := FaceOf(items[0])
	if err != nil {
		return err
	}
	ops, err := images.Showing{Product: u.Shop, Before: []string{face.Logo.URL}}.Ops(ctx, u)
	if err != nil || len(ops) == 0 {
		return err
	}
	_, err = u.Table.Write(ctx, events.Nothing, ops...)
	return err
}

// ChangeFace changes the face of the unit's shop. Its logo is an image that the shop has uploaded; the one before ends
// as an image does that no product shows any more.
func ChangeFace(ctx context.Context, u *change.Unit, edit func(Face) (Face, error)) error {
	_, err := record.Retry(ctx, func() (any, error) {
		items, err := u.Table.Get(ctx, FaceKey(u.Shop))
		if err != nil {
			return nil, err
		}
		was, err := FaceOf(items[0])
		if err != nil {
			return nil, err
		}
		now, err := edit(was)
		if err != nil || now == was {
			return nil, err
		}
		if err := now.Check(); err != nil {
			return nil, err
		}
		version, held := "", store.Absent()
		if items[0] != nil {
			version, held = items[0].Version, store.VersionIs(items[0].Version)
		}
		// The shop shows the image as a product does, so the sweeper leaves it alone.
		ops, err := images.Showing{Product: u.Shop, Before: []string{was.Logo.URL}, After: []string{now.Logo.URL}}.
			Ops(ctx, u)
		if err != nil {
			return nil, err
		}
		item := store.Item{Key: FaceKey(u.Shop), Version: u.NextVersion(version), Doc: record.Document(now)}
		_, err = u.Table.Write(ctx, events.Nothing, append(ops, store.Put(item, held))...)
		return nil, err
	})
	return err
}
