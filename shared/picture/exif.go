package picture

import (
	"bytes"
	"encoding/binary"
)

// exifOfJPEG is the EXIF of a JPEG, a TIFF; nil when there is none before its picture.
func exifOfJPEG(file []byte) []byte {
	const app1 = 0xe1
	for marker, body := range segmentsOfJPEG(file) {
		if tiff, is := bytes.CutPrefix(body, []byte("Exif\x00\x00")); is && marker == app1 {
			return tiff
		}
	}
	return nil
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
