package browser

import (
	"image"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"eshop/shared/frontend/browsertest"
)

// photographs chooses files of these sizes in the form of a product's pictures, as a camera makes them: the noise lets
// none be small.
const photographs = `(async () => {
	const files = new DataTransfer();
	for (const [name, width, height] of [["first", 3000, 2000], ["second", 400, 500]]) {
		const canvas = Object.assign(document.createElement("canvas"), {width, height});
		const at = canvas.getContext("2d"), noise = at.createImageData(width, height);
		for (let i = 0; i < noise.data.length; i++) noise.data[i] = i % 4 === 3 ? 255 : (i * 2654435761 >>> 13) & 255;
		at.putImageData(noise, 0, 0);
		const photo = await new Promise((done) => canvas.toBlob(done, "image/jpeg", 1));
		files.items.add(new File([photo], name + ".jpg", {type: "image/jpeg"}));
	}
	const input = document.querySelector("[data-pictures] [type=file]");
	input.files = files.files;
	input.dispatchEvent(new Event("change", {bubbles: true}));
	document.body.dataset.sizes = [...files.files].map((file) => file.size).join();
})()`

// TestAMerchantAddsPictures: a merchant adds two photographs and changes their order, and the shop shows them. One of
// them is a larger file than the platform takes, so the page makes it smaller.
func TestAMerchantAddsPictures(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	s := newShop(t, "cs_CZ", "CZK")
	s.signsIn(tab, "en")
	tab.Go(s.admin() + "/admin/products/" + s.teaID)
	tab.Run(photographs)
	tab.Wait(`document.body.dataset.sizes`)
	require.Greater(t, browsertest.Eval[int](tab, `Number(document.body.dataset.sizes.split(",")[0])`), 4<<20)
	require.Equal(t, 2, browsertest.Eval[int](tab, `document.querySelectorAll("[data-chosen] img").length`))
	tab.Click(`[data-pictures] button`)
	tab.Wait(`document.querySelectorAll("[data-image]").length === 2`)
	tab.Wait(`[...document.querySelectorAll("[data-image] img")].every((img) => img.naturalWidth)`)
	sizes := func() (all []image.Point) {
		for _, i := range s.get("/api-engine/products/" + s.teaID)["images"].([]any) {
			got, err := http.Get(i.(fields)["url"].(string))
			require.NoError(t, err)
			c, _, err := image.DecodeConfig(got.Body)
			require.NoError(t, err)
			require.NoError(t, got.Body.Close())
			all = append(all, image.Pt(c.Width, c.Height))
		}
		return all
	}
	require.Equal(t, []image.Point{{X: 2560, Y: 1707}, {X: 400, Y: 500}}, sizes())

	tab.Click(`[data-image="0"] form[action$="/move"] button`)
	tab.Wait(`document.querySelector(".notice.good")?.textContent.includes("moved")`)
	require.Equal(t, []image.Point{{X: 400, Y: 500}, {X: 2560, Y: 1707}}, sizes())
	tab.Go(s.url + s.tea)
	tab.Wait(`document.querySelectorAll(".pictures img").length === 2`)
	tab.Wait(`document.querySelector(".pictures img").naturalWidth`)
	tab.Go(s.url + "/caje")
	tab.Wait(`document.querySelector(".cards img")?.currentSrc.includes("?w=")`)
	tab.Wait(`document.querySelector(".cards img").naturalWidth`)
}

// TestABrokenPictureLeavesATile: an image from elsewhere that cannot be had.
func TestABrokenPictureLeavesATile(t *testing.T) {
	t.Parallel()
	tab := shopper(t)
	s := newShop(t, "cs_CZ", "CZK")
	s.do(200, "PATCH", "/api-engine/products/"+s.mugID,
		fields{"images": []fields{{"url": "https://127.0.0.1:1/mug.png"}}})
	for _, path := range []string{s.mug, "/caje"} {
		tab.Go(s.url + path)
		tab.Wait(`!document.querySelector(".pic img") && document.querySelector(".pic.tile").clientHeight > 50`)
	}
}
