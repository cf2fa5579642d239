package customers

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/customer"
	"eshop/shared/host/hosttest"
	"eshop/shared/store"
)

const whole = `,"externalId":"crm-1","phone":"+420 601 123 456","company":"Novák s.r.o.","companyId":"27074358","vatId":"CZ27074358",
	"billingAddress":{"street":"Dlouhá 12","city":"Brno","zip":"602 00","country":"CZ"},
	"deliveryAddress":{"street":"Krátká 1","city":"Bratislava","zip":"","country":"SK"},"priceLevel":"wholesale","note":"a\nb"`

func TestAMadeCustomerIsReadAsItWasMade(t *testing.T) {
	w := newWorld(t)
	made := w.made("Jana@Example.CZ", whole)
	require.Equal(t, at(made), made.Header.Get("Location"))
	require.Equal(t, "Jana@Example.CZ", made.Body["email"], "shown as sent")
	require.Equal(t, "2026-11-21T09:00:01.000Z", made.Body["created"])
	require.Equal(t, made.Body["created"], made.Body["changed"])
	require.Len(t, made.Body, 15)

	read := w.do("GET", at(made), "")
	require.Equal(t, http.StatusOK, read.Status)
	require.Equal(t, made.Body, read.Body)
	require.Equal(t, made.ETag(), read.ETag())
	require.Equal(t, http.StatusNotModified, w.do("GET", at(made), "", "If-None-Match", made.ETag()).Status)
}

func TestFieldsWithoutAValueAreAbsent(t *testing.T) {
	made := newWorld(t).made("jana@example.cz", `,"phone":"","note":null,"billingAddress":null`)
	require.Len(t, made.Body, 6, made.Text)
}

func TestNamesAreTrimmed(t *testing.T) {
	w := newWorld(t)
	made := w.do("POST", path, `{"email":"a@b.cz","firstName":" Jana ","lastName":"\tNováková","phone":" 1 "}`)
	require.Equal(t, http.StatusCreated, made.Status, made.Text)
	require.Equal(t, []any{"Jana", "Nováková", "1"},
		[]any{made.Body["firstName"], made.Body["lastName"], made.Body["phone"]})
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
		w.Fault(w.do("POST", path, with(more)), want[0], want[1])
		w.Fault(w.do("PATCH", at(there), `{`+more+`}`), want[0], want[1])
		w.Fault(w.do("PATCH", path+"/01HZZZZZZZZZZZZZZZZZZZZZZZ", `{`+more+`}`), want[0], want[1])
	}
	w.Fault(w.do("POST", path, `{"email":"j@n.cz","firstName":"J","lastName":"N","billingAddress":{"street":"S","city":"C","country":"CZ"}}`), "body.billingAddress.zip", "required")
	require.Equal(t, there.Body, w.do("GET", at(there), "").Body)
}

func TestAnEmailIsOneCustomersWithoutRegardToCase(t *testing.T) {
	w := newWorld(t)
	w.made("Jana@Example.cz", "")
	other := w.made("petr@example.cz", "")
	w.Refused(w.do("POST", path, `{"email":"jana@example.CZ","firstName":"J","lastName":"N"}`), 409, "email_taken")
	w.Refused(w.do("PATCH", at(other), `{"email":"JANA@example.cz"}`), 409, "email_taken")
	require.Equal(t, 201, w.Next(stranger, "POST", path,
		`{"email":"jana@example.cz","firstName":"J","lastName":"N"}`).Status, "in another shop")

	same := w.do("PATCH", at(other), `{"email":"Petr@example.cz"}`)
	require.Equal(t, "Petr@example.cz", same.Body["email"], "a change of case only")
	w.Refused(w.do("POST", path, `{"email":"petr@EXAMPLE.cz","firstName":"J","lastName":"N"}`), 409, "email_taken")
}

func TestAnExternalIdIsOneCustomers(t *testing.T) {
	w := newWorld(t)
	first := w.made("a@example.cz", `,"externalId":"7"`)
	second := w.made("b@example.cz", "")
	w.Refused(w.do("POST", path, `{"email":"c@example.cz","firstName":"J","lastName":"N","externalId":"7"}`), 409,
		"external_id_taken")
	w.Refused(w.do("PATCH", at(second), `{"externalId":"7"}`), 409, "external_id_taken")
	w.Refused(w.do("POST", path, `{"email":"A@example.cz","firstName":"J","lastName":"N","externalId":"7"}`), 409,
		"email_taken")
	w.made("c@example.cz", "")

	require.Equal(t, 200, w.do("PATCH", at(first), `{"externalId":null}`).Status)
	require.Equal(t, 200, w.do("PATCH", at(second), `{"externalId":"7"}`).Status)
}

func TestWhatACustomerGaveUpIsFree(t *testing.T) {
	w := newWorld(t)
	first := w.made("old@example.cz", `,"externalId":"1"`)
	require.Equal(t, 200, w.do("PATCH", at(first), `{"email":"new@example.cz","externalId":"2"}`).Status)
	w.made("old@example.cz", `,"externalId":"1"`)
	w.Refused(w.do("PATCH", at(first), `{"email":"old@example.cz"}`), 409, "email_taken")

	require.Equal(t, 204, w.do("DELETE", at(first), "").Status)
	again := w.made("New@example.cz", `,"externalId":"2"`)
	require.Equal(t, []string{"New@example.cz"}, w.do("GET", path+"?email=new@example.cz", "").Each("email"))
	require.NotEqual(t, first.ID(), again.ID())
}

func TestAPatchChangesWhatItNamesAndNothingElse(t *testing.T) {
	w := newWorld(t)
	made := w.made("jana@example.cz", whole)
	r := w.do("PATCH", at(made), `{"phone":null,"lastName":"Dvořáková","billingAddress":{"city":"Praha"},"deliveryAddress":null}`,
		"If-Match", made.ETag(), "Content-Type", "application/merge-patch+json")
	require.Equal(t, 200, r.Status, r.Text)
	want := made.Body
	want["lastName"], want["changed"] = "Dvořáková", "2026-11-21T09:00:02.000Z"
	want["billingAddress"].(map[string]any)["city"] = "Praha"
	delete(want, "phone")
	delete(want, "deliveryAddress")
	require.Equal(t, want, r.Body)
	require.NotEqual(t, made.ETag(), r.ETag())
	read := w.do("GET", at(made), "")
	require.Equal(t, want, read.Body)
	require.Equal(t, r.ETag(), read.ETag())
	w.Fault(w.do("PATCH", at(made), `{"deliveryAddress":{"street":"S","city":"C","zip":"1"}}`),
		"body.deliveryAddress.country", "required")
	w.Fault(w.do("PATCH", at(made), `{"billingAddress":{"zip":null}}`), "body.billingAddress.zip", "required")
}

func TestAChangeThatChangesNothingWritesNothing(t *testing.T) {
	w := newWorld(t)
	made := w.made("jana@example.cz", whole)
	writes := w.Main.Writes()
	for _, body := range []string{`{}`, `{"phone":" +420 601 123 456 "}`, `{"billingAddress":{"city":"Brno"}}`,
		strings.Replace("{"+whole+"}", ",", "", 1)} {
		r := w.do("PATCH", at(made), body)
		require.Equal(t, made.Body, r.Body)
		require.Equal(t, made.ETag(), r.ETag())
		require.Empty(t, w.Main.Changes())
	}
	require.Equal(t, writes, w.Main.Writes())
}

func TestADeletedCustomerIsGone(t *testing.T) {
	w := newWorld(t)
	made := w.made("jana@example.cz", `,"externalId":"1"`)
	w.made("petr@example.cz", "")
	w.Refused(w.do("DELETE", at(made), "", "If-Match", `"old"`), 412, "version_conflict")
	r := w.do("DELETE", at(made), "", "If-Match", made.ETag())
	require.Equal(t, 204, r.Status)
	require.Empty(t, r.Text)
	for _, method := range []string{"GET", "DELETE"} {
		w.Refused(w.do(method, at(made), ""), 404, "not_found")
	}
	w.Refused(w.do("PATCH", at(made), `{"phone":"1"}`, "If-Match", made.ETag()), 404, "not_found")
	require.Equal(t, []string{"petr@example.cz"}, w.do("GET", path, "").Each("email"))
	require.Empty(t, w.do("GET", path+"?email=jana@example.cz", "").Each("email"))
	require.Empty(t, w.do("GET", path+"?externalId=1", "").Each("email"))
}

func TestAnotherShopSeesNothing(t *testing.T) {
	w := newWorld(t)
	made := w.made("jana@example.cz", `,"externalId":"1"`)
	w.Refused(w.Next(stranger, "GET", at(made), ""), 404, "not_found")
	w.Refused(w.Next(stranger, "PATCH", at(made), `{"phone":"1"}`), 404, "not_found")
	w.Refused(w.Next(stranger, "DELETE", at(made), ""), 404, "not_found")
	for _, query := range []string{"", "?email=jana@example.cz", "?externalId=1"} {
		require.Empty(t, w.Next(stranger, "GET", path+query, "").Each("email"))
	}
}

func TestEachOperationNeedsItsPermission(t *testing.T) {
	w := newWorld(t)
	made := w.made("jana@example.cz", "")
	for _, token := range []string{nobody, writer} {
		w.Refused(w.Next(token, "GET", path, ""), 403, "insufficient_permission")
		w.Refused(w.Next(token, "GET", at(made), ""), 403, "insufficient_permission")
	}
	for _, token := range []string{nobody, reader} {
		w.Refused(w.Next(token, "POST", path, `{}`), 403, "insufficient_permission")
		w.Refused(w.Next(token, "PATCH", at(made), `{}`), 403, "insufficient_permission")
		w.Refused(w.Next(token, "DELETE", at(made), ""), 403, "insufficient_permission")
	}
	require.Equal(t, 200, w.Next(reader, "GET", at(made), "").Status)
	r := w.Next(writer, "PATCH", at(made), `{"phone":"1"}`)
	require.Equal(t, map[string]any{"id": made.ID(), "changed": "2026-11-21T09:00:13.000Z"}, r.Body)
	require.Equal(t, 201, w.Next(writer, "POST", path, `{"email":"b@b.cz","firstName":"J","lastName":"N"}`).Status)
	require.Equal(t, 204, w.Next(writer, "DELETE", at(made), "").Status)
}

func TestACollectionIsPagedFilteredAndOrdered(t *testing.T) {
	w := newWorld(t)
	want := []string{}
	for i := range 260 {
		want = append(want, fmt.Sprintf("c%03d@example.cz", i))
		w.made(want[i], fmt.Sprintf(`,"externalId":"%d"`, i))
	}
	require.Equal(t, want[:50], w.do("GET", path, "").Each("email"))
	require.Equal(t, want[:250], w.do("GET", path+"?itemsPerPage=250", "").Each("email"))

	var got []string
	r := w.do("GET", path+"?itemsPerPage=99", "")
	for got = r.Each("email"); r.Body["nextCursor"] != nil; got = append(got, r.Each("email")...) {
		require.Contains(t, r.Header.Get("Link"), `rel="next"`)
		r = w.do("GET", path+"?itemsPerPage=99&cursor="+r.Body["nextCursor"].(string), "")
	}
	require.Equal(t, want, got)

	require.Equal(t, []string{want[259], want[258]},
		w.do("GET", path+"?order[changed]=desc&itemsPerPage=2", "").Each("email"))
	require.Equal(t, want[:2], w.do("GET", path+"?changed[before]=2026-11-21T09:00:02Z", "").Each("email"))
	require.Equal(t, want[:1], w.do("GET", path+"?changed[strictly_before]=2026-11-21T09:00:02Z", "").Each("email"))
	require.Equal(t, want[7:8], w.do("GET", path+"?email=C007@EXAMPLE.cz", "").Each("email"))
	require.Equal(t, want[8:9], w.do("GET", path+"?externalId=8", "").Each("email"))
	require.Equal(t, want[9:10], w.do("GET", path+"?externalId=9&email=c009@example.cz&changed[after]=2026-11-21", "").
		Each("email"))
	require.Empty(t, w.do("GET", path+"?externalId=9&email=c008@example.cz", "").Each("email"))
	require.Empty(t, w.do("GET", path+"?externalId=9&changed[after]=2026-11-22", "").Each("email"))
	require.Empty(t, w.do("GET", path+"?externalId=nobody", "").Each("email"))
	require.Equal(t, `{"items":[]}`, strings.TrimSpace(w.do("GET", path+"?email=nobody", "").Text))
	w.Fault(w.do("GET", path+"?email=", ""), "query.email", "bad_format")
	w.Fault(w.do("GET", path+"?lastName=X", ""), "query.lastName", "unknown_field")
}

func TestAChangedCustomerMovesToTheEndOfTheCollection(t *testing.T) {
	w := newWorld(t)
	first := w.made("a@example.cz", "")
	w.made("b@example.cz", "")
	require.Equal(t, 200, w.do("PATCH", at(first), `{"phone":"1"}`).Status)
	require.Equal(t, []string{"b@example.cz", "a@example.cz"}, w.do("GET", path, "").Each("email"))
}

func TestEachWriteSaysWhatHappened(t *testing.T) {
	w := newWorld(t)
	told := func(r hosttest.Answer, want events.Record) {
		t.Helper()
		want.Kind, want.Version = events.Customers, r.Version()
		require.Len(t, w.Main.Changes(), 1)
		require.Equal(t, []events.Record{want}, w.Main.Changes()[0].Records)
		require.Equal(t, shop, w.Main.Changes()[0].Shop)
		require.Equal(t, w.Clock.Now().UnixMilli(), w.Main.Changes()[0].At)
	}
	made := w.made("jana@example.cz", "")
	told(made, events.Record{ID: made.ID(), Did: events.Created})
	r := w.do("PATCH", at(made), `{"email":"j@example.cz","company":"C","deliveryAddress":{"street":"S","city":"C","zip":"1","country":"CZ"}}`, "X-Request-Id", "mine")
	told(r, events.Record{ID: made.ID(), Did: events.Changed, Groups: []events.Group{"billing", "contact", "delivery"}})
	require.Equal(t, "mine", w.Main.Changes()[0].ClientRequest)
	require.NotEqual(t, "mine", w.Main.Changes()[0].Request)
	require.Equal(t, 204, w.do("DELETE", at(made), "").Status)
	require.Equal(t, events.Deleted, w.Main.Changes()[0].Records[0].Did)
	require.Equal(t, made.ID(), w.Main.Changes()[0].Records[0].ID)
}

func TestAKeyGivesTheFirstAnswerAgain(t *testing.T) {
	w := newWorld(t)
	body := `{"email":"jana@example.cz","firstName":"J","lastName":"N"}`
	first := w.do("POST", path, body, "Idempotency-Key", "k")
	again := w.do("POST", path, body, "Idempotency-Key", "k")
	require.Equal(t, 201, again.Status)
	require.Equal(t, first.Body, again.Body)
	require.Equal(t, first.ETag(), again.ETag())
	require.Equal(t, first.Header.Get("Location"), again.Header.Get("Location"))
	require.Equal(t, "true", again.Header.Get("Idempotent-Replayed"))
	require.Len(t, w.do("GET", path, "").Each("email"), 1)

	changed := w.do("PATCH", at(first), `{"phone":"1"}`, "Idempotency-Key", "p")
	require.Equal(t, 200, w.do("PATCH", at(first), `{"phone":"2"}`).Status)
	require.Equal(t, changed.Body, w.do("PATCH", at(first), `{"phone":"1"}`, "Idempotency-Key", "p").Body)
	w.Refused(w.do("POST", path, body, "Idempotency-Key", "other"), 409, "email_taken")
}

// meanwhile lets another request in between a request's reading and its writing.
func (w *world) meanwhile(method, path, body string) {
	w.Main.Meanwhile(func() {
		r := w.do(method, path, body)
		require.Less(w.T, r.Status, 300, r.Text)
		w.Main.NewChanges() // is not the waiting request's
	})
}

func TestChangesAtTheSameTimeAreBothKept(t *testing.T) {
	w := newWorld(t)
	made := w.made("jana@example.cz", "")
	w.meanwhile("PATCH", at(made), `{"company":"C"}`)
	r := w.do("PATCH", at(made), `{"phone":"1"}`)
	require.Equal(t, 200, r.Status)
	require.Equal(t, []any{"1", "C"}, []any{r.Body["phone"], r.Body["company"]})
}

func TestAChangeMeanwhileIsAConflictForWhoSaidIfMatch(t *testing.T) {
	w := newWorld(t)
	made := w.made("jana@example.cz", "")
	w.meanwhile("PATCH", at(made), `{"company":"C"}`)
	w.Refused(w.do("PATCH", at(made), `{"phone":"1"}`, "If-Match", made.ETag()), 412, "version_conflict")
	r := w.do("GET", at(made), "")
	w.meanwhile("PATCH", at(made), `{"company":"D"}`)
	w.Refused(w.do("DELETE", at(made), "", "If-Match", r.ETag()), 412, "version_conflict")
}

func TestADeletionMeanwhileIsNotUndone(t *testing.T) {
	w := newWorld(t)
	made := w.made("jana@example.cz", "")
	w.meanwhile("DELETE", at(made), "")
	w.Refused(w.do("PATCH", at(made), `{"email":"j@example.cz"}`), 404, "not_found")
	w.made("j@example.cz", "")
}

func TestOfManyWhoWantAnEmailAtOnceOneGetsIt(t *testing.T) {
	w := newWorld(t)
	old := w.made("jana@example.cz", "")
	require.Equal(t, 204, w.do("DELETE", at(old), "").Status)
	answers := hosttest.Together(16, func(int) hosttest.Answer {
		return w.As(all, "POST", path, `{"email":"jana@example.cz","firstName":"J","lastName":"N"}`)
	})
	require.Equal(t, map[int]int{201: 1, 409: len(answers) - 1}, hosttest.Statuses(answers))
}

func TestAStoreThatCannotServeIs503(t *testing.T) {
	w := newWorld(t)
	made := w.made("jana@example.cz", "")
	w.Main.Down()
	for _, r := range []hosttest.Answer{w.do("GET", path, ""), w.do("GET", at(made), ""),
		w.do("GET", path+"?email=a@b.cz", ""), w.do("PATCH", at(made), `{}`),
		w.do("DELETE", at(made), ""), w.do("POST", path, `{"email":"a@b.cz","firstName":"J","lastName":"N"}`)} {
		w.Refused(r, 503, "unavailable")
		require.Equal(t, "1", r.Header.Get("Retry-After"))
	}
}

func TestATombstoneStaysThirtyDays(t *testing.T) {
	w := newWorld(t)
	made := w.made("jana@example.cz", "")
	require.Equal(t, 204, w.do("DELETE", at(made), "").Status)
	items, err := w.Main.Get(t.Context(), customer.Key(shop, made.ID()))
	require.NoError(t, err)
	require.Equal(t, w.Clock.Now().Add(30*24*time.Hour).Unix(), items[0].Expires)
	require.Empty(t, items[0].Doc, "nothing personal stays")
	require.Equal(t, store.Key{}, items[0].Index1)
}
