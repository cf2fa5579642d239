package bolt

import (
	"bytes"
	"encoding/binary"

	"eshop/shared/ports/store"
)

// Keys of rows. A partition's rows lie together in the order of their sort keys:
//
//	items      length of PK (2 bytes), PK, SK
//	index      length of the index key's PK (2 bytes), that PK, its SK escaped and ended, the key of the item's row
//	expires    second (8 bytes), the table's name, 0, the key of the item's row
//	feed       number (8 bytes)
//	positions  the table's name

// appendPartition is how the rows of a partition begin.
func appendPartition(b []byte, pk string) []byte {
	return append(binary.BigEndian.AppendUint16(b, uint16(len(pk))), pk...)
}

// appendKey is the key of an item's row: the partition, and behind it the sort key.
func appendKey(b []byte, k store.Key) []byte { return append(appendPartition(b, k.PK), k.SK...) }

// splitKey is the opposite of appendKey.
func splitKey(b []byte) store.Key {
	n := 2 + int(binary.BigEndian.Uint16(b))
	return store.Key{PK: string(b[2:n]), SK: string(b[n:])}
}

// appendEscaped writes a text so that the order of the bytes stays the order of the texts, though something follows: a
// 0 is written as 0 255, and 0 1 is the end.
func appendEscaped(b []byte, sk string) []byte {
	for i := range len(sk) {
		b = append(b, sk[i])
		if sk[i] == 0 {
			b = append(b, 255)
		}
	}
	return b
}

// appendEntry is the key of an item's entry in an index.
func appendEntry(b []byte, indexKey, item store.Key) []byte {
	b = appendEscaped(appendPartition(b, indexKey.PK), indexKey.SK)
	return appendKey(append(b, 0, 1), item)
}

// splitEntry is the sort key in the index and the item's key, of what follows the partition in an entry's key.
func splitEntry(b []byte) (sk string, item store.Key) {
	end := bytes.Index(b, []byte{0, 1})
	return string(bytes.ReplaceAll(b[:end], []byte{0, 255}, []byte{0})), splitKey(b[end+2:])
}

// itemOf is the key of the item's row in an index entry; nil in one that cannot be read.
func itemOf(entry []byte) []byte {
	if len(entry) < 2 || len(entry) < 2+int(binary.BigEndian.Uint16(entry)) {
		return nil
	}
	_, key, _ := bytes.Cut(entry[2+binary.BigEndian.Uint16(entry):], []byte{0, 1})
	return key
}

// appendExpiry is the key of an expiry: the second, unix time, at which the item's time is over.
func appendExpiry(b []byte, second int64, table string, item store.Key) []byte {
	b = append(binary.BigEndian.AppendUint64(b, uint64(second)), table...)
	return appendKey(append(b, 0), item)
}

// splitExpiry is the opposite; what it cannot read has no item.
func splitExpiry(b []byte) (second int64, table string, item store.Key, readable bool) {
	if len(b) < 8 {
		return 0, "", store.Key{}, false
	}
	second = int64(binary.BigEndian.Uint64(b))
	name, key, ends := bytes.Cut(b[8:], []byte{0})
	if !ends || len(key) < 2 || len(key) < 2+int(binary.BigEndian.Uint16(key)) {
		return second, "", store.Key{}, false
	}
	return second, string(name), splitKey(key), true
}

// prefixEnd is the first key after all that begin with the prefix; nil when there is none.
func prefixEnd(prefix []byte) []byte {
	b := bytes.Clone(prefix)
	for len(b) > 0 {
		if b[len(b)-1]++; b[len(b)-1] != 0 {
			return b
		}
		b = b[:len(b)-1]
	}
	return nil
}
