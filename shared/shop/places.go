package shop

import (
	"cmp"
	"strings"

	"eshop/shared/base/id"
)

// Places are where shops and their admins are: the one rule by which their addresses are made and found again
// (contract, "The admin's address"). A shop is at Host itself (the one in front), at its domain (one below Host, or one
// of its own that leads here), else at its id below Host. Its admin is at `admin.` before Host (of the one in front),
// else at a label below that: the domain's, if it is one label below Host, else the id.
type Places struct {
	Scheme string // http or https; "": https
	Host   string // the name below which shops lie, in lower case
	Port   string // as ":8080"; "": the scheme's own
	// Own says whether a name of the shop's own leads to the platform, too; nil: every such name does.
	Own func(Shop) bool
	// Front is the id of the shop that is at Host itself, "" while there is none; nil: there never is one.
	Front func() string
}

// Ready says whether a shop's own name was said to lead to the platform: what Places.Own is where shops have such.
func Ready(s Shop) bool { return s.ReadyDomain == s.Domain }

// adminLabel begins what lies below Host for admins.
const adminLabel = "admin."

// Website is the address of a shop's storefront, without a slash at its end.
func (p Places) Website(s Shop) string {
	domain := string(s.Domain)
	switch _, below := p.below(domain); {
	case p.inFront(s):
		return p.at(p.Host)
	case below || p.Own == nil || p.Own(s):
		return p.at(domain)
	}
	return p.at(strings.ToLower(s.ID) + "." + p.Host)
}

// Admin is the address of a shop's admin, without a slash at its end.
func (p Places) Admin(s Shop) string {
	switch label, below := p.below(string(s.Domain)); {
	case p.inFront(s):
		return p.at(adminLabel + p.Host)
	case below && !strings.Contains(label, "."): // a certificate of all names below is for one label alone
		return p.at(label + "." + adminLabel + p.Host)
	}
	return p.at(strings.ToLower(s.ID) + "." + adminLabel + p.Host)
}

// Show is the shop as it is shown, with its website and whether it is a test shop.
func (p Places) Show(s Shop) Shop {
	s.WebsiteURL, s.Test = p.Website(s), s.Developer != ""
	return s
}

// IsAdmin says whether a request's host is that of an admin, whether or not a shop has it.
func (p Places) IsAdmin(host string) bool {
	_, is := p.besideAdmin(hostName(host))
	return is
}

// besideAdmin is the storefront's name beside the name of an admin. is says whether it is such a name.
func (p Places) besideAdmin(name string) (storefront string, is bool) {
	if name == adminLabel+p.Host {
		return p.Host, true
	}
	label, is := strings.CutSuffix(name, "."+adminLabel+p.Host)
	return label + "." + p.Host, is
}

// shopAt is the id of the shop that has the name by the platform: the one in front, and each at its id. given says
// whether it is such a name, whatever shop has it: no shop can choose it. shop is "" where the name is the
// platform's own. The name is in lower case and without a port.
func (p Places) shopAt(name string) (shop string, given bool) {
	if name == p.Host {
		if p.Front == nil {
			return "", true
		}
		return p.Front(), true
	}
	label, below := p.below(name)
	shop = strings.ToUpper(label)
	return shop, below && id.Valid(shop)
}

// below is the part of a name before the host that it lies below.
func (p Places) below(name string) (label string, is bool) {
	return strings.CutSuffix(name, "."+p.Host)
}

// Secure is the address of a request's host by https, without a slash at its end.
func (p Places) Secure(host string) string { return "https://" + hostName(host) + p.Port }

// inFront says whether the shop is at the host itself.
func (p Places) inFront(s Shop) bool { return p.Front != nil && s.ID != "" && s.ID == p.Front() }

// at is the address of a name.
func (p Places) at(name string) string { return cmp.Or(p.Scheme, "https") + "://" + name + p.Port }
