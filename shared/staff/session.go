package staff

import (
	"time"

	"eshop/shared/signin"
	"eshop/shared/store"
)

// Session is an admin who is signed in, as far as its own item says. OfSession says whether it is still good. What is
// read for it can join the reads of a page: the item of SessionKey in one wave, those of Keys in the next.
type Session struct{ signin.Session }

// SessionKey is the item of the session of a cookie with this text.
func SessionKey(shop, cookie string) store.Key { return people.SessionKey(shop, cookie) }

// SessionOf reads the item of SessionKey; false when there is none, or its time is over.
func SessionOf(item *store.Item, now time.Time) (Session, bool) {
	s, is := signin.SessionOf(item, now)
	return Session{s}, is
}

// Keys are the keys of the items that OfSession reads: the admin's and their password's.
func (s Session) Keys() []store.Key { return people.Keys(s.Session) }

// OfSession is the admin of a session by the items of its Keys; nil when it is not good any more, because the admin was
// deleted or has another password than the one it was begun by.
func OfSession(s Session, items []*store.Item) (*Admin, error) {
	return people.PersonOf(s.Session, items)
}

// Due says whether the session of an admin who is here now is to be extended: every five minutes at most.
func (s Session) Due(now time.Time) bool { return people.Due(s.Session, now) }
