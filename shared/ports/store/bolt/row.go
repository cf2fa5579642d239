package bolt

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"eshop/shared/ports/store"
)

// A row is a byte that says which of the fields follow, those fields in the order of its bits, and the Doc to the end.
// Texts are a length and bytes, numbers variable-length; the key is the row's key in the file. Nothing is compressed: a
// row is decoded with one copy of its bytes, which its strings and its Doc share.
const (
	hasVersion byte = 1 << iota
	hasText
	hasNum
	hasIndex1
	hasIndex2
	hasParts
	hasExpires
)

// appendText writes a text behind its length.
func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// appendIndexKey writes both parts of an index key.
func appendIndexKey(b []byte, k store.Key) []byte { return appendText(appendText(b, k.PK), k.SK) }

// encode is the item's row.
func encode(i *store.Item) []byte {
	b := append(make([]byte, 0, room(i)), 0)
	if i.Version != "" {
		b[0] |= hasVersion
		b = appendText(b, i.Version)
	}
	if len(i.Text) > 0 {
		b[0] |= hasText
		b = binary.AppendUvarint(b, uint64(len(i.Text)))
		for k, v := range i.Text {
			b = appendText(appendText(b, k), v)
		}
	}
	if len(i.Num) > 0 {
		b[0] |= hasNum
		b = binary.AppendUvarint(b, uint64(len(i.Num)))
		for k, n := range i.Num {
			b = binary.AppendVarint(appendText(b, k), n)
		}
	}
	if i.Index1.PK != "" {
		b[0] |= hasIndex1
		b = appendIndexKey(b, i.Index1)
	}
	if i.Index2.PK != "" {
		b[0] |= hasIndex2
		b = appendIndexKey(b, i.Index2)
	}
	if i.Parts != 0 {
		b[0] |= hasParts
		b = binary.AppendVarint(b, int64(i.Parts))
	}
	if i.Expires != 0 {
		b[0] |= hasExpires
		b = binary.AppendVarint(b, i.Expires)
	}
	return append(b, i.Doc...)
}

// room is how many bytes are enough for the item's row in most cases, so that it takes one allocation.
func room(i *store.Item) int {
	n := 40 + len(i.Version) + len(i.Doc) + len(i.Index1.PK) + len(i.Index1.SK) + len(i.Index2.PK) + len(i.Index2.SK)
	for k, v := range i.Text {
		n += 4 + len(k) + len(v)
	}
	for k := range i.Num {
		n += 6 + len(k)
	}
	return n
}

// reader reads a row from its front.
type reader []byte

// count is how many bytes or fields follow. Each takes a byte at least, so that a count beyond the row's end panics
// here, before anybody makes room for so many.
func (r *reader) count() int {
	n, size := binary.Uvarint(*r)
	*r = (*r)[size:]
	_ = (*r)[:n:len(*r)]
	return int(n)
}

// varint reads a number.
func (r *reader) varint() int64 {
	n, size := binary.Varint(*r)
	*r = (*r)[size:]
	return n
}

// text shares the row's bytes, which nobody changes: of a row only the Doc is handed out as bytes.
func (r *reader) text() string {
	n := r.count()
	s := unsafe.String(unsafe.SliceData(*r), n)
	*r = (*r)[n:]
	return s
}

// decode is the item of a row. A row that encode has not made is ErrUnreadable: reading beyond its end panics, which is
// caught here. The item takes the row's bytes over, so the caller must not change them any more.
func decode(key store.Key, row []byte) (i *store.Item, err error) {
	defer func() {
		if recover() != nil {
			i, err = nil, fmt.Errorf("%w: its row has %d bytes", store.ErrUnreadable, len(row))
		}
	}()
	i = &store.Item{Key: key}
	has, r := row[0], reader(row[1:])
	if has&hasVersion != 0 {
		i.Version = r.text()
	}
	if has&hasText != 0 {
		n := r.count()
		for range n {
			name, text := r.text(), r.text()
			if name == "" {
				continue // a checksum, which rows had until November 2026
			}
			if i.Text == nil {
				i.Text = make(map[string]string, n)
			}
			i.Text[name] = text
		}
	}
	if has&hasNum != 0 {
		n := r.count()
		i.Num = make(map[string]int64, n)
		for range n {
			k := r.text()
			i.Num[k] = r.varint()
		}
	}
	if has&hasIndex1 != 0 {
		i.Index1 = store.Key{PK: r.text(), SK: r.text()}
	}
	if has&hasIndex2 != 0 {
		i.Index2 = store.Key{PK: r.text(), SK: r.text()}
	}
	if has&hasParts != 0 {
		i.Parts = int(r.varint())
	}
	if has&hasExpires != 0 {
		i.Expires = r.varint()
	}
	if len(r) > 0 {
		i.Doc = r
	}
	return i, nil
}
