package delivery

import (
	"bytes"
	"context"
	"fmt"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/api"
	"eshop/shared/store"
)

// System says whether the delivery goes to its package's systemUrl. Its Access and Receiver are the package then.
func (r Row) System() bool { return r.About != "" }

// Activation is the data of packageActivate as a systemUrl gets it, up to the install code, which is each attempt's own
// (contract, section 5, "Who").
func Activation(data []byte, acc string) []byte {
	return fmt.Appendf(bytes.Clone(data[:len(data)-1]), `,"accessId":%q}`, acc)
}

// withCode is the body with a new install code where the delivery carries one, and the code. Of it only the hash is kept.
func (c *courier) withCode(ctx context.Context, r Row, body []byte) (_ []byte, code string, err error) {
	if !r.System() || r.Event != events.PackageActivate {
		return body, "", nil
	}
	code = addon.NewInstallCode(c.Random)
	kept := addon.InstallCode{Access: r.About, Shop: r.Shop, Package: r.Package, Activation: r.ID, Expires: api.At(c.Now().Add(addon.InstallCodeLife))}
	if _, err := c.Main.Write(ctx, events.Nothing, store.Put(kept.Item(addon.Hash(code)))); err != nil {
		return nil, "", err
	}
	const end = "}}" // of data and body
	return fmt.Appendf(bytes.Clone(body[:len(body)-len(end)]), `,"installCode":%q%s`, code, end), code, nil
}

// without blanks a secret in an answer that repeats it, so that no log shows it.
func without(secret string, answer []byte) []byte {
	if secret == "" {
		return answer
	}
	return bytes.ReplaceAll(answer, []byte(secret), []byte("[installCode]"))
}
