// Package picture makes a safe image of one that a stranger has sent. The image is decoded, turned as its EXIF says,
// and encoded again, so that nothing of the file is left but what can be seen. Metadata goes, and so does whatever
// followed the picture.
//
// A stranger's file may be made to cost: a few bytes that claim a huge picture, or make the decoder work for minutes.
// So a picture's size, memory and scans are judged before anything is decoded, all that are decoded at one time share
// one bound of memory, and decoding ends with its context.
//
// picture.go has what others call: Measure, Cost and Clean. header.go reads from a header what decoding would take and
// which way up the picture is, and gate.go says who may decode. plain.go makes what was decoded plain, and blanks what
// nobody can see. rotate.go turns it. narrower.go makes narrower ones.
package picture

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/jpeg"
	"image/png"
	"io"
	"runtime/debug"
)

// MaxFile is the most bytes of a picture that comes, and of one that is served (contract, "Images").
const MaxFile = 4 << 20

// The most pixels of a side, and of the whole picture (contract, "Images").
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
	Narrower      []Picture // the same in other widths, as Clean was asked for them
}

// returnAbove is from how many pixels on the memory of a picture is given back to the system at once: the collector
// would keep it for a while, and nobody else needs so much.
const returnAbove = 4_000_000

// Measure is how many pixels wide and high a file says that its picture is. It is ErrType, ErrTooBig or ErrFormat if
// Clean would not decode it either.
func Measure(file []byte) (width, height int, err error) {
	s, err := read(file)
	return s.width, s.height, err
}

// Cost is what a picture costs of its sender's limits: one for each four megapixels begun, never less than one
// (contract, "Rate limits").
func Cost(width, height int) int64 {
	const each = 4_000_000 // pixels
	return int64(max(1, (width*height+each-1)/each))
}

// Clean makes a safe picture of a file that comes to a shop (contract, "Images"): decoded, turned as its EXIF says, and
// encoded again, so that nothing else of the file is left.
//
// It is ErrType, ErrTooBig or ErrFormat if there is no picture, ErrBusy if too many wait, or the context's error. Size
// and memory are judged by the header before anything is decoded. All pictures that a process decodes at one time take
// up to 160 MiB together, and more for some formats (MaxHeld); a shop decodes one at a time.
//
// Widths, falling, are those in which the picture is made beside its own, as far as it is wider than they are. A
// narrower picture has the type of the picture itself, and is left out if it would be larger than MaxFile. Making them
// takes up to 100 MB more.
func Clean(ctx context.Context, shop string, file []byte, widths ...int) (made Picture, err error) {
	// The header says no more than the file claims; Clean holds the decoded picture against it.
	source, err := read(file)
	if err != nil {
		return made, err
	}
	leave, err := decoding.enter(ctx, shop, len(file), source.memory())
	if err != nil {
		return made, err
	}
	defer leave()
	if source.width*source.height >= returnAbove {
		defer debug.FreeOSMemory()
	}
	m, err := source.decode(&patient{ctx: ctx, Reader: bytes.NewReader(file)})
	switch {
	case ctx.Err() != nil:
		return made, ctx.Err()
	case err != nil:
		return made, fmt.Errorf("%w: %w", ErrFormat, err)
	// A picture larger than its header says would be beyond what was reckoned for it.
	case m.Bounds().Dx() != source.width || m.Bounds().Dy() != source.height:
		return made, fmt.Errorf("%w: it is not as large as its header says", ErrFormat)
	}
	m = rotated(blanked(plain(m)), source.orientation)
	if made, err = encode(ctx, m, source.photo); err != nil {
		return made, err
	}
	made.Narrower, err = narrower(ctx, m, made.ContentType, widths)
	return made, err
}

func tooBig(why string) error { return fmt.Errorf("%w: %s", ErrTooBig, why) }

// patient is a reader that ends with its context, even in the middle of a picture. It gives at most 512 bytes at a
// time, because each byte may mean much work.
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

// onScreen is a picture on a screen of that size. If it covers the screen it stays as it is.
func onScreen(m image.Image, width, height int) image.Image {
	screen := image.Rect(0, 0, width, height)
	if m.Bounds() == screen {
		return m
	}
	whole := image.NewNRGBA(screen)
	draw.Draw(whole, m.Bounds(), m, m.Bounds().Min, draw.Src)
	return whole
}

// encode is what was decoded, encoded again in at most MaxFile bytes, in the best quality that fits. First come tries
// without loss (PNG, at two levels), unless it is a photograph. Then come tries as JPEG at falling qualities, unless
// something shines through: JPEG has no transparency.
func encode(ctx context.Context, m image.Image, as photo) (p Picture, err error) {
	p = Picture{Width: m.Bounds().Dx(), Height: m.Bounds().Dy()}
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
		m := lit(m)
		for _, quality := range []int{88, 75, 60, 40} {
			tries = append(tries, func(w io.Writer) error { return jpeg.Encode(w, m, &jpeg.Options{Quality: quality}) })
		}
	}
	out := bounded{ctx: ctx}
	for i, try := range tries {
		out.Reset()
		err := try(&out)
		switch {
		case ctx.Err() != nil:
			return p, ctx.Err()
		case err == nil && i < lossless:
			p.ContentType, p.Bytes = "image/png", out.Bytes()
			return p, nil
		case err == nil:
			p.ContentType, p.Bytes = "image/jpeg", out.Bytes()
			return p, nil
		case !errors.Is(err, errFull):
			return p, err
		}
	}
	return p, tooBig("encoded again it is larger than 4 MiB")
}

// opaque says whether nothing shines through the picture.
func opaque(m image.Image) bool {
	o, is := m.(interface{ Opaque() bool })
	return is && o.Opaque()
}

// bounded takes MaxFile bytes, as long as its context lasts.
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
