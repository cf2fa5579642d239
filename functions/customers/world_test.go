package customers

import (
	"context"
	"testing"
	"time"

	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/record/change"
)

// shop is the shop of these tests, and the token of an access to it that may do everything.
const shop = "01SHOP0000000000000000000A"

// world is the customers' API.
type world struct{ *hosttest.World }

func newWorld(t testing.TB) *world {
	return &world{hosttest.Open(t, hosttest.Setup{Functions: []host.Function{Function},
		Authenticate: func(ctx context.Context, token string) (*change.Caller, error) {
			c, err := hosttest.AuthenticateByText(ctx, token)
			if err == nil {
				c.Package = "01KYFXV0000000000000000PKG"
			}
			return c, err
		},
		Start: time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)})}
}

// do is as that access.
func (w *world) do(method, path string, body any, headers ...string) hosttest.Answer {
	w.T.Helper()
	return w.Next(shop, method, path, body, headers...)
}

// made is a customer made of these fields, with what a customer needs besides.
func (w *world) made(email string, more string) hosttest.Answer {
	w.T.Helper()
	return w.do("POST", path, `{"email":"`+email+`","firstName":"Jana","lastName":"Nováková"`+more+`}`).Is(201)
}

// at is where the record of an answer is read.
func at(a hosttest.Answer) string { return path + "/" + a.ID() }
