package sale

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"io"
	"time"

	"eshop/shared/id"
	"eshop/shared/problem"
	"eshop/shared/record"
	"eshop/shared/store"
)

// orderSecret is what nobody can guess of the address of an order's page: 256 random bits as 43 characters of
// base64url. The order keeps its hash only.
type orderSecret string

func newOrderSecret(random io.Reader) (orderSecret, error) {
	var bits [32]byte
	_, err := io.ReadFull(random, bits[:])
	return orderSecret(base64.RawURLEncoding.EncodeToString(bits[:])), err
}

func (s orderSecret) hash() string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// page is the end of the address of the order's page: the order's id, by which it is found, and the secret.
func (s orderSecret) page(order string) string { return order + string(s) }

// addressesFor is how long an order's page shows who ordered and where it goes (contract, section 6).
const addressesFor = 24 * time.Hour

// ShowsAddresses says whether the order's page still shows who ordered and where it goes.
func (o *Order) ShowsAddresses(now time.Time) bool {
	return now.Before(o.Created.Go().Add(addressesFor))
}

// OrderPageKeys are the keys of the items that OrderOfPage reads: none when no order's page has an address that ends
// like this.
func OrderPageKeys(shop, end string) []store.Key {
	if len(end) <= id.Size || !id.Valid(end[:id.Size]) {
		return nil
	}
	return []store.Key{OrderKey(shop, end[:id.Size])}
}

// OrderOfPage is the order whose page's address ends like this, by the items of OrderPageKeys; a problem not_found when
// the shop has none, or has it with another secret.
func OrderOfPage(end string, items []*store.Item) (*Order, error) {
	if len(items) == 0 || record.Missing(items[0]) {
		return nil, problem.NotFound()
	}
	o, err := Orders.Decode(items[0])
	if err != nil {
		return nil, err
	}
	if subtle.ConstantTimeCompare([]byte(orderSecret(end[id.Size:]).hash()), []byte(o.secretHash)) != 1 {
		return nil, problem.NotFound()
	}
	return &o, nil
}
