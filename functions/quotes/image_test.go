package quotes

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"eshop/shared/host"
	"eshop/shared/host/hosttest"
	"eshop/shared/images"
	"eshop/shared/ports/blob"
	"eshop/shared/ports/store"
	"eshop/shared/sale"
)

type bucketOf = func(testing.TB, *host.Parts) blob.Bucket

// sweep does what the sweeper does to images, and says of how many it thought.
func (w *world) sweep() (found int) {
	w.T.Helper()
	for _, due := range images.Ends.Due(w.Clock.Now()) {
		page, err := w.Main.Query(w.T.Context(), due)
		require.NoError(w.T, err)
		for _, row := range page.Items {
			items, err := w.Main.Get(w.T.Context(), row.Key)
			require.NoError(w.T, err)
			require.NoError(w.T, w.P.Images().Sweep(w.T.Context(), items[0]))
			found++
		}
	}
	return found
}

// lifeOfAnImage is what becomes of images without a quote, of one that is used, and of those that ended.
func lifeOfAnImage(t *testing.T, w *world) {
	kept := w.quote("expiresIn", 3600)
	free := w.add(dot(t)).Is(201)
	ofUsed := w.add(dot(t), "quoteId", kept.ID()).Is(201)
	late := w.add(dot(t)).Is(201)
	expired := w.quote("expiresIn", 3600, "imageIds", []string{late.ID()})
	ofRevoked := w.add(dot(t)).Is(201)
	revoked := w.quote("imageIds", []string{ofRevoked.ID()}, "expiresIn", 2592000)
	require.Equal(t, []any{ofRevoked.ID()}, w.read(revoked).At("imageIds"))
	w.use(kept)
	w.do("DELETE", at(revoked), nil).Is(204)
	require.Equal(t, []any{ofUsed.ID()}, w.read(kept).At("imageIds"))
	all := []hosttest.Answer{free, ofUsed, late, ofRevoked}
	statuses := func() (s []int) {
		for _, a := range all {
			s = append(s, w.get(a.Get("url")).Status)
		}
		return s
	}
	require.Equal(t, []int{200, 200, 200, 200}, statuses())
	w.Clock.Pass(23 * time.Hour)
	require.Zero(t, w.sweep())
	require.Equal(t, []int{200, 200, 200, 200}, statuses())
	w.Clock.Pass(time.Hour)
	require.Equal(t, []int{404, 200, 200, 200}, statuses(), "gone though nothing was written")
	w.do("POST", path, w.body("imageIds", []string{free.ID()})).Fault("body.imageIds[0]", "not_found")
	require.Zero(t, w.sweep(), "who joins one may still be under way")
	w.Clock.Pass(time.Hour)
	require.Equal(t, 1, w.sweep())
	require.Equal(t, []int{404, 200, 200, 200}, statuses())
	w.Clock.Pass(28*day + 21*time.Hour)
	require.Equal(t, []int{404, 200, 200, 200}, statuses())
	w.Clock.Pass(4 * time.Hour)
	w.do("GET", at(expired), nil)
	require.Equal(t, []int{404, 200, 404, 404}, statuses())
	w.Clock.Pass(2 * time.Hour)
	require.Equal(t, 3, w.sweep())
	require.Zero(t, w.sweep())
	require.Equal(t, []int{404, 200, 404, 404}, statuses())
	for _, a := range all {
		_, key, _ := strings.Cut(a.Get("url"), "/images/")
		_, err := w.P.Files.Stat(t.Context(), "images/"+key)
		if a.ID() == ofUsed.ID() {
			require.NoError(t, err)
			continue
		}
		require.ErrorIs(t, err, blob.ErrNotFound)
	}
}

// TestAnImageOfAUsedQuoteStaysIfThatIsSold: a quote that is used and never sold goes after a year, and its image goes
// with it.
func TestAnImageOfAUsedQuoteStaysIfThatIsSold(t *testing.T) {
	w := newWorld(t)
	left, sold := w.quote(), w.quote()
	ofLeft, ofSold := w.add(dot(t), "quoteId", left.ID()).Is(201), w.add(dot(t), "quoteId", sold.ID()).Is(201)
	w.use(left)
	w.use(sold)
	w.sell(sold)
	w.Clock.Pass(40 * day)
	require.Equal(t, 2, w.sweep(), "the quotes' own time is over")
	require.Zero(t, w.sweep())
	w.get(ofLeft.Get("url")).Is(200)
	w.Clock.Pass(325 * day)
	w.get(ofLeft.Get("url")).Is(404)
	w.get(ofSold.Get("url")).Is(200)
	w.Clock.Pass(day)
	require.Equal(t, 1, w.sweep())
	_, key, _ := strings.Cut(ofLeft.Get("url"), "/images/")
	_, err := w.P.Files.Stat(t.Context(), "images/"+key)
	require.ErrorIs(t, err, blob.ErrNotFound)
	w.get(ofSold.Get("url")).Is(200)
}

func TestAnImageIsServedSafely(t *testing.T) {
	w := newWorld(t)
	file := append(dot(t), "<script>alert(1)</script>"...)
	made := w.add(file).Is(201)
	require.Regexp(t, `^http://127\.0\.0\.1:8080/images/[0-9A-Z]{26}-[A-Z2-7]{26}$`, made.Get("url"))
	require.Equal(t, []string{"contentType", "created", "height", "id", "size", "url", "width"}, names(made.Body))
	got := w.get(made.Get("url"), "Accept-Encoding", "gzip").Is(200)
	for name, want := range map[string]string{"Content-Type": "image/png", "X-Content-Type-Options": "nosniff",
		"Content-Disposition":     "inline",
		"Content-Security-Policy": "default-src 'none'", "Cache-Control": "public, max-age=86400, immutable",
		"Cross-Origin-Resource-Policy": "cross-origin", "Content-Encoding": ""} {
		require.Equal(t, want, got.Raw(name), name)
	}
	require.NotContains(t, got.Text, "script")
	require.EqualValues(t, made.At("size"), len(got.Text))
	_, err := png.Decode(strings.NewReader(got.Text))
	require.NoError(t, err)
	w.get(made.Get("url"), "If-None-Match", got.ETag()).Is(304)
	w.T = t
	for name, url := range map[string]string{
		"another secret": made.Get("url")[:len(made.Get("url"))-1] + "@", "its id only": "/images/" + made.ID(),
		"with a dash": "/images/" + made.ID() + "-", "nothing": "/images/" + nothing + "-AAAAAAAAAAAAAAAAAAAAAAAAAA",
		"odd": "/images/..%2Fsecret.key", "long": "/images/" + strings.Repeat("A", 1000),
	} {
		t.Run(name, func(t *testing.T) { w.get(url).Is(404, "not_found") })
	}
}

func names(o object) (all []string) {
	for n := range o {
		all = append(all, n)
	}
	slices.Sort(all)
	return all
}

// crc is a PNG whose changed header has its checksum again.
func crc(file []byte) []byte {
	binary.BigEndian.PutUint32(file[29:], crc32.ChecksumIEEE(file[12:29]))
	return file
}

func TestWhichFilesAreNoImages(t *testing.T) {
	w := newWorld(t)
	for _, file := range []string{"<svg xmlns='http://www.w3.org/2000/svg'/>", "<!DOCTYPE html>", "%PDF-1.7", "",
		"PK\x03\x04", "RIFF\x12\x00\x00\x00WEBPANIM\x06\x00\x00\x00animal"} {
		w.add([]byte(file)).Is(415, "unsupported_media_type")
	}
	bomb := bytes.Replace(dot(t), []byte{0, 0, 0, 1, 0, 0, 0, 1}, []byte{0, 0, 0x75, 0x30, 0, 0, 0x75, 0x30}, 1)
	w.add(dot(t)[:40]).Fault("body.file", "bad_format")
	w.add(crc(bomb)).Fault("body.file", "too_big")
	vast := bytes.Replace(dot(t), []byte{0, 0, 0, 1, 0, 0, 0, 1}, []byte{127, 255, 255, 255, 127, 255, 255, 255}, 1)
	w.add(crc(vast)).Fault("body.file", "too_big")
	w.add(bytes.Repeat([]byte{0}, 4<<20+1)).Is(413, "body_too_large")
	w.add(bytes.Repeat([]byte{0}, 4<<20)).Is(415)
	for _, all := range images.Ends.Due(w.Clock.Now().AddDate(1, 0, 0)) {
		page, err := w.Main.Query(t.Context(), all)
		require.NoError(t, err)
		require.Empty(t, page.Items, "nothing was kept")
	}
}

func TestAnImageIsTurnedAndKeepsNoPlace(t *testing.T) {
	w := newWorld(t)
	m := image.NewGray(image.Rect(0, 0, 32, 16))
	m.SetGray(0, 0, color.Gray{255})
	var b bytes.Buffer
	require.NoError(t, jpeg.Encode(&b, m, nil))
	tiff := "Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x01\x01\x12\x00\x03" +
		"\x00\x00\x00\x01\x00\x06\x00\x00\x00\x00\x00\x00GPS 50.0875"
	file := bytes.Join([][]byte{b.Bytes()[:2], {0xff, 0xe1, 0, byte(len(tiff) + 2)}, []byte(tiff), b.Bytes()[2:]}, nil)
	made := w.add(file).Is(201)
	require.Equal(t, []any{"image/jpeg", 16., 32.}, []any{made.At("contentType"), made.At("width"), made.At("height")})
	require.NotContains(t, w.get(made.Get("url")).Text, "GPS")
}

func TestWhichImagesJoin(t *testing.T) {
	w := newWorld(t)
	q := w.quote()
	var ids []any
	for range sale.MaxQuoteImages {
		a := w.add(dot(t), "quoteId", q.ID()).Is(201)
		require.Equal(t, q.ID(), a.Get("quoteId"))
		ids = append(ids, a.ID())
	}
	w.add(dot(t), "quoteId", q.ID()).Fault("body.quoteId", "too_many")
	read := w.read(q)
	require.Equal(t, ids, read.At("imageIds"))
	require.NotEqual(t, q.ETag(), read.ETag())
	shown := w.stored(q.ID()).Images("https://x")
	require.Len(t, shown, 20)
	require.Equal(t, ids[0], shown[0].ID)
	require.Equal(t, 200, w.get(strings.TrimPrefix(shown[0].URL, "https://x")).Status)
	used, revoked, expired := w.quote(), w.quote(), w.quote("expiresIn", 60)
	w.use(used)
	w.do("DELETE", at(revoked), nil).Is(204)
	w.Clock.Pass(time.Minute)
	for _, id := range []string{used.ID(), revoked.ID(), expired.ID(), nothing, "x"} {
		w.add(dot(t), "quoteId", id).Is(409, "quote_not_issued")
	}
	t.Run("of many quotes at once one gets an image", func(t *testing.T) {
		free := w.add(dot(t)).Is(201).ID()
		answers := hosttest.Together(10,
			func(int) hosttest.Answer { return w.As(all, "POST", path, w.body("imageIds", []string{free})) })
		require.Equal(t, map[int]int{201: 1, 422: 9}, hosttest.Statuses(answers))
	})
	t.Run("of many images at once twenty join", func(t *testing.T) {
		q := w.quote()
		answers := hosttest.Together(25,
			func(int) hosttest.Answer { return w.Serve(w.Form(all, imagesPath, dot(t), "quoteId", q.ID())) })
		require.Equal(t, map[int]int{201: 20, 422: 5}, hosttest.Statuses(answers))
		require.Len(t, w.read(q).At("imageIds"), 20)
	})
}

func TestAnImageUnderAKeyIsComparedByItsParts(t *testing.T) {
	w := newWorld(t)
	send := func(r *http.Request) hosttest.Answer { r.Header.Set("Idempotency-Key", "k"); return w.Serve(r) }
	first := send(w.Form(all, imagesPath, dot(t))).Is(201)
	again := send(w.Form(all, imagesPath, dot(t))).Is(201) // another boundary
	require.Equal(t, first.Text, again.Text)
	require.Equal(t, "true", again.Raw("Idempotent-Replayed"))
	send(w.Form(all, imagesPath, append(dot(t), 0))).Is(422, "idempotency_key_reused")
	send(w.Form(all, imagesPath, dot(t), "quoteId", nothing)).Is(422, "idempotency_key_reused")
}

// refusing is a bucket that cannot take files.
type refusing struct{ blob.Bucket }

func (refusing) Put(context.Context, string, []byte) error {
	return errors.Join(blob.ErrUnavailable, errors.New("secret"))
}

func TestAnImageThatIsHalfTakenGoesAway(t *testing.T) {
	w := newWorld(t)
	whole := w.P.Files
	w.P.Files = refusing{whole}
	a := w.add(dot(t)).Is(503, "unavailable")
	require.NotContains(t, a.Text, "secret")
	w.P.Files = whole
	writes := 0
	w.Main.Around(func(_ []store.Op, write func() error) error {
		if writes++; writes == 2 { // the file is there, the process is not
			return store.ErrUnavailable
		}
		return write()
	})
	w.add(dot(t)).Is(503)
	w.Main.Around(nil)
	w.Clock.Pass(day + 2*time.Hour)
	require.Equal(t, 2, w.sweep())
	require.Zero(t, w.sweep())
}

func TestAnImageCostsFewCalls(t *testing.T) {
	w := newWorld(t)
	q := w.quote()
	w.Clock.Pass(time.Second)
	w.Serve(w.Form(all, imagesPath, dot(t))).Is(201)
	require.EqualValues(t, 3, w.Meter().Calls(), "the counter, that there will be a file, and that there is")
	w.Serve(w.Form(all, imagesPath, dot(t), "quoteId", q.ID())).Is(201)
	require.EqualValues(t, 5, w.Meter().Calls(), "and the quote twice")
	a := w.add(dot(t)).Is(201)
	w.get(a.Get("url")).Is(200)
	require.EqualValues(t, 1, w.Meter().Calls())
}

// plain is a PNG of so many gray points; without its rows it is one that cannot be decoded.
func plain(t testing.TB, w, h int) []byte {
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, image.NewPaletted(image.Rect(0, 0, w, h), color.Palette{color.Black})))
	return b.Bytes()
}

func TestAPictureCostsByItsMegapixels(t *testing.T) {
	w := newWorld(t)
	cost := func(a hosttest.Answer) []string {
		return []string{a.Raw("X-RateLimit-Request-Cost"), a.Raw("X-RateLimit-Hourly-Remaining")}
	}
	send := func(token string, file []byte, texts ...string) hosttest.Answer {
		return w.Serve(w.Form(token, imagesPath, file, texts...))
	}
	require.Equal(t, []string{"1", "11"}, cost(send(scarce, dot(t)).Is(201)))
	require.Equal(t, []string{"1", "10"}, cost(send(scarce, []byte("text")).Is(415)))
	nine := plain(t, 3000, 3000)
	require.Equal(t, []string{"1", "9"}, cost(send(scarce, nine, "quoteId", nothing).Is(409)), "nothing is decoded")
	require.Equal(t, []string{"3", "6"}, cost(send(scarce, nine).Is(201)))
	cut := plain(t, 4000, 1001)[:100]
	require.Equal(t, []string{"2", "4"}, cost(send(scarce, cut).Fault("body.file", "bad_format")), "it was decoded")
	require.Equal(t, []string{"3", "1"}, cost(send(scarce, nine).Is(201)))
	a := send(scarce, nine).Is(429, "rate_limited")
	require.Equal(t, []string{"0", "1"}, cost(a))
	require.EqualValues(t, 3, a.At("cost"))
	require.NotEmpty(t, a.Raw("Retry-After"))
	r := w.Form(scarce, imagesPath, dot(t))
	require.Equal(t, []string{"1", "0"}, cost(w.Serve(r).Is(201)), "and what is left is left")
	send(scarcer, plain(t, 6000, 4000)).Is(422, "batch_too_expensive")
	require.Equal(t, []string{"1", "3"}, cost(send(scarcer, dot(t)).Is(201)))
}

// TestAFileThatIsSomethingElseTooIsServedAsAPictureOnly sends files that browsers and servers could take for a page, a
// script or an archive.
func TestAFileThatIsSomethingElseTooIsServedAsAPictureOnly(t *testing.T) {
	w := newWorld(t)
	const script = "*/=1;alert(document.cookie)/*<script>alert(1)</script><?php system($_GET[0]); ?>PK\x03\x04"
	m := image.NewPaletted(image.Rect(0, 0, 16, 16), color.Palette{color.Black, color.White})
	for i := 0; i+3 <= len(script); i += 3 {
		m.Palette = append(m.Palette, color.RGBA{script[i], script[i+1], script[i+2], 0xff})
	}
	var photo, palette, moving bytes.Buffer
	require.NoError(t, jpeg.Encode(&photo, m, nil))
	require.NoError(t, png.Encode(&palette, m))
	require.NoError(t, gif.Encode(&moving, m, nil))
	segment := func(marker byte) []byte { return append([]byte{0xff, marker, 0, byte(len(script) + 2)}, script...) }
	table := 13 + 3*32 // where a GIF's blocks begin
	for name, file := range map[string][]byte{
		"a PNG before a script": append(dot(t), script...), "a PNG whose palette is one": palette.Bytes(),
		"a JPEG with a page in a comment": slices.Concat(photo.Bytes()[:2], segment(0xfe), photo.Bytes()[2:]),
		"a JPEG with one in its EXIF":     slices.Concat(photo.Bytes()[:2], segment(0xe1), photo.Bytes()[2:]),
		"a JPEG before an archive":        append(photo.Bytes(), script...),
		"a GIF whose palette is a script": moving.Bytes(),
		"a GIF with one in a comment": slices.Concat(moving.Bytes()[:table], []byte{'!', 0xfe, byte(len(script))},
			[]byte(script), []byte{0}, moving.Bytes()[table:]),
		"a GIF before a script": append(moving.Bytes(), script...),
	} {
		t.Run(name, func(t *testing.T) {
			w.T = t
			require.Contains(t, string(file), script[:81])
			got := w.get(w.add(file).Is(201).Get("url")).Is(200)
			for _, part := range []string{"alert", "script", "<?php", "PK\x03\x04", "*/", "/*"} {
				require.NotContains(t, got.Text, part)
			}
		})
	}
}
