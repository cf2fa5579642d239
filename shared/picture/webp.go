package picture

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"io"

	"golang.org/x/image/webp"
)

// still is the first picture of a WebP: its chunks, and where it stands on the screen.
type still struct {
	alpha, data   []byte // whole chunks; alpha may be nil
	left, top     int
	width, height int    // of the screen; 0: as large as the picture
	exif          []byte // TIFF
}

// readWebP reads the header of a WebP. It makes a new file of the first picture's chunks and measures those: what the
// container says of them proves nothing.
//
// A lossless WebP has up to 2,600 groups of codes (golang.org/x/image/vp8l refuses more). Each takes up to 53 KiB,
// whatever the picture's size, 135 MiB in all. No header says how many there are, so they come on top of MaxHeld.
func readWebP(file []byte) (s source, err error) {
	w, err := firstOf(file)
	if err != nil {
		return s, err
	}
	c, err := webp.DecodeConfig(bytes.NewReader(riff(w.data)))
	if err != nil {
		return s, fmt.Errorf("%w: %w", ErrFormat, err)
	}
	if w.width == 0 {
		w.width, w.height = c.Width, c.Height
	}
	if err := measure(c.Width, c.Height); err != nil {
		return s, err
	}
	screen := image.Rect(0, 0, w.width, w.height)
	if !image.Rect(0, 0, c.Width, c.Height).Add(image.Pt(w.left, w.top)).In(screen) {
		return s, fmt.Errorf("%w: the picture is larger than its frame", ErrFormat)
	}
	s = source{file: w.file(c), width: w.width, height: w.height, orientation: orientation(w.exif), photo: perhaps,
		held: heldByWebP(w, c.Width, c.Height)}
	covers := w.width == c.Width && w.height == c.Height
	if !covers {
		s.held = held{decoding: s.held.decoding + 4*w.width*w.height, turning: 4 * w.width * w.height}
	}
	if covers && w.alpha == nil && string(w.data[:4]) == "VP8 " {
		s.photo = always
	}
	s.decode = func(r io.Reader) (image.Image, error) {
		m, err := decodeWebP(r)
		if err != nil {
			return nil, err
		}
		return onScreen(plain(m), image.Pt(w.left, w.top), w.width, w.height), nil
	}
	return s, measure(w.width, w.height)
}

// firstOf finds the first picture in a WebP, animated or not: the screen's size is in VP8X, an animation's first
// picture in the first ANMF, its way up in EXIF.
func firstOf(file []byte) (w still, err error) {
	broken := fmt.Errorf("%w: its chunks are broken", ErrFormat)
	for name, body := range chunks(file[12:]) {
		switch name {
		case "VP8X":
			if len(body) < 10 {
				return w, broken
			}
			w.width, w.height = int(u24(body[4:]))+1, int(u24(body[7:]))+1
		case "ANMF":
			if w.data != nil {
				continue
			}
			if len(body) < 16 || w.width == 0 {
				return w, broken
			}
			w.left, w.top = int(u24(body))*2, int(u24(body[3:]))*2
			for name, body := range chunks(body[16:]) {
				w.keep(name, body)
			}
		case "EXIF":
			w.exif = bytes.TrimPrefix(body, []byte("Exif\x00\x00"))
		default:
			w.keep(name, body)
		}
	}
	if w.data == nil {
		return w, broken
	}
	return w, nil
}

// keep keeps a chunk of the picture, the first of each kind.
func (w *still) keep(name string, body []byte) {
	switch {
	case w.data != nil:
	case name == "ALPH" && w.alpha == nil:
		w.alpha = chunk(name, body)
	case name == "VP8 ", name == "VP8L":
		w.data = chunk(name, body)
		if name == "VP8L" {
			w.alpha = nil // it holds its own
		}
	}
}

// file is a WebP of nothing but the picture, which is as large as its header says.
func (w still) file(c image.Config) []byte {
	if w.alpha == nil {
		return riff(w.data)
	}
	size := make([]byte, 10)
	size[0] = 1 << 4 // it has alpha
	size[4], size[5], size[6] = byte(c.Width-1), byte((c.Width-1)>>8), byte((c.Width-1)>>16)
	size[7], size[8], size[9] = byte(c.Height-1), byte((c.Height-1)>>8), byte((c.Height-1)>>16)
	return riff(chunk("VP8X", size), w.alpha, w.data)
}

// riff is a WebP of these chunks.
func riff(all ...[]byte) []byte {
	return append([]byte("RIFF"), sized(append([]byte("WEBP"), bytes.Join(all, nil)...))...)
}

// chunk is a chunk of a RIFF file, filled up to whole words.
func chunk(name string, body []byte) []byte {
	c := append([]byte(name), sized(body)...)
	if len(body)%2 == 1 {
		c = append(c, 0)
	}
	return c
}

func sized(body []byte) []byte {
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(body))), body...)
}

// chunks are the chunks of a RIFF file by name, as far as they are whole.
func chunks(b []byte) func(yield func(name string, body []byte) bool) {
	return func(yield func(string, []byte) bool) {
		for len(b) >= 8 {
			name, n := string(b[:4]), int(binary.LittleEndian.Uint32(b[4:]))
			if b = b[8:]; n > len(b) || !yield(name, b[:n]) {
				return
			}
			b = b[min(len(b), n+n%2):]
		}
	}
}

func u24(b []byte) uint32 { return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 }
