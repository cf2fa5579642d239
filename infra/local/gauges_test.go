package local

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/store"
	"eshop/shared/webhook"
)

// TestGaugesSayHowReceiversAreNowAndWhatIsParked: of receivers of shops and of systemUrls; nobody counts those that are
// switched off.
func TestGaugesSayHowReceiversAreNowAndWhatIsParked(t *testing.T) {
	s := started(t)
	h := &house{Server: s, t: t}
	made := h.good(s.Run.OperatorToken, "POST", "/operator/packages", object{"code": "gone", "name": "Gone",
		"instructions": "", "permissions": []string{}, "systemUrl": "http://127.0.0.1:1024/eshop"})
	system, err := s.Platform.Main.Get(t.Context(), webhook.SystemKey(made["id"].(string)))
	require.NoError(t, err)
	hooks, err := webhook.ReadHooks(t.Context(), s.Platform.Main, s.demo.item.Shop)
	require.NoError(t, err)
	var ofShop *webhook.Receiver
	for _, all := range hooks.Receivers {
		for _, r := range all {
			ofShop = &r
		}
	}
	require.NotNil(t, ofShop)
	ofPackage, err := webhook.ReceiverOf(system[0])
	require.NoError(t, err)
	set := func(r webhook.Receiver, state webhook.ReceiverState, active bool) {
		r.State, r.Active = state, active
		_, err := s.Platform.Main.Write(t.Context(), events.Nothing, store.Put(r.Item()))
		require.NoError(t, err)
	}
	set(*ofShop, webhook.Failing, true)
	set(ofPackage, webhook.Disabled, true)
	for _, id := range []string{"1", "2", "3"} {
		_, err := s.Platform.Pipeline.Write(t.Context(), events.Nothing, store.Put(store.Item{
			Key:    store.Key{PK: "D#" + ofPackage.ID, SK: id},
			Index2: store.Key{PK: webhook.StatePartition(ofPackage.ID, webhook.Parked), SK: id}}))
		require.NoError(t, err)
	}
	require.EqualValues(t, 1, value(t, s, `eshop_receivers{state="failing"}`))
	require.EqualValues(t, 1, value(t, s, `eshop_receivers{state="disabled"}`))
	require.EqualValues(t, 3, value(t, s, `eshop_parked_calls`))
	set(*ofShop, webhook.Failing, false)
	now, err := s.countReceivers(t.Context())
	require.NoError(t, err)
	require.Equal(t, receiverCounts{in: map[webhook.ReceiverState]int{webhook.Disabled: 1}, parked: 3}, now)
	set(*ofShop, webhook.Failing, true)
	h.good(s.Run.OperatorToken, "POST",
		"/operator/shops/"+ofShop.Shop+"/accesses/"+ofShop.Access+"/deactivate", object{})
	now, err = s.countReceivers(t.Context())
	require.NoError(t, err)
	require.Zero(t, now.in[webhook.Failing], "its access gets nothing")
}

func TestGaugesSayHowTheMachineIs(t *testing.T) {
	s := started(t)
	require.Positive(t, value(t, s, "eshop_disk_free_bytes"))
	require.Zero(t, value(t, s, "eshop_writes_refused"))
	require.Zero(t, value(t, s, "eshop_last_backup_timestamp_seconds"))
	status, _ := ask(t, s, "", BackupPath)
	require.Equal(t, 401, status)
	require.Zero(t, value(t, s, "eshop_last_backup_timestamp_seconds"))
	status, _ = ask(t, s, s.Run.OperatorToken, BackupPath)
	require.Equal(t, 200, status)
	require.InDelta(t, float64(s.settings.Now().Unix()), value(t, s, "eshop_last_backup_timestamp_seconds"), 3600)

	none := func() (int64, error) { return math.MaxInt64, nil }
	s.files.Free = none
	require.True(t, math.IsNaN(s.freeBytes()), "where the system does not say it")
}
