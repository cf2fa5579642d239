package staff

import (
	"context"
	"strconv"
	"time"

	"eshop/shared/base/problem"
	"eshop/shared/people/signin"
	"eshop/shared/ports/store"
	"eshop/shared/record"
	"eshop/shared/record/change"
	"eshop/shared/record/field"
)

// Admins are the admins of shops as records, of whom no add-on is told. They are counted with each who is made or
// deleted, and deleting one takes their password away, which ends their sessions.
var Admins = &record.Kind[Admin, Fields]{
	Key:   Key,
	List:  func(shop string) string { return "S#" + shop + "#ADMIN" },
	Split: func(a *Admin) (*record.Head, *Fields) { return &a.Head, &a.Fields },
	Claims: func(shop string, f Fields) []record.Claim {
		return []record.Claim{{Key: emailKey(shop, f.Email),
			Taken: problem.Conflict("email_taken", "Another admin of this shop has this e-mail address.")}}
	},
	Along: []record.Along[Admin]{{Extend: countAdmins, Explain: whyNoAdmin}},
}

// MaxAdmins is how many admins a shop has at most.
const MaxAdmins = 1_000

// countAdmins counts the admins of the shop with each who is made or deleted, and takes a deleted one's password
// away.
func countAdmins(_ context.Context, u *change.Unit, s *record.Step[Admin]) error {
	switch {
	case s.Before == nil:
		s.Ops = append(s.Ops, countOp(u.Shop, 1, store.AtMost(count, MaxAdmins-1)))
	case s.After == nil:
		s.Ops = append(s.Ops, store.Delete(passwordKey(u.Shop, s.Before.ID)), countOp(u.Shop, -1))
	}
	return nil
}

// whyNoAdmin is why an admin was not made.
func whyNoAdmin(u *change.Unit, s *record.Step[Admin], refused error) error {
	if _, full := store.Failed(refused, countKey(u.Shop)); full && s.Before == nil {
		return problem.Conflict("too_many_admins", "A shop has "+strconv.Itoa(MaxAdmins)+" admins at most.")
	}
	return refused
}

// count is the number of a shop's admins in the item of countKey.
const count = "admins"

// countOp is the operation that adds to the number of a shop's admins.
func countOp(shop string, more int64, held ...store.Condition) store.Op {
	return store.Update(countKey(shop), store.Set{Add: map[string]int64{count: more}}, held...)
}

// Key is the admin's item.
func Key(shop, id string) store.Key { return store.Key{PK: "S#" + shop + "#ADMIN#" + id, SK: "A"} }

// passwordKey is the item of the admin's password, beside the admin's own.
func passwordKey(shop, id string) store.Key {
	return store.Key{PK: "S#" + shop + "#ADMIN#" + id, SK: "PASSWORD"}
}

// countKey is the item with the number of a shop's admins.
func countKey(shop string) store.Key { return store.Key{PK: "S#" + shop, SK: "ADMINS"} }

// emailKey is the claim of an e-mail address.
func emailKey(shop string, e field.Email) store.Key {
	return store.Key{PK: "S#" + shop + "#=AE#" + e.Fold(), SK: "A"}
}

// SessionLife is how long a session is good after its last use (contract, "People"). It is up to sessionStep less: a
// use so soon after the one before is not noted, for that would be a write with every page.
const (
	SessionLife = 12 * time.Hour
	sessionStep = 5 * time.Minute
)

// keys are where admins have what they sign in by (contract, "People").
var keys = signin.People{
	PasswordKey: passwordKey,
	Session:     func(shop, hash string) store.Key { return store.Key{PK: "S#" + shop + "#ASESSION#" + hash, SK: "A"} },
	Link:        func(shop, hash string) store.Key { return store.Key{PK: "S#" + shop + "#ALINK#" + hash, SK: "A"} },
	Life:        SessionLife,
	Step:        sessionStep,
}
