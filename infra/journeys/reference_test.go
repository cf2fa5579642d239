package journeys

import (
	"encoding/json"
	"html"
	"image"
	"image/png"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// unready are the operations whose examples a fresh demo shop refuses, by what has to be done first. Each other example
// does as it stands what it says.
var unready = map[string][]string{
	"a custom code of the access's own package is made": {"readCustomCode", "changeCustomCode", "deleteCustomCode",
		"createCleanupOrder", "readCleanupOrder", "deleteCleanupOrder"},
	"a quote is issued by the access": {"readQuote", "revokeQuote"},
	"an import is begun":              {"readImport", "listImportErrors"},
	"an export is begun":              {"readExport"},
	"an address of the reader's own is registered": {"readReceiver", "changeReceiver", "deleteReceiver",
		"pingReceiver", "enableReceiver", "testReceiver", "readReplay", "replayReceiver", "readDelivery", "redeliver"},
	"a signing key is pending or retiring":              {"activateSigningKey", "deleteSigningKey"},
	"a package is activated, which tells its systemUrl": {"exchangeInstallCode"},
	"a line of the basket is named":                     {"changeBasketItem", "removeBasketItem"},
	"the shopper, who has signed out, signs in anew":    {"listShopperOrders", "readShopperOrder"},
	"the shop's admin has made a link, shown once":      {"setShopperPassword"},
	"a category is made":   {"deleteCategory"},
}

// TestTheExamplesOfTheReferenceDoWhatTheySay runs the example of each operation as it stands on one fresh demo shop.
// What deletes comes at the end, a variant before its product.
func TestTheExamplesOfTheReferenceDoWhatTheySay(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := begin(t, command(t, data), data)
	r := reads(t, "README.md") // for the curl of its shell
	r.sets("BASE", p.run.BaseURL)
	r.sets("SHOP", p.run.Demo.StorefrontURL)
	r.sets("TOKEN", p.run.Demo.Token)
	f, err := os.Create(filepath.Join(r.dir, "image.png"))
	require.NoError(t, err)
	require.NoError(t, png.Encode(f, image.NewRGBA(image.Rect(0, 0, 2, 2))))
	require.NoError(t, f.Close())

	var deletes, operations []example
	for _, e := range p.reference() {
		if strings.HasPrefix(e.source, "curl -X DELETE ") {
			deletes = append(deletes, e)
		} else {
			operations = append(operations, e)
		}
	}
	slices.Reverse(deletes)
	operations = append(operations, deletes...)
	require.Greater(t, len(operations), 90)
	first := map[string]string{}
	for because, names := range unready {
		for _, name := range names {
			first[name] = because
		}
	}
	for _, e := range operations {
		if e.operation == "createReceiver" {
			continue // whether its address resolves is the network's affair
		}
		out := r.shell(e.source)
		if because, is := first[e.operation]; is {
			require.NotEqual(t, "2", out[len(out)-3:][:1], "%s: not only once %s\n%s", e.operation, because, out)
			delete(first, e.operation)
		} else {
			require.Equal(t, "2", out[len(out)-3:][:1], "%s\n%s\n%s", e.operation, e.source, out)
			require.NotContains(t, out, `"status":"failed"`, "%s\n%s", e.operation, e.source)
		}
	}
	require.Empty(t, first, "operations that there are not")
}

// example is the example in curl of an operation.
type example struct{ operation, source string }

var articles = regexp.MustCompile(`(?s)<article class="op" id="(\w+)">.*?<pre tabindex="0" data-in="curl">(.*?)</pre>`)

// reference is the examples of the reference, in the document's order of operations.
func (p *process) reference() (all []example) {
	p.t.Helper()
	fetch := func(path string) []byte {
		got, err := http.Get(p.run.BaseURL + path)
		require.NoError(p.t, err)
		defer got.Body.Close()
		text, err := io.ReadAll(got.Body)
		require.NoError(p.t, err)
		require.Equal(p.t, 200, got.StatusCode, path)
		return text
	}
	var pages []string
	for _, link := range regexp.MustCompile(`<h2><a href="(/docs/[^"]+)"`).FindAllSubmatch(fetch("/docs"), -1) {
		pages = append(pages, string(link[1]))
	}
	sources := map[string]string{}
	for _, page := range pages {
		for _, m := range articles.FindAllStringSubmatch(string(fetch(page)), -1) {
			sources[m[1]] = html.UnescapeString(m[2])
			all = append(all, example{m[1], sources[m[1]]})
		}
	}
	var document struct {
		Paths map[string]map[string]struct{ OperationID string }
	}
	require.NoError(p.t, json.Unmarshal(fetch("/openapi.json"), &document))
	for _, methods := range document.Paths {
		for _, o := range methods {
			require.Contains(p.t, sources, o.OperationID)
		}
	}
	return all
}
