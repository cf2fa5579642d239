package picture

import (
	"bytes"
	"encoding/binary"
)

// exifOfJPEG is the EXIF of a JPEG, a TIFF; nil when there is none before its picture.
func exifOfJPEG(file []byte) []byte {
	for b := file[2:]; len(b) >= 4 && b[0] == 0xff; {
		marker := b[1]
		if marker == 0xff { // fill
			b = b[1:]
			continue
		}
		n := int(binary.BigEndian.Uint16(b[2:]))
		if marker == 0xda || marker == 0xd9 || n < 2 || 2+n > len(b) {
			return nil
		}
		if tiff, is := bytes.CutPrefix(b[4:2+n], []byte("Exif\x00\x00")); is && marker == 0xe1 {
			return tiff
		}
		b = b[2+n:]
	}
	return nil
}

// exifOfPNG is the EXIF of a PNG, a TIFF; nil when there is none.
func exifOfPNG(file []byte) []byte {
	for b := file[8:]; len(b) >= 12; {
		n := int(binary.BigEndian.Uint32(b))
		if n > len(b)-12 {
			return nil
		}
		if string(b[4:8]) == "eXIf" {
			return b[8 : 8+n]
		}
		b = b[12+n:]
	}
	return nil
}

// orientation is which way up a picture is, as EXIF numbers them: 1 when it does not say.
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
