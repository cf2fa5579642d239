package signin

import (
	"io"
	"time"

	"eshop/shared/ports/secret"
	"eshop/shared/ports/store"
)

// LinkLife is how long a link is good (contract, "Accounts" and "People").
const LinkLife = 24 * time.Hour

// Link lets a person set their password, once, and only as long as nobody has set it since the link was made.
type Link struct {
	Key    store.Key // of its item
	Person string
	Epoch  string // of the password that the person had as it was made; "" none
}

// NewLink is a new link's text and the operation that keeps it.
func (p People) NewLink(random io.Reader, shop, person string, of Password, now time.Time) (string, store.Op) {
	text := secret.New(random)
	return text, store.Put(store.Item{Key: p.LinkKey(shop, text), Expires: now.Add(LinkLife).Unix(),
		Text: map[string]string{personText: person, epochText: of.Epoch}}, store.Absent())
}

// LinkKey is the item of a link with this text.
func (p People) LinkKey(shop, text string) store.Key { return p.Link(shop, secret.Hash(text)) }

// LinkOf reads a link's item; false when there is none, it was used, or its time is over.
func LinkOf(item *store.Item, now time.Time) (Link, bool) {
	if item == nil || item.Expired(now.Unix()) {
		return Link{}, false
	}
	return Link{Key: item.Key, Person: item.Text[personText], Epoch: item.Text[epochText]}, true
}

// UseOp is the operation that uses the link, which ends it. It does not hold when the link was used.
func (l Link) UseOp() store.Op { return store.Delete(l.Key, store.Present()) }
