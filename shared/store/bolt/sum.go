package bolt

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"

	"eshop/shared/store"
)

// Each row has a sum over its bucket's name, its key and its value, so that what a disk gives back otherwise than it
// was written is known when it is read. Releases up to November 2026 wrote no sums. Their rows are read as they are,
// and get a sum when they are next written. Those releases read rows with sums, too, for a sum is where they look for
// nothing: behind the value, of a change among the fields of its JSON, and of an item among its texts, under the name
// "". An item that they change keeps that text, and not the bit that says that it is right.

// sumBytes is the size of a sum.
const sumBytes = 4

// castagnoli is the polynomial of the sums, for which processors have an instruction.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sum is the checksum of a row.
func sum(bucket, key, value []byte) uint32 {
	s := crc32.Update(uint32(len(key)), castagnoli, bucket)
	return crc32.Update(crc32.Update(s, castagnoli, key), castagnoli, value)
}

// What the names of the buckets of a table end with. The expiries and the positions have a bucket for all tables.
const (
	itemsOf  = "/items"
	index1Of = "/index1"
	index2Of = "/index2"
	feedOf   = "/feed"
)

// holds says whether a bucket holds rows of a kind, by the end of its name.
func holds(bucket []byte, what string) bool { return bytes.HasSuffix(bucket, []byte(what)) }

// fieldOf begins a change's sum; its hexadecimal digits and fieldEnd follow.
const (
	fieldOf    = `,"sum":"`
	fieldEnd   = `"}`
	fieldBytes = len(fieldOf) + 2*sumBytes + len(fieldEnd)
)

// seal is the value with its sum. It writes into the value of an item, and may use the room behind any other.
func seal(bucket, key, value []byte) []byte {
	switch {
	case holds(bucket, itemsOf):
		at, _ := sumOf(value)
		binary.BigEndian.PutUint32(value[at:], sumOfItem(bucket, key, value, at))
		return value
	case holds(bucket, feedOf):
		value = value[:len(value)-1] // without its }
		return fmt.Appendf(value, "%s%08x%s", fieldOf, sum(bucket, key, value), fieldEnd)
	}
	return binary.BigEndian.AppendUint32(value, sum(bucket, key, value))
}

// unseal is the value as it was before it got its sum. Changes and items keep theirs, which whoever decodes them passes
// over. A row that is not as it was written is ErrUnreadable.
func unseal(bucket, key, value []byte) ([]byte, error) {
	own := holds(bucket, itemsOf) || holds(bucket, feedOf)
	switch is := sealed(bucket, key, value); {
	case is && !own:
		return value[: len(value)-sumBytes : len(value)-sumBytes], nil
	case is || unsealed(bucket, value):
		return value, nil
	}
	return nil, fmt.Errorf("%w: it is not as it was written", store.ErrUnreadable)
}

// sealed says whether the value has its sum.
func sealed(bucket, key, value []byte) bool {
	n := len(value) - sumBytes
	switch {
	case holds(bucket, itemsOf):
		at, has := sumOf(value)
		return has && binary.BigEndian.Uint32(value[at:]) == sumOfItem(bucket, key, value, at)
	case holds(bucket, feedOf):
		before, digits, has := cutField(value)
		return has && fmt.Sprintf("%08x", sum(bucket, key, before)) == string(digits)
	}
	return n >= 0 && binary.BigEndian.Uint32(value[n:]) == sum(bucket, key, value[:n])
}

// unsealed says whether the value may have been written by a release that wrote no sums. No single flipped bit makes a
// value with a sum look so, except the very bit that says that it has one.
func unsealed(bucket, value []byte) bool {
	switch {
	case holds(bucket, itemsOf):
		return len(value) == 0 || value[0]&hasSum == 0
	case holds(bucket, index1Of), holds(bucket, index2Of):
		_, size := binary.Varint(value)
		return size == len(value)
	case holds(bucket, feedOf):
		_, _, has := cutField(value)
		return !has && json.Valid(value)
	case bytes.Equal(bucket, expires):
		return len(value) == 0
	case bytes.Equal(bucket, positions):
		return len(value) == 8
	}
	return false
}

// cutField is a change without its sum and its closing bracket, and the digits of the sum.
func cutField(value []byte) (before, digits []byte, has bool) {
	n := len(value) - fieldBytes
	if n < 0 || !bytes.HasPrefix(value[n:], []byte(fieldOf)) || !bytes.HasSuffix(value, []byte(fieldEnd)) {
		return nil, nil, false
	}
	return value[:n], value[n+len(fieldOf) : len(value)-len(fieldEnd)], true
}

// sumOf is where an item's row has its sum: the first of its texts, whose name is empty.
func sumOf(row []byte) (at int, has bool) {
	if len(row) == 0 || row[0]&hasText == 0 {
		return 0, false
	}
	at = 1
	if row[0]&hasVersion != 0 {
		n, size := binary.Uvarint(row[at:])
		if size <= 0 || n > uint64(len(row)) {
			return 0, false
		}
		at += size + int(n)
	}
	if at >= len(row) {
		return 0, false
	}
	_, size := binary.Uvarint(row[at:])
	at += size + 2 // the lengths of the name and of the sum
	return at, size > 0 && at+sumBytes <= len(row) && row[at-2] == 0 && row[at-1] == sumBytes
}

// sumOfItem is the sum of an item's row, which is over all of it but the sum itself and the bit that says that the sum
// is right.
func sumOfItem(bucket, key, row []byte, at int) uint32 {
	s := uint32(row[0]&^hasSum) ^ sum(bucket, key, row[1:at])
	return crc32.Update(s, castagnoli, row[at+sumBytes:])
}
