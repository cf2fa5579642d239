package hosttest

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/api"
	"eshop/shared/base/permission"
	"eshop/shared/host"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
)

var at = store.Key{PK: "S#shop#N", SK: "A"}

// noting is a function with an operation that reads beside its charge, and writes and tells what it is called.
var noting = host.Function{Name: "noting", HTTP: func(p *host.Platform, a *api.API) {
	type in struct {
		Name string `path:"name"`
	}
	api.Add(a, api.Op{Route: "PUT /api-engine/notes/{name}", ID: "note", Needs: permission.WriteURLs, Status: 204},
		func(c *api.Call, in *in) (*api.None, error) {
			if _, err := p.Main.Get(c, at); err != nil {
				return nil, err
			}
			return api.Done(c, func(u *change.Unit) error {
				told := []events.Record{{Kind: events.URLs, ID: in.Name, Did: events.Changed}}
				_, err := u.Write(c, in, u.ChangeOf(told), store.Put(store.Item{Key: at, Version: in.Name}))
				return err
			})
		})
}}

func open(t *testing.T) *World {
	return Open(t, Setup{Functions: []host.Function{noting}, Authenticate: AuthenticateByText, Step: time.Millisecond})
}

func (w *World) note(name string) Answer { return w.As("shop", "PUT", "/api-engine/notes/"+name, nil) }

func (w *World) noted() string {
	items, err := w.Main.Table.Get(w.T.Context(), at)
	require.NoError(w.T, err)
	if items[0] == nil {
		return ""
	}
	return items[0].Version
}

func TestTokensSayWhatTheyMayDo(t *testing.T) {
	w := open(t)
	w.note("a").Is(204)
	w.As("shop urls:write", "PUT", "/api-engine/notes/a", nil).Is(204)
	w.As("shop nothing", "PUT", "/api-engine/notes/a", nil).Is(403, "insufficient_permission")
	w.As("", "PUT", "/api-engine/notes/a", nil).Is(401, "unauthenticated")
}

func TestARestartFindsWhatWasWritten(t *testing.T) {
	w := open(t)
	w.note("a").Is(204)
	before := w.Clock.Now()
	w.Restart()
	require.Equal(t, "a", w.noted())
	require.True(t, w.Clock.Now().After(before), "time goes on")
	require.Empty(t, w.Main.Changes())
	w.note("b").Is(204)
	require.Equal(t, "b", w.noted())
}

func TestWhatIsToldIsToldOnce(t *testing.T) {
	w := open(t)
	w.note("a")
	w.note("b")
	require.Len(t, w.Main.Changes(), 2)
	told := w.Main.NewChanges()
	require.Equal(t, []string{"a", "b"}, []string{told[0].Records[0].ID, told[1].Records[0].ID})
	require.Empty(t, w.Main.NewChanges())
	require.Equal(t, 2, w.Main.Writes())
}

func TestATestGetsInBetweenAWrite(t *testing.T) {
	w := open(t)
	w.Main.Meanwhile(func() { w.note("meanwhile") })
	w.note("a")
	require.Equal(t, "a", w.noted())
	require.Len(t, w.Main.NewChanges(), 2)
	w.Main.Before(func([]store.Op) error { return errors.New("no") })
	w.note("b").Is(500)
	require.Equal(t, "a", w.noted(), "nothing is written")
	w.Main.Around(func(_ []store.Op, write func() error) error { return errors.Join(write(), store.ErrUnavailable) })
	w.note("c").Is(503)
	require.Equal(t, "c", w.noted(), "written, though it was not said")
	w.Main.Around(nil)
	w.Main.Down()
	w.note("d").Is(503, "unavailable")
}

func TestCallsAreHeldToTheirWaves(t *testing.T) {
	w := open(t)
	w.InWaves([]int{2, 1}, func() { w.note("a").Is(204) })
}

func TestManyAtATime(t *testing.T) {
	w := open(t)
	require.Equal(t, map[int]int{204: 8}, Statuses(Together(8, func(int) Answer { return w.note("a") })))
}
