package house_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/host/hosttest"
)

// hostileBodies are where the fuzzer begins with each operation, beside its sample.
var hostileBodies = []string{
	`{}`, `null`, `[]`, `"x"`, `{`, ``, `{}{}`, `{"items":null}`, `{"items":[null]}`, `{"items":[{}]}`, `{"items":[[]]}`,
	`{"id":"1","created":0,"used":1,"":"","a.b":[[[[]]]]}`, `{"code":"A","code":"B"}`, `{"email":null,"items":null}`,
	`{"name":" ","firstName":["J"],"lastName":{"N":1},"phone":1e400,"note":true}`, "{\"name\":\"\xff\"}",
	`{"name":"\ud800","note":"\u0000","code":"\u0130\u00df"}`, `{"phone":null,"validTo":null,"minimumOrder":null}`,
	`{"billingAddress":{"zip":null},"deliveryAddress":null}`, `{"billingAddress":{"city":"Brno"}}`,
	`{"validFrom":"9999-12-31T23:59:59Z","validTo":"0001-01-01T00:00:00Z","usageLimit":1e2}`,
	`{"stock":{"quantity":9223372036854775807},"position":1e3,"usageLimit":999999999999}`,
	`{"stock":{"quantity":-0,"availability":null},"images":[null],"units":[null],"priceLevels":[null]}`,
	`{"code":null,"name":null,"priceLevels":null,"stock":null,"images":null,"units":null,"hasUnits":null,"active":null}`,
	`{"trackingNumber":null,"trackingLink":"HTTP://[::1]:80/%zz","color":"\u202e","url":"\ud83d\ude00"}`,
}

// permitting are the operations that may take from the world's access what the others need.
var permitting = []string{"PATCH /operator/packages/{id}", "PATCH /operator/shops/{shopId}/accesses/{accessId}"}

// FuzzBodies sends any body to each operation of partners and of the operator that takes one: what is refused is a
// problem and writes nothing, what is made or changed is read as it was answered, and an ETag moves with a write only.
func FuzzBodies(f *testing.F) {
	w := open(f)
	var ways [][2]string // method and path
	reads := map[string]bool{}
	for _, in := range w.API.Inputs() {
		method, _, _ := strings.Cut(in.Route, " ")
		if method == "GET" {
			reads[in.Route] = true
		}
		if !takesJSON(in) || people(in.Route) || slices.Contains(permitting, in.Route) {
			continue
		}
		sample, err := json.Marshal(w.sample(in.Route))
		require.NoError(f, err)
		for _, body := range append(hostileBodies, string(sample)) {
			f.Add(uint(len(ways)), body)
		}
		ways = append(ways, [2]string{method, w.path(in.Route)})
	}
	one := map[string]bool{} // the paths of records that are read there
	for route := range reads {
		if strings.HasSuffix(route, "}") && !people(route) && !strings.Contains(route, "eliver") {
			one[w.path(route)] = true
		}
	}
	f.Fuzz(func(t *testing.T, i uint, body string) {
		w.T = t
		method, path := ways[i%uint(len(ways))][0], ways[i%uint(len(ways))][1]
		ask := func(method, path string, body any) hosttest.Answer {
			return w.As(w.tokenAt(path), method, path, body, "Content-Type", "application/json")
		}
		w.Clock.Pass(time.Second) // in which so many install codes may be tried
		var was string
		if one[path] {
			was = ask("GET", path, nil).Is(200).ETag()
		}
		ask("GET", "/api-engine/shop", nil).Is(200) // writes that the token was used
		writes := w.Main.Writes()
		a := ask(method, path, body)
		require.Less(t, a.Status, 500, "%s %s %s: %s", method, path, body, a.Text)
		switch made := a.Header.Get("Location"); {
		case a.Status >= 400:
			require.Equal(t, writes, w.Main.Writes(), "%s %s %s: %s", method, path, body, a.Text)
			require.True(t, strings.HasPrefix(a.Header.Get("Content-Type"), "application/problem+json"))
			require.NotEmpty(t, a.Body["code"])
		case one[path]:
			now := ask("GET", path, nil).Is(200)
			require.Equal(t, now.Body, a.Body, "%s %s %s", method, path, body)
			require.Equal(t, now.ETag() != was, w.Main.Writes() > writes, "%s %s %s", method, path, body)
		case a.Status == http.StatusCreated && reads["GET "+path+"/{id}"]:
			require.Equal(t, a.ETag(), ask("GET", made, nil).Is(200).ETag())
			require.Less(t, ask("DELETE", made, nil).Status, 500)
		}
	})
}
