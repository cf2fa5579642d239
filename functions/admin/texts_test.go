package admin

import (
	"testing"

	"eshop/shared/page"
	"eshop/shared/page/pagetest"
)

func TestEachTextIsInAllLanguagesAndSaid(t *testing.T) {
	pagetest.Texts(t, page.Languages, "../../shared/page")
	words() // no text is one of all pages, too
}
