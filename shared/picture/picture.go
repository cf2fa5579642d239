// Package picture makes of an image that a stranger has sent one that is safe to serve: decoded, turned as its EXIF
// says, and encoded again, so that nothing of the file is left but what can be seen. Metadata goes, and so does
// whatever followed the picture.
//
// picture.go has Clean, which is all that others call. webp.go takes the first picture out of a WebP, exif.go finds
// which way up a picture is, turn.go turns it.
package picture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"runtime/debug"

	"golang.org/x/image/webp"
)

// MaxFile is how many bytes a picture may have that comes, and one that goes (contract, section 4).
const MaxFile = 4 << 20

// MaxSide is how many pixels a side may have, MaxPixels how many there may be (contract, section 4).
const (
	MaxSide   = 10_000
	MaxPixels = 40_000_000
)

// Why there is no picture. What is too big is said by the error's text.
var (
	ErrType   = errors.New("picture: neither PNG, JPEG, WebP nor GIF")
	ErrFormat = errors.New("picture: cannot be decoded")
	ErrTooBig = errors.New("picture: too big")
)

// Picture is an image that is safe to serve.
type Picture struct {
	ContentType   string // image/png or image/jpeg
	Width, Height int    // pixels
	Bytes         []byte
}

// one is held while a picture is decoded: a process has memory for one at a time. The largest takes 160 MB, where it is
// made of 16-bit colours or comes in passes up to four times that.
var one = make(chan struct{}, 1)

// returnAbove is from how many pixels on the memory of a picture is given back to the system at once: the collector
// would keep it for a while, and nobody else needs so much.
const returnAbove = 4_000_000

// Clean is the picture in a file: ErrType, ErrTooBig or ErrFormat when there is none, or the context's error. What it
// measures is read from the header before anything is decoded.
func Clean(ctx context.Context, file []byte) (p Picture, err error) {
	s, err := read(file)
	if err != nil {
		return p, err
	}
	select {
	case one <- struct{}{}:
	case <-ctx.Done():
		return p, ctx.Err()
	}
	defer func() { <-one }()
	if s.width*s.height >= returnAbove {
		defer debug.FreeOSMemory()
	}
	m, err := s.decode(&patient{ctx: ctx, Reader: bytes.NewReader(s.file)})
	switch {
	case ctx.Err() != nil:
		return p, ctx.Err()
	case err != nil:
		return p, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if s.width, s.height = m.Bounds().Dx(), m.Bounds().Dy(); s.width*s.height > MaxPixels {
		return p, tooBig("it has more pixels than its header says")
	}
	m = turned(m, s.orientation)
	p = Picture{Width: m.Bounds().Dx(), Height: m.Bounds().Dy()}
	p.ContentType, p.Bytes, err = encode(ctx, m, s.photo)
	return p, err
}

func tooBig(why string) error { return fmt.Errorf("%w: %s", ErrTooBig, why) }

// source is a file whose header was read.
type source struct {
	file          []byte // what decode reads
	width, height int
	orientation   int // as EXIF numbers them, 1 to 8
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
	var config func(io.Reader) (image.Config, error)
	s = source{file: file, orientation: 1}
	switch {
	case bytes.HasPrefix(file, []byte("\x89PNG\r\n\x1a\n")):
		config, s.decode, s.orientation = png.DecodeConfig, png.Decode, orientation(exifOfPNG(file))
	case bytes.HasPrefix(file, []byte("\xff\xd8\xff")):
		config, s.decode, s.orientation = jpeg.DecodeConfig, jpeg.Decode, orientation(exifOfJPEG(file))
		s.photo = always
		if bytes.Count(file, []byte{0xff, 0xda}) > maxScans {
			return s, fmt.Errorf("%w: too many scans", ErrFormat)
		}
	case bytes.HasPrefix(file, []byte("GIF87a")), bytes.HasPrefix(file, []byte("GIF89a")):
		config, s.photo = gif.DecodeConfig, perhaps
	case len(file) >= 12 && string(file[:4]) == "RIFF" && string(file[8:12]) == "WEBP":
		return readWebP(file)
	default:
		return s, ErrType
	}
	c, err := config(bytes.NewReader(file))
	if err != nil {
		return s, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	s.width, s.height = c.Width, c.Height
	if s.decode == nil { // a GIF's pictures may be smaller than its screen
		s.decode = func(r io.Reader) (image.Image, error) {
			m, err := gif.Decode(r)
			return onScreen(m, c.Width, c.Height, err)
		}
	}
	return s, measure(c.Width, c.Height)
}

// maxScans is how many scans a JPEG may have. A progressive one has about ten; each takes the time of a whole picture,
// and a few bytes.
const maxScans = 100

// measure holds what a header says against the bounds.
func measure(width, height int) error {
	switch {
	case width <= 0 || height <= 0:
		return fmt.Errorf("%w: it has no pixels", ErrFormat)
	case width > MaxSide || height > MaxSide:
		return tooBig(fmt.Sprintf("it is %d × %d pixels, and a side may have %d", width, height, MaxSide))
	case width*height > MaxPixels:
		return tooBig(fmt.Sprintf("it is %d × %d pixels, and there may be %d", width, height, MaxPixels))
	}
	return nil
}

// patient is a reader that ends with its context, in the middle of a picture, too: it gives little at a time, for each
// byte may mean much work.
type patient struct {
	*bytes.Reader
	ctx context.Context
}

func (p *patient) Read(b []byte) (int, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	return p.Reader.Read(b[:min(len(b), 512)])
}

func (p *patient) ReadByte() (byte, error) {
	if err := p.ctx.Err(); err != nil {
		return 0, err
	}
	return p.Reader.ReadByte()
}

// onScreen is a picture at its place on a screen of that size.
func onScreen(m image.Image, width, height int, err error) (image.Image, error) {
	screen := image.Rect(0, 0, width, height)
	if err != nil || m.Bounds() == screen {
		return m, err
	}
	whole := image.NewNRGBA(screen)
	draw.Draw(whole, m.Bounds(), m, m.Bounds().Min, draw.Src)
	return whole, nil
}

// encode is the picture in a file of at most MaxFile bytes: the best quality that fits.
func encode(ctx context.Context, m image.Image, as photo) (contentType string, file []byte, err error) {
	var tries []func(io.Writer) error
	if as != always {
		for _, level := range []png.CompressionLevel{png.DefaultCompression, png.BestCompression} {
			tries = append(tries, func(w io.Writer) error {
				return (&png.Encoder{CompressionLevel: level}).Encode(w, m)
			})
		}
	}
	lossless := len(tries)
	if as == always || as == perhaps && opaque(m) {
		for _, quality := range []int{88, 75, 60, 40} {
			tries = append(tries, func(w io.Writer) error { return jpeg.Encode(w, m, &jpeg.Options{Quality: quality}) })
		}
	}
	for i, try := range tries {
		b := bounded{ctx: ctx}
		err := try(&b)
		switch {
		case ctx.Err() != nil:
			return "", nil, ctx.Err()
		case err == nil && i < lossless:
			return "image/png", b.Bytes(), nil
		case err == nil:
			return "image/jpeg", b.Bytes(), nil
		case !errors.Is(err, errFull):
			return "", nil, err
		}
	}
	return "", nil, tooBig("encoded again it is larger than 4 MiB")
}

func opaque(m image.Image) bool {
	o, is := m.(interface{ Opaque() bool })
	return is && o.Opaque()
}

// bounded takes MaxFile bytes, while its context lasts.
type bounded struct {
	bytes.Buffer
	ctx context.Context
}

var errFull = errors.New("picture: no room")

func (b *bounded) Write(p []byte) (int, error) {
	if err := b.ctx.Err(); err != nil {
		return 0, err
	}
	if b.Len()+len(p) > MaxFile {
		return 0, errFull
	}
	return b.Buffer.Write(p)
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

// widen spreads the colours of video over all that there are.
func widen(m *image.YCbCr) {
	var luma, chroma [256]uint8
	for i := range 256 {
		luma[i] = uint8(max(0, min(255, ((i-16)*255+109)/219)))
		chroma[i] = uint8(max(0, min(255, ((i-128)*255+128*224+112)/224)))
	}
	for i, v := range m.Y {
		m.Y[i] = luma[v]
	}
	for _, plane := range [][]uint8{m.Cb, m.Cr} {
		for i, v := range plane {
			plane[i] = chroma[v]
		}
	}
}
