package docs_test

import (
	"encoding/xml"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestEachPageIsMarkdownToo(t *testing.T) {
	list := get(t, "GET", "/llms.txt")
	require.Equal(t, 200, list.Code)
	for path, page := range everyPage(t) {
		require.Contains(t, list.Body.String(), "("+base+path+".md)", "an agent finds each page")
		plain := get(t, "GET", path+".md")
		require.Equal(t, 200, plain.Code, path)
		require.Equal(t, "text/markdown; charset=utf-8", plain.Header().Get("Content-Type"))
		require.True(t, strings.HasPrefix(plain.Body.String(), "# "), path)
		require.NotRegexp(t, `</(article|dl|nav)>`, plain.Body.String(), path)
		for _, m := range regexp.MustCompile(`<h2[^>]* id="([^"]+)"`).FindAllStringSubmatch(page, -1) {
			require.Contains(t, plain.Body.String(), "\n## ", "%s#%s", path, m[1])
		}
	}
	require.Equal(t, 404, get(t, "GET", "/docs/nowhere.md").Code)
	source, err := os.ReadFile("conventions.md")
	require.NoError(t, err)
	require.Equal(t, string(source), get(t, "GET", "/docs/conventions.md").Body.String(), "a guide as it was written")
	require.NotContains(t, get(t, "GET", "/docs/sync.md").Body.String(), "](syncs/", "programs are in it")
}

func TestAPageIsMarkdownForWhoeverAcceptsThatFirst(t *testing.T) {
	for accept, want := range map[string]string{
		"": "text/html", "*/*": "text/html", "text/html,text/markdown;q=0.9": "text/html",
		"text/markdown": "text/markdown", "text/markdown, text/html;q=0.9": "text/markdown",
	} {
		w := get(t, "GET", "/docs/webhooks", "Accept", accept)
		require.Equal(t, 200, w.Code)
		require.True(t, strings.HasPrefix(w.Header().Get("Content-Type"), want+";"), accept)
		require.Contains(t, w.Header().Values("Vary"), "Accept", "a cache keeps both")
	}
}

// base is the address of the platform.
const base = "http://api.test"

func TestTheChangelogIsAFeed(t *testing.T) {
	w := get(t, "GET", "/docs/changelog.atom")
	require.Equal(t, 200, w.Code)
	var feed struct {
		ID      string    `xml:"id"`
		Updated time.Time `xml:"updated"`
		Entries []struct {
			ID      string    `xml:"id"`
			Title   string    `xml:"title"`
			Updated time.Time `xml:"updated"`
			Content string    `xml:"content"`
		} `xml:"entry"`
	}
	require.NoError(t, xml.Unmarshal(w.Body.Bytes(), &feed))
	require.Equal(t, base+"/docs/changelog", feed.ID)
	require.NotEmpty(t, feed.Entries)
	for i, e := range feed.Entries {
		require.Equal(t, base+"/docs/changelog#"+e.Title, e.ID)
		require.NotContains(t, e.Content, `href="/`, "a link leads here from anywhere")
		require.NotEmpty(t, e.Content)
		if i == 0 {
			require.Equal(t, feed.Updated, e.Updated)
		} else {
			require.True(t, e.Updated.Before(feed.Entries[i-1].Updated), "newest first")
		}
	}
}
