package signin

import (
	"encoding/hex"
	"io"
	"time"

	"eshop/shared/ports/secret"
	"eshop/shared/ports/store"
)

// Session is a person who is signed in, by the password of an epoch.
type Session struct {
	Key    store.Key // of its item
	Shop   string
	Person string
	Epoch  string
	Mark   string    // public; the same as long as the person stays signed in
	Ends   time.Time // unless it is used before
}

// The texts of a session's item.
const (
	personText = "person"
	shopText   = "shop"
	epochText  = "epoch"
	markText   = "mark"
)

// Begin is a new session of a person and its text, which is told to nobody but the person. The text begins with the
// person's id: so all that tells who is signed in is read by one call.
func (p People) Begin(random io.Reader, shop, person string, of Password, now time.Time) (Session, string) {
	text := person + "." + secret.New(random)
	return Session{Key: p.SessionKey(shop, text), Shop: shop, Person: person, Epoch: of.Epoch,
		Mark: newMark(random), Ends: now.Add(p.Life)}, text
}

// newMark is a new session's mark: 32 random bits, so that two sign-ins of one person differ. It is no secret. random
// must not fail.
func newMark(random io.Reader) string {
	var b [4]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		panic("signin: no randomness: " + err.Error())
	}
	return hex.EncodeToString(b[:])
}

// SessionKey is the item of a session with this text.
func (p People) SessionKey(shop, text string) store.Key { return p.Session(shop, secret.Hash(text)) }

// Item is the session as it is stored.
func (s Session) Item() store.Item {
	return store.Item{Key: s.Key, Expires: s.Ends.Unix(), Text: map[string]string{
		shopText: s.Shop, personText: s.Person, epochText: s.Epoch, markText: s.Mark}}
}

// SessionOf reads a session's item; false when there is none, or its time is over.
func SessionOf(item *store.Item, now time.Time) (Session, bool) {
	if item == nil || item.Expired(now.Unix()) {
		return Session{}, false
	}
	return Session{Key: item.Key, Shop: item.Text[shopText], Person: item.Text[personText], Epoch: item.Text[epochText],
		Mark: item.Text[markText], Ends: time.Unix(item.Expires, 0).UTC()}, true
}

// By says whether the session was begun by this password: a new one ends all sessions, and so does having none.
func (s Session) By(of Password) bool { return of.Epoch != "" && s.Epoch == of.Epoch }

// Due says whether a session that is used now is to be extended.
func (p People) Due(s Session, now time.Time) bool { return !now.Before(s.Ends.Add(p.Step - p.Life)) }
