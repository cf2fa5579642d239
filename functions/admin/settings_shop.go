package admin

import (
	"cmp"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"eshop/shared/api"
	"eshop/shared/base/paycode"
	"eshop/shared/base/problem"
	"eshop/shared/images/picture"
	"eshop/shared/page"
	"eshop/shared/record/field"
	"eshop/shared/shop"
)

// shopPath is where the shop's own settings are.
const shopPath = root + "/shop"

// shopSettings registers what the people of a shop can set of it (contract, "Shop settings"): `name`, `owner.email`,
// and its face. Domain, language and currency are the operator's to set.
func (d door) shopSettings() {
	lookForm(d, shopPath, d.shopScreen)
	actBy(d, api.Op{Route: "POST " + shopPath, MaxBody: picture.MaxFile, People: d.forSignedIn(d.shopScreen)},
		d.changeShop)
	api.AddPage(d.api, api.Op{Route: "POST " + shopPath + "/preview", MaxBody: picture.MaxFile, NeverKept: true,
		People: d.forSignedIn(d.shopScreen)}, d.previewShop)
}

// shopForm is what the people of a shop can change of it; the rest is the operator's.
type shopForm struct {
	Name       field.Name                `json:"name"`
	Owner      shop.Owner                `json:"owner"`
	Logo       api.File                  `json:"logo,omitempty"`
	DeleteLogo bool                      `json:"deleteLogo,omitempty"`
	Hero       api.File                  `json:"hero,omitempty"`
	DeleteHero bool                      `json:"deleteHero,omitempty"`
	Accent     field.Color               `json:"accent,omitempty"`
	Welcome    field.Text                `json:"welcome,omitempty"`
	Contact    field.Text                `json:"contact,omitempty"`
	Terms      field.Text                `json:"terms,omitempty"`
	Privacy    field.Text                `json:"privacy,omitempty"`
	Delivery   api.Named[shop.WayFields] `json:"delivery,omitempty"`
	Payment    api.Named[shop.WayFields] `json:"payment,omitempty"`
}

// settingsOf is the form of a shop with its face.
func settingsOf(now shop.Fields, f shop.Face) shopForm {
	return shopForm{Name: now.Name, Owner: now.Owner, Accent: f.Accent, Welcome: f.Welcome, Contact: f.Contact,
		Terms: f.Terms, Privacy: f.Privacy, Delivery: f.Ways.Delivery.Fields(), Payment: f.Ways.Payment.Fields()}
}

// wayFields are the fields of a way, or of one more.
type wayFields struct {
	Key, Name string
	Fields    []page.Field
}

// Open says whether one more way is shown unfolded: something is typed there, or wrong.
func (w wayFields) Open() bool {
	return slices.ContainsFunc(w.Fields, func(d page.Field) bool { return d.Fault != "" || !d.Check && d.Value != "" })
}

// shopPicture is a picture of the shop, with the fields that change it.
type shopPicture struct {
	Image        string // the address of a small one; "": there is none
	File, Delete page.Field
}

// shopPage is the shop's settings.
type shopPage struct {
	page.Form
	Fields, Face, Texts             []page.Field
	Delivery, Payment               []wayFields // the last one is one more
	Pictures                        []shopPicture
	ID, Website, Language, Currency string
}

// readShop is the shop as it is stored now, with its face; the shop that the visit has may be half a minute old.
func (d door) readShop(c *api.Call, v *visit) (now shop.Shop, face shop.Face, err error) {
	items, err := d.Main.Get(c, shop.Key(v.shop.ID), shop.FaceKey(v.shop.ID))
	if err != nil {
		return now, face, err
	}
	if now, err = shop.Decode(items[0]); err != nil {
		return now, face, err
	}
	face, err = shop.FaceOf(items[1], now.Locale)
	return now, face, err
}

// shopScreen shows the shop's settings.
func (d door) shopScreen(c *api.Call, v *visit, sent page.Sent) (screen, error) {
	now, face, err := d.readShop(c, v)
	if err != nil {
		return screen{}, err
	}
	kept := url.Values{"name": {string(now.Name)}, "owner.email": {string(now.Owner.Email)},
		"accent":  {cmp.Or(string(face.Accent), shop.PlainAccent)},
		"welcome": {string(face.Welcome)}, "contact": {string(face.Contact)},
		"terms": {string(face.Terms)}, "privacy": {string(face.Privacy)}}
	keepWays(kept, "delivery.", face.Ways.Delivery)
	keepWays(kept, "payment.", face.Ways.Payment)
	sent = sent.Or(kept)
	filler := v.filler(sent)
	name, owner := filler.Named("name", "shop.name", "off"), filler.Named("owner.email", "shop.owner", "off")
	name.Required, owner.Required, owner.Type, owner.Mode = page.Must, page.Must, "email", "email"
	data := shopPage{Fields: []page.Field{name, owner.Hinted(v.say("shop.ownerIs"))}, ID: now.ID, Website: v.website,
		Language: v.say("shop." + string(now.Locale)), Currency: now.Currency}
	data.Pictures = []shopPicture{v.shopPicture(filler, "logo", "shop.logoIs", face.Logo),
		v.shopPicture(filler, "hero", "shop.heroIs", face.Hero)}
	v.faceFields(&data, filler)
	data.Delivery = v.wayFields(filler, "delivery", face.Ways.Delivery)
	data.Payment = v.wayFields(filler, "payment", face.Ways.Payment)
	data.Form = filler.Done()
	return screen{name: "shop", title: v.say("shop"), data: data}, nil
}

// faceFields are the fields of the shop's face.
func (v *visit) faceFields(p *shopPage, filler *page.Filler) {
	accent := filler.Named("accent", "shop.accent", "off")
	accent.Max, accent.Type, accent.Required = 7, "color", true // a browser's field of a colour is never empty
	p.Face = []page.Field{accent.Hinted(v.say("shop.accentIs")), filler.Long("welcome", shop.MaxWelcome, page.May)}
	for _, name := range shop.Pages {
		p.Texts = append(p.Texts, filler.Long(name, shop.MaxPage, page.May))
	}
}

// shopPicture is a picture with the fields that change it. hint is the text that says what may be sent.
func (v *visit) shopPicture(f *page.Filler, name, hint string, now shop.Picture) shopPicture {
	return shopPicture{v.thumb(now.URL), f.Named(name, "shop."+name, "off").Hinted(v.say(hint)),
		f.Box("delete"+strings.ToUpper(name[:1])+name[1:], "shop.delete."+name)}
}

// keepWays puts what is stored of ways, and how one more begins, at their fields.
func keepWays(kept url.Values, of string, ways shop.WayList) {
	for key, f := range ways.Fields() {
		at := of + key
		kept.Set(at+".name", string(f.Name))
		kept.Set(at+".on", strconv.FormatBool(f.On))
		kept.Set(at+".note", string(f.Note))
		kept.Set(at+".pickup", strconv.FormatBool(f.Pickup))
		kept.Set(at+".iban", paycode.Grouped(string(f.IBAN)))
	}
}

// wayFields are the fields of each way, and of one more.
func (v *visit) wayFields(f *page.Filler, of string, ways shop.WayList) (all []wayFields) {
	defer f.Under("")
	for i, way := range append(slices.Clone(ways), shop.Way{Key: shop.NewWay}) {
		at := of + "." + way.Key
		f.Under(v.say("shop."+of) + " " + strconv.Itoa(i+1))
		name := f.Named(at+".name", "shop.way.name", "off")
		name.Required = page.Presence(way.Key != shop.NewWay)
		note := f.Long(at+".note", shop.MaxNote, page.May)
		w := wayFields{Key: way.Key, Name: string(way.Name), Fields: []page.Field{name, f.Box(at+".on", "shop.way.on")}}
		if of == "delivery" {
			w.Fields = append(w.Fields, note, f.Box(at+".pickup", "shop.way.pickup"))
		} else {
			account := f.Named(at+".iban", "shop.way.iban", "off").Hinted(v.say("shop.way.ibanIs"))
			w.Fields = append(w.Fields, account, note)
		}
		all = append(all, w)
	}
	return all
}

// settings is the input of a change of the shop.
type settings = api.Create[api.Patch[shopForm]]

// sentShop is the shop as it is stored, and what the form makes of it, which is checked: before a picture is kept for
// nothing.
func (d door) sentShop(c *api.Call, v *visit, in *settings) (now shop.Shop, face shop.Face, sent shopForm, err error) {
	if now, face, err = d.readShop(c, v); err != nil {
		return now, face, sent, err
	}
	if sent, err = api.Apply(c, in.Body, settingsOf(now.Fields, face)); err != nil {
		return now, face, sent, err
	}
	return now, face, sent, sent.face(face, shop.Picture{}, shop.Picture{}).Check(face)
}

// previewShop saves nothing of the form. It shows the address at which the shop's first page has the look that was
// typed; pictures that were chosen are not in it. The address leads to another host, where a form must not (policy).
func (d door) previewShop(c *api.Call, in *settings) (any, error) {
	v := visitOf(c)
	_, _, sent, err := d.sentShop(c, v, in)
	if err != nil {
		return nil, err
	}
	look := map[string]string{"name": string(sent.Name), "accent": sent.Accent.Shown(), "welcome": string(sent.Welcome),
		"deleteLogo": strconv.FormatBool(sent.DeleteLogo), "deleteHero": strconv.FormatBool(sent.DeleteHero)}
	sealed, err := page.Previews(d.Key, v.shop.ID).Close(page.Note{Look: look}, d.Random, d.Now())
	return screen{name: "shop-preview", title: v.say("shop.preview"), data: v.website + "/?look=" + sealed}, err
}

// changeShop changes the shop by the operator's own command, so that another owner fires shopOwnerChange here as well.
// All of the form is looked at before any of it is written.
func (d door) changeShop(c *api.Call, v *visit, in *settings) (string, error) {
	shopNow, face, sent, err := d.sentShop(c, v, in)
	if err != nil {
		return "", err
	}
	v.saysOf("saved", string(sent.Name))
	if err := d.changeFace(c, in, shopNow.Fields, face, sent); err != nil {
		return "", err
	}
	if sent.Name == shopNow.Name && sent.Owner == shopNow.Owner {
		return shopPath, nil
	}
	// The second function lets this process forget what it remembers of the shop's accesses.
	shops := shop.Shops(d.ShopNames(), d.Accesses.DropShop)
	_, err = shops.Change(c, c.Unit(), v.shop.ID, func(f shop.Fields) (shop.Fields, error) {
		now, err := api.Apply(c, in.Body, settingsOf(f, face))
		f.Name, f.Owner = now.Name, now.Owner
		return f, err
	})
	return shopPath, err
}

// changeFace changes the shop's face as the form says; was is the face as it was read, sent what the form makes of it.
func (d door) changeFace(c *api.Call, in *settings, of shop.Fields, was shop.Face, sent shopForm) error {
	logo, err := d.keepPicture(c, "logo", sent.Logo)
	if err != nil {
		return err
	}
	hero, err := d.keepPicture(c, "hero", sent.Hero)
	if err != nil || reflect.DeepEqual(sent.face(was, logo, hero), was) {
		return err
	}
	return shop.ChangeFace(c, c.Unit(), visitOf(c).shop.Locale, func(f shop.Face) (shop.Face, error) {
		now, err := api.Apply(c, in.Body, settingsOf(of, f))
		return now.face(f, logo, hero), err
	})
}

// face is a face as the form makes it of the one before; a picture is the zero one if none was sent.
func (f shopForm) face(was shop.Face, logo, hero shop.Picture) shop.Face {
	if logo == (shop.Picture{}) && !f.DeleteLogo {
		logo = was.Logo
	}
	if hero == (shop.Picture{}) && !f.DeleteHero {
		hero = was.Hero
	}
	return shop.Face{Logo: logo, Hero: hero, Accent: f.Accent, Welcome: f.Welcome, Contact: f.Contact, Terms: f.Terms,
		Privacy: f.Privacy, Ways: shop.Ways{Delivery: was.Ways.Delivery.Set(f.Delivery),
			Payment: was.Ways.Payment.Set(f.Payment)}}
}

// keepPicture keeps a file as an image of the shop; none of an empty file, which a form sends where none was chosen.
// The picture's own rules say file of the field that it was sent in.
func (d door) keepPicture(c *api.Call, name string, file api.File) (shop.Picture, error) {
	if len(file) == 0 {
		return shop.Picture{}, nil
	}
	i, err := d.Uploads(nil).Add(c, c.Unit(), file)
	if p, is := problem.As(err); is {
		for n := range p.Errors {
			p.Errors[n].Location = "body." + name
		}
	}
	return shop.Picture{URL: i.URL, Width: i.Width, Height: i.Height}, err
}
