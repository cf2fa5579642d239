package delivery_test

import (
	"fmt"
	"strings"
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
		v.clock.Pass(time.Second)
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

	v.clock.Pass(addon.InstallCodeLife)
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

// TestASystemURLHearsOfADeactivationWhoseAccessIsGone: an access that is deleted while it is active takes nothing away
// that its add-on is owed, whether the change is read before the deletion or after it, nor later attempts.
func TestASystemURLHearsOfADeactivationWhoseAccessIsGone(t *testing.T) {
	v := newVendor(t, nil)
	developer.Function.HTTP(v.p, v.frame)
	token := v.do("POST", "/operator/developers", `{"name":"Ada","email":"ada@a.cz"}`)["token"].(string)
	ada := func(method, path, body string) map[string]any {
		v.clock.Pass(time.Second)
		status, answer := v.as(token, method, path, body)
		require.Less(t, status, 300, "%s %s: %v", method, path, answer)
		return answer
	}
	shop := ada("POST", "/developer/shops",
		`{"name":"S","domain":"t.test","locale":"cs_CZ","currency":"CZK","owner":{"email":"o@a.cz"}}`)["id"].(string)
	v.pkg = ada("POST", "/developer/packages", `{"code":"own","name":"P","instructions":"",`+
		`"permissions":["customers:read"],"systemUrl":"`+v.system.URL+`"}`)["id"].(string)
	all := "/developer/shops/" + shop + "/accesses"
	access := ada("POST", all, `{"packageId":"`+v.pkg+`"}`)["id"].(string)
	v.hear()
	ada("POST", all+"/"+access+"/open-instructions", "") // of an access that is gone only its deactivation is told
	ada("DELETE", all+"/"+access, "")
	v.hear()
	require.Len(t, v.system.got(), 2)
	require.Equal(t, "packageDeactivate", v.system.got()[1].event())
	require.Equal(t, map[webhook.DeliveryState]int{webhook.Delivered: 2, webhook.Cancelled: 1}, v.states())
}

// TestAReadOfSystemEventsMakesOneInstallCode: for the newest activation of an access, with which the page ends. So who
// follows the list gets one of each access, and a read writes one row.
func TestAReadOfSystemEventsMakesOneInstallCode(t *testing.T) {
	v := newVendor(t, nil)
	developer.Function.HTTP(v.p, v.frame)
	token := v.do("POST", "/operator/developers", `{"name":"Ada","email":"ada@a.cz"}`)["token"].(string)
	ada := func(method, path, body string) map[string]any {
		v.clock.Pass(time.Second)
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

// TestADevelopersPackagesFireTenSystemWebhooksASecond together, whichever they are; the next second has ten more.
func TestADevelopersPackagesFireTenSystemWebhooksASecond(t *testing.T) {
	v := newVendor(t, nil)
	developer.Function.HTTP(v.p, v.frame)
	// coming is who has a test shop with three active packages, and the paths of those accesses.
	coming := func(name string) (does func(method, path, body string) (int, map[string]any), accesses []string) {
		token := v.do("POST", "/operator/developers", `{"name":"`+name+`","email":"a@a.cz"}`)["token"].(string)
		does = func(method, path, body string) (int, map[string]any) { return v.as(token, method, path, body) }
		_, shop := does("POST", "/developer/shops", `{"name":"S","domain":"`+name+
			`.test","locale":"cs_CZ","currency":"CZK","owner":{"email":"o@a.cz"}}`)
		at := "/developer/shops/" + shop["id"].(string) + "/accesses"
		for n := range 3 {
			_, pkg := does("POST", "/developer/packages",
				fmt.Sprintf(`{"code":"%s%d","name":"P","instructions":"","permissions":["customers:read"]}`, name, n))
			_, a := does("POST", at, `{"packageId":"`+pkg["id"].(string)+`"}`)
			accesses = append(accesses, at+"/"+a["id"].(string))
		}
		return does, accesses
	}
	ada, packages := coming("ada")
	eve, others := coming("eve")
	v.clock.Pass(time.Second)
	for n := range 15 {
		does := []string{"/open-instructions", "/deactivate", "/activate"}[n/3%3]
		status, answer := ada("POST", packages[n%3]+does, "")
		if n < 10 {
			require.Equal(t, 200, status, "%v", answer)
		} else {
			require.Equal(t, []any{429, "rate_limited"}, []any{status, answer["code"]})
		}
	}
	another := `{"packageId":"` + v.pkg + `"}`
	status, _ := ada("POST", packages[0][:strings.LastIndexByte(packages[0], '/')], another)
	require.Equal(t, 429, status, "an installation fires one as well")
	status, _ = eve("POST", others[0]+"/open-instructions", "")
	require.Equal(t, 200, status, "another developer has their own")
	v.clock.Pass(time.Second)
	status, _ = ada("POST", packages[0]+"/open-instructions", "")
	require.Equal(t, 200, status)
}
