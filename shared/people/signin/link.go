package signin

import (
	"io"
	"time"

	"eshop/shared/ports/secret"
	"eshop/shared/ports/store"
)

// LinkLife is how long a link is good (contract, "Accounts" and "People").
const LinkLife = 24 * time.Hour

// NewLink is the text of a new link, and the operation that keeps it. By it a person sets their password, once, and
// only as long as nobody has set it since: the link has the epoch of the password that the person has now.
func (p People) NewLink(random io.Reader, shop, person string, of Password, now time.Time) (string, store.Op) {
	text := secret.New(random)
	return text, store.Put(store.Item{Key: p.LinkKey(shop, text), Expires: now.Add(LinkLife).Unix(),
		Text: map[string]string{personText: person, epochText: of.Epoch}}, store.Absent())
}

// LinkKey is the item of a link with this text.
func (p People) LinkKey(shop, text string) store.Key { return p.Link(shop, secret.Hash(text)) }
