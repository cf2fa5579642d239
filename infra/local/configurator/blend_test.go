package configurator

import (
	"bytes"
	"image/png"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestABlendCostsWhatIsInIt(t *testing.T) {
	for name, x := range map[string]struct {
		blend Blend
		want  string
		note  string
	}{
		"a tea": {Blend{Tea: "assam", Grams: 100, Locale: "cs_CZ"}, "129.00", "Černý Assam · bez přísad · 100 g"},
		"a small bag, rounded to crowns": {Blend{Tea: "assam", Grams: 50, Locale: "cs_CZ"}, "71.00", // 70.95
			"Černý Assam · bez přísad · 50 g"},
		"a large bag, rounded to crowns": {Blend{Tea: "rooibos", Additions: []string{"mint"}, Grams: 250,
			Locale: "sk_SK"},
			"248.00", "Rooibos · s prísadami: mäta · 250 g"}, // 248.40
		"a half is rounded up": {Blend{Tea: "sencha", Additions: []string{"lavender", "mint", "ginger"}, Grams: 50,
			Locale: "cs_CZ"}, "105.00", "Zelená sencha · s přísadami: levandule, máta, zázvor · 50 g"}, // 104.50
		"a label": {Blend{Tea: "oolong", Additions: []string{"rose", "jasmine"}, Grams: 100, Label: "Pro babičku",
			Locale: "cs_CZ"}, "250.00",
			"Oolong Tie Guan Yin · s přísadami: květ jasmínu, okvětí růže · 100 g · jmenovka: Pro babičku"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Empty(t, x.blend.Faults())
			require.Equal(t, x.want, money(x.blend.UnitPrice()))
			require.Equal(t, x.note, x.blend.Note())
		})
	}
}

// TestEveryBlendIsSoldAtAPriceAndANoteThatThePlatformTakes sells each tea and bag with every set of additions.

func TestEveryBlendIsSoldAtAPriceAndANoteThatThePlatformTakes(t *testing.T) {
	for _, tea := range List.Teas {
		for _, bag := range List.Weights {
			for set := range 1 << len(List.Additions) {
				b := Blend{Tea: tea.ID, Grams: bag.Grams, Label: strings.Repeat("Ž", List.MaxLabel), Locale: "sk_SK"}
				for i, a := range List.Additions {
					if set&(1<<i) != 0 {
						b.Additions = append(b.Additions, a.ID)
					}
				}
				if len(b.Additions) > List.MaxAdditions {
					require.NotEmpty(t, b.Faults())
					continue
				}
				require.Empty(t, b.Faults())
				require.Regexp(t, `^[1-9]\d*\.00$`, money(b.UnitPrice()))
				require.LessOrEqual(t, len([]rune(b.Note())), 500)
			}
		}
	}
}

func TestNonsenseIsNotMixed(t *testing.T) {
	good := Blend{Tea: "assam", Additions: []string{"mint"}, Grams: 100, Label: "Čaj č. 1 – „náš“", Locale: "cs_CZ"}
	require.Empty(t, good.Faults())
	for name, x := range map[string]struct {
		spoil func(b *Blend)
		field string
	}{
		"no tea":              {func(b *Blend) { b.Tea = "" }, "tea"},
		"an unknown tea":      {func(b *Blend) { b.Tea = "mint" }, "tea"},
		"an unknown addition": {func(b *Blend) { b.Additions = []string{"arsenic"} }, "additions"},
		"an addition twice":   {func(b *Blend) { b.Additions = []string{"mint", "mint"} }, "additions"},
		"too many additions": {func(b *Blend) { b.Additions = []string{"mint", "rose", "ginger", "orange"} },
			"additions"},
		"no weight":         {func(b *Blend) { b.Grams = 0 }, "grams"},
		"a negative weight": {func(b *Blend) { b.Grams = -100 }, "grams"},
		"another weight":    {func(b *Blend) { b.Grams = 1_000_000 }, "grams"},
		"a long label":      {func(b *Blend) { b.Label = strings.Repeat("ž", 25) }, "label"},
		"a line end":        {func(b *Blend) { b.Label = "a\nb" }, "label"},
		"a tab":             {func(b *Blend) { b.Label = "a\tb" }, "label"},
		"what turns text":   {func(b *Blend) { b.Label = "a\u202eb" }, "label"},
		"bytes":             {func(b *Blend) { b.Label = "\xff" }, "label"},
		"what no font has":  {func(b *Blend) { b.Label = "🍵" }, "label"},
		"no locale":         {func(b *Blend) { b.Locale = "" }, "locale"},
		"another locale":    {func(b *Blend) { b.Locale = "de_DE" }, "locale"},
	} {
		t.Run(name, func(t *testing.T) {
			b := good
			x.spoil(&b)
			faults := b.Faults()
			require.Len(t, faults, 1)
			require.Equal(t, x.field, faults[0].Field)
			require.NotEmpty(t, faults[0].Message)
		})
	}
}

func TestALabelIsAPictureOfItsBlend(t *testing.T) {
	b := Blend{Tea: "assam", Additions: []string{"mint", "rose"}, Grams: 100, Label: strings.Repeat("W", 24),
		Locale: "cs_CZ"}
	first, err := b.Picture()
	require.NoError(t, err)
	again, err := b.Picture()
	require.NoError(t, err)
	require.True(t, bytes.Equal(first, again), "the same blend has the same picture")
	img, err := png.Decode(bytes.NewReader(first))
	require.NoError(t, err)
	require.Equal(t, [2]int{labelWidth, labelHeight}, [2]int{img.Bounds().Dx(), img.Bounds().Dy()})
	for y := range labelHeight { // what is written stays within the frame
		for _, x := range []int{8, 20, labelWidth - 20, labelWidth - 8} {
			if y >= 400 && y < labelHeight-6 {
				require.Equal(t, paper, img.At(x, y))
			}
		}
	}
	b.Additions = nil
	other, err := b.Picture()
	require.NoError(t, err)
	require.False(t, bytes.Equal(first, other))
	if to := os.Getenv("LABEL"); to != "" { // to look at one
		require.NoError(t, os.WriteFile(to, first, 0o600))
	}
}

// TestTheFolderCanBeCopiedOut: the add-on knows the platform by HTTP only.
func TestTheFolderCanBeCopiedOut(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", "{{.ImportPath}}", ".").Output()
	require.NoError(t, err)
	for _, name := range strings.Fields(string(out)) {
		require.False(t, strings.HasPrefix(name, "eshop/") && name != "eshop/infra/local/configurator", name)
	}
}
