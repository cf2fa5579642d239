package picture

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math/rand"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	red  = color.NRGBA{255, 0, 0, 255}
	blue = color.NRGBA{0, 0, 255, 255}
)

// flag is a picture whose quarters differ: red, green; blue, white.
func flag(w, h int) *image.NRGBA {
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for i, c := range []color.Color{red, color.NRGBA{0, 255, 0, 255}, blue, color.White} {
		x, y := i%2*w/2, i/2*h/2
		draw.Draw(m, image.Rect(x, y, x+w/2, y+h/2), image.NewUniform(c), image.Point{}, draw.Src)
	}
	return m
}

func pngOf(t testing.TB, m image.Image) []byte {
	var b bytes.Buffer
	require.NoError(t, png.Encode(&b, m))
	return b.Bytes()
}

func jpegOf(t testing.TB, m image.Image) []byte {
	var b bytes.Buffer
	require.NoError(t, jpeg.Encode(&b, m, &jpeg.Options{Quality: 95}))
	return b.Bytes()
}

func gifOf(t testing.TB, m image.Image) []byte {
	var b bytes.Buffer
	require.NoError(t, gif.Encode(&b, m, nil))
	return b.Bytes()
}

// pngChunk is a chunk of a PNG.
func pngChunk(name string, body []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	b = append(append(b, name...), body...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// header is a PNG that claims a size, and has little behind it.
func header(w, h int, rows []byte) []byte {
	ihdr := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(w)), uint32(h))
	ihdr = append(ihdr, 8, 6, 0, 0, 0)
	var z bytes.Buffer
	c := zlib.NewWriter(&z)
	_, _ = c.Write(rows)
	_ = c.Close()
	return bytes.Join([][]byte{[]byte("\x89PNG\r\n\x1a\n"), pngChunk("IHDR", ihdr), pngChunk("IDAT", z.Bytes()),
		pngChunk("IEND", nil)}, nil)
}

// exif is the TIFF of an orientation, in one of the two orders of bytes, with a GPS tag behind it.
func exif(order binary.AppendByteOrder, orientation uint16) []byte {
	b := []byte("MM\x00*")
	if order.String() == binary.LittleEndian.String() {
		b = []byte("II*\x00")
	}
	b = order.AppendUint32(b, 8)
	b = order.AppendUint16(b, 2)
	for _, e := range [][3]uint16{{0x0112, 3, orientation}, {0x8825, 4, 0}} {
		b = order.AppendUint16(order.AppendUint16(b, e[0]), e[1])
		b = order.AppendUint32(b, 1)
		b = order.AppendUint16(order.AppendUint16(b, e[2]), 0)
	}
	return append(b, "\x00\x00\x00\x00GPS 50.0875 14.4213"...)
}

// withEXIF puts EXIF into a JPEG.
func withEXIF(file, tiff []byte) []byte {
	body := append([]byte("Exif\x00\x00"), tiff...)
	app := binary.BigEndian.AppendUint16([]byte{0xff, 0xe1}, uint16(len(body)+2))
	return bytes.Join([][]byte{file[:2], app, body, file[2:]}, nil)
}

func decoded(t testing.TB, p Picture) image.Image {
	m, kind, err := image.Decode(bytes.NewReader(p.Bytes))
	require.NoError(t, err)
	require.Equal(t, "image/"+kind, p.ContentType)
	require.Equal(t, image.Rect(0, 0, p.Width, p.Height), m.Bounds())
	require.LessOrEqual(t, len(p.Bytes), MaxFile)
	return m
}

// near wants a colour, as exactly as a photograph keeps it.
func near(t testing.TB, want, got color.Color, msg ...any) {
	t.Helper()
	r1, g1, b1, a1 := want.RGBA()
	r2, g2, b2, a2 := got.RGBA()
	for i, d := range []int{int(r1) - int(r2), int(g1) - int(g2), int(b1) - int(b2), int(a1) - int(a2)} {
		require.InDelta(t, 0, d, 24<<8, "part %d of %v, not %v %v", i, got, want, msg)
	}
}

func TestAPictureStaysWhatItIs(t *testing.T) {
	half := flag(8, 6)
	half.SetNRGBA(0, 0, color.NRGBA{10, 20, 30, 40})
	t.Run("PNG, its alpha too", func(t *testing.T) {
		p, err := Clean(t.Context(), "shop", pngOf(t, half))
		require.NoError(t, err)
		require.Equal(t, "image/png", p.ContentType)
		require.Equal(t, color.NRGBA{10, 20, 30, 40}, decoded(t, p).At(0, 0))
	})
	t.Run("JPEG", func(t *testing.T) {
		p, err := Clean(t.Context(), "shop", jpegOf(t, flag(64, 48)))
		require.NoError(t, err)
		require.Equal(t, "image/jpeg", p.ContentType)
		near(t, red, decoded(t, p).At(5, 5))
	})
	t.Run("of a GIF the first picture at its place", func(t *testing.T) {
		first := image.NewPaletted(image.Rect(2, 1, 6, 5), color.Palette{red, blue})
		second := image.NewPaletted(image.Rect(0, 0, 8, 6), color.Palette{blue, red})
		var b bytes.Buffer
		require.NoError(t, gif.EncodeAll(&b, &gif.GIF{Image: []*image.Paletted{first, second}, Delay: []int{1, 1},
			Config: image.Config{Width: 8, Height: 6}}))
		p, err := Clean(t.Context(), "shop", b.Bytes())
		require.NoError(t, err)
		require.Equal(t, "image/png", p.ContentType)
		m := decoded(t, p)
		near(t, red, m.At(3, 3))
		near(t, color.Transparent, m.At(0, 0))
		require.Equal(t, 8, p.Width)
	})
}

func TestOnlyPicturesAreTaken(t *testing.T) {
	for name, file := range map[string]string{
		"nothing": "", "SVG": `<svg xmlns="http://www.w3.org/2000/svg"/>`, "HTML": "<!DOCTYPE html><script>1</script>",
		"PDF": "%PDF-1.7\n", "ZIP": "PK\x03\x04", "BMP": "BM\x00\x00\x00\x00", "TIFF": "II*\x00\x08\x00\x00\x00",
		"text before a PNG": " \x89PNG\r\n\x1a\n", "WAV": "RIFF\x04\x00\x00\x00WAVE",
		"AVIF": "\x00\x00\x00\x1cftypavif", "an animated WebP": string(based(t, animated)),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Clean(t.Context(), "shop", []byte(file))
			require.ErrorIs(t, err, ErrType)
		})
	}
}

func TestASizeIsReadBeforeAnythingIsDecoded(t *testing.T) {
	for _, c := range []struct {
		w, h int
		want error
	}{{30_000, 30_000, ErrTooBig}, {10_001, 1, ErrTooBig}, {1, 10_001, ErrTooBig}, {8_000, 5_001, ErrTooBig},
		{1<<31 - 1, 1<<31 - 1, ErrTooBig}, {1<<32 - 1, 1, ErrTooBig}, {0, 5, ErrFormat}} {
		t.Run(fmt.Sprint(c.w, "x", c.h), func(t *testing.T) {
			file := header(c.w, c.h, nil)
			require.Less(t, len(file), 100)
			var err error
			took := testing.AllocsPerRun(1, func() { _, err = Clean(t.Context(), "shop", file) })
			require.ErrorIs(t, err, c.want)
			require.Less(t, took, 100.0)
		})
	}
	for name, file := range map[string][]byte{
		"JPEG": bytes.Replace(jpegOf(t, flag(8, 8)), []byte{0xff, 0xc0, 0, 0x11, 8, 0, 8, 0, 8},
			[]byte{0xff, 0xc0, 0, 0x11, 8, 0x75, 0x30, 0x75, 0x30}, 1),
		"GIF":  []byte("GIF89a\x30\x75\x30\x75\x80\x00\x00\x00\x00\x00\xff\xff\xff"),
		"WebP": webpOf(chunk("VP8L", []byte{0x2f, 0xff, 0xff, 0xff, 0x0f, 0})),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Clean(t.Context(), "shop", file)
			require.ErrorIs(t, err, ErrTooBig)
		})
	}
}

func TestWhatIsBrokenIsNoPicture(t *testing.T) {
	whole := jpegOf(t, flag(64, 64))
	for name, file := range map[string][]byte{
		"a PNG's head only": []byte("\x89PNG\r\n\x1a\n"), "a PNG cut off": pngOf(t, flag(64, 64))[:60],
		"a PNG with too few rows": header(500, 500, []byte{0, 1, 2}), "a JPEG's head only": []byte("\xff\xd8\xff"),
		"a JPEG cut off in its tables": whole[:100], "a GIF's head only": []byte("GIF89a"),
		"a GIF without a picture": []byte("GIF89a\x02\x00\x02\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff;"),
		"a WebP without chunks":   webpOf(), "a WebP of nothing": webpOf(chunk("VP8 ", nil)),
		"a WebP whose container says another size": webpOf(chunk("VP8X", []byte{0, 0, 0, 0, 7, 0, 0, 7, 0, 0}),
			webpChunk(t, lossless)),
		"a JPEG of many scans": append(bytes.Clone(whole), bytes.Repeat([]byte{0xff, 0xda}, maxScans)...),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Clean(t.Context(), "shop", file)
			require.ErrorIs(t, err, ErrFormat)
		})
	}
}

func TestNothingOfTheFileIsLeftButThePicture(t *testing.T) {
	secret := "<script>alert('GPS 50.0875')</script>PK\x03\x04"
	plain := pngOf(t, flag(8, 8))
	text := append(bytes.Clone(plain[:33]), pngChunk("tEXt", []byte("Comment\x00"+secret))...)
	photo := jpegOf(t, flag(16, 16))
	unseen := few(flag(8, 8)).(*image.Paletted)
	for i := 0; i < 36; i += 3 {
		unseen.Palette = append(unseen.Palette, color.RGBA{secret[i], secret[i+1], secret[i+2], 0xff})
	}
	comment := append(binary.BigEndian.AppendUint16([]byte{0xff, 0xfe}, uint16(len(secret)+2)), secret...)
	for name, file := range map[string][]byte{
		"behind a PNG": append(bytes.Clone(plain), secret...), "in a PNG": append(text, plain[33:]...),
		"behind a JPEG":                         append(bytes.Clone(photo), secret...),
		"in a JPEG":                             bytes.Join([][]byte{photo[:2], comment, photo[2:]}, nil),
		"in a JPEG's EXIF":                      withEXIF(photo, append(exif(binary.BigEndian, 1), secret...)),
		"in a palette of which no point has it": pngOf(t, unseen),
		"behind a GIF":                          append(gifOf(t, few(flag(8, 8))), secret...),
		"in a GIF's palette":                    gifOf(t, unseen),
		"in a GIF's comment": bytes.Join([][]byte{gifOf(t, few(flag(8, 8)))[:13+3*8], {'!', 0xfe, byte(len(secret))},
			[]byte(secret), {0}, gifOf(t, few(flag(8, 8)))[13+3*8:]}, nil),
		"behind a WebP": append(webpOf(webpChunk(t, lossless)), secret...),
		"in a WebP":     webpOf(webpChunk(t, lossless), chunk("XMP ", []byte(secret)), chunk("EXIF", []byte(secret))),
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, string(file), secret[:36])
			p, err := Clean(t.Context(), "shop", file)
			require.NoError(t, err)
			decoded(t, p)
			for _, part := range []string{"script", "GPS", "PK\x03\x04", "Exif", "tEXt", "XMP"} {
				require.NotContains(t, string(p.Bytes), part)
			}
		})
	}
}

func TestTheColoursOfWhatIsTransparentGo(t *testing.T) {
	m := flag(8, 8)
	m.SetNRGBA(3, 4, color.NRGBA{'<', 's', 'c', 0})
	p, err := Clean(t.Context(), "shop", pngOf(t, m))
	require.NoError(t, err)
	require.Equal(t, color.NRGBA{}, decoded(t, p).At(3, 4))
	require.Equal(t, red, decoded(t, p).At(0, 0))
}

// TestAPictureIsTurnedAsItsEXIFSays wants the red quarter where each orientation has it, and blue where that has it.
func TestAPictureIsTurnedAsItsEXIFSays(t *testing.T) {
	corners := map[uint16][2]image.Point{ // of a picture of 32 × 16, or 16 × 32
		1: {{4, 4}, {4, 12}}, 2: {{28, 4}, {28, 12}}, 3: {{28, 12}, {28, 4}}, 4: {{4, 12}, {4, 4}},
		5: {{4, 4}, {12, 4}}, 6: {{12, 4}, {4, 4}}, 7: {{12, 28}, {4, 28}}, 8: {{4, 28}, {12, 28}},
		0: {{4, 4}, {4, 12}}, 9: {{4, 4}, {4, 12}},
	}
	gray := image.NewGray(image.Rect(0, 0, 32, 16))
	draw.Draw(gray, gray.Rect, flag(32, 16), image.Point{}, draw.Src)
	for o, at := range corners {
		for _, order := range []binary.AppendByteOrder{binary.BigEndian, binary.LittleEndian} {
			tiff := exif(order, o)
			files := map[string][]byte{
				"JPEG": withEXIF(jpegOf(t, flag(32, 16)), tiff), "gray JPEG": withEXIF(jpegOf(t, gray), tiff),
			}
			for name, m := range map[string]image.Image{"PNG": flag(32, 16), "gray PNG": gray,
				"PNG of 16 bits": deep(flag(32, 16)), "PNG with a palette": few(flag(32, 16))} {
				b := pngOf(t, m)
				files[name] = bytes.Join([][]byte{b[:33], pngChunk("eXIf", tiff), b[33:]}, nil)
			}
			for name, file := range files {
				t.Run(fmt.Sprint(name, " ", o, " ", order), func(t *testing.T) {
					p, err := Clean(t.Context(), "shop", file)
					require.NoError(t, err)
					m := decoded(t, p)
					require.Equal(t, o >= 5 && o <= 8, p.Height > p.Width)
					wantRed, wantBlue := color.Color(red), color.Color(blue)
					if m.ColorModel() == color.GrayModel {
						wantRed, wantBlue = color.GrayModel.Convert(red), color.GrayModel.Convert(blue)
					}
					near(t, wantRed, m.At(at[0].X, at[0].Y), "the first quarter")
					near(t, wantBlue, m.At(at[1].X, at[1].Y), "the third")
				})
			}
		}
	}
}

func deep(m image.Image) image.Image {
	d := image.NewNRGBA64(m.Bounds())
	draw.Draw(d, d.Rect, m, image.Point{}, draw.Src)
	return d
}

func few(m image.Image) image.Image {
	d := image.NewPaletted(m.Bounds(), color.Palette{red, blue, color.White, color.Black, color.NRGBA{0, 255, 0, 255}})
	draw.Draw(d, d.Rect, m, image.Point{}, draw.Src)
	return d
}

func TestEverySamplingOfColoursIsTurned(t *testing.T) {
	for ratio := image.YCbCrSubsampleRatio444; ratio <= image.YCbCrSubsampleRatio410; ratio++ {
		for o := 1; o <= 8; o++ {
			for _, size := range []image.Point{{1, 1}, {7, 5}, {32, 17}} {
				m := image.NewYCbCr(image.Rectangle{Max: size}, ratio)
				for _, plane := range [][]byte{m.Y, m.Cb, m.Cr} {
					_, _ = rand.New(rand.NewSource(1)).Read(plane)
				}
				once := rotated(m, o)
				back := rotated(once, map[int]int{6: 8, 8: 6}[o]+map[bool]int{true: o}[o != 6 && o != 8])
				require.Equal(t, size, back.Bounds().Size())
				r, g, b, _ := m.At(0, 0).RGBA()
				r2, g2, b2, _ := back.At(0, 0).RGBA()
				if ratio == image.YCbCrSubsampleRatio444 {
					require.Equal(t, []uint32{r, g, b}, []uint32{r2, g2, b2})
				}
			}
		}
	}
}

func TestALargePictureIsStillTakenAndFits(t *testing.T) {
	noise := image.NewGray(image.Rect(0, 0, 2100, 2100))
	_, _ = rand.New(rand.NewSource(1)).Read(noise.Pix)
	t.Run("a JPEG at the best quality that fits", func(t *testing.T) {
		var b bytes.Buffer
		require.NoError(t, jpeg.Encode(&b, noise, &jpeg.Options{Quality: 50}))
		require.Less(t, b.Len(), MaxFile)
		p, err := Clean(t.Context(), "shop", b.Bytes())
		require.NoError(t, err)
		decoded(t, p)
	})
	t.Run("a PNG that does not fit is refused", func(t *testing.T) {
		_, err := encode(t.Context(), noise, never)
		require.ErrorIs(t, err, ErrTooBig)
	})
	t.Run("what may be a photograph becomes one then", func(t *testing.T) {
		p, err := encode(t.Context(), noise, perhaps)
		require.NoError(t, err)
		require.Equal(t, "image/jpeg", p.ContentType)
	})
}

func TestNobodyWaitsLongerThanTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := Clean(ctx, "shop", pngOf(t, flag(8, 8)))
	require.ErrorIs(t, err, context.Canceled)
	_, err = (&patient{Reader: bytes.NewReader([]byte("a")), ctx: ctx}).Read(make([]byte, 1))
	require.ErrorIs(t, err, context.Canceled)
	_, err = (&bounded{ctx: ctx}).Write([]byte("a"))
	require.ErrorIs(t, err, context.Canceled)
}

// lossless is a WebP of one red point.
const lossless = "UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA=="

// What libwebp makes of one point: lossy, with alpha beside it, and animated.
const (
	lossy = "UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA"
	alpha = "UklGRkoAAABXRUJQVlA4WAoAAAAQAAAAAAAAAAAAQUxQSAwAAAARBxAR" +
		"/Q9ERP8DAABWUDggGAAAABQBAJ0BKgEAAQAAAP4AAA3AAP7mtQAAAA=="
	animated = "UklGRlIAAABXRUJQVlA4WAoAAAASAAAAAAAAAAAAQU5JTQYA" +
		"AAD/////AABBTk1GJgAAAAAAAAAAAAAAAAAAAGQAAABWUDhMDQAAAC8AAAAQBxAREYiI/gcA"
)

func TestEveryKindOfWebPIsRead(t *testing.T) {
	for name, c := range map[string]struct{ text, kind string }{"lossy": {lossy, "image/jpeg"},
		"lossless": {lossless, "image/png"}, "lossy with alpha": {alpha, "image/png"}} {
		t.Run(name, func(t *testing.T) {
			p, err := Clean(t.Context(), "shop", based(t, c.text))
			require.NoError(t, err)
			require.Equal(t, c.kind, p.ContentType)
			decoded(t, p)
		})
	}
	t.Run("which way up stands behind the picture", func(t *testing.T) {
		s, err := read(webpOf(webpChunk(t, lossless), chunk("EXIF", exif(binary.LittleEndian, 6))))
		require.NoError(t, err)
		require.Equal(t, 6, s.orientation)
	})
	t.Run("the colours of video become all that there are", func(t *testing.T) {
		m := image.NewYCbCr(image.Rect(0, 0, 2, 1), image.YCbCrSubsampleRatio444)
		m.Y, m.Cb, m.Cr = []byte{16, 235}, []byte{128, 128}, []byte{128, 128}
		widen(m)
		near(t, color.Black, m.At(0, 0))
		require.Equal(t, []byte{0, 255, 128, 128}, append(bytes.Clone(m.Y), m.Cb...))
	})
}

func based(t testing.TB, text string) []byte {
	file, err := base64.StdEncoding.DecodeString(text)
	require.NoError(t, err)
	return file
}

// webpChunk is the only chunk of a WebP.
func webpChunk(t testing.TB, text string) []byte { return based(t, text)[12:] }

// webpOf is a WebP of these chunks.
func webpOf(all ...[]byte) []byte {
	return chunk("RIFF", append([]byte("WEBP"), bytes.Join(all, nil)...))
}

// chunk is a chunk of a RIFF file, filled up to whole words.
func chunk(name string, body []byte) []byte {
	c := append(binary.LittleEndian.AppendUint32([]byte(name), uint32(len(body))), body...)
	return append(c, make([]byte, len(body)%2)...)
}

func FuzzClean(f *testing.F) {
	for _, seed := range [][]byte{pngOf(f, flag(8, 6)), jpegOf(f, flag(16, 8)),
		withEXIF(jpegOf(f, flag(8, 8)), exif(binary.LittleEndian, 6)),
		webpOf(webpChunk(f, lossless)), header(30_000, 30_000, nil),
		[]byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff," +
			"\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;")} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		if s, err := read(file); err == nil && s.width*s.height > 1_000_000 {
			return // bounded, but slow
		}
		p, err := Clean(t.Context(), "shop", file)
		if err != nil {
			require.True(t, anyOf(err, ErrType, ErrFormat, ErrTooBig), err)
			return
		}
		decoded(t, p)
		again, err := Clean(t.Context(), "shop", p.Bytes)
		require.NoError(t, err)
		require.Equal(t, p.ContentType, again.ContentType)
	})
}

func anyOf(err error, all ...error) bool {
	for _, e := range all {
		if strings.HasPrefix(err.Error(), e.Error()) {
			return true
		}
	}
	return false
}

var _ io.ByteReader = (*patient)(nil)
