package change

import (
	"errors"
	"slices"

	"eshop/shared/base/permission"
	"eshop/shared/ports/limit"
)

// ErrUnauthenticated says that a token is unknown, expired or revoked, or that an access is not there.
var ErrUnauthenticated = errors.New("unauthenticated")

// Caller is who a token belongs to: an access, or a developer or one of the operator's, who have nothing of an access.
// It is shared between requests and never changed.
type Caller struct {
	Developer    string // "" of who is none
	Hash         string // of the developer's token
	Operator     string // the id of the operator's token: FirstToken, or a named one's; "" of who is not the operator
	OperatorName string // the token's name

	Access      string
	Package     string
	Shop        string
	Website     string // the shop's address without a slash at its end
	Locale      string
	Currency    string
	Active      bool
	Permissions []permission.Permission // what counts: the access's within its package's
	Limits      limit.Limits
	Version     string // the API version that was current when the access was made
}

// FirstToken is the id and the name of the operator's token that the platform is configured with.
const FirstToken = "first"

// Has says whether the caller holds the permission; "" everybody does.
func (c *Caller) Has(p permission.Permission) bool {
	return p == "" || slices.Contains(c.Permissions, p)
}
