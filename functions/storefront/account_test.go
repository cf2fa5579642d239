package storefront

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/html"

	"eshop/events"
	"eshop/shared/host/hosttest"
	"eshop/shared/people/customer"
	"eshop/shared/people/signin"
	"eshop/shared/ports/store"
)

// told are the events that the last request told.
func (w *world) told() (all []events.Name) {
	for _, c := range w.Main.NewChanges() {
		all = append(all, c.Events()...)
	}
	return all
}

// TestARegistrationMakesACustomer: what it answers, what it tells, and who has the address already.
func TestARegistrationMakesACustomer(t *testing.T) {
	w := open(t)
	b := w.visitor()
	w.told()
	full := object{"phone": "1", "company": "C", "companyId": "2", "vatId": "CZ2",
		"billingAddress": object{"street": "S", "city": "C", "zip": "1",
			"country": "CZ"}, "deliveryAddress": object{"street": "D", "city": "C", "zip": "1", "country": "SK"}}
	a := b.registered("Jana@Example.cz", full)
	require.Equal(t, []events.Name{events.CustomerCreate}, w.told())
	require.ElementsMatch(t, []string{"id", "email", "firstName", "lastName", "phone", "company", "companyId",
		"vatId", "billingAddress",
		"deliveryAddress", "created", "changed"}, names(a.Body))
	require.Equal(t, a.Text, b.JSON("GET", "/account", nil).Is(200).Text)
	theirs := w.As(w.tokens[tea], "GET", "/api-engine/customers/"+a.ID(), nil).Is(200)
	require.Equal(t, "Jana@Example.cz", theirs.Get("email"))
	require.NotContains(t, theirs.Text, "argon")
	w.addon(tea, "PATCH", "/api-engine/customers/"+a.ID(),
		object{"note": "pays late", "priceLevel": "wholesale", "externalId": "crm"})
	for _, text := range []string{b.JSON("GET", "/account", nil).Text, b.Page("/account").Text,
		b.JSON("PATCH", "/account", object{"phone": "2"}).Is(200).Text} {
		require.NotContains(t, text, "pays late")
		require.NotContains(t, text, "wholesale")
	}
	w.told()
	body := object{"email": "JANA@example.CZ", "password": password, "firstName": "J", "lastName": "N"}
	w.visitor().JSON("POST", "/account/register", body).Is(409, "email_taken")
	page := w.shown(w.visitor().Form("/account/register", "email", "jana@example.cz", "password", password,
		"firstName", "J", "lastName", "N"), 409)
	require.Contains(t, page.Text, `id="email-fault" data-code="email_taken">Tento e-mail už u nás má účet.`)
	for name, value := range map[string]any{"password": "short", "email": "x", "priceLevel": "wholesale",
		"note": "n", "externalId": "1",
		"firstName": "", "currentPassword": password} {
		w.visitor().JSON("POST", "/account/register", with(body, name, value)).Is(422)
	}
	require.Empty(t, w.told())
	bought := w.addon(tea, "POST", "/api-engine/customers",
		object{"email": "eva@example.cz", "firstName": "E", "lastName": "M"})
	w.Clock.Pass(time.Minute)
	w.visitor().JSON("POST", "/account/register", with(body, "email", "eva@example.cz")).Is(409, "email_taken")
	w.visitor().JSON("POST", "/account/sign-in",
		object{"email": "eva@example.cz", "password": ""}).Is(401, "sign_in_failed")
	require.NotEmpty(t, bought.ID())
}

// TestASignInTellsNothing of who has an account.
func TestASignInTellsNothing(t *testing.T) {
	w := open(t)
	b := w.visitor()
	b.registered("jana@example.cz", nil)
	first := b.Cookies["session"]
	b.JSON("POST", "/account/sign-in", object{"email": "Jana@example.cz", "password": password}).Is(200)
	require.NotEqual(t, first, b.Cookies["session"], "it changes at sign-in")
	stolen := w.visitor()
	stolen.Cookies["session"] = first
	stolen.JSON("GET", "/account", nil).Is(401, "unauthenticated")

	wrong := w.visitor().JSON("POST", "/account/sign-in",
		object{"email": "jana@example.cz", "password": "wrong wrong"}).Is(401, "sign_in_failed")
	unknown := w.visitor().JSON("POST", "/account/sign-in",
		object{"email": "nobody@example.cz", "password": "wrong wrong"}).Is(401, "sign_in_failed")
	delete(wrong.Body, "requestId")
	delete(unknown.Body, "requestId")
	require.Equal(t, wrong.Body, unknown.Body)
	require.Empty(t, wrong.Header.Get("Www-Authenticate"))
	odd := w.visitor()
	odd.JSON("POST", "/account/sign-in", object{"email": "odd", "password": "x"}).Is(401, "sign_in_failed")
	odd.JSON("POST", "/account/sign-in", object{"email": "jana@example.cz"}).Is(422)
	require.NotContains(t, odd.Cookies, "session")
}

// TestASessionIsGoodForThirtyDays since its last use, and its cookie is the host's alone.
func TestASessionIsGoodForThirtyDays(t *testing.T) { onBoth(t, aSessionIsGoodForThirtyDays) }

func aSessionIsGoodForThirtyDays(t *testing.T, w *world) {
	b := w.visitor()
	a := b.registered("jana@example.cz", nil)
	require.Len(t, a.Header["Set-Cookie"], 2)
	require.Regexp(t, `^session=[0-9A-Z]{26}\.[A-Za-z0-9_-]{43}; Path=/; Max-Age=2592000; HttpOnly; Secure; SameSite=Lax$`,
		a.Header["Set-Cookie"][1])
	day := 24 * time.Hour
	require.Len(t, b.Page("/").Header["Set-Cookie"], 1)
	for range 3 {
		w.Clock.Pass(29 * day)
		require.Len(t, b.Page("/").Is(200).Header["Set-Cookie"], 2, "a session that is used lasts")
		b.JSON("GET", "/account", nil).Is(200)
	}
	w.Clock.Pass(30*day + time.Second)
	b.JSON("GET", "/account", nil).Is(401, "unauthenticated")
	require.False(t, w.state(b.Page("/")).User.LoggedIn)

	b.JSON("POST", "/account/sign-in", object{"email": "jana@example.cz", "password": password}).Is(200)
	kept := b.Cookies["session"]
	out := b.JSON("POST", "/account/sign-out", nil).Is(204)
	require.Contains(t, out.Header["Set-Cookie"][len(out.Header["Set-Cookie"])-1], "session=; Path=/; Max-Age=0")
	b.Cookies["session"] = kept
	b.JSON("GET", "/account", nil).Is(401, "unauthenticated")
	w.visitor().JSON("POST", "/account/sign-out", nil).Is(204)
}

// TestASignInIsNoReplay: whoever signs in or out again under a key is signed in or out again, too.
func TestASignInIsNoReplay(t *testing.T) { onBoth(t, aSignInIsNoReplay) }

func aSignInIsNoReplay(t *testing.T, w *world) {
	b := w.visitor()
	b.registered("jana@example.cz", nil)
	w.Clock.Pass(time.Minute)
	for range 2 {
		b.JSON("POST", "/account/sign-out", nil, "Idempotency-Key", "out").Is(204)
		b.JSON("GET", "/account", nil).Is(401, "unauthenticated")
		a := b.JSON("POST", "/account/sign-in", object{"email": "jana@example.cz", "password": password},
			"Idempotency-Key", "in")
		require.Empty(t, a.Is(200).Header.Get("Idempotent-Replayed"))
		b.JSON("GET", "/account", nil).Is(200)
	}
	change := object{"password": "another long one", "currentPassword": password}
	b.JSON("PATCH", "/account", change, "Idempotency-Key", "change").Is(200)
	b.JSON("GET", "/account", nil).Is(200)
	b.JSON("PATCH", "/account", change, "Idempotency-Key", "change").Is(422, "invalid")
}

// TestASignOutThatFailsLeavesTheCookie: it can be tried again.
func TestASignOutThatFailsLeavesTheCookie(t *testing.T) {
	w := open(t)
	b := w.visitor()
	b.registered("jana@example.cz", nil)
	w.Main.Before(func([]store.Op) error { return store.ErrUnavailable })
	b.JSON("POST", "/account/sign-out", nil).Is(503, "unavailable")
	w.shown(b.Form("/account/sign-out"), 503)
	require.NotEmpty(t, b.Cookies[sessionCookie])
	w.Main.Before(nil)
	b.JSON("GET", "/account", nil).Is(200)
	b.JSON("POST", "/account/sign-out", nil).Is(204)
	require.Empty(t, b.Cookies[sessionCookie])
}

// TestWhatACustomerMayChange is PATCH /account.
func TestWhatACustomerMayChange(t *testing.T) { onBoth(t, whatACustomerMayChange) }

func whatACustomerMayChange(t *testing.T, w *world) {
	b, phone := w.visitor(), w.visitor()
	b.registered("jana@example.cz", nil)
	phone.JSON("POST", "/account/sign-in", object{"email": "jana@example.cz", "password": password}).Is(200)
	w.told()
	patch := func(body object) hosttest.Answer { return b.JSON("PATCH", "/account", body) }
	patch(object{"phone": "1"}).Is(200)
	require.Equal(t, []events.Name{events.CustomerChange}, w.told())
	patch(object{"phone": "1"}).Is(200)
	patch(object{}).Is(200)
	require.Empty(t, w.told(), "nothing really changed")
	require.Nil(t, patch(object{"phone": nil}).Is(200).At("phone"))
	w.told()
	patch(object{"email": "eva@example.cz"}).Fault("body.currentPassword", "required")
	patch(object{"password": "another long one"}).Fault("body.currentPassword", "required")
	patch(object{"email": "eva@example.cz", "currentPassword": "wrong wrong"}).Is(422)
	patch(object{"password": "short", "currentPassword": password}).Is(422)
	for _, name := range []string{"id", "note", "priceLevel", "created", "externalId", "price"} {
		patch(object{name: "x"}).Is(422)
	}
	require.Empty(t, w.told())
	w.Clock.Pass(time.Minute)
	require.Equal(t, "eva@example.cz",
		patch(object{"email": "eva@example.cz", "currentPassword": password}).Is(200).Get("email"))
	require.Equal(t, []events.Name{events.CustomerChange}, w.told())
	phone.JSON("GET", "/account", nil).Is(200)

	had := b.Cookies["session"]
	a := patch(object{"password": "another long one", "currentPassword": password}).Is(200)
	require.Empty(t, w.told(), "a password is nobody else's business")
	require.NotContains(t, a.Text, "another long one")
	require.NotEqual(t, had, b.Cookies["session"], "whose own request gets a new one")
	b.JSON("GET", "/account", nil).Is(200)
	phone.JSON("GET", "/account", nil).Is(401, "unauthenticated")
	old := w.visitor()
	old.Cookies["session"] = had
	old.JSON("GET", "/account", nil).Is(401, "unauthenticated")
	w.Clock.Pass(time.Minute)
	w.visitor().JSON("POST", "/account/sign-in",
		object{"email": "eva@example.cz", "password": password}).Is(401, "sign_in_failed")
	w.visitor().JSON("POST", "/account/sign-in",
		object{"email": "eva@example.cz", "password": "another long one"}).Is(200)

	out := w.visitor()
	out.JSON("PATCH", "/account", object{"phone": "1"}).Is(401, "unauthenticated")
	w.leads(out.Page("/account"), 303, "/account/sign-in?to=/account")
	w.shown(out.Page("/account/sign-in?to=/account"), 200)
	require.Contains(t, out.Page("/account/sign-in?to=/account").Text, `name="_to" value="/account"`)
}

// TestTriesAreCounted: five for each account and ten for each address in any minute, good ones too.
func TestTriesAreCounted(t *testing.T) {
	w := open(t)
	at := func(address string) *browser {
		b := w.visitor()
		b.Address = address + ":1"
		return b
	}
	try := func(address, email string) hosttest.Answer {
		return at(address).JSON("POST", "/account/sign-in", object{"email": email, "password": "wrong wrong"},
			"X-Forwarded-For", fmt.Sprint(time.Now()))
	}
	for i := range 5 {
		try(fmt.Sprintf("203.0.113.%d", i), "jana@example.cz").Is(401)
	}
	a := try("203.0.113.9", "JANA@example.cz").Is(429, "too_many_tries")
	require.Regexp(t, `^[1-9][0-9]?$`, a.Header.Get("Retry-After"))
	page := w.shown(at("203.0.113.9").Form("/account/sign-in", "email", "jana@example.cz", "password", "x"), 429)
	require.Regexp(t, `^[1-9][0-9]?$`, page.Header.Get("Retry-After"))
	require.Contains(t, page.Text, `role="alert"`)
	require.Contains(t, page.Text, `value="jana@example.cz"`)

	w.Clock.Pass(time.Minute)
	for i := range 10 {
		try("198.51.100.1", fmt.Sprintf("e%d@example.cz", i)).Is(401)
	}
	try("198.51.100.1", "other@example.cz").Is(429, "too_many_tries")
	try("198.51.100.2", "other@example.cz").Is(401)
	at("198.51.100.1").JSON("POST", "/account/register",
		object{"email": "n@example.cz", "password": password, "firstName": "a", "lastName": "b"}).
		Is(429, "too_many_tries")
	w.Clock.Pass(time.Minute)
	b := at("198.51.100.1")
	b.registered("good@example.cz", nil)
	for range 4 {
		b.JSON("POST", "/account/sign-in", object{"email": "good@example.cz", "password": password}).Is(200)
	}
	b.JSON("POST", "/account/sign-in",
		object{"email": "good@example.cz", "password": password}).Is(429, "too_many_tries")
	b.JSON("PATCH", "/account", object{"password": "another long one",
		"currentPassword": password}).Is(429, "too_many_tries")
	w.shown(b.Form("/account", "_method", "PATCH", "password", "another long one", "currentPassword", password), 429)
	b.JSON("PATCH", "/account", object{"phone": "1"}).Is(200)
}

// TestALinkSetsAPassword: good once, for a day.
func TestALinkSetsAPassword(t *testing.T) {
	w := open(t)
	id := w.addon(tea, "POST", "/api-engine/customers",
		object{"email": "eva@example.cz", "firstName": "E", "lastName": "M"}).ID()
	unit := w.P.Unit()
	unit.Shop = w.shops[tea]
	link := func() string {
		token, err := customer.NewAccounts(signin.Tries{}).MakeLink(t.Context(), unit, id)
		require.NoError(t, err)
		return token
	}
	token := link()
	at := "/account/set-password?token=" + url.QueryEscape(token)
	b := w.visitor()
	page := w.shown(b.Page(at), 200)
	require.Contains(t, page.Text, `name="token" value="`+token+`"`)
	require.Equal(t, "/account/set-password", w.state(page).Page.Path, "without the query")
	w.shown(w.visitorOf(toys).Page(at), 404)
	w.shown(b.Page("/account/set-password"), 404)
	w.shown(b.Page("/account/set-password?token=x"), 404)
	page = w.shown(b.Form("/account/set-password", "token", token, "password", "short"), 422)
	require.Regexp(t, `id="password"[^>]* aria-invalid="true"`, page.Text)
	w.leads(b.Form("/account/set-password", "token", token, "password", password), 303, "/account/sign-in?saved")
	require.Regexp(t, `role="status"><p>Heslo je nastavené`, w.shown(b.Page("/account/sign-in?saved"), 200).Text)
	w.shown(b.Page(at), 404)
	b.JSON("POST", "/account/set-password", object{"token": token, "password": password}).Is(404, "not_found")
	b.JSON("POST", "/account/set-password", object{"password": password}).Is(404, "not_found")
	at = "/account/set-password?token=" + url.QueryEscape(link())
	require.Contains(t, w.shown(b.Form(at, "password", "short"), 422).Text, `name="token"`, "the address has it, too")
	w.leads(b.Form(at, "password", password), 303, "/account/sign-in?saved")
	b.JSON("POST", "/account/sign-in", object{"email": "eva@example.cz", "password": password}).Is(200)
	late := link()
	w.Clock.Pass(24 * time.Hour)
	b.JSON("POST", "/account/set-password", object{"token": late, "password": password}).Is(404, "not_found")
}

// asShown are the fields of a form as a browser sends them where nobody has touched any.
func asShown(t *testing.T, page, action string) url.Values {
	sent := url.Values{}
	within := func(n *html.Node) bool {
		for n = n.Parent; n != nil; n = n.Parent {
			if n.Data == "form" && attr(n, "action") == action {
				return true
			}
		}
		return false
	}
	for _, n := range nodes(t, page) {
		if !within(n) {
			continue
		}
		switch {
		case n.Data == "input":
			sent.Add(attr(n, "name"), attr(n, "value"))
		case n.Data == "select":
			sent.Add(attr(n, "name"), "")
		case n.Data == "option" && has(n, "selected"):
			sent.Set(attr(n.Parent, "name"), attr(n, "value"))
		}
	}
	return sent
}

// TestACountryAloneIsNoAddress: it is chosen already, and counts as soon as there is an address.
func TestACountryAloneIsNoAddress(t *testing.T) {
	w := open(t)
	b := w.visitor()
	send := func(path string, form url.Values) hosttest.Answer {
		return b.Ask("POST", path, hosttest.FormType, form.Encode(), "Accept", hosttest.PageType)
	}
	form := asShown(t, b.Page("/account/register").Text, "/account/register")
	require.Equal(t, "CZ", form.Get("billingAddress.country"))
	for name, value := range map[string]string{"email": "jana@", "password": password, "firstName": "J",
		"lastName": "N"} {
		form.Set(name, value)
	}
	form = asShown(t, w.shown(send("/account/register", form), 422).Text, "/account/register")
	form.Set("email", "jana@example.cz")
	form.Set("password", password)
	w.leads(send("/account/register", form), 303, "/account?registered")
	page := w.shown(b.Page("/account?registered"), 200).Text
	require.Contains(t, page, `role="status"><p>Účet je vytvořený`)
	require.Regexp(t, `<label for="phone">Telefon <small>`, page)
	for _, needed := range []string{"currentPassword", "billingAddress-street", "billingAddress-country"} {
		require.Regexp(t, `<label for="`+needed+`">[^<]+</label>`, page, "it is not called optional")
	}
	w.told()
	form = asShown(t, page, "/account")
	require.Equal(t, "CZ", form.Get("deliveryAddress.country"))
	w.leads(send("/account", form), 303, "/account?saved")
	require.Empty(t, w.told(), "nothing was changed")
	require.NotContains(t, b.JSON("GET", "/account", nil).Text, "Address")

	form.Set("billingAddress.street", "Dlouhá 1")
	form.Set("billingAddress.city", "Brno")
	form = asShown(t, w.shown(send("/account", form), 422).Text, "/account")
	form.Set("billingAddress.zip", "602 00")
	w.leads(send("/account", form), 303, "/account?saved")
	me := b.JSON("GET", "/account", nil).Is(200)
	require.Equal(t, []string{"Dlouhá 1", "CZ"},
		[]string{me.Get("billingAddress.street"), me.Get("billingAddress.country")})
	require.Nil(t, me.At("deliveryAddress"))

	form = asShown(t, b.Page("/account").Text, "/account")
	for _, name := range []string{"street", "city", "zip"} {
		form.Set("billingAddress."+name, "")
	}
	w.leads(send("/account", form), 303, "/account?saved")
	require.Nil(t, b.JSON("GET", "/account", nil).At("billingAddress"), "it is cleared")
}
