package picture

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"iter"

	"golang.org/x/image/riff"
	"golang.org/x/image/webp"
)

// MaxHeld is how many bytes of pixels may be made of one picture until it is encoded again, and of all that a process
// decodes at one time: 160 MiB.
//
// It is reckoned from the header alone, in bytes for each pixel of a format. That counts what is thrown away on the way
// (the passes of an interlaced PNG, the coefficients of a progressive JPEG, a picture that is turned), because nobody
// can say when the collector frees it. So a process holds no more than this, the files, their new encodings, what
// narrower ones take (Clean), and for a lossless WebP its tables.
const MaxHeld = 160 << 20

// source is a file whose header was read.
type source struct {
	width, height int
	orientation   int     // as EXIF numbers them, 1 to 8
	decoding      float64 // bytes made of each pixel while it is decoded and made plain
	turning       float64 // bytes made of each pixel when it is turned
	tables        bool    // whether decoding makes tables of which no header tells the size
	photo         photo
	decode        func(io.Reader) (image.Image, error)
}

// photo is whether a picture is encoded as a photograph is.
type photo int

const (
	never   photo = iota // a PNG stays one
	perhaps              // a PNG, unless that is too large and nothing shines through
	always               // a JPEG
)

// read reads the header of a file.
func read(file []byte) (s source, err error) {
	switch {
	case bytes.HasPrefix(file, []byte("\x89PNG\r\n\x1a\n")):
		s, err = readPNG(file)
	case bytes.HasPrefix(file, []byte("\xff\xd8\xff")):
		s, err = readJPEG(file)
	case bytes.HasPrefix(file, []byte("GIF87a")), bytes.HasPrefix(file, []byte("GIF89a")):
		s, err = readGIF(file)
	case len(file) >= 12 && string(file[:4]) == "RIFF" && string(file[8:12]) == "WEBP":
		s, err = readWebP(file)
	default:
		err = ErrType
	}
	if err == nil && s.held() > MaxHeld {
		err = tooBig(fmt.Sprintf("decoding it takes %d MiB, and may take %d", s.held()>>20, MaxHeld>>20))
	}
	return s, err
}

// held is how many bytes are made of a picture until it is encoded again.
func (s source) held() int64 {
	each := s.decoding
	if s.orientation != 1 {
		each += s.turning
	}
	return int64(each * float64(s.width*s.height))
}

// memory is how much of MaxHeld a picture takes while others are decoded beside it: what is made of it, or four bytes a
// pixel if narrower ones may need those, and what its encoders and copies of its file need. Tables may be as large as
// all of it.
func (s source) memory() int64 {
	const beside = 16 << 20
	if s.tables {
		return MaxHeld
	}
	return min(MaxHeld, beside+max(s.held(), 4*int64(s.width*s.height)))
}

// size is a picture's size as its header says, if that is within the bounds.
func (s *source) size(config image.Config, err error) error {
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFormat, err)
	}
	s.width, s.height = config.Width, config.Height
	switch {
	case config.Width <= 0 || config.Height <= 0:
		return fmt.Errorf("%w: it has no pixels", ErrFormat)
	case config.Width > MaxSide || config.Height > MaxSide:
		return tooBig(fmt.Sprintf("it is %d × %d pixels, and a side may have %d", config.Width, config.Height, MaxSide))
	case config.Width*config.Height > MaxPixels:
		return tooBig(fmt.Sprintf("it is %d × %d pixels, and there may be %d", config.Width, config.Height, MaxPixels))
	}
	return nil
}

// readPNG measures a PNG by the bytes of its header, because image/png refuses the largest ones as no PNG at all.
func readPNG(file []byte) (s source, err error) {
	const header = 8 + 8 + 13 // the signature; length, name and content of the first chunk
	if len(file) < header || string(file[12:16]) != "IHDR" {
		return s, fmt.Errorf("%w: it has no header", ErrFormat)
	}
	if err := s.size(image.Config{Width: int(binary.BigEndian.Uint32(file[16:])),
		Height: int(binary.BigEndian.Uint32(file[20:]))}, nil); err != nil {
		return s, err
	}
	if err := s.size(png.DecodeConfig(bytes.NewReader(file))); err != nil {
		return s, err
	}
	s.decode, s.orientation, s.decoding, s.turning = png.Decode, 1, 4, 4
	if depth := file[24]; depth == 16 { // plain keeps the upper byte of each two, in the same memory
		s.decoding *= 2
	}
	if interlaced := file[28] != 0; interlaced { // its passes are as many pixels as it has
		s.decoding *= 2
	}
	// A chunk is its length, its name, its content and a checksum of four bytes.
	for rest := file[8:]; len(rest) >= 12; {
		n := int(binary.BigEndian.Uint32(rest))
		if n > len(rest)-12 {
			break
		}
		if string(rest[4:8]) == "eXIf" {
			s.orientation = orientation(rest[8 : 8+n])
			break
		}
		rest = rest[12+n:]
	}
	return s, nil
}

// maxScans is how many scans a JPEG may have. A progressive one has about ten; each takes the time of a whole picture,
// and a few bytes.
const maxScans = 100

// readJPEG measures a JPEG. It refuses one of too many scans: each takes the time of a whole picture.
func readJPEG(file []byte) (s source, err error) {
	const app1, first, progressive = 0xe1, 0xc0, 0xc2
	if bytes.Count(file, []byte{0xff, 0xda}) > maxScans {
		return s, fmt.Errorf("%w: too many scans", ErrFormat)
	}
	if err := s.size(jpeg.DecodeConfig(bytes.NewReader(file))); err != nil {
		return s, err
	}
	s.decode, s.photo = jpeg.Decode, always
	for marker, body := range segmentsOfJPEG(file) {
		tiff, is := bytes.CutPrefix(body, []byte("Exif\x00\x00"))
		switch {
		case marker == app1 && is && s.orientation == 0:
			s.orientation = orientation(tiff)
		case marker >= first && marker <= progressive && s.decoding == 0:
			s.decoding, s.turning = heldByJPEG(file, body, marker == progressive)
		}
	}
	if s.decoding == 0 {
		return s, fmt.Errorf("%w: it has no frame", ErrFormat)
	}
	s.orientation = max(1, s.orientation)
	return s, nil
}

// heldByJPEG is what decoding and turning a JPEG takes for each pixel, by its frame's header; 0 if it has none that
// image/jpeg reads.
//
// Each part (colour component) has its own number of samples. A progressive JPEG also keeps the coefficients of all
// samples, four bytes each. A JPEG that is not YCbCr, or whose colours cannot be turned as they are, is made of RGBA
// once more.
func heldByJPEG(file, frame []byte, progressive bool) (decoding, turning float64) {
	const rgba = 4
	if len(frame) < 9 || len(frame) != 6+3*int(frame[5]) {
		return 0, 0
	}
	parts := len(frame)/3 - 2
	samples := 0
	for i := range parts {
		sampling := frame[7+3*i]
		samples += int(sampling>>4) * int(sampling&15)
	}
	first := int(frame[7]>>4) * int(frame[7]&15)
	if first == 0 {
		return 0, 0
	}
	decoding = float64(samples) / float64(first)
	turning = decoding
	if progressive {
		decoding += 4 * decoding
	}
	switch quarters := frame[7]>>4 == 4; {
	case parts == 4, parts == 3 && (frame[6] == 'R' || adobeRGB(file)):
		decoding, turning = decoding+rgba, rgba
	case parts == 3 && quarters:
		turning = 2 * rgba
	}
	return decoding, turning
}

// adobeRGB says whether a segment of Adobe's, wherever it stands, says that a JPEG's colours are not YCbCr.
func adobeRGB(file []byte) bool {
	const transform = 6 // bytes behind the name
	for found := true; found; {
		if _, file, found = bytes.Cut(file, []byte("Adobe")); len(file) > transform && file[transform] == 0 {
			return true
		}
	}
	return false
}

// segmentsOfJPEG are the segments of a JPEG before its first scan, by their markers. It finds them as image/jpeg does:
// it passes over whatever stands between two of them, fill bytes included.
func segmentsOfJPEG(file []byte) iter.Seq2[byte, []byte] {
	return func(yield func(byte, []byte) bool) {
		const ends, scan, restart, restartLast = 0xd9, 0xda, 0xd0, 0xd7
		for rest := file[2:]; ; {
			i := bytes.IndexByte(rest, 0xff)
			if i < 0 {
				return
			}
			for rest = rest[i:]; len(rest) > 1 && rest[1] == 0xff; rest = rest[1:] { // what fills up
			}
			if len(rest) < 4 {
				return
			}
			marker, n := rest[1], int(binary.BigEndian.Uint16(rest[2:]))
			switch {
			case marker == 0, marker >= restart && marker <= restartLast:
				rest = rest[2:]
				continue
			case marker == ends, marker == scan, n < 2, 2+n > len(rest), !yield(marker, rest[4:2+n]):
				return
			}
			rest = rest[2+n:]
		}
	}
}

// readGIF measures a GIF's screen. Its first picture may be smaller. Decoding makes that, once more if it is
// interlaced, and the screen if the picture covers only a part of it.
func readGIF(file []byte) (s source, err error) {
	s = source{orientation: 1, decoding: 1 + 1 + 4, photo: perhaps}
	err = s.size(gif.DecodeConfig(bytes.NewReader(file)))
	s.decode = func(r io.Reader) (image.Image, error) {
		m, err := gif.Decode(r)
		if err != nil {
			return nil, err
		}
		return onScreen(m, s.width, s.height), nil
	}
	return s, err
}

// readWebP measures a WebP, whose decoder refuses a picture of another size than its container says. An animated one is
// ErrType.
//
// A lossless one, or the alpha of a lossy one, is made of points, half of them again if several share a byte, and three
// pictures of one point for each 4 × 4. It also has up to 2,600 groups of codes (golang.org/x/image/vp8l refuses more).
// Each takes up to 53 KiB, whatever the picture's size, 135 MiB in all. No header says how many there are, so they come
// on top of MaxHeld.
func readWebP(file []byte) (s source, err error) {
	const lossless, lossy = 4 * (1 + 0.5 + 3./16), 1.5 + 4./256 // with what filters need
	s = source{orientation: 1, decoding: lossy, turning: 1.5, photo: always, decode: decodeWebP}
	_, chunks, err := riff.NewReader(bytes.NewReader(file))
	for err == nil {
		var name riff.FourCC
		var body io.Reader
		name, _, body, err = chunks.Next()
		switch string(name[:]) {
		case "ANIM", "ANMF":
			return s, fmt.Errorf("%w: it is animated", ErrType)
		case "VP8L":
			s.decoding, s.turning, s.tables, s.photo = max(s.decoding, lossless), 4, true, perhaps
		case "ALPH": // its values as points, then as bytes, then beside the colours in points
			s.decoding, s.turning, s.tables, s.photo = lossy+lossless+1+4, 4, true, perhaps
		case "EXIF":
			tiff, _ := io.ReadAll(body)
			s.orientation = orientation(bytes.TrimPrefix(tiff, []byte("Exif\x00\x00")))
		}
	}
	err = s.size(webp.DecodeConfig(bytes.NewReader(file)))
	return s, err
}

// decodeWebP decodes the WebP of one picture. What it holds has the colours of video, 16 to 235, where pictures have 0
// to 255.
func decodeWebP(r io.Reader) (image.Image, error) {
	m, err := webp.Decode(r)
	if err != nil {
		return nil, err
	}
	switch m := m.(type) {
	case *image.YCbCr:
		widen(m)
	case *image.NYCbCrA:
		widen(&m.YCbCr)
	}
	return m, nil
}

// orientation is which way up a picture is, by the numbers of EXIF: 1 to 8, and 1 if the file does not say. It reads
// the first directory of a TIFF only: a count, and entries of 12 bytes each, of which one may have the tag 0x0112.
func orientation(tiff []byte) int {
	if len(tiff) < 8 {
		return 1
	}
	var order binary.ByteOrder = binary.BigEndian
	if string(tiff[:2]) == "II" {
		order = binary.LittleEndian
	}
	at := int(order.Uint32(tiff[4:]))
	if at > len(tiff)-2 {
		return 1
	}
	entries := tiff[at+2:]
	// A file may claim 65,535 entries; the loop ends with the bytes.
	for range order.Uint16(tiff[at:]) {
		if len(entries) < 12 {
			return 1
		}
		const tag, short = 0x0112, 3
		if order.Uint16(entries) == tag && order.Uint16(entries[2:]) == short {
			if o := int(order.Uint16(entries[8:])); o >= 1 && o <= 8 {
				return o
			}
			return 1
		}
		entries = entries[12:]
	}
	return 1
}
