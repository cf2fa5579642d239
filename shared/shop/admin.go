package shop

import (
	"context"
	"strings"
)

// adminLabel begins the host of a shop's admin, in front of the shop's own host (contract, section 10, "The admin's
// origin").
const adminLabel = "admin."

// IsAdminHost says whether a request's host is that of an admin, whether or not a shop has it.
func IsAdminHost(host string) bool { return strings.HasPrefix(hostName(host), adminLabel) }

// AdminOf is the address of the admin of the shop with this website, without a slash at its end.
func AdminOf(website string) string {
	scheme, rest, _ := strings.Cut(website, "://")
	return scheme + "://" + adminLabel + rest
}

// OfAdmin is the shop whose admin has the request's host; nil when there is none.
func (h *Hosts) OfAdmin(ctx context.Context, host string) (*Shop, error) {
	name, is := strings.CutPrefix(hostName(host), adminLabel)
	if !is {
		return nil, nil
	}
	return h.named(ctx, name)
}
