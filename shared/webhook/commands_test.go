package webhook_test

import (
	"errors"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/host/hosttest"
	"eshop/shared/ports/queue"
	"eshop/shared/ports/queue/memory"
	"eshop/shared/ports/store"
	"eshop/shared/ports/store/bolt"
	"eshop/shared/record/change"
	"eshop/shared/webhook"
)

// TestWhatIsParkedIsLetGoOnceItsCommandIsWritten: a drain has its message when its command was written, and no message
// leads to a drain that was not.
func TestWhatIsParkedIsLetGoOnceItsCommandIsWritten(t *testing.T) {
	const shop, access, id = "01SHAP0000000000000000000A", "01ACCE0000000000000000000A", "01HAAK0000000000000000000A"
	owner := webhook.Owner{Shop: shop, Access: access}
	for name, command := range map[string]func(*testing.T, *change.Unit, webhook.Pipeline) error{
		"Enable": func(t *testing.T, u *change.Unit, p webhook.Pipeline) error {
			_, err := webhook.Enable(t.Context(), u, p, owner, id)
			return err
		},
		"Delete": func(t *testing.T, u *change.Unit, p webhook.Pipeline) error {
			return webhook.Delete(t.Context(), u, p, owner, id)
		},
	} {
		t.Run(name, func(t *testing.T) {
			db, err := bolt.Open(filepath.Join(t.TempDir(), "data"), bolt.Options{})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, db.Close()) })
			table := &hosttest.Table{Table: db.Table("main")}
			u := &change.Unit{Shop: shop, Table: table, Now: time.Now, Random: hosttest.Random()}
			retry := memory.New(queue.Settings{Visibility: time.Minute}, nil, 0)
			p := webhook.Pipeline{Rows: table, Retry: retry, Log: slog.New(slog.DiscardHandler)}
			r := webhook.Receiver{ID: id, Shop: shop, Access: access, State: webhook.Failing,
				Verified: true, Proven: true, Version: u.NextVersion("")}
			_, err = table.Write(t.Context(), events.Nothing, store.Put(r.Item()),
				store.Put(store.Item{Key: webhook.HealthKey(id)}))
			require.NoError(t, err)
			sent := func() int { ready, delayed, _ := retry.Depth(); return ready + delayed }

			full := errors.New("the disk is full")
			table.Before(func([]store.Op) error { return full })
			require.ErrorIs(t, command(t, u, p), full)
			require.Zero(t, sent())
			table.Before(nil)
			require.NoError(t, command(t, u, p))
			require.Equal(t, 1, sent())
		})
	}
}
