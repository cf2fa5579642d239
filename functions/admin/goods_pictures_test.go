package admin

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"mime/multipart"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/host/hosttest"
)

// dyed is a PNG of one colour.
func dyed(t *testing.T, level uint8) []byte {
	m := image.NewGray(image.Rect(0, 0, 2, 2))
	m.SetGray(0, 0, color.Gray{level})
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, m))
	return b.Bytes()
}

// upload sends files as the form of a product's page does.
func upload(t *testing.T, b *hosttest.Browser, path string, files ...[]byte) hosttest.Answer {
	t.Helper()
	return uploadAs(t, b, path, "file", nil, files...)
}

// uploadAs sends texts, and files under a name, as the form of a page does.
func uploadAs(t *testing.T, b *hosttest.Browser, path, name string, texts []string,
	files ...[]byte) hosttest.Answer {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for i := 0; i < len(texts); i += 2 {
		require.NoError(t, form.WriteField(texts[i], texts[i+1]))
	}
	for i, file := range files {
		part, err := form.CreateFormFile(name, strconv.Itoa(i)+".png")
		require.NoError(t, err)
		_, err = part.Write(file)
		require.NoError(t, err)
	}
	require.NoError(t, form.Close())
	return b.Ask("POST", path, form.FormDataContentType(), body.String(), "Accept", hosttest.PageType, "Sec-Fetch-Site",
		"same-origin")
}

func TestPicturesOfAProductAreAddedMovedAndTakenAway(t *testing.T) { onBoth(t, picturesAreKept) }

func picturesAreKept(t *testing.T, w *world) {
	b := w.ada(tea)
	product := w.sells(tea, "A", "1.00")
	page := "/admin/products/" + product
	shown := func() (urls []string) {
		for _, i := range w.addon(tea, "GET", "/api-engine/products/"+product, nil).At("images").([]any) {
			urls = append(urls, i.(map[string]any)["url"].(string))
		}
		return urls
	}
	upload(t, b, page+"/images", dyed(t, 1), dyed(t, 2)).Leads(303, page+"#pictures")
	after := b.Page(page).Shown(200).Text
	require.Contains(t, after, "Obrázky jsou přidané.")
	first := shown()
	require.Len(t, first, 2)
	upload(t, b, page+"/images", dyed(t, 3)).Leads(303, page+"#pictures")
	all := shown()
	require.Equal(t, first, all[:2], "a new one comes behind the others")
	for _, url := range all {
		thumb := "https://tea.example" + strings.TrimPrefix(url, w.P.BaseURL) + "?w=320"
		require.Contains(t, b.Page(page).Shown(200).Text, thumb)
	}

	b.Form(page+"/images/2/move", "to", "0").Leads(303, page+"#pictures")
	require.Equal(t, []string{all[2], all[0], all[1]}, shown())
	// A page that is older than the product names the image that it shows there.
	b.Form(page+"/images/2/move", "to", "1", "url", all[2]).Leads(303, page+"#pictures")
	require.Equal(t, []string{all[0], all[2], all[1]}, shown())
	b.Form(page+"/images/0/delete", "url", all[1]).Leads(303, page+"#pictures")
	require.Equal(t, []string{all[0], all[2]}, shown())
	b.Form(page+"/images/0/delete", "url", all[1]).Shown(404)
	b.Form(page + "/images/2/delete").Shown(404)
	b.Form(page+"/images/1/delete").Leads(303, page+"#pictures")
	require.Equal(t, all[:1], shown())

	// A file that is none leaves all as it was, and says so at its field.
	refused := upload(t, b, page+"/images", dyed(t, 4), []byte("no picture")).Shown(415)
	require.Contains(t, refused.Text, `id="file-fault" data-code="unsupported_media_type"`)
	refused = upload(t, b, page+"/images", dyed(t, 4), dyed(t, 5)[:40]).Shown(422)
	require.Contains(t, refused.Text, `data-code="bad_format"`)
	require.Contains(t, upload(t, b, page+"/images", nil).Shown(422).Text, `data-code="required"`)
	require.Equal(t, all[:1], shown())
	var many [][]byte
	for i := range 20 {
		many = append(many, dyed(t, uint8(i)))
	}
	require.Contains(t, upload(t, b, page+"/images", many...).Shown(422).Text, `data-code="too_many"`)
	upload(t, b, page+"/images", many[:19]...).Leads(303, page+"#pictures")
	require.NotContains(t, b.Page(page).Shown(200).Text, "data-pictures", "it is full")
	// Another shop's product is none of this one's.
	upload(t, w.ada(toys), page+"/images", dyed(t, 1)).Shown(404)
}

// TestAProductIsMadeWithItsPictures in one form; of a refused file nothing is made, and what was typed stays.
func TestAProductIsMadeWithItsPictures(t *testing.T) {
	w := open(t)
	b := w.ada(tea)
	require.Contains(t, b.Page("/admin/products/new").Shown(200).Text, `enctype="multipart/form-data"`)
	form := []string{"name", "Čaj z hor", "code", "HORY", "active", "true", "priceLevels.default", "119"}
	refused := uploadAs(t, b, "/admin/products", "file", form, []byte("no picture")).Shown(415)
	require.Contains(t, refused.Text, `value="Čaj z hor"`)
	require.Contains(t, refused.Text, `id="file-fault"`)
	uploadAs(t, b, "/admin/products", "file", form, dyed(t, 1), dyed(t, 2)).Is(303)
	product := w.addon(tea, "GET", "/api-engine/products?code=HORY", nil).Items()[0]
	require.Len(t, product["images"], 2)
	form[3] = "NIC"
	uploadAs(t, b, "/admin/products", "file", form, nil).Is(303)
	require.Empty(t, w.addon(tea, "GET", "/api-engine/products?code=NIC", nil).Items()[0]["images"], "none was chosen")
}
