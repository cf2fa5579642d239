package signin_test

import (
	"context"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/base/problem"
	"eshop/shared/host/hosttest"
	"eshop/shared/people/signin"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
)

const shop = "01SHOP0000000000000000000A"

// people are those of these tests.
var people = signin.People{
	PasswordKey: func(shop, person string) store.Key { return store.Key{PK: "S#" + shop + "#X#" + person, SK: "P"} },
	Session:     func(shop, hash string) store.Key { return store.Key{PK: "S#" + shop + "#XS#" + hash, SK: "A"} },
	Link:        func(shop, hash string) store.Key { return store.Key{PK: "S#" + shop + "#XL#" + hash, SK: "A"} },
	Life:        12 * time.Hour,
	Step:        10 * time.Minute,
}

var tries = signin.Tries{Key: []byte("the platform's own secret")}

func unit(w *hosttest.World) *change.Unit {
	u := w.P.Unit()
	u.Shop = shop
	return u
}

// refused is the time after which a 429 asks for another try; 0 of a try that passed.
func refused(t require.TestingT, err error) time.Duration {
	if err == nil {
		return 0
	}
	p, is := problem.As(err)
	require.True(t, is, "%v", err)
	require.Equal(t, http.StatusTooManyRequests, p.Status)
	require.Equal(t, "too_many_tries", p.Code)
	seconds, err := strconv.Atoi(p.Header.Get("Retry-After"))
	require.NoError(t, err)
	require.Positive(t, seconds)
	return time.Duration(seconds) * time.Second
}

func get(t testing.TB, w *hosttest.World, key store.Key) *store.Item {
	items, err := w.Main.Get(context.Background(), key)
	require.NoError(t, err)
	return items[0]
}
