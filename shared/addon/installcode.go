package addon

import (
	"context"
	"errors"
	"time"

	"eshop/events"
	"eshop/shared/base/problem"
	"eshop/shared/people/bearer"
	"eshop/shared/ports/secret"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// InstallCode is what a package's vendor is sent with packageActivate and exchanges for a token of that access
// (contract, "System webhooks"). Only its SHA-256 is kept, as the item's key.
type InstallCode struct {
	Access     string     `json:"accessId"`
	Shop       string     `json:"shopId"`
	Package    string     `json:"packageId"`
	Activation string     `json:"activation"` // the id of the webhook that carries it: of all its codes one can be used
	Expires    field.Time `json:"expiresAt"`
}

// InstallCodeLife is how long an install code is good for.
const InstallCodeLife = 15 * time.Minute

// activationLife is how long it is known that a code of an activation was used: longer than an activation's webhook can
// be sent again, with a new code in each attempt.
const activationLife = 31 * 24 * time.Hour

// IssueInstallCode makes a new code of 256 bits for what c says, good for InstallCodeLife from now on.
func IssueInstallCode(ctx context.Context, u *change.Unit, c InstallCode) (text string, err error) {
	text = bearer.Text(u.Random)
	c.Expires = field.At(u.Now().Add(InstallCodeLife))
	_, err = u.Write(ctx, nil, events.Nothing, store.Put(c.Item(secret.Hash(text))))
	return text, err
}

// ErrInstallCode is the error of an install code that is unknown, used or too old.
var ErrInstallCode = errors.New("addon: the install code is not good")

// Exchange makes a token of the access that an install code is for, on whichever shop. Of several exchanges of one
// activation's codes exactly one succeeds. A deactivation ends the codes of the activations before it: while the
// package is not active, an exchange is refused for that; afterwards the code counts as used.
func (c Commands) Exchange(ctx context.Context, u *change.Unit, text string) (Token, error) {
	items, err := u.Table.Get(ctx, InstallCodeKey(secret.Hash(text)))
	if err != nil {
		return Token{}, err
	}
	if items[0] == nil {
		return Token{}, ErrInstallCode
	}
	code, err := InstallCodeOf(items[0])
	if err != nil {
		return Token{}, err
	}
	if code.Expires <= field.At(u.Now()) {
		return Token{}, ErrInstallCode
	}
	a, err := unused(ctx, u, code)
	if err != nil {
		return Token{}, err
	}
	if err := tokensFit(ctx, u.Table, a.ID); err != nil {
		return Token{}, err
	}
	t := c.makeToken(u, a, nil)
	defer c.Callers.DropToken(t.Hash)
	_, err = u.Write(ctx, t, events.Nothing, append(t.createOps(), code.UseOp(u.Now()))...)
	if _, used := store.Failed(err, code.UsedKey()); used {
		return Token{}, ErrInstallCode
	}
	return t, err
}

// unused is the access that the code is for, if no code of its activation was used, and the package is active on the
// shop and was not deactivated since that activation.
func unused(ctx context.Context, u *change.Unit, code InstallCode) (Access, error) {
	items, err := u.Table.Get(ctx, code.UsedKey(), Key(code.Shop, code.Access), tallyKey(code.Shop, code.Package))
	if err != nil {
		return Access{}, err
	}
	if items[0] != nil || items[1] == nil {
		return Access{}, ErrInstallCode
	}
	a, err := DecodeAccess(items[1])
	switch {
	case err != nil:
		return a, err
	case a.State != Active:
		return a, problem.Forbidden("package_inactive", "The package of this install code is not active on the shop.")
	case deactivatedSince(items[2], code.Activation):
		return a, ErrInstallCode
	}
	return a, nil
}
