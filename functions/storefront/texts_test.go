package storefront

import (
	"testing"

	"eshop/shared/page"
	"eshop/shared/page/pagetest"
)

func TestEachTextIsInTheLanguagesOfShopsAndSaid(t *testing.T) {
	pagetest.Texts(t, page.OfShops, "../../shared/page")
}
