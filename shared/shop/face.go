package shop

import (
	"context"
	"reflect"
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
	Logo    Picture     `json:"logo,omitzero"`
	Hero    Picture     `json:"hero,omitzero"` // on the first page
	Accent  field.Color `json:"accent,omitempty"`
	Welcome field.Text  `json:"welcome,omitempty"`
	Contact field.Text  `json:"contact,omitempty"`
	Terms   field.Text  `json:"terms,omitempty"`
	Privacy field.Text  `json:"privacy,omitempty"`
	Ways    Ways        `json:"ways"`
}

// Picture is an image of the shop, of the kind that products show; its size is in pixels.
type Picture struct {
	URL    string `json:"url"`
	Width  int    `json:"width"`
	Height int    `json:"height"`
}

// PlainAccent is the colour of a shop that has set none, as storefront.css has it in the light.
const PlainAccent = "#26483a"

// Look is what each page of a storefront shows of a face.
type Look struct {
	Logo, Hero      Picture
	Accent, Welcome string
	Pages           []string // those of Pages that have a text
	Ways            Ways     // those that are on
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
	MaxPage    = 20_000
)

// Check refuses texts that are too long and ways that are none, at the fields of the form that they come from. was is
// the face before.
func (f Face) Check(was Face) error {
	var faults problem.Faults
	for _, text := range []struct {
		at   string
		text field.Text
		most int
	}{{"welcome", f.Welcome, MaxWelcome}, {"contact", f.Contact, MaxPage}, {"terms", f.Terms, MaxPage},
		{"privacy", f.Privacy, MaxPage}} {
		if utf8.RuneCountInString(string(text.text)) > text.most {
			faults.Add(text.at, problem.TooLong, "must have at most %d characters", text.most)
		}
	}
	f.Ways.Delivery.check("delivery", was.Ways.Delivery, &faults)
	f.Ways.Payment.check("payment", was.Ways.Payment, &faults)
	return faults.Err()
}

// look is what each page shows of the face.
func (f Face) look() Look {
	l := Look{Logo: f.Logo, Hero: f.Hero, Accent: f.Accent.Shown(), Welcome: string(f.Welcome), Ways: f.Ways.On()}
	for _, page := range Pages {
		if f.Text(page) != "" {
			l.Pages = append(l.Pages, page)
		}
	}
	return l
}

// pictures are the addresses of the face's images.
func (f Face) pictures() (urls []string) {
	for _, p := range []Picture{f.Logo, f.Hero} {
		if p.URL != "" {
			urls = append(urls, p.URL)
		}
	}
	return urls
}

// FaceKey is the item of a shop's face. A shop whose people have set nothing has none.
func FaceKey(shop string) store.Key { return store.Key{PK: Key(shop).PK, SK: "FACE"} }

// FaceOf reads the item of a shop of this locale; of none, the face of a new shop, which has nothing but its ways.
func FaceOf(item *store.Item, locale field.Locale) (f Face, err error) {
	if item != nil {
		err = item.Into(&f)
	}
	if f.Ways.Delivery == nil {
		f.Ways = newWays(locale)
	}
	return f, err
}

// PurgeFace lets the pictures of the unit's shop end, which ends itself. The rest of its face Purge deletes.
func PurgeFace(ctx context.Context, u *change.Unit) error {
	items, err := u.Table.Get(ctx, FaceKey(u.Shop))
	if err != nil {
		return err
	}
	face, err := FaceOf(items[0], "")
	if err != nil {
		return err
	}
	ops, err := images.Showing{Product: u.Shop, Before: face.pictures()}.Ops(ctx, u)
	if err != nil || len(ops) == 0 {
		return err
	}
	_, err = u.Table.Write(ctx, events.Nothing, ops...)
	return err
}

// ChangeFace changes the face of the unit's shop, of this locale. Its pictures are images that the shop has
// uploaded; those before end as images do that no product shows any more.
func ChangeFace(ctx context.Context, u *change.Unit, in field.Locale, edit func(Face) (Face, error)) error {
	_, err := record.Retry(ctx, func() (any, error) {
		items, err := u.Table.Get(ctx, FaceKey(u.Shop))
		if err != nil {
			return nil, err
		}
		was, err := FaceOf(items[0], in)
		if err != nil {
			return nil, err
		}
		now, err := edit(was)
		if err != nil || reflect.DeepEqual(now, was) {
			return nil, err
		}
		if err := now.Check(was); err != nil {
			return nil, err
		}
		now.Ways = Ways{now.Ways.Delivery.keyed(), now.Ways.Payment.keyed()}
		version, held := "", store.Absent()
		if items[0] != nil {
			version, held = items[0].Version, store.VersionIs(items[0].Version)
		}
		// The shop shows its pictures as a product does, so the sweeper leaves it alone.
		ops, err := images.Showing{Product: u.Shop, Before: was.pictures(), After: now.pictures()}.
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
