package addon

import (
	"io"
	"time"

	"eshop/shared/api"
	"eshop/shared/store"
)

// InstallCode is what a package's vendor is sent with packageActivate and exchanges for a token of that access (contract,
// section 5, "Who"). Only its SHA-256 is kept, as the item's key.
type InstallCode struct {
	Access     string   `json:"accessId"`
	Shop       string   `json:"shopId"`
	Package    string   `json:"packageId"`
	Activation string   `json:"activation"` // the webhook that carries it: using one code ends the others of that
	Expires    api.Time `json:"expiresAt"`
}

// InstallCodeLife is how long an install code is good for.
const InstallCodeLife = 15 * time.Minute

// activationLife is longer than the webhook of an activation, which makes a new code with each attempt, is ever sent again.
const activationLife = 31 * 24 * time.Hour

// NewInstallCode is a new code, 256 bits. random must not fail.
func NewInstallCode(random io.Reader) string { return Secret(random) }

// Item is the code with this hash as it is stored.
func (c InstallCode) Item(hash string) store.Item {
	return store.Item{Key: InstallCodeKey(hash), Doc: encode(c), Expires: c.Expires.Go().Add(time.Hour).Unix()}
}

// Used ends all codes of the activation, those to come too; of several uses at once the store lets one through.
func (c InstallCode) Used(now time.Time) store.Op {
	return store.Put(store.Item{Key: c.UsedKey(), Expires: now.Add(activationLife).Unix()}, store.Absent())
}

// InstallCodeOf reads a code's item.
func InstallCodeOf(i *store.Item) (c InstallCode, err error) {
	err = decode(i, &c)
	return c, err
}
