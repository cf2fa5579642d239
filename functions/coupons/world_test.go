package coupons

import (
	"testing"
	"time"

	"eshop/shared/host"
	"eshop/shared/host/hosttest"
)

// The shops of these tests, and the tokens of their accesses.
const (
	shop, otherShop = "01SHOP0000000000000000000A", "01SHOP0000000000000000000B"
	all             = shop
	reader          = shop + " coupons:read"
	writer          = shop + " coupons:write"
	stranger        = otherShop
)

// world is the coupons' API.
type world struct{ *hosttest.World }

func newWorld(t testing.TB) *world {
	return &world{hosttest.Open(t, hosttest.Setup{Functions: []host.Function{Function},
		Authenticate: hosttest.AuthenticateByText,
		Start:        time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)})}
}

// do is as the shop's access with all permissions.
func (w *world) do(method, path string, body any, headers ...string) hosttest.Answer {
	w.T.Helper()
	return w.Next(all, method, path, body, headers...)
}

// made is a coupon of this code, with what a coupon needs besides.
func (w *world) made(code string, more string) hosttest.Answer {
	w.T.Helper()
	return w.do("POST", path, `{"code":"`+code+`","type":"percentage","value":"10.00"`+more+`}`).Is(201)
}

// at is where the record of an answer is read.
func at(a hosttest.Answer) string { return path + "/" + a.ID() }
