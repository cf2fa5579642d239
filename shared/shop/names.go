package shop

import (
	"context"
	"net/netip"
	"slices"
	"strings"

	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
)

// Names are the names that the platform has for itself, or gives to shops. The zero value has none.
type Names struct {
	// Own are the platform's own names, in lower case and without a port.
	Own []string
	// Places are where shops are: names that they are given no shop can choose.
	Places Places
	// Kept are further names that no shop can choose: those that lead to the platform on other ways.
	Kept []string
	// Tests is the name below which test shops have their domains, beside those that end in .test; "": there is none.
	Tests string
}

// IsOwn says whether a request's host is the platform's own, which serves the API and its documents and no shop
// (contract, "The platform's own host"). Every IP address is.
func (n Names) IsOwn(host string) bool { return n.owns(hostName(host)) }

// owns is IsOwn of a name as hostName writes it.
func (n Names) owns(name string) bool {
	if _, err := netip.ParseAddr(name); err == nil || slices.Contains(n.Own, name) {
		return true
	}
	shop, given := n.Places.shopAt(name)
	return given && shop == ""
}

// keeps says whether no shop can choose the name.
func (n Names) keeps(name string) bool {
	if n.owns(name) || slices.Contains(n.Kept, name) || n.Tests != "" && name == n.Tests {
		return true
	}
	_, given := n.Places.shopAt(name)
	return given
}

// forTests says whether a test shop can have the name. A developer writes what their test shop serves, so its name must
// not look like a merchant's or the platform's.
func (n Names) forTests(name string) bool {
	return strings.HasSuffix(name, ".test") || n.Tests != "" && strings.HasSuffix(name, "."+n.Tests)
}

// along refuses a shop's new domain that is not for it (contract, "Names").
func (n Names) along(ctx context.Context, u *change.Unit, s *record.Step[Shop]) error {
	domain := string(s.After.Domain)
	switch {
	case s.Before != nil && s.Before.Domain == s.After.Domain:
		return nil
	case n.keeps(domain):
		return problem.InvalidAt("domain", problem.Conflicting, "is the platform's own")
	case s.After.Developer == "":
		return nil
	case !n.forTests(domain):
		return problem.InvalidAt("domain", problem.BadFormat, "must end with "+n.endings())
	}
	return besideLive(ctx, u, domain)
}

// endings are those of test shops' domains, in words.
func (n Names) endings() string {
	if n.Tests == "" {
		return ".test"
	}
	return ".test or ." + n.Tests
}

// besideLive refuses a test shop's domain that lies below or above a live shop's: browsers let pages of either set
// cookies for the other. One below a name that a live shop had is refused for as long as that is held for it. The names
// above the domain are a few claims to read; those below it are an entry each in index 2, which old names have none in.
func besideLive(ctx context.Context, u *change.Unit, domain string) error {
	t := u.Table
	taken := problem.InvalidAt("domain", problem.Conflicting,
		"stands below or above the domain that a live shop has, or below one that it had")
	var above []store.Key
	for _, rest, has := strings.Cut(domain, "."); has; _, rest, has = strings.Cut(rest, ".") {
		above = append(above, DomainKey(rest))
	}
	claims, err := store.GetAll(ctx, t, above)
	if err != nil {
		return err
	}
	for i, claim := range claims {
		if claim == nil {
			continue
		}
		if record.HeldClaim(claim, u.Now()) { // only live shops' are
			return taken
		}
		s, err := Read(ctx, t, record.Owner(claim))
		switch {
		case err == nil && s.Developer == "" && DomainKey(string(s.Domain)) == above[i]:
			return taken
		case err != nil && !problem.Is(err, "not_found"):
			return err
		}
	}
	from := upwards(domain)
	below, err := t.Query(ctx, store.Query{Index: store.Index2, PK: liveNames, From: from + ".", To: from + "/",
		Limit: 1})
	if err == nil && len(below.Items) > 0 {
		err = taken
	}
	return err
}

// liveNames is the partition of index 2 with the live shops by their domains from the end: test.tea.www.
const liveNames = "LIVE#NAMES"

// upwards is a name with its labels from the last to the first.
func upwards(name string) string {
	labels := strings.Split(name, ".")
	slices.Reverse(labels)
	return strings.Join(labels, ".")
}
