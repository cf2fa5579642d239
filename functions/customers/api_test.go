package customers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/store"
)

const whole = `,"externalId":"crm-1","phone":"+420 601 123 456","company":"Novák s.r.o.","companyId":"27074358","vatId":"CZ27074358",
	"billingAddress":{"street":"Dlouhá 12","city":"Brno","zip":"602 00","country":"CZ"},
	"deliveryAddress":{"street":"Krátká 1","city":"Bratislava","zip":"","country":"SK"},"priceLevel":"wholesale","note":"a\nb"`

func TestAMadeCustomerIsReadAsItWasMade(t *testing.T) {
	w := newWorld(t)
	made := w.made("Jana@Example.CZ", whole)
	require.Equal(t, made.path(), made.Header().Get("Location"))
	require.Equal(t, "Jana@Example.CZ", made.body["email"], "shown as sent")
	require.Equal(t, "2026-11-21T09:00:01.000Z", made.body["created"])
	require.Equal(t, made.body["created"], made.body["changed"])
	require.Len(t, made.body, 15)

	read := w.do("GET", made.path(), "")
	require.Equal(t, http.StatusOK, read.Code)
	require.Equal(t, made.body, read.body)
	require.Equal(t, made.etag(), read.etag())
	require.Equal(t, http.StatusNotModified, w.do("GET", made.path(), "", "If-None-Match", made.etag()).Code)
}

func TestFieldsWithoutAValueAreAbsent(t *testing.T) {
	made := newWorld(t).made("jana@example.cz", `,"phone":"","note":null,"billingAddress":null`)
	require.Len(t, made.body, 6, made.Body.String())
}

func TestNamesAreTrimmed(t *testing.T) {
	w := newWorld(t)
	made := w.do("POST", path, `{"email":"a@b.cz","firstName":" Jana ","lastName":"\tNováková","phone":" 1 "}`)
	require.Equal(t, http.StatusCreated, made.Code, made.Body.String())
	require.Equal(t, []any{"Jana", "Nováková", "1"}, []any{made.body["firstName"], made.body["lastName"], made.body["phone"]})
}

// with is the body of a POST with these fields in place of its own.
func with(more string) string {
	m := map[string]any{"email": "jana@example.cz", "firstName": "Jana", "lastName": "Nováková"}
	if err := json.Unmarshal([]byte("{"+more+"}"), &m); err != nil {
		panic(err)
	}
	b, _ := json.Marshal(m)
	return string(b)
}

func TestEachFaultOfFormIsNamed(t *testing.T) {
	w := newWorld(t)
	there := w.made("there@example.cz", whole)
	for more, want := range map[string][2]string{
		`"email":"jan"`:          {"body.email", "bad_format"},
		`"email":"ján@hacky.cz"`: {"body.email", "bad_format"},
		`"email":""`:             {"body.email", "bad_format"},
		`"email":7`:              {"body.email", "wrong_type"},
		`"email":null`:           {"body.email", "required"},
		`"firstName":" "`:        {"body.firstName", "required"},
		`"lastName":null`:        {"body.lastName", "required"},
		`"note":"a\u0000"`:       {"body.note", "bad_format"},
		`"phone":"a\u0007b"`:     {"body.phone", "bad_format"},
		`"phone":"` + strings.Repeat("1", 256) + `"`:      {"body.phone", "too_long"},
		`"externalId":"` + strings.Repeat("ž", 256) + `"`: {"body.externalId", "too_long"},
		`"note":"` + strings.Repeat("n", 65537) + `"`:     {"body.note", "too_long"},
		`"id":"1"`:                             {"body.id", "read_only"},
		`"created":"2026-11-21T09:00:00.000Z"`: {"body.created", "read_only"},
		`"changed":null`:                       {"body.changed", "read_only"},
		`"password":"x"`:                       {"body.password", "unknown_field"},
		`"billingAddress":"Brno"`:              {"body.billingAddress", "wrong_type"},
		`"billingAddress":{"street":"S","city":"C","zip":"1","country":"cz"}`:              {"body.billingAddress.country", "bad_format"},
		`"deliveryAddress":{"street":"S","city":" ","zip":"1","country":"CZ"}`:             {"body.deliveryAddress.city", "required"},
		`"deliveryAddress":{"street":"S","city":"C","zip":"1","country":"CZ","floor":"1"}`: {"body.deliveryAddress.floor", "unknown_field"},
	} {
		w.fault(w.do("POST", path, with(more)), want[0], want[1])
		w.fault(w.do("PATCH", there.path(), `{`+more+`}`), want[0], want[1])
		w.fault(w.do("PATCH", path+"/01HZZZZZZZZZZZZZZZZZZZZZZZ", `{`+more+`}`), want[0], want[1])
	}
	w.fault(w.do("POST", path, `{"email":"j@n.cz","firstName":"J","lastName":"N","billingAddress":{"street":"S","city":"C","country":"CZ"}}`), "body.billingAddress.zip", "required")
	require.Equal(t, there.body, w.do("GET", there.path(), "").body)
}

func TestAnEmailIsOneCustomersWithoutRegardToCase(t *testing.T) {
	w := newWorld(t)
	w.made("Jana@Example.cz", "")
	other := w.made("petr@example.cz", "")
	w.refused(w.do("POST", path, `{"email":"jana@example.CZ","firstName":"J","lastName":"N"}`), 409, "email_taken")
	w.refused(w.do("PATCH", other.path(), `{"email":"JANA@example.cz"}`), 409, "email_taken")
	require.Equal(t, 201, w.as(stranger, "POST", path, `{"email":"jana@example.cz","firstName":"J","lastName":"N"}`).Code, "in another shop")

	same := w.do("PATCH", other.path(), `{"email":"Petr@example.cz"}`)
	require.Equal(t, "Petr@example.cz", same.body["email"], "a change of case only")
	w.refused(w.do("POST", path, `{"email":"petr@EXAMPLE.cz","firstName":"J","lastName":"N"}`), 409, "email_taken")
}

func TestAnExternalIdIsOneCustomers(t *testing.T) {
	w := newWorld(t)
	first := w.made("a@example.cz", `,"externalId":"7"`)
	second := w.made("b@example.cz", "")
	w.refused(w.do("POST", path, `{"email":"c@example.cz","firstName":"J","lastName":"N","externalId":"7"}`), 409, "external_id_taken")
	w.refused(w.do("PATCH", second.path(), `{"externalId":"7"}`), 409, "external_id_taken")
	w.refused(w.do("POST", path, `{"email":"A@example.cz","firstName":"J","lastName":"N","externalId":"7"}`), 409, "email_taken")
	w.made("c@example.cz", "")

	require.Equal(t, 200, w.do("PATCH", first.path(), `{"externalId":null}`).Code)
	require.Equal(t, 200, w.do("PATCH", second.path(), `{"externalId":"7"}`).Code)
}

func TestWhatACustomerGaveUpIsFree(t *testing.T) {
	w := newWorld(t)
	first := w.made("old@example.cz", `,"externalId":"1"`)
	require.Equal(t, 200, w.do("PATCH", first.path(), `{"email":"new@example.cz","externalId":"2"}`).Code)
	w.made("old@example.cz", `,"externalId":"1"`)
	w.refused(w.do("PATCH", first.path(), `{"email":"old@example.cz"}`), 409, "email_taken")

	require.Equal(t, 204, w.do("DELETE", first.path(), "").Code)
	again := w.made("New@example.cz", `,"externalId":"2"`)
	require.Equal(t, []string{"New@example.cz"}, w.do("GET", path+"?email=new@example.cz", "").emails(t))
	require.NotEqual(t, first.id(), again.id())
}

func TestAPatchChangesWhatItNamesAndNothingElse(t *testing.T) {
	w := newWorld(t)
	made := w.made("jana@example.cz", whole)
	r := w.do("PATCH", made.path(), `{"phone":null,"lastName":"Dvořáková","billingAddress":{"city":"Praha"},"deliveryAddress":null}`,
		"If-Match", made.etag(), "Content-Type", "application/merge-patch+json")
	require.Equal(t, 200, r.Code, r.Body.String())
	want := made.body
	want["lastName"], want["changed"] = "Dvořáková", "2026-11-21T09:00:02.000Z"
	want["billingAddress"].(map[string]any)["city"] = "Praha"
	delete(want, "phone")
	delete(want, "deliveryAddress")
	require.Equal(t, want, r.body)
	require.NotEqual(t, made.etag(), r.etag())
	read := w.do("GET", made.path(), "")
	require.Equal(t, want, read.body)
	require.Equal(t, r.etag(), read.etag())
	w.fault(w.do("PATCH", made.path(), `{"deliveryAddress":{"street":"S","city":"C","zip":"1"}}`), "body.deliveryAddress.country", "required")
	w.fault(w.do("PATCH", made.path(), `{"billingAddress":{"zip":null}}`), "body.billingAddress.zip", "required")
}

func TestAChangeThatChangesNothingWritesNothing(t *testing.T) {
	w := newWorld(t)
	made := w.made("jana@example.cz", whole)
	writes := w.table.writes
	for _, body := range []string{`{}`, `{"phone":" +420 601 123 456 "}`, `{"billingAddress":{"city":"Brno"}}`, strings.Replace("{"+whole+"}", ",", "", 1)} {
		r := w.do("PATCH", made.path(), body)
		require.Equal(t, made.body, r.body)
		require.Equal(t, made.etag(), r.etag())
		require.Empty(t, w.table.told)
	}
	require.Equal(t, writes, w.table.writes)
}

func TestADeletedCustomerIsGone(t *testing.T) {
	w := newWorld(t)
	made := w.made("jana@example.cz", `,"externalId":"1"`)
	w.made("petr@example.cz", "")
	w.refused(w.do("DELETE", made.path(), "", "If-Match", `"old"`), 412, "version_conflict")
	r := w.do("DELETE", made.path(), "", "If-Match", made.etag())
	require.Equal(t, 204, r.Code)
	require.Empty(t, r.Body.String())
	for _, method := range []string{"GET", "DELETE"} {
		w.refused(w.do(method, made.path(), ""), 404, "not_found")
	}
	w.refused(w.do("PATCH", made.path(), `{"phone":"1"}`, "If-Match", made.etag()), 404, "not_found")
	require.Equal(t, []string{"petr@example.cz"}, w.do("GET", path, "").emails(t))
	require.Empty(t, w.do("GET", path+"?email=jana@example.cz", "").emails(t))
	require.Empty(t, w.do("GET", path+"?externalId=1", "").emails(t))
}

func TestAnotherShopSeesNothing(t *testing.T) {
	w := newWorld(t)
	made := w.made("jana@example.cz", `,"externalId":"1"`)
	w.refused(w.as(stranger, "GET", made.path(), ""), 404, "not_found")
	w.refused(w.as(stranger, "PATCH", made.path(), `{"phone":"1"}`), 404, "not_found")
	w.refused(w.as(stranger, "DELETE", made.path(), ""), 404, "not_found")
	for _, query := range []string{"", "?email=jana@example.cz", "?externalId=1"} {
		require.Empty(t, w.as(stranger, "GET", path+query, "").emails(t))
	}
}

func TestEachOperationNeedsItsPermission(t *testing.T) {
	w := newWorld(t)
	made := w.made("jana@example.cz", "")
	for _, token := range []string{nobody, writer} {
		w.refused(w.as(token, "GET", path, ""), 403, "insufficient_permission")
		w.refused(w.as(token, "GET", made.path(), ""), 403, "insufficient_permission")
	}
	for _, token := range []string{nobody, reader} {
		w.refused(w.as(token, "POST", path, `{}`), 403, "insufficient_permission")
		w.refused(w.as(token, "PATCH", made.path(), `{}`), 403, "insufficient_permission")
		w.refused(w.as(token, "DELETE", made.path(), ""), 403, "insufficient_permission")
	}
	require.Equal(t, 200, w.as(reader, "GET", made.path(), "").Code)
	r := w.as(writer, "PATCH", made.path(), `{"phone":"1"}`)
	require.Equal(t, map[string]any{"id": made.id(), "changed": "2026-11-21T09:00:13.000Z"}, r.body)
	require.Equal(t, 201, w.as(writer, "POST", path, `{"email":"b@b.cz","firstName":"J","lastName":"N"}`).Code)
	require.Equal(t, 204, w.as(writer, "DELETE", made.path(), "").Code)
}

func TestACollectionIsPagedFilteredAndOrdered(t *testing.T) {
	w := newWorld(t)
	want := []string{}
	for i := range 260 {
		want = append(want, fmt.Sprintf("c%03d@example.cz", i))
		w.made(want[i], fmt.Sprintf(`,"externalId":"%d"`, i))
	}
	require.Equal(t, want[:50], w.do("GET", path, "").emails(t))
	require.Equal(t, want[:250], w.do("GET", path+"?itemsPerPage=250", "").emails(t))

	var got []string
	r := w.do("GET", path+"?itemsPerPage=99", "")
	for got = r.emails(t); r.body["nextCursor"] != nil; got = append(got, r.emails(t)...) {
		require.Contains(t, r.Header().Get("Link"), `rel="next"`)
		r = w.do("GET", path+"?itemsPerPage=99&cursor="+r.body["nextCursor"].(string), "")
	}
	require.Equal(t, want, got)

	require.Equal(t, []string{want[259], want[258]}, w.do("GET", path+"?order[changed]=desc&itemsPerPage=2", "").emails(t))
	require.Equal(t, want[:2], w.do("GET", path+"?changed[before]=2026-11-21T09:00:02Z", "").emails(t))
	require.Equal(t, want[:1], w.do("GET", path+"?changed[strictly_before]=2026-11-21T09:00:02Z", "").emails(t))
	require.Equal(t, want[7:8], w.do("GET", path+"?email=C007@EXAMPLE.cz", "").emails(t))
	require.Equal(t, want[8:9], w.do("GET", path+"?externalId=8", "").emails(t))
	require.Equal(t, want[9:10], w.do("GET", path+"?externalId=9&email=c009@example.cz&changed[after]=2026-11-21", "").emails(t))
	require.Empty(t, w.do("GET", path+"?externalId=9&email=c008@example.cz", "").emails(t))
	require.Empty(t, w.do("GET", path+"?externalId=9&changed[after]=2026-11-22", "").emails(t))
	require.Empty(t, w.do("GET", path+"?externalId=nobody", "").emails(t))
	require.Equal(t, `{"items":[]}`, strings.TrimSpace(w.do("GET", path+"?email=nobody", "").Body.String()))
	w.fault(w.do("GET", path+"?email=", ""), "query.email", "bad_format")
	w.fault(w.do("GET", path+"?lastName=X", ""), "query.lastName", "unknown_field")
}

func TestAChangedCustomerMovesToTheEndOfTheCollection(t *testing.T) {
	w := newWorld(t)
	first := w.made("a@example.cz", "")
	w.made("b@example.cz", "")
	require.Equal(t, 200, w.do("PATCH", first.path(), `{"phone":"1"}`).Code)
	require.Equal(t, []string{"b@example.cz", "a@example.cz"}, w.do("GET", path, "").emails(t))
}

func TestEachWriteSaysWhatHappened(t *testing.T) {
	w := newWorld(t)
	told := func(r reply, want events.Record) {
		t.Helper()
		want.Kind, want.Version = events.Customers, strings.Trim(r.etag(), `"`)
		require.Len(t, w.table.told, 1)
		require.Equal(t, []events.Record{want}, w.table.told[0].Records)
		require.Equal(t, shop, w.table.told[0].Shop)
		require.Equal(t, w.now.UnixMilli(), w.table.told[0].At)
	}
	made := w.made("jana@example.cz", "")
	told(made, events.Record{ID: made.id(), Did: events.Created})
	r := w.do("PATCH", made.path(), `{"email":"j@example.cz","company":"C","deliveryAddress":{"street":"S","city":"C","zip":"1","country":"CZ"}}`, "X-Request-Id", "mine")
	told(r, events.Record{ID: made.id(), Did: events.Changed, Groups: []events.Group{"billing", "contact", "delivery"}})
	require.Equal(t, "mine", w.table.told[0].Caller)
	require.NotEqual(t, "mine", w.table.told[0].Request)
	require.Equal(t, 204, w.do("DELETE", made.path(), "").Code)
	require.Equal(t, events.Deleted, w.table.told[0].Records[0].Did)
	require.Equal(t, made.id(), w.table.told[0].Records[0].ID)
}

func TestAKeyGivesTheFirstAnswerAgain(t *testing.T) {
	w := newWorld(t)
	body := `{"email":"jana@example.cz","firstName":"J","lastName":"N"}`
	first := w.do("POST", path, body, "Idempotency-Key", "k")
	again := w.do("POST", path, body, "Idempotency-Key", "k")
	require.Equal(t, 201, again.Code)
	require.Equal(t, first.body, again.body)
	require.Equal(t, first.etag(), again.etag())
	require.Equal(t, first.Header().Get("Location"), again.Header().Get("Location"))
	require.Equal(t, "true", again.Header().Get("Idempotent-Replayed"))
	require.Len(t, w.do("GET", path, "").emails(t), 1)

	changed := w.do("PATCH", first.path(), `{"phone":"1"}`, "Idempotency-Key", "p")
	require.Equal(t, 200, w.do("PATCH", first.path(), `{"phone":"2"}`).Code)
	require.Equal(t, changed.body, w.do("PATCH", first.path(), `{"phone":"1"}`, "Idempotency-Key", "p").body)
	w.refused(w.do("POST", path, body, "Idempotency-Key", "other"), 409, "email_taken")
}

// meanwhile lets another request in between a request's reading and its writing.
func (w *world) meanwhile(method, path, body string) {
	w.table.before = func() {
		told, meter := w.table.told, w.meter
		r := w.do(method, path, body)
		require.Less(w.t, r.Code, 300, r.Body.String())
		w.table.told, w.meter = told, meter
	}
}

func TestChangesAtTheSameTimeAreBothKept(t *testing.T) {
	w := newWorld(t)
	made := w.made("jana@example.cz", "")
	w.meanwhile("PATCH", made.path(), `{"company":"C"}`)
	r := w.do("PATCH", made.path(), `{"phone":"1"}`)
	require.Equal(t, 200, r.Code)
	require.Equal(t, []any{"1", "C"}, []any{r.body["phone"], r.body["company"]})
}

func TestAChangeMeanwhileIsAConflictForWhoSaidIfMatch(t *testing.T) {
	w := newWorld(t)
	made := w.made("jana@example.cz", "")
	w.meanwhile("PATCH", made.path(), `{"company":"C"}`)
	w.refused(w.do("PATCH", made.path(), `{"phone":"1"}`, "If-Match", made.etag()), 412, "version_conflict")
	r := w.do("GET", made.path(), "")
	w.meanwhile("PATCH", made.path(), `{"company":"D"}`)
	w.refused(w.do("DELETE", made.path(), "", "If-Match", r.etag()), 412, "version_conflict")
}

func TestADeletionMeanwhileIsNotUndone(t *testing.T) {
	w := newWorld(t)
	made := w.made("jana@example.cz", "")
	w.meanwhile("DELETE", made.path(), "")
	w.refused(w.do("PATCH", made.path(), `{"email":"j@example.cz"}`), 404, "not_found")
	w.made("j@example.cz", "")
}

func TestOfManyWhoWantAnEmailAtOnceOneGetsIt(t *testing.T) {
	w := newWorld(t)
	old := w.made("jana@example.cz", "")
	require.Equal(t, 204, w.do("DELETE", old.path(), "").Code)
	codes := make(chan int, 16)
	var group sync.WaitGroup
	for range cap(codes) {
		group.Go(func() {
			r := newRequest("POST", path, `{"email":"jana@example.cz","firstName":"J","lastName":"N"}`)
			codes <- r.serve(w)
		})
	}
	group.Wait()
	close(codes)
	count := map[int]int{}
	for code := range codes {
		count[code]++
	}
	require.Equal(t, map[int]int{201: 1, 409: cap(codes) - 1}, count)
}

func TestAStoreThatCannotServeIs503(t *testing.T) {
	w := newWorld(t)
	made := w.made("jana@example.cz", "")
	w.table.Table = broken{}
	for _, r := range []reply{w.do("GET", path, ""), w.do("GET", made.path(), ""), w.do("GET", path+"?email=a@b.cz", ""), w.do("PATCH", made.path(), `{}`),
		w.do("DELETE", made.path(), ""), w.do("POST", path, `{"email":"a@b.cz","firstName":"J","lastName":"N"}`)} {
		w.refused(r, 503, "unavailable")
		require.Equal(t, "1", r.Header().Get("Retry-After"))
	}
}

func TestATombstoneStaysThirtyDays(t *testing.T) {
	w := newWorld(t)
	made := w.made("jana@example.cz", "")
	require.Equal(t, 204, w.do("DELETE", made.path(), "").Code)
	items, err := w.table.Get(t.Context(), Key(shop, made.id()))
	require.NoError(t, err)
	require.Equal(t, w.now.Add(30*24*time.Hour).Unix(), items[0].Expires)
	require.Empty(t, items[0].Doc, "nothing personal stays")
	require.Equal(t, store.Key{}, items[0].Index1)
}
