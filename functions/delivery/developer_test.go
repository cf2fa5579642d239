package delivery_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/functions/developer"
	"eshop/shared/addon"
	"eshop/shared/webhook"
)

// TestADeveloperListsWhatASystemURLWouldHear is an author's package before it has a server: its system webhooks of test
// shops are listed, an install code with them, and none is sent later.
func TestADeveloperListsWhatASystemURLWouldHear(t *testing.T) {
	v := newVendor(t, nil)
	developer.Function.HTTP(v.p, v.frame)
	token := v.do("POST", "/operator/developers", `{"name":"Ada","email":"ada@a.cz"}`)["token"].(string)
	ada := func(method, path, body string) map[string]any {
		v.clock.pass(time.Second)
		status, answer := v.as(token, method, path, body)
		require.Less(t, status, 300, "%s %s: %v", method, path, answer)
		return answer
	}
	shop := ada("POST", "/developer/shops",
		`{"name":"S","domain":"t.cz","locale":"cs_CZ","currency":"CZK","owner":{"email":"o@a.cz"}}`)["id"].(string)
	v.pkg = ada("POST", "/developer/packages",
		`{"code":"own","name":"P","instructions":"","permissions":["customers:read"]}`)["id"].(string)
	access := ada("POST", "/developer/shops/"+shop+"/accesses", `{"packageId":"`+v.pkg+`"}`)["id"].(string)
	v.install(true) // by the operator, on a live shop
	v.hear()
	heard := func() []any {
		return ada("GET", "/developer/packages/"+v.pkg+"/system-events", "")["items"].([]any)
	}
	data := func(event any) map[string]any {
		return event.(map[string]any)["body"].(map[string]any)["data"].(map[string]any)
	}
	require.Len(t, heard(), 1, "the live shop's is for a systemUrl alone")
	activation := heard()[0].(map[string]any)
	require.Equal(t, []any{"packageActivate", shop}, []any{activation["event"], activation["shopId"]})
	require.Equal(t, access, data(activation)["accessId"])
	code, other := data(heard()[0])["installCode"], data(heard()[0])["installCode"]
	require.NotEqual(t, code, other, "each reading has its own, as each attempt has")
	status, answer := v.exchange(code)
	require.Equal(t, 201, status, "%v", answer)
	status, _ = v.exchange(other)
	require.Equal(t, 401, status, "of one activation one is exchanged")

	v.clock.pass(addon.InstallCodeLife)
	require.NotContains(t, data(heard()[0]), "installCode", "what was sent then is over")
	ada("POST", "/developer/shops/"+shop+"/accesses/"+access+"/deactivate", "")
	v.hear()
	require.Len(t, heard(), 2)
	require.Equal(t, map[webhook.DeliveryState]int{webhook.Cancelled: 3}, v.states())
	listed := ada("GET", "/developer/packages/"+v.pkg+"/webhook-deliveries", "")["items"].([]any)
	require.Equal(t, webhook.NoSystemURL, listed[0].(map[string]any)["reason"])

	ada("PATCH", "/developer/packages/"+v.pkg, `{"systemUrl":"`+v.system.URL+`"}`)
	ada("POST", "/developer/shops/"+shop+"/accesses/"+access+"/activate", "")
	v.hear()
	require.Len(t, heard(), 3)
	require.Len(t, v.system.got(), 1, "only what is of the time of its address")
}
