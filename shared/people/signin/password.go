package signin

import (
	"context"
	"fmt"
	"unicode/utf8"

	"eshop/shared/base/password"
	"eshop/shared/base/problem"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
)

// Password is a person's password as it is kept; the zero value is that of a person without one.
type Password struct {
	Hash  string // as package password makes it
	Epoch string // the item's version, another one with each new password
}

// hashText is the text of a password's item that holds the hash.
const hashText = "hash"

// PasswordOf reads a password's item; nil is that of a person without one.
func PasswordOf(item *store.Item) Password {
	if item == nil {
		return Password{}
	}
	return Password{Hash: item.Text[hashText], Epoch: item.Version}
}

// ReplacePassword is the operation by which a person has the password now instead of was. It does not hold when the
// person has got another one meanwhile.
func (p People) ReplacePassword(shop, person string, was, now Password) store.Op {
	return store.Put(store.Item{Key: p.PasswordKey(shop, person), Version: now.Epoch,
		Text: map[string]string{hashText: now.Hash}}, was.isCurrent())
}

// PasswordIs is the operation that holds only while the person's password is this one. It writes nothing.
func (p People) PasswordIs(shop, person string, this Password) store.Op {
	return store.Check(p.PasswordKey(shop, person), this.isCurrent())
}

// isCurrent is the condition that a person's password is this one.
func (p Password) isCurrent() store.Condition {
	if p.Epoch == "" {
		return store.Absent()
	}
	return store.VersionIs(p.Epoch)
}

// NewPassword is a password as it is to be kept, of an epoch of its own.
func NewPassword(ctx context.Context, u *change.Unit, text string) (Password, error) {
	hash, err := password.Hash(ctx, u.Random, text)
	return Password{Hash: hash, Epoch: u.NewID()}, err
}

// CheckLength finds a password that is too short or too long.
func CheckLength(text string) error {
	n := utf8.RuneCountInString(text)
	if n < password.Shortest {
		return problem.InvalidAt("password", problem.BadFormat,
			fmt.Sprintf("is shorter than %d characters", password.Shortest))
	}
	if n > password.Longest {
		return problem.InvalidAt("password", problem.TooLong,
			fmt.Sprintf("is longer than %d characters", password.Longest))
	}
	return nil
}
