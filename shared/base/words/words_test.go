package words_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"eshop/shared/base/words"
)

func TestWordsHaveNeitherCaseNorAccents(t *testing.T) {
	for text, want := range map[string]string{
		"Earl Grey Imperial 100 g":       "earl grey imperial 100 g",
		"Žluťoučký KŮŇ":                  "zlutoucky kun",
		"EB-10/2":                        "eb 10 2",
		"jana.novakova+eshop@example.cz": "jana novakova eshop example cz",
		"Novák a syn, s.r.o. (Novák)":    "novak a syn s r o",
		"Чай Ἀθῆναι":                     "чаи αθηναι",
		"":                               "",
		" - … ":                          "",
		strings.Repeat("ž", 70):          strings.Repeat("z", 64),
		strings.Repeat("ч", 70):          strings.Repeat("ч", 32),
	} {
		require.Equal(t, want, strings.Join(words.In(text), " "), text)
	}
	require.Equal(t, []string{"novak", "jan"}, words.In("Novák Jan", "Jan"), "each once, in their order")
}

func TestTextsHaveTheOrderInWhichPeopleLookForThem(t *testing.T) {
	sorted := []string{"", " … ", "9 čajů", "10 čajů", "Až", "Blok A4", "Cukr", "Čaj", "čaj 50 g", "Čaj 100g",
		"Čaj 100 g zelený", "Čajník", "Dóza", "dóza (malá)", "Hrnek", "Hrozny", "Chai", "Chléb", "Ibišek", "Rum",
		"Řepa", "Sůl", "Šálek", "Šípek", "Zázvor", "Žito", "чай"}
	require.True(t, slices.IsSortedFunc(sorted, func(a, b string) int {
		return strings.Compare(words.Order(a), words.Order(b))
	}), "%q", sorted)
	require.Equal(t, words.Order("~ÉCLAIR – 007"), words.Order("eclair 7"))
	rapid.Check(t, func(t *rapid.T) {
		order := words.Order(rapid.String().Draw(t, "text"))
		require.LessOrEqual(t, len(order), 200)
		require.True(t, utf8.ValidString(order))
		require.NotContains(t, order, "#")
	})
}

func TestEachWordOfASearchBeginsAWordOfTheText(t *testing.T) {
	nováková := words.In(append(words.Number("+420 601 123 456"), "Jana", "Nováková", "jana@example.cz")...)
	for search, found := range map[string]bool{
		"jana":                   true,
		"JANA novak":             true,
		"nov jan":                true,
		"novakova":               true,
		"Nováková":               true,
		"jana@example.cz":        true,
		"jana@exam":              true,
		"601":                    true,
		"601 123 456":            true,
		"601123456":              true,
		"+420 601 123 456":       true,
		"+420601123456":          true,
		"jana novakova cz 601 e": true,
		"ana":                    false,
		"jana dvorak":            false,
		"601 123 457":            false,
		"":                       false,
		"…":                      false,
	} {
		require.Equal(t, found, words.Ask(search).Finds(nováková), search)
	}
}

func TestANumberInGroupsIsFoundWholeOrInItsGroups(t *testing.T) {
	for stored, asked := range map[string]string{"+420601420123": "+420 601 420 123", "601123123": "601 123 123",
		"+420 601 123 456": "601123456", "00420 601 123 456": "601 123 456"} {
		require.True(t, words.Ask(asked).Finds(words.In(words.Number(stored)...)), stored)
	}
	for _, text := range []string{"123-456-789", "2026000001 2026000002", "859 1234 567 890"} {
		require.True(t, words.Ask(text).Finds(words.In(text)), text)
	}
}

func TestPeopleAreNotRefusedForMoreThanASearchTakes(t *testing.T) {
	require.Equal(t, "a b c d e", words.Shortened("  a b\tc d  e f g"))
	require.Equal(t, strings.Repeat("ž", 100), words.Shortened(strings.Repeat("ž", 101)))
	require.Empty(t, words.Shortened(" "))
}

// TestEndingsAreNoObstacleToPeople: those of long words never, those of short ones where nothing else is found.
func TestEndingsAreNoObstacleToPeople(t *testing.T) {
	for _, c := range []struct {
		asked, text string
		near        int
	}{
		{"konvička", "Konvička 1 l", words.Exact}, {"konvičky", "Konvička 1 l", words.Ending},
		{"konvic", "Konvička", words.Exact}, {"konvicemi", "konvice", words.Ending},
		{"porcelánová", "Porcelánový hrnek", words.Ending}, {"porcelánového", "porcelánová", words.Ending},
		{"porcelánových hrnků", "hrnek porcelánový", -1}, {"hrnečkem", "Hrneček", -1},
		{"hrnečkoch", "Hrnečky", words.Ending}, {"kanvice", "kanvica", words.Ending},
		{"bylinkové čaje", "čaj bylinkový", words.Alike}, {"bylinkové čaj", "čaj bylinkový", words.Ending},
		{"zelený", "zelená sencha", words.Ending}, {"čaje", "Čaj", words.Alike}, {"dózou", "Dóza", words.Alike},
		{"caj2", "CAJ2", words.Exact}, {"konvic2y", "konvic2", -1}, {"aha", "ahoj", -1}, {"EG-10a", "eg 10", -1},
		{"rumy", "ruleta", -1}, {"kniha", "kni", -1}, {"", "čaj", -1},
	} {
		asked := words.Ask(c.asked)
		near, found := asked.Loosely().Near(words.In(c.text))
		require.Equal(t, c.near, near, c.asked)
		require.Equal(t, c.near >= 0, found, c.asked)
		near, _ = asked.Near(words.In(c.text))
		require.Equal(t, c.near == words.Exact, near == words.Exact, "with its ending: %s", c.asked)
		require.Equal(t, c.near == words.Exact, asked.Finds(words.In(c.text)), c.asked)
	}
}

func TestLongWordsLead(t *testing.T) {
	require.Equal(t, []string{"imperial", "earl"}, words.Ask("earl imperial g").Leads())
	require.Equal(t, []string{"601123456", "601"}, words.Ask("601 123 456").Leads())
	require.Equal(t, []string{"red0417", "0417"}, words.Ask("RED-0417").Leads())
	require.Equal(t, []string{"red0417", "imperial"}, words.Ask("a-b imperial RED-0417").Leads())
	require.Equal(t, []string{"novakova", "example"}, words.Ask("jana@example.cz novakova").Leads())
	require.Empty(t, words.Ask("-").Leads())
	require.Empty(t, words.Ask("-").Loosely().Leads())
	require.Equal(t, []string{"konvick", "konvicky", "zelen"}, words.Ask("zelené konvičky").Loosely().Leads())
	require.Equal(t, []string{"sencha", "caj"}, words.Ask("čaj sencha").Loosely().Leads()[1:])
	require.Equal(t, []string{"rum"}, words.Ask("rum").Loosely().Leads())
}

// TestACodeIsOneWord: it is found from its beginning, with and without what stands between its letters and digits.
func TestACodeIsOneWord(t *testing.T) {
	code := words.In("Čaj", words.Code("RED-0417/b"), words.Code("EB 10"))
	require.Equal(t, []string{"caj", "red0417b", "eb", "10"}, code)
	for search, found := range map[string]bool{"RED-0417/B": true, "red-04": true, "RED": true, "red0417": true,
		"red-0417 čaj": true, "red/0417": true, "EB 10": true, "0417": false, "red 0417": false, "red-b": false} {
		require.Equal(t, found, words.Ask(search).Finds(code), search)
	}
	require.True(t, words.Ask("RED-0417").Finds(words.In("Cup red-0417")), "in a name it is two")
	rapid.Check(t, func(t *rapid.T) {
		code := rapid.StringN(1, 64, 64).Draw(t, "code")
		all := words.In(words.Code(code))
		require.Equal(t, len(all) > 0, words.Ask(code).Finds(all), "it finds itself")
	})
}

func TestARecordHasAThousandWordsAtMost(t *testing.T) {
	var text strings.Builder
	for n := range 2_000 {
		fmt.Fprintf(&text, "w%d w%[1]d ", n)
	}
	all := words.In("first", text.String(), "last")
	require.Len(t, all, words.Most)
	require.Equal(t, []string{"first", "w0"}, all[:2])
	require.Equal(t, "w998", all[words.Most-1])
}

// TestAnyTextIsFoundByTheBeginningsOfItsWords: whatever somebody calls a thing, its own words find it.
func TestAnyTextIsFoundByTheBeginningsOfItsWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		all := words.In(text)
		for _, w := range all {
			require.Equal(t, []string{w}, words.In(w), "a word is a word")
			require.True(t, words.Ask(w).Finds(all), w)
			require.True(t, words.Ask(string([]rune(w)[:1])).Finds(all), w)
		}
		require.Equal(t, len(all) > 0, words.Ask(text).Finds(all))
	})
}
