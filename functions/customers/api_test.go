package customers

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
)

const whole = `,"externalId":"crm-1","phone":"+420 601 123 456","company":"Novák s.r.o.","companyId":"27074358","vatId":"CZ27074358",
	"billingAddress":{"street":"Dlouhá 12","city":"Brno","zip":"602 00","country":"CZ"},
	"deliveryAddress":{"street":"Krátká 1","city":"Bratislava","zip":"","country":"SK"},"priceLevel":"wholesale","note":"a\nb"`

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
		`"phone":"` + strings.Repeat("1", 256) + `"`:                                       {"body.phone", "too_long"},
		`"externalId":"` + strings.Repeat("ž", 256) + `"`:                                  {"body.externalId", "too_long"},
		`"note":"` + strings.Repeat("n", 65537) + `"`:                                      {"body.note", "too_long"},
		`"billingAddress":"Brno"`:                                                          {"body.billingAddress", "wrong_type"},
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
	first := w.made("Jana@Example.cz", "")
	require.Equal(t, "Jana@Example.cz", first.Body["email"], "shown as sent")
	other := w.made("petr@example.cz", "")
	w.Refused(w.do("POST", path, `{"email":"jana@example.CZ","firstName":"J","lastName":"N"}`), 409, "email_taken")
	w.Refused(w.do("PATCH", at(other), `{"email":"JANA@example.cz"}`), 409, "email_taken")
	same := w.do("PATCH", at(other), `{"email":"Petr@example.cz"}`)
	require.Equal(t, "Petr@example.cz", same.Body["email"], "a change of case only")
	w.Refused(w.do("POST", path, `{"email":"petr@EXAMPLE.cz","firstName":"J","lastName":"N"}`), 409, "email_taken")
	require.Equal(t, []string{first.ID()}, w.do("GET", path+"?email=JANA@example.cz", "").Each("id"))
}

func TestAPatchChangesWhatItNamesAndNothingElse(t *testing.T) {
	w := newWorld(t)
	made := w.made("jana@example.cz", whole)
	r := w.do("PATCH", at(made), `{"phone":null,"lastName":"Dvořáková","billingAddress":{"city":"Praha"},"deliveryAddress":null}`).
		Is(200)
	want := made.Body
	want["lastName"], want["changed"] = "Dvořáková", "2026-11-21T09:00:02.000Z"
	want["billingAddress"].(map[string]any)["city"] = "Praha"
	delete(want, "phone")
	delete(want, "deliveryAddress")
	require.Equal(t, want, r.Body)
	w.Fault(w.do("PATCH", at(made), `{"deliveryAddress":{"street":"S","city":"C","zip":"1"}}`),
		"body.deliveryAddress.country", "required")
	w.Fault(w.do("PATCH", at(made), `{"billingAddress":{"zip":null}}`), "body.billingAddress.zip", "required")
}

func TestAChangeNamesTheGroupsThatItTouched(t *testing.T) {
	w := newWorld(t)
	made := w.made("jana@example.cz", "")
	w.do("PATCH", at(made), `{"email":"j@example.cz","company":"C","deliveryAddress":{"street":"S","city":"C","zip":"1","country":"CZ"}}`).
		Is(200)
	require.Equal(t, []events.Group{"billing", "contact", "delivery"}, w.Main.Changes()[0].Records[0].Groups)
}
