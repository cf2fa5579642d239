package local

import (
	"math"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/ports/store"
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
	hooks, err := webhook.ReadHooks(t.Context(), s.Platform.Main, s.Run.Demo.ShopID)
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

// TestAlertsAreOfWhatIsServed holds the expressions of the alert rules against /metrics.
func TestAlertsAreOfWhatIsServed(t *testing.T) {
	s := started(t)
	_, text := ask(t, s, s.Run.OperatorToken, "/metrics")
	r, err := http.Get(s.BaseURL + "/docs/alerts.yml")
	require.NoError(t, err)
	require.NoError(t, r.Body.Close())
	require.Equal(t, "application/yaml", r.Header.Get("Content-Type"))
	_, file := ask(t, s, "", "/docs/alerts.yml")
	guide, err := os.ReadFile("../../functions/docs/one-machine.md")
	require.NoError(t, err)
	rules := strings.Split(file, "\n      - alert: ")[1:]
	require.GreaterOrEqual(t, len(rules), 9)
	for _, rule := range rules {
		name, rest, _ := strings.Cut(rule, "\n")
		require.Contains(t, string(guide), "| `"+name+"` |", "the guide says what to do")
		for _, part := range []string{"\n        labels:\n          severity: ",
			"\n        annotations:\n          summary: "} {
			require.Contains(t, rest, part, name)
		}
		expression := regexp.MustCompile(`(?m)^ *expr: (.+)$`).FindStringSubmatch(rest)
		require.NotNil(t, expression, name)
		for _, figure := range regexp.MustCompile(`\b(eshop|process|go)_\w+`).FindAllString(expression[1], -1) {
			require.Regexp(t, `(?m)^`+figure+`[ {]`, text, "a series of %s", name)
		}
		for _, label := range regexp.MustCompile(`[{,] *(\w+)(=~?)"`).FindAllStringSubmatch(expression[1], -1) {
			require.True(t, label[1] == "job" || strings.Contains(text, label[1]+`="`), "%s of %s", label[1], name)
		}
	}
}
