package picture

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"
	"strings"
)

// MaxHeld is how many bytes of pixels may be made of one picture until it is encoded again: 160 MiB.
//
// It is computed from the header alone. It counts what is thrown away on the way (the passes of an interlaced PNG, the
// coefficients of a progressive JPEG, a picture that is turned), because nobody can say when the collector frees that.
// So a process holds no more than this, the file, its new encoding, and for a lossless WebP the tables of webp.go.
const MaxHeld = 160 << 20

// held is how many bytes of pixels are made of a picture.
type held struct {
	decoding int // while it is decoded and made plain
	turning  int // when it is turned: a copy of the plain one
}

// bound refuses a picture of which too many bytes would be made.
func (s source) bound() error {
	n := s.held.decoding
	if s.orientation != 1 {
		n += s.held.turning
	}
	if n > MaxHeld {
		return tooBig(fmt.Sprintf("decoding it takes %d MiB, and may take %d", n>>20, MaxHeld>>20))
	}
	return nil
}

// heldByPNG is what decoding a PNG takes, whose first chunk is whole.
func heldByPNG(file []byte, width, height int) held {
	const gray, palette, deep = 0, 3, 16
	depth, kind, interlaced := file[24], file[25], file[28] != 0
	point := 4
	switch {
	case kind == palette, kind == gray && chunkOfPNG(file, "tRNS") == nil:
		point = 1
	}
	h := held{decoding: width * height * point, turning: width * height * point}
	// The decoder makes two bytes of each sample. plain then keeps the upper one, in the same memory.
	if depth == deep {
		h.decoding *= 2 // made plain where it is
	}
	if interlaced {
		h.decoding *= 2 // its passes are as many points as it has
	}
	return h
}

// chunkOfPNG is the content of the first chunk of that name in a PNG, nil when there is none.
func chunkOfPNG(file []byte, name string) []byte {
	// A chunk is its length, its name, its content and a checksum of four bytes.
	for b := file[8:]; len(b) >= 12; {
		n := int(binary.BigEndian.Uint32(b))
		if n > len(b)-12 {
			return nil
		}
		if string(b[4:8]) == name {
			return b[8 : 8+n]
		}
		b = b[12+n:]
	}
	return nil
}

// segmentsOfJPEG are the segments of a JPEG before its first scan, by their markers. It finds them as image/jpeg does:
// it passes over whatever stands between two of them, fill bytes included.
func segmentsOfJPEG(file []byte) iter.Seq2[byte, []byte] {
	return func(yield func(byte, []byte) bool) {
		const ends, scan, restart, restartLast = 0xd9, 0xda, 0xd0, 0xd7
		for b := file[2:]; ; {
			i := bytes.IndexByte(b, 0xff)
			if i < 0 {
				return
			}
			for b = b[i:]; len(b) > 1 && b[1] == 0xff; b = b[1:] { // what fills up
			}
			if len(b) < 4 {
				return
			}
			marker, n := b[1], int(binary.BigEndian.Uint16(b[2:]))
			switch {
			case marker == 0, marker >= restart && marker <= restartLast:
				b = b[2:]
				continue
			case marker == ends, marker == scan, n < 2, 2+n > len(b), !yield(marker, b[4:2+n]):
				return
			}
			b = b[2+n:]
		}
	}
}

// heldByJPEG is what decoding a JPEG takes, by its frame's header; false if it has none that image/jpeg reads.
//
// The samples of each part (colour component) are counted in blocks of 8 × 8, as the decoder makes them. A progressive
// JPEG also keeps the coefficients of all samples, four bytes each. A JPEG that is not YCbCr, or whose colours cannot
// be turned where they are, is made of points (RGBA) once more.
func heldByJPEG(file []byte, width, height int) (h held, ok bool) {
	const first, progressive = 0xc0, 0xc2
	for marker, frame := range segmentsOfJPEG(file) {
		if marker < first || marker > progressive {
			continue
		}
		if len(frame) < 6 || len(frame) != 6+3*int(frame[5]) {
			return h, false
		}
		var ids strings.Builder
		samples, across, down := 0, 0, 0
		for part := frame[6:]; len(part) > 0; part = part[3:] {
			x, y := int(part[1]>>4), int(part[1]&15)
			if len(frame) == 6+3 {
				x, y = 1, 1 // of one part alone the sampling says nothing
			}
			if x == 0 || y == 0 {
				return h, false
			}
			if samples == 0 {
				across, down = (width+8*x-1)/(8*x), (height+8*y-1)/(8*y)
			}
			samples += 64 * x * y * across * down
			ids.WriteByte(part[0])
		}
		h = held{decoding: samples, turning: samples}
		if marker == progressive {
			const coefficient = 4 // bytes, for each sample
			h.decoding += coefficient * samples
		}
		points := 4 * width * height
		switch quarters := frame[7]>>4 == 4; {
		case len(frame) == 6+3*4, ids.String() == "RGB", adobeRGB(file):
			h = held{decoding: h.decoding + points, turning: points}
		case quarters:
			h.turning = 2 * points // turnYCbCr cannot turn these, so they are made NRGBA first
		}
		return h, true
	}
	return h, false
}

// adobeRGB says whether a segment of Adobe's, wherever it stands, says that a JPEG's colours are not YCbCr.
func adobeRGB(file []byte) bool {
	const name, transform = "Adobe", 11
	for b := file; ; b = b[len(name):] {
		i := bytes.Index(b, []byte(name))
		if i < 0 {
			return false
		}
		if i >= 4 && b[i-4] == 0xff && b[i-3] == 0xee && len(b) > i+transform && b[i+transform] == 0 {
			return true
		}
		b = b[i:]
	}
}

// heldByGIF is what decoding a GIF takes whose screen has this size: its picture, that again if it is interlaced, and
// the screen if the picture covers only a part of it.
func heldByGIF(width, height int) held { return held{decoding: (1 + 1 + 4) * width * height} }

// heldByWebP is what decoding a WebP's picture takes, whose chunks these are.
func heldByWebP(w still, width, height int) held {
	points := 4 * width * height
	if string(w.data[:4]) == "VP8L" {
		return held{decoding: heldLossless(width, height), turning: points}
	}
	const block, itsFilter = 16*16 + 2*8*8, 4 // bytes of what VP8 decodes at a time
	blocks := ((width + 15) / 16) * ((height + 15) / 16)
	h := held{decoding: blocks * (block + itsFilter), turning: blocks * block}
	if w.alpha != nil {
		h = held{decoding: h.decoding + heldLossless(width, height) + width*height + points, turning: points}
	}
	return h
}

// heldLossless is what golang.org/x/image/vp8l makes: the points; half of them again if several share a byte; and three
// pictures of one point for each 4 × 4, for two transforms and for which codes go where.
func heldLossless(width, height int) int {
	tiles := ((width + 3) / 4) * ((height + 3) / 4)
	packed := (width + 1) / 2 * height
	return 4 * (width*height + packed + 3*tiles)
}
