package picture

import (
	"bytes"
	"compress/lzw"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"image/color"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// worst is a kind of picture that takes most for what it measures, in as few bytes as its format lets.
type worst struct {
	name    string
	file    func(w, h int) []byte
	most    int  // how many thousand points the largest has; 0: not looked at
	tables  int  // bytes that no header tells of
	unsound bool // it ends early, when everything has been made
	fewer   bool // it is made of fewer bytes a point than are reckoned for any PNG
}

// told is above how many points a file of a test has nothing but what is read before it is decoded.
const told = 4_000_000

// blank is a PNG of nothing but zeros.
func blank(w, h int, depth, kind, interlaced byte, more ...[]byte) []byte {
	parts := map[byte]int{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[kind]
	passes := [][4]int{{1, 1, 0, 0}}
	if interlaced == 1 {
		passes = [][4]int{{8, 8, 0, 0}, {8, 8, 4, 0}, {4, 8, 0, 4}, {4, 4, 2, 0}, {2, 4, 0, 2}, {2, 2, 1, 0},
			{1, 2, 0, 1}}
	}
	var z bytes.Buffer
	c := zlib.NewWriter(&z)
	for _, p := range passes {
		wide, high := (w-p[2]+p[0]-1)/p[0], (h-p[3]+p[1]-1)/p[1]
		row := make([]byte, 1+(wide*parts*int(depth)+7)/8)
		for range high {
			if w*h > told {
				break
			}
			_, _ = c.Write(row)
		}
	}
	_ = c.Close()
	ihdr := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, uint32(w)), uint32(h))
	file := append([]byte("\x89PNG\r\n\x1a\n"), pngChunk("IHDR", append(ihdr, depth, kind, 0, 0, interlaced))...)
	for _, m := range more {
		file = append(file, m...)
	}
	return append(append(file, pngChunk("IDAT", z.Bytes())...), pngChunk("IEND", nil)...)
}

// gray is a JPEG whose blocks hold nothing, of these parts' samplings.
func gray(w, h int, sof byte, samplings ...byte) []byte {
	segment := func(marker byte, body ...byte) []byte {
		return append([]byte{0xff, marker, byte((len(body) + 2) >> 8), byte(len(body) + 2)}, body...)
	}
	n := byte(len(samplings))
	frame := []byte{8, byte(h >> 8), byte(h), byte(w >> 8), byte(w), n}
	scan := []byte{n}
	blocks := 0
	for i, s := range samplings {
		frame = append(frame, byte(i+1), s, 0)
		scan = append(scan, byte(i+1), 0)
		blocks += int(s>>4) * int(s&15)
	}
	x, y := int(samplings[0]>>4), int(samplings[0]&15)
	blocks *= ((w + 8*x - 1) / (8 * x)) * ((h + 8*y - 1) / (8 * y))
	last := byte(63)
	if sof == 0xc2 {
		last = 0 // of a progressive one the first coefficients only
	}
	one := append([]byte{1}, make([]byte, 16)...) // a code of one bit, for 0
	return bytes.Join([][]byte{{0xff, 0xd8},
		segment(0xee, []byte("Adobe\x00\x64\x00\x00\x00\x00\x02")...),
		segment(0xdb, append([]byte{0}, bytes.Repeat([]byte{1}, 64)...)...), segment(sof, frame...),
		segment(0xc4, append([]byte{0x00}, one...)...), segment(0xc4, append([]byte{0x10}, one...)...),
		segment(0xda, append(scan, 0, last, 0)...), make([]byte, blocks/4+8), {0xff, 0xd9}}, nil)
}

// part is a GIF whose picture is interlaced and covers all of its screen but a column.
func part(w, h int) []byte {
	size := binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(nil, uint16(w)), uint16(h))
	smaller := binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(nil, uint16(w-1)), uint16(h))
	var z bytes.Buffer
	c := lzw.NewWriter(&z, lzw.LSB, 2)
	_, _ = c.Write(make([]byte, min((w-1)*h, told)))
	_ = c.Close()
	file := bytes.Join([][]byte{[]byte("GIF89a"), size, {0x80, 0, 0},
		[]byte("\x00\x00\x00\xff\xff\xff,\x00\x00\x00\x00"), smaller, {0x40, 2}}, nil)
	for z.Len() > 0 {
		block := z.Next(255)
		file = append(append(file, byte(len(block))), block...)
	}
	return append(file, 0, ';')
}

// bits is what VP8L is written in: each value's lowest bit first.
type bits struct {
	b []byte
	n int
}

func (w *bits) put(v uint32, n int) {
	for range n {
		if w.n%8 == 0 {
			w.b = append(w.b, 0)
		}
		w.b[w.n/8] |= byte(v&1) << (w.n % 8)
		v, w.n = v>>1, w.n+1
	}
}

// same writes codes of which each has one value, 0, in no bits.
func (w *bits) same(codes int) {
	for range codes {
		w.put(1, 4)
	}
}

// even writes a code of 2^n values, of n bits each.
func (w *bits) even(n int) {
	w.put(0, 1)
	place := map[int]int{8: 11, 11: 14}[n]
	w.put(uint32(place+1-4), 4)
	for i := range place + 1 {
		w.put(map[bool]uint32{true: 1}[i == place], 3)
	}
	w.put(1, 1)
	w.put(5, 3)
	w.put(1<<n-2, 12)
}

func losslessHead(w, h int) *bits {
	var b bits
	b.put(0x2f, 8)
	b.put(uint32(w-1), 14)
	b.put(uint32(h-1), 14)
	b.put(1, 4)
	return &b
}

// packed is the VP8L of a picture of two colours, eight points a byte.
func packed(w, h int) []byte {
	b := losslessHead(w, h)
	b.put(1, 1) // a transform: a palette of two, or it would be of the points themselves
	b.put(3, 2)
	b.put(15, 8)
	b.put(0, 1)
	b.same(5)
	b.put(0, 1) // no other; no cache, one group of codes
	b.put(0, 2)
	b.same(5)
	return b.b
}

// crowded is the VP8L of a small picture with as many groups of codes as there may be, each as large as it may be.
func crowded(groups int) []byte {
	const across, down = 52, 50 // tiles of 4 × 4
	b := losslessHead(4*across, 4*down)
	b.put(0, 1)
	b.put(1, 1) // a cache of 2^11 colours
	b.put(11, 4)
	b.put(1, 1)
	b.put(0, 3)
	b.put(0, 1)
	b.even(8)
	b.even(8)
	b.same(3)
	for i := range across * down {
		for _, v := range []int{(groups - 1 - i) & 255, (groups - 1 - i) >> 8} { // green, red: the highest bit first
			for n := 7; n >= 0; n-- {
				b.put(uint32(v>>n), 1)
			}
		}
	}
	for range groups {
		b.even(11)
		b.even(8)
		b.even(8)
		b.even(8)
		b.same(1)
	}
	return append(b.b, make([]byte, across*down*16*35/8+8)...)
}

// large is the lossy fixture under another size, with an alpha of so many points beside it. What is decoded of it ends
// early, when everything has been made.
func large(w, h int) []byte {
	file, _ := base64.StdEncoding.DecodeString(lossy)
	data := file[20:] // of the only chunk
	binary.LittleEndian.PutUint16(data[6:], uint16(w))
	binary.LittleEndian.PutUint16(data[8:], uint16(h))
	size := []byte{1 << 4, 0, 0, 0, byte(w - 1), byte((w - 1) >> 8), 0, byte(h - 1), byte((h - 1) >> 8), 0}
	return webpOf(chunk("VP8X", size), chunk("ALPH", append([]byte{1}, packed(w, h)[5:]...)), chunk("VP8 ", data))
}

// turnedPNG is a PNG with an EXIF that turns it.
func turnedPNG(w, h int) []byte {
	return blank(w, h, 8, 6, 0, pngChunk("eXIf", exif(binary.BigEndian, 6)))
}

var worsts = []worst{
	{name: "PNG", file: func(w, h int) []byte { return blank(w, h, 8, 6, 0) }, most: 40_000},
	{name: "PNG, turned", file: turnedPNG, most: 20_971},
	{name: "PNG, interlaced", file: func(w, h int) []byte { return blank(w, h, 8, 6, 1) }, most: 20_971},
	{name: "PNG of 16 bits", file: func(w, h int) []byte { return blank(w, h, 16, 6, 0) }, most: 20_971},
	{name: "PNG of 16 bits, interlaced", file: func(w, h int) []byte { return blank(w, h, 16, 2, 1) }, most: 10_485},
	{name: "gray PNG of 16 bits", file: func(w, h int) []byte { return blank(w, h, 16, 0, 1) }, most: 10_485,
		fewer: true},
	{name: "gray PNG of 16 bits with a transparent gray", most: 10_485,
		file: func(w, h int) []byte { return blank(w, h, 16, 0, 1, pngChunk("tRNS", []byte{0, 1})) }},
	{name: "PNG of one bit with a transparent gray", most: 20_971,
		file: func(w, h int) []byte { return blank(w, h, 1, 0, 1, pngChunk("tRNS", []byte{0, 1})) }},
	{name: "PNG with a palette", most: 20_971, fewer: true,
		file: func(w, h int) []byte { return blank(w, h, 1, 3, 1, pngChunk("PLTE", make([]byte, 6))) }},
	{name: "JPEG", file: func(w, h int) []byte { return gray(w, h, 0xc0, 0x11, 0x11, 0x11) }, most: 40_000},
	{name: "JPEG of 4:2:0, turned", most: 40_000, file: func(w, h int) []byte {
		return withEXIF(gray(w, h, 0xc0, 0x22, 0x11, 0x11), exif(binary.LittleEndian, 6))
	}},
	{name: "JPEG of 4:1:1, turned", most: 17_650, file: func(w, h int) []byte {
		return withEXIF(gray(w, h, 0xc0, 0x41, 0x11, 0x11), exif(binary.LittleEndian, 6))
	}},
	{name: "gray JPEG, progressive", file: func(w, h int) []byte { return gray(w, h, 0xc2, 0x11) }, most: 33_536},
	{name: "JPEG of 4:4:4, progressive", most: 11_136,
		file: func(w, h int) []byte { return gray(w, h, 0xc2, 0x11, 0x11, 0x11) }},
	{name: "JPEG of 4:2:0, progressive", most: 22_368,
		file: func(w, h int) []byte { return gray(w, h, 0xc2, 0x22, 0x11, 0x11) }},
	{name: "JPEG of RGB, progressive", most: 8_768, file: func(w, h int) []byte {
		file := gray(w, h, 0xc2, 0x11, 0x11, 0x11)
		file[2+4+11] = 0 // Adobe's: as they are
		return file
	}},
	{name: "JPEG of CMYK", most: 20_928,
		file: func(w, h int) []byte { return gray(w, h, 0xc0, 0x11, 0x11, 0x11, 0x11) }},
	{name: "JPEG of CMYK, progressive", most: 6_976,
		file: func(w, h int) []byte { return gray(w, h, 0xc2, 0x11, 0x11, 0x11, 0x11) }},
	{name: "GIF, interlaced, on a larger screen", file: part, most: 27_962},
	{name: "lossless WebP", most: 24_852, file: func(w, h int) []byte { return webpOf(chunk("VP8L", packed(w, h))) }},
	{name: "lossy WebP with alpha", file: large, unsound: true},
	{name: "lossless WebP of as many codes as there may be", tables: 200 << 20,
		file: func(int, int) []byte { return webpOf(chunk("VP8L", crowded(2600))) }},
}

// made is how many bytes are made in all while something is done, whatever the collector has taken meanwhile: no more
// can be held at any moment.
func made(do func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// TestNoPictureTakesMoreThanItsHeaderSays makes a picture of 2.2 megapixels of each kind, and counts.
func TestNoPictureTakesMoreThanItsHeaderSays(t *testing.T) {
	const beside = 8 << 20 // bytes of the encoders, the encoding and copies of a small file
	for _, c := range worsts {
		t.Run(c.name, func(t *testing.T) {
			file := c.file(1501, 1499)
			s, err := read(file)
			require.NoError(t, err)
			reckoned := int(s.held()) + c.tables
			got := made(func() { _, err = Clean(t.Context(), "shop", file) })
			if c.unsound {
				require.ErrorIs(t, err, ErrFormat)
			} else {
				require.NoError(t, err)
			}
			require.LessOrEqual(t, got, reckoned+beside)
			require.True(t, c.fewer || got > reckoned/2, "so much is reckoned because so much is made")
			t.Logf("reckoned %d MiB, made %d MiB", reckoned>>20, got>>20)
		})
	}
}

// TestTheLargestPictureOfEachKind wants one as large as MaxHeld lets, and nothing made of one that is larger.
func TestTheLargestPictureOfEachKind(t *testing.T) {
	for _, c := range worsts {
		if c.most == 0 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			high := c.most / 8
			s, err := read(c.file(8_000, high))
			require.NoError(t, err, s.held())
			larger := c.file(8_000, high+8)
			require.Less(t, made(func() { _, err = Clean(t.Context(), "shop", larger) }), 2<<20+len(larger))
			require.ErrorIs(t, err, ErrTooBig)
		})
	}
	t.Run("one of 40 megapixels, interlaced and of 16 bits", func(t *testing.T) {
		file := blank(8_000, 5_000, 16, 6, 1)
		var err error
		require.Less(t, made(func() { _, err = Clean(t.Context(), "shop", file) }), 1<<20)
		require.ErrorIs(t, err, ErrTooBig)
	})
	t.Run("a WebP of more codes than there may be", func(t *testing.T) {
		file := webpOf(chunk("VP8L", crowded(2601)))
		var err error
		require.Less(t, made(func() { _, err = Clean(t.Context(), "shop", file) }), 8<<20)
		require.ErrorIs(t, err, ErrFormat)
	})
}

func TestWhatAPictureCosts(t *testing.T) {
	for _, c := range []struct {
		w, h int
		want int64
	}{{1, 1, 1}, {2000, 2000, 1}, {2000, 2001, 2}, {4000, 2000, 2}, {4032, 3024, 4}, {10_000, 4_000, 10}} {
		require.Equal(t, c.want, Cost(c.w, c.h), c)
	}
}

func TestInksAndDeepColoursAreSeen(t *testing.T) {
	file := gray(32, 16, 0xc0, 0x11, 0x11, 0x11, 0x11)
	p, err := Clean(t.Context(), "shop", file)
	require.NoError(t, err)
	require.Equal(t, "image/jpeg", p.ContentType)
	m := flag(32, 16)
	p, err = Clean(t.Context(), "shop", pngOf(t, deep(m)))
	require.NoError(t, err)
	require.Equal(t, color.NRGBAModel.Convert(m.At(1, 1)), color.NRGBAModel.Convert(decoded(t, p).At(1, 1)))
}
