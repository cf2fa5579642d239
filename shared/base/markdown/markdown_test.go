package markdown

import (
	"context"
	"html/template"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatIsWrittenIsSafe(t *testing.T) {
	texts := New()
	for source, html := range map[string]string{
		"# One\n## Two\n###### Six":           "<h2>One</h2>\n<h3>Two</h3>\n<h6>Six</h6>\n",
		"<script>alert(1)</script>":           "<!-- raw HTML omitted -->\n",
		"a <b onclick=x>b</b>":                "<p>a <!-- raw HTML omitted -->b<!-- raw HTML omitted --></p>\n",
		"[a](javascript:alert(1))":            "<p>a</p>\n",
		"[a](JaVaScRiPt:alert(1))":            "<p>a</p>\n",
		"[a](&#106;avascript:x)":              "<p>a</p>\n",
		"[a](java\\\nscript:x)":               "<p>[a](java<br />\nscript:x)</p>\n",
		"[a](data:text/html,x)":               "<p>a</p>\n",
		"[a](/admin/people)":                  "<p>a</p>\n",
		"[a](//evil.example)":                 "<p>a</p>\n",
		"<javascript:alert(1)>":               "<p>javascript:alert(1)</p>\n",
		"![a](javascript:x)":                  "<p>a</p>\n",
		"![a](/admin/x)":                      "<p>a</p>\n",
		"![a](data:image/png;base64,x)":       "<p>a</p>\n",
		"[![a](javascript:x)](javascript:y)b": "<p>ab</p>\n",
		"[a](https://e.example \"t\")":        `<p><a href="https://e.example" title="t" rel="noreferrer nofollow">a</a></p>` + "\n",
		"[a](mailto:a@e.example)": `<p><a href="mailto:a@e.example" rel="noreferrer nofollow">a</a></p>` +
			"\n", "<https://e.example>": `<p><a href="https://e.example">https://e.example</a></p>` + "\n",
		`![a](https://e.example/"onload="x)`: `<p><img src="https://e.example/%22onload=%22x" alt="a" referrerpolicy="no-referrer" loading="lazy"></p>` + "\n",
		"{{.}} [[save]]":                     "<p>{{.}} [[save]]</p>\n",
	} {
		got, err := texts.HTML(t.Context(), source)
		require.NoError(t, err)
		require.Equal(t, strings.ReplaceAll(html, "<br />", "<br>"),
			strings.ReplaceAll(string(got), "<br />", "<br>"), source)
	}
	for _, deep := range []string{"[", "![", "*", "> ", "- ", "`", "<", "|a", "&#", "[a](", "_a_", "+ ", "1. ", "*a_ ",
		"**a ", "<!--", "<a", "](", "| ", "|-", "\\", "a\n> ", "a\n", "\t", "> a\n"} {
		_, err := texts.HTML(t.Context(), strings.Repeat(deep, 64<<10/len(deep)))
		require.NoError(t, err)
	}
	odd, err := texts.HTML(t.Context(), strings.Repeat("> ", 40)+"<b>")
	require.NoError(t, err)
	require.Equal(t, "<pre>"+strings.Repeat("&gt; ", 40)+"&lt;b&gt;</pre>", string(odd))
}

// grid is a table with so many empty cells: columns below a head, and rows of one mark with it.
func grid(columns, rows int) string {
	return strings.Repeat("|", columns+1) + "\n|" + strings.Repeat("-|", columns) + "\n" + strings.Repeat("|\n", rows-1)
}

func TestATextWhoseTablesAreTooLargeIsShownAsItWasTyped(t *testing.T) {
	long := func(source string, most int) string { return source[:most] }
	for name, source := range map[string]string{
		"of 12,000 bytes":          grid(2_000, 3_001),
		"of 64 KiB":                long(grid(10_922, 16_384), 64<<10),
		"of 20,000 characters":     long(grid(3_333, 5_000), 20_000),
		"of 101 columns":           grid(101, 2),
		"of 20,001 cells":          grid(1, 20_001),
		"together of 20,100 cells": grid(100, 101) + "\n" + grid(100, 100),
		"in a quote":               "> " + strings.ReplaceAll(grid(100, 201), "\n", "\n> "),
		"in a list":                "- " + strings.ReplaceAll(grid(100, 201), "\n", "\n  "),
		"below lines of its text":  "a\n     -\n" + grid(100, 300),
		"of many escaped bars":     "a|b\n-|-\n" + strings.Repeat("`\\|`|\n", 1_001),
		"below a reference":        "[a]: https://e.example\n" + grid(100, 201),
	} {
		t.Run(name, func(t *testing.T) {
			got, err := New().HTML(t.Context(), source)
			require.NoError(t, err)
			typed := "<pre>" + strings.ReplaceAll(source, ">", "&gt;") + "</pre>"
			require.True(t, string(got) == typed, "%d bytes", len(got))
		})
	}
	for _, source := range []string{grid(100, 200), grid(1, 20_000), grid(100, 100) + "\n" + grid(100, 100)} {
		got, err := New().HTML(t.Context(), source)
		require.NoError(t, err)
		require.Equal(t, 20_000, strings.Count(string(got), "<td>")+strings.Count(string(got), "<th>"))
	}
}

func TestATextWhoseReferencesRepeatTooMuchIsShownAsItWasTyped(t *testing.T) {
	for name, source := range map[string]string{
		"addresses": "[a]: https://e.example/" + strings.Repeat("x", 2_000) + "\n\n" + strings.Repeat("[a] ", 400),
		"titles":    "[a]: https://e.example '" + strings.Repeat("x", 2_000) + "'\n\n" + strings.Repeat("[a] ", 400),
		"pictures":  "[a]: https://e.example/" + strings.Repeat("x", 2_000) + "\n\n" + strings.Repeat("![a] ", 400),
	} {
		got, err := New().HTML(t.Context(), source)
		require.NoError(t, err)
		require.Equal(t, "<pre>"+template.HTMLEscapeString(source)+"</pre>", string(got), name)
	}
	source := "[a]: https://e.example/" + strings.Repeat("x", 100) + "\n\n" + strings.Repeat("[a] ", 400)
	few, err := New().HTML(t.Context(), source)
	require.NoError(t, err)
	require.Equal(t, 400, strings.Count(string(few), "<a "))
}

func TestHTMLOfMoreThanAMegabyteIsNotShown(t *testing.T) {
	source := "[a]: tel:1 '" + strings.Repeat("\"", 1_000) + "'\n\n" + strings.Repeat("[a] ", 80) + "\n\n" +
		strings.Repeat(strings.Repeat("- + ", 14)+"\n", 1_100)
	require.Less(t, len(source), 64<<10)
	got, err := New().HTML(t.Context(), source)
	require.NoError(t, err)
	require.Equal(t, "<pre>"+template.HTMLEscapeString(source)+"</pre>", string(got))
}

// TestATextIsConvertedOnceAndForNobodyWhoHasGone: who has gone gets what was made before, but nothing is made for them.
func TestATextIsConvertedOnceAndForNobodyWhoHasGone(t *testing.T) {
	texts := New()
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := texts.HTML(gone, "a\nb")
	require.ErrorIs(t, err, context.Canceled)
	made, err := texts.HTML(t.Context(), "a\nb")
	require.NoError(t, err)
	require.EqualValues(t, "<p>a\nb</p>\n", made)
	again, err := texts.HTML(gone, "a\nb")
	require.NoError(t, err)
	require.Equal(t, made, again)
	_, err = texts.Lines(gone, "a\nb")
	require.ErrorIs(t, err, context.Canceled, "the same text by its lines is another")
}

func TestWhatIsRememberedHasABoundInBytes(t *testing.T) {
	texts, large := New(), strings.Repeat("<", 60_000)
	for n := range 200 {
		_, err := texts.HTML(t.Context(), large+strings.Repeat("-", n))
		require.NoError(t, err)
	}
	first := 0
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for n := range 200 {
		if made, err := texts.HTML(gone, large+strings.Repeat("-", n)); err == nil {
			first += len(made)
		}
	}
	require.LessOrEqual(t, first, textsBytes)
	require.Greater(t, first, textsBytes/2)
}

// FuzzHTMLGrowsNoMoreThanItsText: whatever is typed, its HTML is not many times as long.
func FuzzHTMLGrowsNoMoreThanItsText(f *testing.F) {
	row := strings.Repeat("|", 101) + "\n"
	for head, again := range map[string]string{
		grid(100, 1):                             "|\n",
		row + strings.Repeat(":-:|", 100) + "\n": row,
		"[a]: https://e.example/" + strings.Repeat("é&", 60) + " '" + strings.Repeat("\"", 60) + "'\n\n": "[a] ![a] ",
		"": strings.Repeat(">", 29) + "a\n\n", "- a\n": "  - b\n\n    c\n", "> - + 1. a\n": "- + - + - + ",
		"a\n=\n": "***\n~~~\n", "[](tel:1)": "<tel:1><a>&quot;\"\x00`a`**a**", "a|b\n-|-\n": "`\\|`|c\n",
		"1. a\n": "999999999. a\n999999999) b\n", "# a\n": "#\n\ta\n", "b\n": "-\n+\n"} {
		for _, times := range []uint16{1, 100, 2_000} {
			f.Add(head, again, times)
		}
	}
	f.Fuzz(func(t *testing.T, head, again string, times uint16) {
		if len(head)+len(again)*int(times) > 64<<10 {
			t.Skip()
		}
		source := head + strings.Repeat(again, int(times))
		for _, by := range []func(context.Context, string) (template.HTML, error){New().HTML, New().Lines} {
			made, err := by(t.Context(), source)
			require.NoError(t, err)
			require.LessOrEqual(t, len(made), min(20*len(source)+512<<10, MaxHTML))
		}
	})
}
