package admin

import (
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/shared/base/permission"
	"eshop/shared/page"
	"eshop/shared/page/pagetest"
)

func TestEachEventGroupAndPermissionHasItsWords(t *testing.T) {
	var names []string
	for _, e := range events.Sent {
		names = append(names, "event."+string(e))
	}
	for _, g := range events.Groups {
		names = append(names, "group."+string(g))
	}
	for _, p := range permission.All {
		names = append(names, "may."+string(p))
	}
	for _, name := range names {
		require.NotEmpty(t, texts().Say(page.Fallback, name), name)
	}
}

func TestEachTextIsInAllLanguagesAndSaid(t *testing.T) {
	pagetest.Texts(t, page.Languages, "../../shared/page")
	texts() // no text is one of all pages, too
}
