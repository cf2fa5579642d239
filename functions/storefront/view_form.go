package storefront

import (
	"cmp"
	"net/url"
	"strconv"
	"strings"

	"eshop/shared/base/problem"
	"eshop/shared/page"
	"eshop/shared/sale"
)

// form makes the fields of a form in the language.
func (l language) form(sent page.Sent) *page.Filler {
	return &page.Filler{Language: l.Language, Texts: texts, Sent: sent}
}

// notice says in words what is wrong with a form as a whole. For a problem without words of its own it says only that
// something was refused: texts of the API are for programmers.
func (l language) notice(refusal *problem.Problem) string {
	switch refusal.Code {
	case "sign_in_failed", "quote_invalid", "quote_used", "quote_expired",
		"too_many_tries":
		return l.say(refusal.Code)
	case "prices_changed":
		return l.say("pricesChanged")
	case "not_found": // of which the page is shown: a line of the basket
		return l.say("lineGone")
	case "basket_empty":
		return l.say("emptyBasket") + "."
	case "coupon_invalid":
		reason, _ := refusal.More["reason"].(sale.CouponRefusal)
		return cmp.Or(l.say("coupon."+string(reason)), l.say("coupon.unknown"))
	case sale.Short:
		return l.insufficient(available(refusal))
	}
	// One fault stands for all, because the notice is one line.
	for _, f := range refusal.Errors {
		return l.faultIn(strings.TrimPrefix(f.Location, "body."), f.Code)
	}
	return l.say("refusedIs")
}

// insufficient says how many pieces are left.
func (l language) insufficient(left int64) string {
	return l.say("insufficient") + " " + l.pieces(left) + "."
}

// available is how many pieces are left, by a problem of an order that wants more.
func available(p *problem.Problem) int64 {
	n, _ := p.More["available"].(int64)
	return n
}

// lineFaults are the faults of a basket's lines, by their indexes: those at body.items[<index>].
func (l language) lineFaults(faults []problem.Fault) map[int]string {
	of := map[int]string{}
	for _, f := range faults {
		// Of several faults in one line the first is shown. Faults that are not in a line are left out.
		rest, is := strings.CutPrefix(f.Location, "body.items[")
		index, _, ended := strings.Cut(rest, "]")
		n, err := strconv.Atoi(index)
		if is && ended && err == nil && of[n] == "" {
			of[n] = l.faultIn("", f.Code)
		}
	}
	return of
}

// AccountPage is any of the forms about an account.
type AccountPage struct {
	Layout
	page.Form
	Email, Personal, Password []page.Field
	Company                   []page.Field
	Billing, Delivery         []page.Field
	IsCompany, Elsewhere      bool
	HasAddress                bool
	Registered                bool // just now
}

// accountPage is a form about an account, which fill gives its fields. Where to go afterwards and the token of a link
// stay in the query of the form's address, so that they survive a form that is shown again.
func (s Setting) accountPage(name, title string, sent page.Sent, fill func(*page.Filler, *AccountPage)) *AccountPage {
	lang := s.lang()
	p := &AccountPage{Layout: s.titled(name, lang.say(title))}
	of := url.Values{}
	for name, value := range map[string]string{"to": sent.To, "token": sent.Token} {
		if value != "" {
			of.Set(name, value)
		}
	}
	p.Query = of.Encode()
	f := lang.form(sent)
	fill(f, p)
	p.Form = f.Done()
	// A folded part of the form is open where something in it is filled or wrong: people see all that they send.
	p.IsCompany, p.Elsewhere, p.HasAddress = page.Filled(p.Company), page.Filled(p.Delivery), page.Filled(p.Billing)
	return p
}

// account is the page on which a customer changes the own data.
func (s Setting) account(sent page.Sent) *AccountPage {
	return s.accountPage("account", "account", sent, func(f *page.Filler, p *AccountPage) {
		p.Personal = personal(f)
		p.Company = f.Company("", "")
		p.Billing, p.Delivery = f.Address("billingAddress", "billing", page.May),
			f.Address("deliveryAddress", "shipping", page.May)
		p.Password = []page.Field{f.Email(),
			f.Password("password", "newPassword", "new-password", page.May).Hinted(f.Says("keepPassword")),
			f.Password("currentPassword", "currentPassword", "current-password",
				page.May).Depending().Hinted(f.Says("whyPassword"))}
	})
}

// personal are the fields of who a customer is.
func personal(f *page.Filler) []page.Field { return append(f.Names(), f.Phone(page.May)) }

// register is the page on which a visitor becomes a customer.
func (s Setting) register(sent page.Sent) *AccountPage {
	return s.accountPage("register", "register", sent, func(f *page.Filler, p *AccountPage) {
		p.Email = []page.Field{f.Email()}
		p.Password = []page.Field{f.Password("password", "password", "new-password",
			page.Must).Hinted(f.Says("passwordHint"))}
		p.Personal = personal(f)
		p.Billing = f.Address("billingAddress", "billing", page.May)
		p.Company = f.Company("", "")
	})
}

// signIn is the page on which a customer signs in.
func (s Setting) signIn(sent page.Sent) *AccountPage {
	return s.accountPage("sign-in", "signIn", sent, func(f *page.Filler, p *AccountPage) {
		p.Email = []page.Field{f.Email()}
		p.Password = []page.Field{f.Password("password", "password", "current-password", page.Must)}
	})
}

// setPassword is the page of a link that lets a customer set a password.
func (s Setting) setPassword(sent page.Sent) *AccountPage {
	return s.accountPage("set-password", "setPassword", sent, func(f *page.Filler, p *AccountPage) {
		p.Password = []page.Field{f.Password("password", "newPassword", "new-password",
			page.Must).Hinted(f.Says("passwordHint"))}
	})
}
