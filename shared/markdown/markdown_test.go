package markdown

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhatIsWrittenIsSafe(t *testing.T) {
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
		got, err := HTML(source)
		require.NoError(t, err)
		require.Equal(t, strings.ReplaceAll(html, "<br />", "<br>"),
			strings.ReplaceAll(string(got), "<br />", "<br>"), source)
	}
	for _, deep := range []string{"[", "![", "*", "> ", "- ", "`", "<", "|a", "&#", "[a](", "_a_", "+ ", "1. ", "*a_ ",
		"**a ", "<!--", "<a", "](", "| ", "|-", "\\", "a\n> ", "a\n", "\t", "> a\n"} {
		_, err := HTML(strings.Repeat(deep, 64<<10/len(deep)))
		require.NoError(t, err)
	}
	odd, err := HTML(strings.Repeat("> ", 40) + "<b>")
	require.NoError(t, err)
	require.Equal(t, "<pre>"+strings.Repeat("&gt; ", 40)+"&lt;b&gt;</pre>", string(odd))
}
