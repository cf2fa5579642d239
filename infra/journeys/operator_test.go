package journeys

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/functions/developer"
	"eshop/functions/operator"
	"eshop/shared/api"
	"eshop/shared/host"
)

// called is the method and the path of a call of a guide.
var called = regexp.MustCompile(`^curl (?:-X (\w+) )?"\$BASE([^"?]+)[^"]*"`)

// TestTheGuidesOfThoseWhoManageAsTheyStand runs the calls of the operator's guide and of the developers', in their
// order. Each operation has a call. What a guide says to set is set so, and a listener stands at its add-on's address.
func TestTheGuidesOfThoseWhoManageAsTheyStand(t *testing.T) {
	for door, f := range map[string]host.Function{"operator": operator.Function, "developer": developer.Function} {
		t.Run(door, func(t *testing.T) {
			t.Parallel()
			w := oneProcess(t)
			token := w.operator
			if door == "developer" {
				made := client{t, w.url, w.operator}.do(201, "POST", "/operator/developers",
					fields{"name": "Ada", "email": "ada@addon.example"})
				token = made.fields()["token"].(string)
			}
			got := runsGuide(t, w, door, token)
			frame := api.New(api.Config{})
			f.HTTP(&host.Platform{}, frame)
			for _, p := range frame.Patterns() {
				require.True(t, got[inGuide(p)], "the guide has no call of %s", p)
			}
		})
	}
}

// TestTheQuickstartAsItStands: a developer's token is enough for a first call on a hosted platform.
func TestTheQuickstartAsItStands(t *testing.T) {
	w := oneProcess(t)
	ada := client{t, w.url, w.operator}.post("/operator/developers", fields{"name": "Ada", "email": "ada@ada.example"})
	r := reads(t, "functions/docs/begin.md")
	r.sets("BASE", w.url)
	r.sets("AUTH", "Authorization: Bearer "+ada.text("token"))
	shop, _ := r.runs()
	r.sets("SHOP", shop.id())
	pkg, _ := r.runs()
	r.sets("PACKAGE", pkg.id())
	installed, _ := r.runs()
	r.sets("TOKEN", installed.text("token"))
	read, _ := r.runs()
	require.Len(t, read.items("items"), 2)
	require.Empty(t, r.blocks)
}

// inGuide is a pattern with the names that guides set in place of its parameters.
func inGuide(pattern string) string {
	p := strings.NewReplacer("{shopId}", "$SHOP", "{packageId}", "$PACKAGE", "{accessId}", "$ACCESS",
		"{tokenId}", "$TOKEN_ID", "{adminId}", "$ADMIN", "{deliveryId}", "$DELIVERY", "{exportId}", "$EXPORT",
		"{id}", "$ID").Replace(pattern)
	return strings.NewReplacer("shops/$ID", "shops/$SHOP", "packages/$ID", "packages/$PACKAGE",
		"developers/$ID", "developers/$DEVELOPER", "erasures/$ID", "erasures/$CUSTOMER",
		"operator/tokens/$ID", "operator/tokens/$NAMED").Replace(p)
}

// forgotten is a customer that was erased.
func forgotten(t *testing.T, w *world) string {
	tn := w.shopWith(t, everything...)
	id := tn.customer()
	tn.do(202, "DELETE", "/api-engine/customers/"+id+"?erase=true", nil)
	return id
}

// runsGuide runs the calls of the guide of a door, and returns which operations they were.
func runsGuide(t *testing.T, w *world, door, token string) (got map[string]bool) {
	vendor := newListener(t)
	r := reads(t, "functions/docs/"+door+".md")
	r.sets("BASE", w.url)
	r.sets("AUTH", "Authorization: Bearer "+token)
	got = map[string]bool{}
	for len(r.blocks) > 0 {
		r.blocks[0] = strings.ReplaceAll(r.blocks[0], "https://addon.example/eshop", vendor.url)
		match := called.FindStringSubmatch(r.blocks[0])
		require.NotNil(t, match, r.blocks[0])
		method := match[1]
		if strings.Contains(r.blocks[0], "--json") && method == "" {
			method = "POST"
		} else if method == "" {
			method = "GET"
		}
		got[method+" "+match[2]] = true
		if strings.Contains(r.blocks[0], "$DELIVERY") {
			r.sets("DELIVERY", vendor.until(func(calls []call) bool { return len(calls) > 0 })[0].body.ID)
		}
		if strings.Contains(r.blocks[0], "$CUSTOMER") {
			r.sets("CUSTOMER", forgotten(t, w))
		}
		a, _ := r.runs()
		if name, is := sets[strings.TrimPrefix(match[2], "/"+door)]; is && method == "POST" {
			r.sets(name, a.id())
		}
		if match[2] == "/developer/token" { // the one before has ended
			r.sets("AUTH", "Authorization: Bearer "+a.text("token"))
		}
	}
	return got
}

// sets are the names that guides set to the id of what a call makes.
var sets = map[string]string{"/shops": "SHOP", "/shops/$SHOP/admins": "ADMIN", "/packages": "PACKAGE",
	"/shops/$SHOP/accesses": "ACCESS", "/shops/$SHOP/accesses/$ACCESS/tokens": "TOKEN_ID", "/developers": "DEVELOPER",
	"/tokens":              "NAMED",
	"/shops/$SHOP/exports": "EXPORT"}
