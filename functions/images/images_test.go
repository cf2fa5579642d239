package images

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/events"
	"eshop/functions/products"
	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/images"
	"eshop/shared/ports/store"
)

// The shops of these tests, and the tokens of their accesses.
const (
	shop, otherShop = "01SHAP0000000000000000000A", "01SHAP0000000000000000000B"
	reader          = shop + " products:read"
	path            = "/api-engine/images"
	goods           = "/api-engine/products"
)

type object = hosttest.Object

// world is the APIs of images and products, with files in a folder.
type world struct{ *hosttest.World }

func newWorld(t testing.TB) *world {
	return &world{hosttest.Open(t, hosttest.Setup{Functions: []host.Function{Function, products.Function},
		Authenticate: hosttest.AuthenticateByText, Start: time.Date(2026, 11, 26, 9, 0, 0, 0, time.UTC)})}
}

// drawing is a PNG so many pixels wide, and half as high.
func drawing(t testing.TB, width int) []byte {
	m := image.NewNRGBA(image.Rect(0, 0, width, width/2))
	for i := range m.Pix {
		m.Pix[i] = uint8(i/4%width) | uint8(255*(i%4/3)) // opaque
	}
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, m))
	return b.Bytes()
}

// add adds an image; get is what its address answers, and how wide the picture is.
func (w *world) add(file []byte) hosttest.Answer { return w.Serve(w.Form(shop, path, file)) }

func (w *world) get(url string) (status, width int) {
	a := w.Next("", "GET", strings.TrimPrefix(url, w.P.BaseURL), nil)
	if a.Status == http.StatusOK {
		c, err := png.DecodeConfig(strings.NewReader(a.Text))
		require.NoError(w.T, err)
		width = c.Width
	}
	return a.Status, width
}

// product is one that shows these images.
func (w *world) product(code string, urls ...string) hosttest.Answer {
	return w.Next(shop, "POST", goods, object{"code": code, "name": code, "images": shown(urls),
		"priceLevels": []object{{"level": "default", "price": "1.00"}}})
}

func (w *world) show(product string, urls ...string) hosttest.Answer {
	return w.Next(shop, "PATCH", goods+"/"+product, object{"images": shown(urls)})
}

func shown(urls []string) []object {
	all := make([]object, len(urls))
	for i, url := range urls {
		all[i] = object{"url": url}
	}
	return all
}

// sweep does what the sweeper does to images.
func (w *world) sweep() {
	w.T.Helper()
	for _, due := range images.Ends.Due(w.Clock.Now()) {
		page, err := w.Main.Query(w.T.Context(), due)
		require.NoError(w.T, err)
		for _, row := range page.Items {
			items, err := w.Main.Get(w.T.Context(), row.Key)
			require.NoError(w.T, err)
			require.NoError(w.T, w.P.Images().Sweep(w.T.Context(), items[0]))
		}
	}
}

// left is how many items and index entries there are of images.
func (w *world) left(image string) (items, ending int) {
	page, err := w.Main.Query(w.T.Context(), store.Query{PK: images.Key(image).PK})
	require.NoError(w.T, err)
	for _, all := range images.Ends.Due(w.Clock.Now().AddDate(1, 0, 0)) {
		ends, err := w.Main.Query(w.T.Context(), all)
		require.NoError(w.T, err)
		ending += len(ends.Items)
	}
	return len(page.Items), ending
}

// pass lets hours pass, with the sweeper's run in each.
func (w *world) pass(hours int) {
	for range hours {
		w.Clock.Pass(time.Hour)
		w.sweep()
	}
}

func TestAnImageIsServedInThreeWidths(t *testing.T) {
	w := newWorld(t)
	made := w.add(drawing(t, 1400)).Is(201)
	require.Equal(t, "image/png", made.Get("contentType"))
	require.EqualValues(t, 1400, made.At("width"))
	require.EqualValues(t, 700, made.At("height"))
	url := made.Get("url")
	for query, want := range map[string]int{"": 1400, "?w=1280": 1280, "?w=640": 640, "?w=320": 320, "?w=333": 1400,
		"?w=x": 1400, "?w=-1": 1400} {
		status, width := w.get(url + query)
		require.Equal(t, []int{200, want}, []int{status, width}, query)
	}
	a := w.Next("", "GET", strings.TrimPrefix(url, w.P.BaseURL)+"?w=320", nil)
	require.Equal(t, "public, max-age=31536000, immutable", a.Header.Get("Cache-Control"))
	small := w.add(drawing(t, 320)).Is(201).Get("url")
	for _, query := range []string{"", "?w=320", "?w=1280"} {
		_, width := w.get(small + query)
		require.Equal(t, 320, width, "it is no wider, and not made so")
	}
}

func TestOnlyWhoMayWriteProductsAddsImages(t *testing.T) {
	w := newWorld(t)
	w.Serve(w.Form(reader, path, drawing(t, 2))).Is(403, "insufficient_permission")
	w.Serve(w.Form(shop, path, []byte("no picture"))).Is(415, "unsupported_media_type")
	w.Serve(w.Form(shop, path, drawing(t, 2)[:40])).Fault("body.file", "bad_format")
	w.Serve(w.Form(shop, path, make([]byte, 4<<20+1))).Is(413, "body_too_large")
}

// The life of an image: hours after it came, and what products do meanwhile.
func TestAnImageIsGoneWhenNoProductHasShownItForADay(t *testing.T) {
	w := newWorld(t)
	never := w.add(drawing(t, 400)).Is(201)
	image := w.add(drawing(t, 400)).Is(201)
	url := image.Get("url")
	first, second := w.product("FIRST", url, url).Is(201).ID(), w.product("SECOND", url).Is(201).ID()
	gone := func(a hosttest.Answer) bool {
		whole, _ := w.get(a.Get("url"))
		narrow, _ := w.get(a.Get("url") + "?w=320")
		require.Equal(t, whole, narrow)
		return whole == http.StatusNotFound
	}
	w.pass(23)
	require.False(t, gone(never))
	w.pass(1)
	require.True(t, gone(never), "though nothing was written")
	require.False(t, gone(image))
	w.show(first, never.Get("url")).Fault("body.images[0].url", "not_found")
	w.pass(2)
	items, ending := w.left(never.ID())
	require.Equal(t, []int{0, 0}, []int{items, ending}, "and what is shown is looked after no more")

	w.show(first).Is(200)
	w.pass(27)
	require.False(t, gone(image), "another product shows it")
	w.show(second).Is(200)
	w.pass(20)
	require.False(t, gone(image))
	w.show(first, url).Is(200) // a change of mind
	w.pass(30)
	require.False(t, gone(image))
	w.Next(shop, "DELETE", goods+"/"+first, nil).Is(204)
	w.pass(23)
	require.False(t, gone(image))
	w.pass(4)
	require.True(t, gone(image))
	items, ending = w.left(image.ID())
	require.Equal(t, []int{0, 0}, []int{items, ending})
	w.show(second, url).Fault("body.images[0].url", "not_found")
}

// A product that begins to show an image in the hour in which it ends keeps it: what was read before may be written
// after.
func TestAnImageThatIsShownAsItEndsStays(t *testing.T) {
	w := newWorld(t)
	image := w.add(drawing(t, 400)).Is(201)
	url := image.Get("url")
	id := w.product("A", url).Is(201).ID()
	w.pass(26)
	w.show(id).Is(200)
	w.Clock.Pass(25*time.Hour + time.Minute)
	// The request that reads now writes after the sweeper has seen that nothing shows the image.
	u := w.P.Unit()
	u.Shop = shop
	ops, err := images.Showing{Product: id, After: []string{url}}.Ops(t.Context(), u)
	require.NoError(t, err)
	w.sweep()
	_, width := w.get(url)
	require.Zero(t, width, "it has ended")
	w.show(id, url).Fault("body.images[0].url", "not_found")
	_, err = w.Main.Write(t.Context(), events.Nothing, ops...)
	require.NoError(t, err)
	w.pass(50)
	status, _ := w.get(url)
	require.Equal(t, 200, status)
}

func TestAnAddressFromElsewhereIsTakenAsItIs(t *testing.T) {
	w := newWorld(t)
	own := w.add(drawing(t, 2)).Is(201).Get("url")
	elsewhere := "https://cdn.example.com" + strings.TrimPrefix(own, w.P.BaseURL)
	_, key, _ := strings.Cut(own, "/images/")
	nobodys := "/images/01KAJ1V4S7TGXSAKB4YV5Q2D3E-AAAAAAAAAAAAAAAAAAAAAAAAAA"
	wrong := key[:len(key)-1] + string('A'+(key[len(key)-1]-'A'+1)%26)
	for i, c := range []struct{ url, fault string }{
		{own, ""}, {own + "?w=320", ""}, {own + "?v=2#a", ""}, {own + "/", ""}, {elsewhere, ""},
		{"https://cdn.example.com/a.png", ""}, {w.P.BaseURL + "/static/logo.png", ""},
		{"https://cdn.example.com" + nobodys, "not_found"}, {"HTTPS://cdn.example.com" + nobodys + "?x", "not_found"},
		{w.P.BaseURL + nobodys, "not_found"}, {w.P.BaseURL + "/images/" + wrong, "not_found"},
	} {
		a := w.product("P"+strconv.Itoa(i), c.url)
		if c.fault == "" {
			require.Equal(t, c.url, a.Is(201).Get("images.0.url"))
		} else {
			a.Fault("body.images[0].url", c.fault)
		}
	}
	// Another shop's image is no image of this one's.
	a := w.Next(otherShop, "POST", goods, object{"code": "X", "name": "X", "images": shown([]string{own}),
		"priceLevels": []object{{"level": "default", "price": "1.00"}}})
	a.Fault("body.images[0].url", "not_found")
}

// A transaction has room for so much. What would not fit beside 60 new codes is refused whole, and fits afterwards.
func TestImagesBesideManyNewCodesMayWantASecondRequest(t *testing.T) {
	w := newWorld(t)
	var categories []string
	for i := range 20 {
		categories = append(categories, w.Next(shop, "POST", "/api-engine/categories",
			object{"name": "C" + strconv.Itoa(i)}).Is(201).ID())
	}
	var urls []string
	for range 20 {
		urls = append(urls, w.add(drawing(t, 2)).Is(201).Get("url"))
	}
	var variants []object
	for i := range 60 {
		variants = append(variants, object{"code": "V" + strconv.Itoa(i), "name": strconv.Itoa(i)})
	}
	full := object{"code": "FULL", "name": "Full", "externalId": "1", "images": shown(urls), "categoryIds": categories,
		"variants": variants, "priceLevels": []object{{"level": "default", "price": "1.00"}}}
	w.Next(shop, "POST", goods, full, "Idempotency-Key", "1").Fault("body.images", "too_many")
	full["images"] = []object{}
	id := w.Next(shop, "POST", goods, full, "Idempotency-Key", "2").Is(201).ID()
	w.show(id, urls...).Is(200)
}

// Two products let an image go in one moment. The sweepers of both rows see both of them, and neither leaves the image
// behind for ever.
func TestAnImageThatTwoLetGoAtOnceIsSwept(t *testing.T) {
	w := newWorld(t)
	image := w.add(drawing(t, 400)).Is(201)
	one, two := w.product("ONE", image.Get("url")).Is(201).ID(), w.product("TWO", image.Get("url")).Is(201).ID()
	w.pass(26)
	w.show(one).Is(200)
	w.show(two).Is(200)
	w.Clock.Pass(25*time.Hour + time.Minute)
	var due []*store.Item
	for _, all := range images.Ends.Due(w.Clock.Now().AddDate(1, 0, 0)) {
		page, err := w.Main.Query(t.Context(), all)
		require.NoError(t, err)
		for _, row := range page.Items {
			items, err := w.Main.Get(t.Context(), row.Key)
			require.NoError(t, err)
			due = append(due, items[0])
		}
	}
	require.Len(t, due, 2)
	for _, item := range due { // as each of them was read
		require.NoError(t, w.P.Images().Sweep(t.Context(), item))
	}
	w.pass(4)
	items, ending := w.left(image.ID())
	require.Equal(t, []int{0, 0}, []int{items, ending})
}
