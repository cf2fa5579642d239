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
		`{"name":"S","domain":"t.test","locale":"cs_CZ","currency":"CZK","owner":{"email":"o@a.cz"}}`)["id"].(string)
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

// TestAReadOfSystemEventsMakesOneInstallCode: for the newest activation of an access, with which the page ends. So who
// follows the list gets one of each access, and a read writes one row.
func TestAReadOfSystemEventsMakesOneInstallCode(t *testing.T) {
	v := newVendor(t, nil)
	developer.Function.HTTP(v.p, v.frame)
	token := v.do("POST", "/operator/developers", `{"name":"Ada","email":"ada@a.cz"}`)["token"].(string)
	ada := func(method, path, body string) map[string]any {
		v.clock.pass(time.Second)
		status, answer := v.as(token, method, path, body)
		require.Less(t, status, 300, "%s %s: %v", method, path, answer)
		return answer
	}
	v.pkg = ada("POST", "/developer/packages",
		`{"code":"own","name":"P","instructions":"","permissions":["customers:read"]}`)["id"].(string)
	var accesses []string
	for _, domain := range []string{"one.test", "two.test"} {
		shop := ada("POST", "/developer/shops",
			`{"name":"S","domain":"`+domain+`","locale":"cs_CZ","currency":"CZK","owner":{"email":"o@a.cz"}}`)["id"].(string)
		access := "/developer/shops/" + shop + "/accesses"
		access += "/" + ada("POST", access, `{"packageId":"`+v.pkg+`"}`)["id"].(string)
		for range 3 {
			ada("POST", access+"/deactivate", "")
			ada("POST", access+"/activate", "")
		}
		accesses = append(accesses, access)
	}
	v.hear()
	// coded are the pages of the list, each as for how many of its entries there is a code that is good.
	pages := func() (coded []int) {
		path := "/developer/packages/" + v.pkg + "/system-events?itemsPerPage=250"
		for cursor := any(""); cursor != nil; {
			page, n := ada("GET", path+cursor.(string), ""), 0
			items := page["items"].([]any)
			for i, e := range items {
				data := e.(map[string]any)["body"].(map[string]any)["data"].(map[string]any)
				if code, has := data["installCode"]; has {
					require.Equal(t, len(items)-1, i, "the page ends with it")
					status, answer := v.exchange(code)
					require.Contains(t, []int{201, 401}, status, "%v", answer)
					n++
				}
			}
			coded = append(coded, n)
			if cursor = page["nextCursor"]; cursor != nil {
				cursor = "&cursor=" + cursor.(string)
			}
		}
		return coded
	}
	require.Equal(t, []int{1, 1, 0}, pages(), "one of each access")
	ada("POST", accesses[0]+"/deactivate", "")
	v.hear()
	require.Equal(t, []int{1, 0}, pages(), "none of what is not active")
}

// TestADevelopersPackageFiresTenSystemWebhooksASecond, whichever they are; the next second has ten more.
func TestADevelopersPackageFiresTenSystemWebhooksASecond(t *testing.T) {
	v := newVendor(t, nil)
	developer.Function.HTTP(v.p, v.frame)
	token := v.do("POST", "/operator/developers", `{"name":"Ada","email":"ada@a.cz"}`)["token"].(string)
	ada := func(method, path, body string) (int, map[string]any) { return v.as(token, method, path, body) }
	_, shop := ada("POST", "/developer/shops",
		`{"name":"S","domain":"one.test","locale":"cs_CZ","currency":"CZK","owner":{"email":"o@a.cz"}}`)
	accesses := "/developer/shops/" + shop["id"].(string) + "/accesses"
	install := func(code string) string {
		_, pkg := ada("POST", "/developer/packages",
			`{"code":"`+code+`","name":"P","instructions":"","permissions":["customers:read"]}`)
		_, a := ada("POST", accesses, `{"packageId":"`+pkg["id"].(string)+`"}`)
		return accesses + "/" + a["id"].(string)
	}
	one, other := install("one"), install("other")
	v.clock.pass(time.Second)
	for n := range 15 {
		for _, does := range []string{"/open-instructions", "/deactivate", "/activate"} {
			status, answer := ada("POST", one+does, "")
			if n*3 < 9 {
				require.Equal(t, 200, status, "%v", answer)
			} else if n > 3 {
				require.Equal(t, []any{429, "rate_limited"}, []any{status, answer["code"]})
			}
		}
	}
	status, _ := ada("POST", other+"/open-instructions", "")
	require.Equal(t, 200, status, "another package has its own")
	v.clock.pass(time.Second)
	status, _ = ada("POST", one+"/open-instructions", "")
	require.Equal(t, 200, status)
}
