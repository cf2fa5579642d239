package page_test

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"eshop/shared/page"
	"eshop/shared/page/pagetest"
	"eshop/shared/record/field"
)

func TestEachCommonTextIsInAllLanguagesAndSaid(t *testing.T) {
	pagetest.Texts(t, page.Languages, "../../functions/admin", "../../functions/storefront")
}

func files(name, text string) fstest.MapFS {
	return fstest.MapFS{"texts/" + name: {Data: []byte(text)}}
}

func TestATextThatALanguageLacksIsTheFallbacks(t *testing.T) {
	words := page.ReadTexts(files("cs.json", `{"here": "Tady", "there": "Tam"}`)).
		With(page.ReadTexts(files("en.json", `{"here": "Here"}`)))
	require.Equal(t, "Here", words.Say(page.English, "here"))
	require.Equal(t, "Tam", words.Say(page.English, "there"))
	require.Equal(t, "<p>Tam", words.Put(page.English, "<p>[[there]]"))
	require.Empty(t, words.Say(page.English, "nowhere"))
	require.Panics(t, func() { words.Put(page.Czech, "[[nowhere]]") })
}

func TestTextsThatCannotBeShownAreRefused(t *testing.T) {
	for what, f := range map[string]fstest.MapFS{
		"a name twice":              files("cs.json", `{"a": "A", "a": "A"}`),
		"what a template would run": files("cs.json", `{"a": "{{.Secret}}"}`),
		"another language":          files("xx.json", `{"a": "A"}`),
		"no text":                   files("cs.json", `{"a": 1}`),
	} {
		require.Panics(t, func() { page.ReadTexts(f) }, what)
	}
	one := page.ReadTexts(files("cs.json", `{"a": "A"}`))
	require.Panics(t, func() { one.With(one) }, "a name in two packages")
}

func TestEachLocaleOfShopsHasALanguage(t *testing.T) {
	for _, locale := range field.Locales {
		require.Equal(t, string(locale[:2]), page.LanguageOf(locale).Code())
	}
}
