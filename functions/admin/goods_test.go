package admin

import (
	"bytes"
	"mime/multipart"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/blob/folder"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/imports"
)

func TestCategoriesAreMadeMovedAndDeleted(t *testing.T) { onBoth(t, categoriesAreKept) }

func categoriesAreKept(t *testing.T, w *world) {
	b := w.ada(tea)
	does(b, "/admin/categories", "name", "Čaje <b>", "parentId", "")
	list := b.Page("/admin/categories").Shown(200)
	require.NotContains(t, list.Text, "Čaje <b>", "it is escaped")
	top := rowsOf(list)[0]
	made := does(b, "/admin/categories", "name", "Zelené", "parentId", top)
	require.Contains(t, made.Text, "/zelene")
	ids := rowsOf(b.Page("/admin/categories").Shown(200))
	require.Len(t, ids, 2)
	green := ids[1]
	require.Equal(t, top, w.addon(tea, "GET", "/api-engine/categories/"+green, nil).Get("parentId"))
	require.Contains(t, b.Form("/admin/categories/"+top+"/delete").Shown(409).Text, `role="alert" data-code="category_in_use"`)
	require.Contains(t, b.Form("/admin/categories/"+top, "parentId", green).Shown(422).Text, `role="alert"`, "a circle")
	does(b, "/admin/categories/"+green, "name", "Bílé", "parentId", "")
	over := w.addon(tea, "GET", "/api-engine/categories/"+green, nil)
	require.Equal(t, []any{"Bílé", nil}, []any{over.At("name"), over.At("parentId")})
	require.Contains(t, b.Page("/admin/categories/"+green).Shown(200).Text, `value="Bílé"`)
	does(b, "/admin/categories/"+green+"/delete")
	b.Form("/admin/categories/" + green + "/delete").Shown(404)
	for _, path := range []string{"/admin/categories/" + top, "/admin/categories/" + noID} {
		w.ada(toys).Page(path).Shown(404)
	}
	w.ada(toys).Form("/admin/categories/"+top, "name", "x").Shown(404)
	b.Page("/admin/categories?odd=1").Shown(422)
}

func TestAddressesOfAProductAreMadeAndDeleted(t *testing.T) { onBoth(t, addressesAreKept) }

func addressesAreKept(t *testing.T, w *world) {
	b := w.ada(tea)
	product := w.addon(tea, "POST", "/api-engine/products", object{"code": "A", "name": "Čaj", "priceLevels": []object{{"level": "default", "price": "1.00"}}}).ID()
	item := "product:" + product
	w.Main.Told()
	made := does(b, "/admin/urls", "urlItem", item, "url", "Čaj z hor")
	require.Contains(t, made.Text, "/caj-z-hor")
	told := w.Main.Told()
	require.Len(t, told, 1)
	require.Equal(t, product, told[0].Records[0].ID, "the product's change is told")
	urls := w.addon(tea, "GET", "/api-engine/custom-urls?urlItem="+item+"&active=true", nil).Items()
	require.Equal(t, "caj-z-hor", urls[0]["slug"])
	id := urls[0]["id"].(string)
	require.Contains(t, b.Page("/admin/urls?urlItem="+item).Shown(200).Text, `data-id="`+id+`" data-state="active"`)
	require.Len(t, rowsOf(b.Page("/admin/urls?kind=custom&active=").Shown(200)), 1)
	require.Contains(t, b.Form("/admin/urls", "urlItem", item, "url", "---").Shown(422).Text, `data-code="slug_empty"`)
	require.Contains(t, b.Form("/admin/urls", "urlItem", "x", "url", "a").Shown(422).Text, `data-code="bad_format"`)
	w.ada(toys).Form("/admin/urls", "urlItem", item, "url", "a").Shown(422)
	w.ada(toys).Form("/admin/urls/" + id + "/delete").Shown(404)
	require.Empty(t, rowsOf(w.ada(toys).Page("/admin/urls?urlItem="+item).Shown(200)))
	does(b, "/admin/urls/"+id+"/delete")
	system := w.addon(tea, "GET", "/api-engine/custom-urls?urlItem="+item, nil).Items()[0]
	require.Equal(t, true, system["active"])
	require.Contains(t, b.Form("/admin/urls/"+system["id"].(string)+"/delete").Shown(409).Text, `data-code="system_url"`)
}

// sent is a form with a file.
func sent(t *testing.T, b *hosttest.Browser, path, file string, texts ...string) hosttest.Answer {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for i := 0; i < len(texts); i += 2 {
		require.NoError(t, form.WriteField(texts[i], texts[i+1]))
	}
	part, err := form.CreateFormFile("file", "a.csv")
	require.NoError(t, err)
	_, err = part.Write([]byte(file))
	require.NoError(t, err)
	require.NoError(t, form.Close())
	return b.Ask("POST", path, form.FormDataContentType(), body.String(), "Accept", hosttest.PageType, "Sec-Fetch-Site", "same-origin")
}

func TestAFileIsBroughtIn(t *testing.T) {
	var files *folder.Bucket
	var heard []string
	w := open(t, func(p *host.Platform) {
		var err error
		files, err = folder.Open(t.TempDir(), folder.Options{Base: "https://files.example", Key: p.Key, Now: p.Now, Heard: func(key string) { heard = append(heard, key) }})
		require.NoError(t, err)
		p.Files = files
	})
	b := w.ada(tea)
	a := sent(t, b, "/admin/imports", "code,name\nA,Tea\n", "type", "products", "format", "csv").Is(303)
	id := strings.TrimPrefix(a.Header.Get("Location"), "/admin/imports/")
	require.Equal(t, []string{imports.File(w.shops[tea], id)}, heard, "the importer is told")
	page := b.Page("/admin/imports/" + id).Shown(200)
	require.Contains(t, page.Text, `data-id="`+id+`" data-state="waiting" data-live`)
	require.Contains(t, page.Text, `<progress id="progress" max="100" value="0">`)
	require.Equal(t, []string{id}, rowsOf(b.Page("/admin/imports").Shown(200)))
	w.ada(toys).Page("/admin/imports/" + id).Shown(404)
	b.Page("/admin/imports/" + noID).Shown(404)

	require.Contains(t, sent(t, b, "/admin/imports", "", "type", "products", "format", "csv").Shown(422).Text, `data-code="required"`)
	require.Contains(t, sent(t, b, "/admin/imports", "x", "type", "birds", "format", "csv").Shown(422).Text, `role="alert"`)
	require.Contains(t, sent(t, b, "/admin/imports", strings.Repeat("x", maxImport+1), "type", "products", "format", "csv").Shown(413).Text, `data-code="body_too_large"`)
	require.Contains(t, b.Form("/admin/imports", "type", "products").Text, `role="alert"`)
	k, err := imports.Read(t.Context(), w.Main, w.shops[tea], id)
	require.NoError(t, err)
	require.NoError(t, k.Allowed(t.Context(), nil), "somebody of the shop may")
}
