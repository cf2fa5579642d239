package delivery

import (
	"bytes"
	"context"
	"fmt"

	"eshop/events"
	"eshop/shared/addon"
	"eshop/shared/field"
	"eshop/shared/store"
	"eshop/shared/webhook"
)

// withCode is the body with a new install code where the delivery carries one, and the code. Of it only the hash is kept.
func (c *courier) withCode(ctx context.Context, r webhook.Row, body []byte) (_ []byte, code string, err error) {
	if !r.System() || r.Event != events.PackageActivate {
		return body, "", nil
	}
	code = addon.NewInstallCode(c.Random)
	kept := addon.InstallCode{Access: r.About, Shop: r.Shop, Package: r.Package, Activation: r.ID, Expires: field.At(c.Now().Add(addon.InstallCodeLife))}
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
