package admin

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAShopsCustomersAreMadeChangedAndDeleted(t *testing.T) { onBoth(t, shopsCustomers) }

func shopsCustomers(t *testing.T, w *world) {
	b := w.ada(tea)
	require.Contains(t, b.Page("/admin/customers").Shown(200).Text, "Zatím nemáte žádného zákazníka.")
	b.Page("/admin/customers/new").Shown(200)
	w.hears()
	made := does(b, "/admin/customers", "email", "Jana@Example.cz", "firstName", "Jana", "lastName", "<N>", "phone", "",
		"externalId", "crm-1",
		"priceLevel", "wholesale", "note", "pays late", "company", "C", "companyId", "", "vatId", "",
		"billingAddress.street", "S", "billingAddress.city", "B", "billingAddress.zip", "602 00",
		"billingAddress.country", "CZ", "deliveryAddress.street", "", "deliveryAddress.city", "", "deliveryAddress.zip",
		"", "deliveryAddress.country", "")
	require.Contains(t, made.Text, "Jana &lt;N&gt;")
	require.Contains(t, made.Text, "Vytvořeno: Jana &lt;N&gt;<")
	require.Equal(t, []string{"customers created"}, w.hears())
	id := rowsOf(b.Page("/admin/customers").Shown(200))[0]
	over := w.addon(tea, "GET", "/api-engine/customers/"+id, nil)
	require.Equal(t, []any{"Jana@Example.cz", "crm-1", "wholesale", "pays late", "C", "B", nil, nil},
		[]any{over.At("email"), over.At("externalId"),
			over.At("priceLevel"), over.At("note"), over.At("company"), over.At("billingAddress.city"),
			over.At("deliveryAddress"), over.At("phone")})

	path := "/admin/customers/" + id
	require.Contains(t, b.Page(path).Shown(200).Text, `href="/admin/orders?customerId=`+id+`"`)
	does(b, path, "phone", "+420 1", "note", "", "billingAddress.street", "", "billingAddress.city", "",
		"billingAddress.zip", "", "billingAddress.country", "")
	require.Equal(t, []string{"customers changed"}, w.hears())
	over = w.addon(tea, "GET", "/api-engine/customers/"+id, nil)
	require.Equal(t, []any{"+420 1", nil, nil, "crm-1"},
		[]any{over.At("phone"), over.At("note"), over.At("billingAddress"), over.At("externalId")})
	b.Form(path, "phone", "+420 1").Leads(303, path)
	require.Empty(t, w.hears(), "done twice it tells nothing")

	require.Contains(t, b.Form("/admin/customers", "email", "JANA@example.cz", "firstName", "J", "lastName", "N").
		Shown(409).Text,
		`role="alert" data-code="email_taken"`)
	require.Contains(t, b.Form(path, "email", "nobody").Shown(422).Text, `value="nobody"`)
	wrong := b.Form(path, "billingAddress.street", "Long <street>", "billingAddress.city", "").Shown(422).Text
	require.Contains(t, wrong, `id="billingAddress-city-fault" data-code="required"`)
	require.Regexp(t, `(?s)<details class="part" open><summary>Fakturační adresa.*Long &lt;street&gt;`, wrong,
		"faults are in sight")
	b.Form(path, "vip", "true").Shown(422)

	for query, want := range map[string][]string{"?email=jana@EXAMPLE.cz": {id}, "?email=x@example.cz": nil,
		"?externalId=crm-1&email=": {id}} {
		require.Equal(t, want, rowsOf(b.Page("/admin/customers"+query).Shown(200)), query)
	}
	b.Page("/admin/customers?phone=1").Shown(422)
	w.Clock.Pass(time.Second)
	last := w.addon(tea, "POST", "/api-engine/customers",
		object{"email": "last@example.cz", "firstName": "L", "lastName": "N"}).ID()
	require.Equal(t, []string{last, id}, rowsOf(b.Page("/admin/customers").Shown(200)), "newest first")
	require.Equal(t, []string{id, last}, rowsOf(b.Page("/admin/customers?order[changed]=asc").Shown(200)))
	require.Contains(t, b.Page("/admin/customers?changed[after]=2026-07-01").Shown(200).Text,
		`value="2026-07-01T02:00:00"`,
		"a date is shown as the moment that it means")
	w.hears()

	other := w.ada(toys)
	other.Page(path).Shown(404)
	other.Form(path, "phone", "1").Shown(404)
	other.Form(path + "/delete").Shown(404)
	other.Form(path + "/sign-in-link").Shown(404)
	other.Form(path + "/erase").Shown(404)
	require.Empty(t, w.hears())

	b.Form("/admin/customers/"+last+"/erase").Leads(303, "/admin/customers")
	require.Equal(t, []string{"customers deleted", "customerErase"}, w.hears())
	require.Contains(t, b.Page("/admin/customers").Shown(200).Text, "Osobní údaje v jeho objednávkách se mažou.")
	b.Page("/admin/customers/" + last).Shown(404)

	b.Form(path+"/delete").Leads(303, "/admin/customers")
	require.Equal(t, []string{"customers deleted"}, w.hears())
	b.Page(path).Shown(404)
	b.Form(path + "/delete").Shown(404)
	b.Form(path + "/sign-in-link").Shown(404)
}

func TestACustomerSetsAPasswordByALinkThatIsShownOnce(t *testing.T) { onBoth(t, customersLink) }

func customersLink(t *testing.T, w *world) {
	b := w.ada(tea)
	id := w.addon(tea, "POST", "/api-engine/customers",
		object{"email": "jana@example.cz", "firstName": "J", "lastName": "N"}).ID()
	path := "/admin/customers/" + id
	w.hears()
	answer := b.Form(path+"/sign-in-link").Leads(303, path)
	page := b.Page(path).Shown(200)
	link := secretOf(page, "link")
	require.NotContains(t, answer.Header.Get("Set-Cookie"), link)
	require.NotContains(t, b.Page(path).Shown(200).Text, "data-secret", "it is shown once")
	require.Empty(t, w.hears())

	site, token, found := strings.Cut(link, "/account/set-password?token=")
	require.True(t, found, link)
	require.Equal(t, "https://"+tea, site)
	shopper := w.Visitor(tea)
	shopper.Page("/account/set-password?token=" + token).Shown(200)
	shopper.Form("/account/set-password", "token", token, "password", password).Is(303)
	shopper.Form("/account/sign-in", "email", "jana@example.cz", "password", password).Is(303)
	shopper.Page("/account/set-password?token=" + token).Shown(404)
}

func TestACustomersPageShowsOrdersAndWhatWasSpent(t *testing.T) { onBoth(t, customersOrders) }

func customersOrders(t *testing.T, w *world) {
	b := w.ada(tea)
	product := w.addon(tea, "POST", "/api-engine/products", object{"code": "T", "name": "Tea",
		"stock": object{"quantity": 1000}, "priceLevels": []object{{"level": "default", "price": "10.50"}}}).ID()
	jana := w.addon(tea, "POST", "/api-engine/customers",
		object{"email": "jana@example.cz", "firstName": "J", "lastName": "N"}).ID()
	path := "/admin/customers/" + jana
	require.Contains(t, b.Page(path).Shown(200).Text, "Zatím nic neobjednal(a).")
	w.ordered(tea, product, nil) // somebody else's
	var ids []string
	for range 6 {
		ids = append(ids, w.ordered(tea, product, object{"customerId": jana}))
	}
	cancelled := w.ordered(tea, product, object{"customerId": jana, "stateId": w.stateID(tea, "cancelled")})
	page := b.Page(path).Shown(200).Text
	require.Contains(t, page, "<dd><strong>126\u00a0Kč</strong></dd>", "the cancelled one is not counted")
	require.Contains(t, page, "<dd>6</dd>")
	require.NotContains(t, page, "Za posledních")
	shown := regexp.MustCompile(`<li data-id="([^"]*)"`).FindAllStringSubmatch(page, -1)
	require.Len(t, shown, 5)
	require.Equal(t, []string{cancelled, ids[5]}, []string{shown[0][1], shown[1][1]}, "newest first")
	require.Contains(t, page, `href="/admin/orders?customerId=`+jana+`"`)

	for range 45 {
		w.ordered(tea, product, object{"customerId": jana})
	}
	page = b.Page(path).Shown(200).Text
	require.Contains(t, page, "Za posledních 50 objednávek.")
	require.Contains(t, page, "<dd>49</dd>")
	require.Contains(t, b.Form(path, "email", "nobody").Shown(422).Text, "Za posledních 50",
		"beside a refused form, too")
	w.ada(toys).Page(path).Shown(404)
}
