package slug

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"
)

var shape = regexp.MustCompile(`^([a-z0-9]+(-[a-z0-9]+)*)?$`)

func TestSlugsAreAsTheRulesSay(t *testing.T) {
	for in, want := range map[string]string{
		"Příliš žluťoučký kůň":    "prilis-zlutoucky-kun",
		"Mäso & kôň":              "maso-kon",
		"Ľubovníkový čaj 2×50g":   "lubovnikovy-caj-2-50g",
		"ÄÖÜ ß":                   "aou-ss",
		"10 m² (š×v)":             "10-m2-s-v",
		"--Už__je/tu!--":          "uz-je-tu",
		"Ďáblík №5":               "dablik-no5",
		"🎁":                       "",
		"":                        "",
		" - ":                     "",
		"äöüőűßđłøæœþðı²³¹":       "aououssdloaeoethdi231",
		"ÄÖÜŐŰẞĐŁØÆŒÞÐI":          "aououssdloaeoethdi",
		"ǿ ǽ Ǣ":                   "o-ae-ae",
		"ＡＢＣ１２３":                  "abc123",
		"ﬁ ﬆ Ⅻ ½":                 "fi-st-xii-1-2",
		"İstanbul K":              "istanbul-k",
		"a\u0000b\xffc\ufffdd":    "a-b-c-d",
		"already-a-slug-2":        "already-a-slug-2",
		"Nový\u00a0rok\u20142027": "novy-rok-2027",
		"ж Привет":                "",
	} {
		require.Equal(t, want, Make(in), "%q", in)
		require.Equal(t, want, Make(norm.NFD.String(in)), "%q decomposed", in)
	}
}

func TestLongSlugsAreCutBetweenWords(t *testing.T) {
	w := func(n int) string { return strings.Repeat("w", n) }
	for in, want := range map[string]string{
		w(150):                  w(150),
		w(151):                  w(150),
		w(150) + "-x":           w(150),
		w(149) + "-x":           w(149),
		w(148) + "-x":           w(148) + "-x",
		w(100) + "-" + w(50):    w(100),
		w(100) + "-" + w(49):    w(100) + "-" + w(49),
		w(75) + "-" + w(74):     w(75) + "-" + w(74),
		w(9) + " ž " + w(200):   w(9) + "-z",
		strings.Repeat("ß", 80): strings.Repeat("s", 150),
	} {
		require.Equal(t, want, Make(in))
	}
}

func TestASuffixFitsIntoTheLength(t *testing.T) {
	w := func(n int) string { return strings.Repeat("w", n) }
	for _, c := range []struct {
		slug, suffix, want string
	}{
		{"kun", "", "kun"},
		{"kun", "2", "kun-2"},
		{w(148), "2", w(148) + "-2"},
		{w(149), "2", w(148) + "-2"},
		{w(150), "100", w(146) + "-100"},
		{w(151), "", w(150)},
		{w(150), w(26), w(123) + "-" + w(26)},
		{w(100) + "-" + w(49), "2", w(100) + "-2"},
		{w(100) + "-" + w(47), "2", w(100) + "-" + w(47) + "-2"},
		{w(146) + "-abc", "100", w(146) + "-100"},
	} {
		got := WithSuffix(c.slug, c.suffix)
		require.Equal(t, c.want, got)
		require.Equal(t, got, Make(got))
	}
}

func FuzzASlugIsItsOwnSlug(f *testing.F) {
	for _, s := range []string{"Příliš žluťoučký kůň", "10 m² (š×v)", "🎁", "\xff", strings.Repeat("ß ", 90), "ǅ", "ﷺ",
		"a\u0300\u0338"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		made := Make(s)
		require.Regexp(t, shape, made)
		require.LessOrEqual(t, len(made), Max)
		require.Equal(t, made, Make(made))
		require.Equal(t, made, Make(norm.NFC.String(s)), "equivalent texts have one slug")
		if made != "" {
			second := WithSuffix(made, "100")
			require.LessOrEqual(t, len(second), Max)
			require.Regexp(t, shape, second)
			require.Equal(t, second, Make(second))
		}
	})
}
