package storefront

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"eshop/shared/catalog"
	"eshop/shared/problem"
	"eshop/shared/sale"
)

// noImage is a product's first image when it has none.
var noImage = catalog.Image{}

// Sent is what a form shows: what was sent, or what is kept, by the names of fields, and what is wrong with it.
type Sent struct {
	Values url.Values
	Faults []problem.Fault // at body.<field>
	Notice string          // what is wrong with the whole; "": nothing
	Token  string          // of a link that lets a password be set
	To     string          // where to go on after it
	Saved  bool            // what is shown was just saved
}

// Form is what all forms have.
type Form struct {
	Summary []Link // each fault, with the field that it is of
	Notice  string
	Token   string
	To      string
	Saved   bool
}

// Field of a form.
type Field struct {
	ID, Name, Label, Value, Type, Autocomplete, Hint, Fault string
	Mode                                                    string // of a phone's keyboard
	Described                                               string // the ids of what describes it
	Max                                                     int
	Required, Area, Half                                    bool
	Options                                                 []Option
}

// Option of a field.
type Option struct {
	Value, Text string
	Chosen      bool
}

// Whether a field must be filled in.
const (
	must = true
	may  = false
)

// form makes fields of what was sent, and gathers their faults in the order of the fields.
type form struct {
	language
	Sent
	links []Link
}

// field is a line of text whose label has its name.
func (f *form) field(name, autocomplete string, required bool) Field {
	d := f.named(name, name[strings.LastIndexByte(name, '.')+1:], autocomplete)
	d.Required = required
	return d
}

// named is a line of text with another label, which may stay empty.
func (f *form) named(name, label, autocomplete string) Field {
	d := Field{ID: strings.ReplaceAll(name, ".", "-"), Name: name, Label: f.say(label), Value: f.Values.Get(name), Type: "text",
		Autocomplete: autocomplete, Max: 255, Fault: f.fault(name)}
	if d.Fault != "" {
		d.Described = d.ID + "-fault"
		f.links = append(f.links, Link{Text: d.Label + ": " + d.Fault, Path: "#" + d.ID})
	}
	return d
}

func (d Field) hinted(hint string) Field {
	d.Hint = hint
	d.Described = strings.TrimSpace(d.ID + "-hint " + d.Described)
	return d
}

func (f *form) email() Field {
	d := f.field("email", "email", must)
	d.Type, d.Mode = "email", "email"
	return d
}

func (f *form) phone(required bool) Field {
	d := f.field("phone", "tel", required)
	d.Type, d.Mode = "tel", "tel"
	return d
}

// password is a field that never shows what was sent.
func (f *form) password(name, label, autocomplete string, required bool) Field {
	d := f.named(name, label, autocomplete)
	d.Value, d.Type, d.Required, d.Max = "", "password", required, 200
	return d
}

// address are the fields of an address; kind is billing or shipping.
func (f *form) address(of, kind string, required bool) []Field {
	street := f.field(of+".street", kind+" address-line1", required)
	city := f.field(of+".city", kind+" address-level2", required)
	zip := f.field(of+".zip", kind+" postal-code", required)
	country := f.field(of+".country", kind+" country", required)
	city.Half, zip.Half = true, true
	zip.Max = 20
	country.Options = f.countries(country.Value, required)
	return []Field{street, city, zip, country}
}

func (f *form) company(before, kind string) []Field {
	kind = strings.TrimSpace(kind + " organization")
	id, vat := f.field(before+"companyId", "off", may), f.field(before+"vatId", "off", may)
	id.Half, vat.Half = true, true
	return []Field{f.field(before+"company", kind, may), id, vat}
}

// countries are those that the shops deliver to first, and the one that was sent. Of an address that must be there the
// shop's own is chosen.
func (f *form) countries(chosen string, required bool) []Option {
	own := [...]string{"CZ", "SK"}
	codes := []string{own[f.language], own[1-f.language], "DE", "AT", "PL", "HU"}
	if chosen != "" && !slices.Contains(codes, chosen) {
		codes = append(codes, chosen)
	}
	var options []Option
	if !required {
		options = append(options, Option{Text: "–", Chosen: chosen == ""})
	} else {
		chosen = cmp.Or(chosen, codes[0])
	}
	for _, code := range codes {
		options = append(options, Option{code, cmp.Or(f.say(code), code), code == chosen})
	}
	return options
}

// choice is one of some ways, whose values are their texts.
func (f *form) choice(name string, ways ...string) Field {
	d := f.named(name, name, "off")
	chosen := cmp.Or(d.Value, f.say(ways[0]))
	for _, way := range ways {
		d.Options = append(d.Options, Option{f.say(way), f.say(way), f.say(way) == chosen})
	}
	return d
}

// fault is what is wrong with a field, in words; "": nothing.
func (f *form) fault(name string) string {
	for _, fault := range f.Faults {
		if fault.Location == "body."+name {
			return f.faultIn(name, string(fault.Code))
		}
	}
	return ""
}

func (l language) faultIn(name, code string) string {
	if name == "password" && code != "required" { // its length is all that is asked of it
		return l.say("tooShort.password")
	}
	if name == "currentPassword" && code != "required" {
		return l.say("wrong_password")
	}
	return cmp.Or(l.say("fault."+code), l.say("fault.other"))
}

// notice is what is wrong in words for people, where it is of no field. A page says nothing of a problem that it knows
// no words for but that it is one.
func (l language) notice(p *problem.Problem) string {
	switch p.Code {
	case "sign_in_failed", "email_taken", "quote_invalid", "quote_used", "quote_expired":
		return l.say(p.Code)
	case "prices_changed":
		return l.say("pricesChanged")
	case "basket_empty":
		return l.say("emptyBasket") + "."
	case "too_many_tries":
		return l.say("tooManyIs")
	case "coupon_invalid":
		reason, _ := p.More["reason"].(sale.CouponRefusal)
		return cmp.Or(l.say("coupon."+string(reason)), l.say("coupon.unknown"))
	case "insufficient_stock":
		return l.insufficient(p)
	}
	for _, f := range p.Errors {
		return l.faultIn(strings.TrimPrefix(f.Location, "body."), f.Code)
	}
	return l.say("refusedIs")
}

// insufficient says how many pieces are left.
func (l language) insufficient(p *problem.Problem) string {
	available, _ := p.More["available"].(int64)
	return l.say("insufficient") + " " + l.pieces(available) + "."
}

// lineFaults are the faults of a basket's lines, by their places in it: those at body.items[<place>].
func (l language) lineFaults(faults []problem.Fault) map[int]string {
	of := map[int]string{}
	for _, f := range faults {
		rest, is := strings.CutPrefix(f.Location, "body.items[")
		place, _, ended := strings.Cut(rest, "]")
		n, err := strconv.Atoi(place)
		if is && ended && err == nil && of[n] == "" {
			of[n] = l.faultIn("", f.Code)
		}
	}
	return of
}

// done is the form with its faults, those of no field included.
func (f *form) done() Form {
	if f.Notice == "" && len(f.links) == 0 && len(f.Faults) > 0 {
		f.Notice = f.faultIn("", string(f.Faults[0].Code))
	}
	return Form{Summary: f.links, Notice: f.Notice, Token: f.Token, To: f.To, Saved: f.Saved}
}

// filled says whether something was sent in one of the fields, or is wrong with it.
func filled(fields []Field) bool {
	return slices.ContainsFunc(fields, func(d Field) bool { return d.Value != "" || d.Fault != "" })
}

// AccountPage is any of the forms about an account.
type AccountPage struct {
	Frame
	Form
	Email, Personal, Password []Field
	Company                   []Field
	Billing, Delivery         []Field
	IsCompany, Elsewhere      bool
	HasAddress                bool
}

func (v Visit) accountPage(page, title string, s Sent, fill func(*form, *AccountPage)) *AccountPage {
	t := v.lang()
	p := &AccountPage{Frame: v.titled(page, t.say(title))}
	f := &form{language: t, Sent: s}
	fill(f, p)
	p.Form = f.done()
	p.IsCompany, p.Elsewhere, p.HasAddress = filled(p.Company), filled(p.Delivery), filled(p.Billing)
	return p
}

// account is the page on which a customer changes the own data.
func (v Visit) account(s Sent) *AccountPage {
	return v.accountPage(pageAccount, "account", s, func(f *form, p *AccountPage) {
		p.Personal = f.personal()
		p.Company = f.company("", "")
		p.Billing, p.Delivery = f.address("billingAddress", "billing", may), f.address("deliveryAddress", "shipping", may)
		p.Password = []Field{f.email(), f.password("password", "newPassword", "new-password", may).hinted(f.say("keepPassword")),
			f.password("currentPassword", "currentPassword", "current-password", may).hinted(f.say("whyPassword"))}
	})
}

func (f *form) personal() []Field { return append(f.names(), f.phone(may)) }

func (f *form) names() []Field {
	first, last := f.field("firstName", "given-name", must), f.field("lastName", "family-name", must)
	first.Half, last.Half = true, true
	return []Field{first, last}
}

// register is the page on which a visitor becomes a customer.
func (v Visit) register(s Sent) *AccountPage {
	return v.accountPage(pageRegister, "register", s, func(f *form, p *AccountPage) {
		p.Email = []Field{f.email()}
		p.Password = []Field{f.password("password", "password", "new-password", must).hinted(f.say("passwordHint"))}
		p.Personal = f.personal()
		p.Billing = f.address("billingAddress", "billing", may)
		p.Company = f.company("", "")
	})
}

// signIn is the page on which a customer signs in.
func (v Visit) signIn(s Sent) *AccountPage {
	return v.accountPage(pageSignIn, "signIn", s, func(f *form, p *AccountPage) {
		p.Email = []Field{f.email()}
		p.Password = []Field{f.password("password", "password", "current-password", must)}
	})
}

// setPassword is the page of a link that lets a customer set a password.
func (v Visit) setPassword(s Sent) *AccountPage {
	return v.accountPage(pageSetPassword, "setPassword", s, func(f *form, p *AccountPage) {
		p.Password = []Field{f.password("password", "newPassword", "new-password", must).hinted(f.say("passwordHint"))}
	})
}
