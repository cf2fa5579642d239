package releases

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/base/permission"
	"eshop/shared/webhook"
)

// moves leaves everything in the midst of its way, in a shop of its own.
func (j *journey) moves() {
	tn := j.opens("moving", "sk_SK", "EUR")
	in := func(status int, method, path string, body any, more ...string) object {
		j.t.Helper()
		return j.do(status, method+" "+path, path, tn.token, body, more...)
	}
	someone := func(name string) string {
		j.t.Helper()
		return in(201, "POST", "/api-engine/customers", object{"email": name + "@example.com", "firstName": "N",
			"lastName": "N"})["id"].(string)
	}
	first := in(201, "POST", "/api-engine/webhooks", object{"url": j.to.URL + "/moving"})["id"].(string)
	second := in(201, "POST", "/api-engine/webhooks", object{"url": j.to.URL + "/parked",
		"events": []string{"customerCreate"}})["id"].(string)
	j.work()
	replayed := someone("replayed")
	j.work()
	j.deactivated(tn)
	in(200, "PATCH", "/api-engine/webhooks/"+second, object{"url": j.to.URL + "/new-address"})
	parked := someone("parked")
	j.feed()
	j.bells.lose() // so the new address stays unproven
	half := j.importHalfDone(tn)
	late := in(201, "POST", "/api-engine/imports", object{"type": "customers", "format": "csv", "mode": "upsert"})
	changed := j.batchHalfDone(tn)
	j.replay(tn.token, first)
	taken := someone("claimed")
	j.feed()
	j.takes()
	rung := someone("rung")
	j.feed()                                                  // its bell is in the queue
	in(204, "DELETE", "/api-engine/customers/"+replayed, nil) // which nobody hears of yet
	j.visits(401, tn.domain, "POST /account/sign-in", "/account/sign-in", "",
		object{"email": "x@example.cz", "password": "no"})

	for path, receiver := range map[string]string{"/moving": first, "/parked": second} {
		b, err := json.Marshal(object{"url": "{receiver}" + path})
		require.NoError(j.t, err)
		j.Begin = append(j.Begin, ask{Route: "PATCH /api-engine/webhooks/{id}",
			Path: "/api-engine/webhooks/" + receiver, Header: header(tn.token), Body: string(b),
			Has: object{"state": "unverified"}})
	}
	j.Begin = append(j.Begin, j.uploadOf(late, "email,firstName,lastName\nlate@example.com,Nová,Osoba\n"))
	b, err := json.Marshal(object{"installCode": j.installCode(tn.access)})
	require.NoError(j.t, err)
	j.Begin = append(j.Begin, ask{Route: "POST /api-engine/tokens", Path: "/api-engine/tokens", Header: header(""),
		Body: string(b), Has: object{"accessId": tn.access}})
	for id, rows := range map[string]int{half: halfRows, late["id"].(string): 1} {
		j.End = append(j.End, ask{Route: "GET /api-engine/imports/{id}", Path: "/api-engine/imports/" + id,
			Header: header(tn.token), Has: object{"state": "done",
				"rows": object{"read": rows, "changed": rows, "unchanged": 0, "failed": 0}}})
	}
	for receiver, state := range map[string]string{first: "enabled", second: "enabled"} {
		j.End = append(j.End, ask{Route: "GET /api-engine/webhooks/{id}", Path: "/api-engine/webhooks/" + receiver,
			Header: header(tn.token), Has: object{"state": state}})
	}
	j.Hears = []told{{"/moving", rung}, {"/moving", taken}, {"/moving", replayed}, {"/moving", `"customerDelete"`}, {"/moving", changed},
		{"/parked", parked}}
}

// takes takes the deliveries whose bells are in the queue, as a process that dies before their attempts.
func (j *journey) takes() {
	j.t.Helper()
	taken := 0
	for _, m := range j.bells.waiting {
		if b, is := webhook.ParseBell(m.Body); is {
			row, _, err := j.p.Webhooks().Take(j.t.Context(), b, "dies.1", j.p.Now(), nil)
			require.NoError(j.t, err)
			if row != nil {
				taken++
			}
		}
	}
	require.NotZero(j.t, taken)
}

// halfRows are the rows of the import whose importer dies.
const halfRows = 240

// importHalfDone is an import whose importer dies in the middle.
func (j *journey) importHalfDone(tn tenant) string {
	j.t.Helper()
	path := "/api-engine/imports"
	made := j.do(201, "POST "+path, path, tn.token, object{"type": "customers", "format": "csv", "mode": "upsert"})
	var file strings.Builder
	file.WriteString("email,firstName,lastName\n")
	for n := range halfRows {
		fmt.Fprintf(&file, "half-%d@example.com,N,N\n", n)
	}
	j.upload(made, file.String())
	read := 0.0
	for writes := 2; read == 0; writes++ { // its first are a taking, and what the machine comes to between
		require.NotEmpty(j.t, j.put)
		j.tables["main"].serves(writes)
		require.Error(j.t, j.bring(j.t.Context(), j.put[0]))
		j.tables["main"].serves(-1)
		read = j.do(200, "GET "+path, path+"/"+made["id"].(string), tn.token, nil)["rows"].(object)["read"].(float64)
		j.pass(2 * time.Minute) // its lease
	}
	j.put = nil
	require.Less(j.t, read, float64(halfRows))
	return made["id"].(string)
}

// batchHalfDone is a product that a batch has changed in its first transaction. The store fails at the second.
func (j *journey) batchHalfDone(tn tenant) string {
	j.t.Helper()
	path := "/api-engine/products"
	var items []object
	for n := range 70 {
		made := j.do(201, "POST "+path, path, tn.token, object{"code": fmt.Sprint("L-", n), "name": "N",
			"priceLevels": []object{{"level": "default", "price": "1.00"}}})
		items = append(items, object{"id": made["id"], "code": fmt.Sprint("L-new-", n)})
	}
	j.feed()
	j.bells.lose()
	path += "/batch/basic"
	j.tables["main"].serves(1)
	j.do(503, "PATCH "+path, path, tn.token, object{"items": items}, "Idempotency-Key", "left")
	j.tables["main"].serves(-1)
	return items[0]["id"].(string)
}

// settingUp is a package whose set-up on the shop waits for somebody.
func (j *journey) settingUp(tn tenant) {
	j.t.Helper()
	accesses := "/operator/shops/" + tn.shop + "/accesses"
	pkg := j.do(201, "POST /operator/packages", "/operator/packages", j.operator, object{"code": "new", "name": "New",
		"instructions": "# Jak", "permissions": permission.All})["id"]
	made := j.do(201, "POST "+accesses, accesses, j.operator, object{"packageId": pkg})
	j.work()
	const own = "/api-engine/package"
	j.do(200, "PATCH "+own, own, "Bearer "+made["token"].(string),
		object{"setup": "required", "setupUrl": "https://addon.example/setup"})
}

// deactivated is a package that left the shop, which has removed one of its codes and kept another.
func (j *journey) deactivated(tn tenant) {
	j.t.Helper()
	accesses := "/operator/shops/" + tn.shop + "/accesses"
	pkg := j.do(201, "POST /operator/packages", "/operator/packages", j.operator, object{"code": "gone", "name": "Gone",
		"instructions": "# Jak", "permissions": permission.All})["id"]
	made := j.do(201, "POST "+accesses, accesses, j.operator, object{"packageId": pkg})
	token := "Bearer " + made["token"].(string)
	j.work()
	for n := range 2 {
		code := j.do(201, "POST /api-engine/custom-codes", "/api-engine/custom-codes", token,
			object{"name": "N", "position": "head", "code": "<!-- -->", "active": n == 0})
		if n == 0 {
			j.do(201, "POST /api-engine/cleanup-orders", "/api-engine/cleanup-orders", token,
				object{"customCodeId": code["id"], "packageId": pkg})
		}
	}
	j.do(200, "POST "+accesses, accesses+"/"+made["id"].(string)+"/deactivate", j.operator, nil)
	j.work()
}
