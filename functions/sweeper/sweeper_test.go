package sweeper

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/catalog"
	"eshop/shared/host/hosttest"
	"eshop/shared/images"
	"eshop/shared/ports/blob"
	"eshop/shared/ports/blob/folder"
	"eshop/shared/ports/queue/memory"
	"eshop/shared/ports/store"
	"eshop/shared/record/change"
	"eshop/shared/record/pending"
	"eshop/shared/sale"
	"eshop/shared/webhook"
)

type world struct{ *hosttest.World }

func newWorld(t *testing.T) *world { return &world{hosttest.Open(t, hosttest.Setup{})} }

// told is the only change told since the last call.
func (w *world) told() events.Change {
	w.T.Helper()
	told := w.Main.NewChanges()
	require.Len(w.T, told, 1)
	return told[0]
}

func TestARequestThatNeverEndedIsToldOfOnce(t *testing.T) {
	w := newWorld(t)
	may := events.Change{Request: "01M7XXKEG7ZVFRE0EM6N6D5N1T", Shop: "s", At: w.Clock.Now().UnixMilli(),
		Records: []events.Record{{Kind: events.Products, ID: "p", Did: events.Changed}}}
	_, err := w.Main.Write(t.Context(), events.Nothing, pending.Begin(may, w.Clock.Now(), time.Minute))
	require.NoError(t, err)
	sweep := Function.Tick.Handler(w.P)

	w.Clock.Pass(59 * time.Second)
	require.NoError(t, sweep(t.Context()))
	items, err := w.Main.Get(t.Context(), pending.Key(may.Request))
	require.NoError(t, err)
	require.NotNil(t, items[0], "it may still come to its end")

	w.Clock.Pass(2 * time.Second)
	require.NoError(t, sweep(t.Context()))
	require.NoError(t, sweep(t.Context()))
	require.Equal(t, may, w.told())
	items, err = w.Main.Get(t.Context(), pending.Key(may.Request))
	require.NoError(t, err)
	require.Nil(t, items[0])
}

func TestAfterARequestThatToldItselfIsLookedAfter(t *testing.T) {
	w := newWorld(t)
	const category, product = "01M7XXKEG7ZVFRE0EM6N6D5N1T", "01M7XXKEG7ZVFRE0EM6N6D5N1V"
	head := store.Item{Key: catalog.ProductKey("s", product), Version: product,
		Doc: []byte(`{"code":"A","categoryIds":["` + category + `"]}`)}
	joined := store.Item{Key: store.Key{PK: catalog.InCategory("s", category), SK: product}}
	about := events.Change{Request: "01M7XXKEG7ZVFRE0EM6N6D5N1W", By: events.Person("ada"), Shop: "s",
		At:      w.Clock.Now().UnixMilli(),
		Records: []events.Record{{Kind: events.Categories, ID: category, Did: events.Deleted}}}
	_, err := w.Main.Write(t.Context(), events.Nothing, pending.Remind(about, w.Clock.Now(), time.Minute),
		store.Put(head), store.Put(joined))
	require.NoError(t, err)

	w.Clock.Pass(2 * time.Minute)
	require.NoError(t, Function.Tick.Handler(w.P)(t.Context()))
	items, err := w.Main.Get(t.Context(), pending.Key(about.Request), joined.Key)
	require.NoError(t, err)
	require.Equal(t, []*store.Item{nil, nil}, items)
	told := w.told()
	require.NotEqual(t, about.Request, told.Request, "a change of its own")
	require.Equal(t, about.By, told.By, "of who has deleted the category")
	require.Equal(t, []any{events.Products, product, events.Changed},
		[]any{told.Records[0].Kind, told.Records[0].ID, told.Records[0].Did})
	k, err := catalog.ReadProduct(t.Context(), w.Main, "s", product)
	require.NoError(t, err)
	require.Empty(t, k.Details().CategoryIDs)
}

// waiting puts a delivery that is due since the given moment, as the one process makes it, with an entry of its own.
func (w *world) waiting(t *testing.T, request string, since time.Time) store.Item {
	c := events.Change{Request: request, Shop: "s", At: since.UnixMilli()}
	row, _ := webhook.NewRow(c, events.Call{Event: events.CustomerChange, Data: []byte("{}")},
		webhook.Addressee{Access: "a", Receiver: "r"}, since)
	webhook.AddDueEntry(&row)
	_, err := w.P.Pipeline.Write(t.Context(), events.Nothing, store.Put(row))
	require.NoError(t, err)
	return row
}

func (w *world) rung(t *testing.T) int {
	got, err := w.P.Fresh.(*memory.Queue).Receive(t.Context(), 10_000, 0)
	require.NoError(t, err)
	return len(got)
}

func TestOverdueDeliveriesAreRungAgainAndEachTimeLater(t *testing.T) {
	w := newWorld(t)
	sweep := Function.Tick.Handler(w.P)
	start := w.Clock.Now()
	w.waiting(t, "one", start)
	var at []time.Duration
	for ; w.Clock.Now().Before(start.Add(4 * time.Hour)); w.Clock.Pass(time.Minute) {
		require.NoError(t, sweep(t.Context()))
		if w.rung(t) > 0 {
			at = append(at, w.Clock.Now().Sub(start))
		}
	}
	minute := time.Minute
	require.Equal(t, []time.Duration{5 * minute, 10 * minute, 20 * minute, 40 * minute, 80 * minute, 160 * minute}, at)
}

func TestARunIsBoundedAndTheNextGoesOn(t *testing.T) {
	w := newWorld(t)
	sweep := Function.Tick.Handler(w.P)
	begun := w.Clock.Now()
	var rows []store.Op
	for i := range 400 {
		c := events.Change{Request: time.Duration(i).String(), Shop: "s", At: begun.UnixMilli()}
		row, _ := webhook.NewRow(c, events.Call{Event: events.CustomerChange, Data: []byte("{}")},
			webhook.Addressee{Access: "a", Receiver: "r"}, begun)
		webhook.AddDueEntry(&row)
		rows = append(rows, store.Put(row))
	}
	for len(rows) > 0 {
		_, err := w.P.Pipeline.Write(t.Context(), events.Nothing, rows[:100]...)
		require.NoError(t, err)
		rows = rows[100:]
	}
	w.Clock.Pass(time.Hour)
	short, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	require.NoError(t, sweep(short))
	require.Zero(t, w.rung(t), "no time to begin anything")
	require.NoError(t, sweep(t.Context()))
	require.Equal(t, 400, w.rung(t))
}

func TestWhatWaitsNoMoreIsNotRung(t *testing.T) {
	w := newWorld(t)
	row := w.waiting(t, "one", w.Clock.Now())
	w.Clock.Pass(time.Hour)
	row.Text["state"] = string(webhook.Delivered)
	_, err := w.P.Pipeline.Write(t.Context(), events.Nothing, store.Put(row))
	require.NoError(t, err)
	require.NoError(t, Function.Tick.Handler(w.P)(t.Context()))
	require.Zero(t, w.rung(t))
}

// TestImagesThatAreOverGo makes an image without a quote, and looks at its file before and after its day.
func TestImagesThatAreOverGo(t *testing.T) {
	w := newWorld(t)
	files, err := folder.Open(t.TempDir(), folder.Options{Base: "https://files.example", Key: w.P.Key, Now: w.P.Now})
	require.NoError(t, err)
	w.P.Files = files
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))))
	u := &change.Unit{Shop: "s", Table: w.Main, Now: w.Clock.Now, Random: w.P.Random}
	made, err := sale.Quoting{Access: "a", Images: w.P.Uploads(nil)}.AddImage(t.Context(), u, b.Bytes(), "")
	require.NoError(t, err)
	key := strings.TrimPrefix(made.URL, w.P.BaseURL+"/")
	sweep := Function.Tick.Handler(w.P)
	for _, c := range []struct {
		pass time.Duration
		want error
	}{{24*time.Hour + 59*time.Minute, nil}, {2 * time.Minute, blob.ErrNotFound}} {
		w.Clock.Pass(c.pass)
		require.NoError(t, sweep(t.Context()))
		_, err = files.Stat(t.Context(), key)
		require.ErrorIs(t, err, c.want)
	}
	items, err := w.Main.Get(t.Context(), images.Key(made.ID))
	require.NoError(t, err)
	require.Nil(t, items[0])
}
