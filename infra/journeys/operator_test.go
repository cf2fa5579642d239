package journeys

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/functions/operator"
	"eshop/shared/api"
	"eshop/shared/host"
)

// called is the method and the path of a call of the operator's guide.
var called = regexp.MustCompile(`^curl (?:-X (\w+) )?"\$BASE([^"?]+)[^"]*"`)

// TestTheOperatorsGuideAsItStands runs each call of the guide, of which every operation has one, in its order. What the
// guide says to set is set as it says; its add-on's address is that of one that is there.
func TestTheOperatorsGuideAsItStands(t *testing.T) {
	t.Parallel()
	w, vendor := oneProcess(t), newListener(t)
	r := reads(t, "functions/docs/operator.md")
	r.sets("BASE", w.url)
	r.sets("AUTH", "Authorization: Bearer "+w.operator)
	got := map[string]bool{}
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
		a, _ := r.runs()
		switch method + " " + match[2] {
		case "POST /operator/shops":
			r.sets("SHOP", a.id())
		case "POST /operator/shops/$SHOP/admins":
			r.sets("ADMIN", a.id())
		case "POST /operator/packages":
			r.sets("PACKAGE", a.id())
		case "POST /operator/shops/$SHOP/accesses":
			r.sets("ACCESS", a.id())
		case "POST /operator/shops/$SHOP/accesses/$ACCESS/tokens":
			r.sets("TOKEN_ID", a.id())
		}
	}
	frame := api.New(api.Config{})
	operator.Function.HTTP(&host.Platform{}, frame)
	named := strings.NewReplacer("{shopId}", "$SHOP", "{packageId}", "$PACKAGE", "{accessId}", "$ACCESS",
		"{tokenId}", "$TOKEN_ID",
		"{adminId}", "$ADMIN", "{deliveryId}", "$DELIVERY", "{id}", "$ID")
	for _, p := range frame.Patterns() {
		p = named.Replace(p)
		p = strings.ReplaceAll(strings.ReplaceAll(p, "shops/$ID", "shops/$SHOP"), "packages/$ID", "packages/$PACKAGE")
		require.True(t, got[p], "the guide has no call of %s", p)
	}
}
