package house_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
)

// TestAChangeSaysWhoAskedForIt does all operations that write, each as who may, and those last that end others: what
// they publish, also behind themselves, is of whoever comes to that door (contract, "Who did it").
func TestAChangeSaysWhoAskedForIt(t *testing.T) {
	w := open(t)
	pkg, told := w.made["POST /operator/packages"].ID(), map[events.By]int{}
	by := func(who events.By, did string) {
		t.Helper()
		for _, c := range w.Main.NewChanges() {
			require.Equal(t, who, c.By.To(pkg), "%s: %+v", did, c)
			told[who]++
		}
	}
	w.Main.NewChanges()
	w.erased() // with no order
	order := w.sample("POST /api-engine/orders")
	w.round++
	customer := w.ask("POST /api-engine/customers", w.sample("POST /api-engine/customers")).Is(201).ID()
	order["customerId"] = customer
	order["items"].([]any)[0].(object)["quantity"] = 1
	w.As(w.token, "POST", "/api-engine/orders", order).Is(201)
	w.As(w.token, "DELETE", "/api-engine/customers/"+customer+"?erase=true", nil).Is(202)
	by(events.Self, "the erasing of a customer with an order")

	b := (&worded{world: w}).signedIn(w.AdminOf(w.made["POST /operator/shops"].Get("domain")))
	w.Main.NewChanges()
	b.Form("/admin/orders/"+w.made["POST /account/orders"].ID()+"/note", "note", "Ada's").Is(303)
	by(events.ByAdmin, "the admin")

	ends := func(route string) int {
		switch {
		case strings.HasPrefix(route, "DELETE /api-engine/"):
			return 1
		case strings.HasSuffix(route, "/deactivate"):
			return 2
		case strings.HasPrefix(route, "DELETE "), strings.HasSuffix(route, "/token"),
			strings.HasPrefix(route, "PATCH ") && strings.Contains(route, "/accesses/"):
			return 3
		}
		return 0
	}
	routes := w.API.Patterns()
	slices.SortStableFunc(routes, func(a, b string) int { return cmp.Compare(ends(a), ends(b)) })
	for _, route := range routes {
		_, path, _ := strings.Cut(route, " ")
		collection, _, one := strings.Cut(path, "/{id}")
		if strings.HasPrefix(route, "GET ") || ofAdmin(path) || one && w.made["POST "+collection].Body == nil {
			continue
		}
		w.round++
		w.ask(route, w.sample(route))
		switch {
		case people(route):
			by(events.ByShopper, route)
		case strings.HasPrefix(path, "/operator/"), ofDeveloper(path):
			by(events.ByOperator, route)
		default:
			by(events.Self, route)
		}
	}
	require.Greater(t, told[events.Self], 20)
	require.Greater(t, told[events.ByOperator], 3)
	require.Equal(t, 1, told[events.ByShopper])
	require.Equal(t, 1, told[events.ByAdmin])
}
