package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"slices"
	"unsafe"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// ErrDamaged is a data file that is not as it was written.
var ErrDamaged = errors.New("it is damaged: restore a backup")

// damaged is an ErrDamaged with what was found, for whoever looks closer.
func damaged(page uint64, what string) error {
	return fmt.Errorf("%w (page %d: %s)", ErrDamaged, page, what)
}

// bbolt's format, in the bytes of the machine. A page begins with its number, its flags, how many elements it has and
// how many further pages it takes. Its elements follow, of elementBytes each, and then their keys and values, one
// behind the other. A branch's elements lead to pages, with the first key of each. Two heads, of which the newer
// counts, say where the root is: a leaf whose values are buckets.
const (
	pageHeader   = 16
	elementBytes = 16
	headBytes    = 64 // of a head, with its sum
	bucketBytes  = 16 // of a bucket: the page of its root, or 0 for one that follows within the value; and a sequence

	branchPage   = 1
	leafPage     = 2
	freelistPage = 16

	headMagic  = 0xED0CDAED
	noFreelist = ^uint64(0)
	maxDepth   = 32 // of a tree of pages
)

// native is the byte order of this machine, in which bbolt writes.
var native = binary.NativeEndian

// checker walks through a file before bbolt uses it. bbolt trusts what it reads: a page with one flipped bit makes it
// miss keys, go round in circles, or reach for memory that is not there.
type checker struct {
	file     []byte
	page     uint64 // bytes of a page
	pages    uint64 // how many of them there are
	freelist uint64 // the page of the list of free pages
	root     uint64
	seen     []bool // by pages: in use, or in the list of free ones
}

// check reads all pages of the file that are in use and says what is damaged: pages that do not fit together, and rows
// whose sums are wrong. A file that does not exist, or is empty, is sound. It takes about half a second for a gigabyte
// in the system's cache.
//
// It cannot know of a reference that leads to an older state of the page that was meant. If the file was closed, its
// list of free pages tells even that; after a kill there is none.
func check(path string) error {
	is, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && is.Size() == 0 {
		return nil
	} else if err != nil {
		return err
	}
	// Nobody writes to the file while it is open so.
	locked, err := bbolt.Open(path, 0o600, &bbolt.Options{ReadOnly: true, Timeout: openTimeout, NoStatistics: true})
	if errors.Is(err, berrors.ErrInvalid) || errors.Is(err, berrors.ErrVersionMismatch) ||
		errors.Is(err, berrors.ErrChecksum) {
		return damaged(0, err.Error())
	} else if err != nil {
		return err
	}
	defer locked.Close()
	return guarded(func() error { return newChecker(locked, is.Size()).check() })
}

// newChecker reads the bytes that bbolt has mapped.
func newChecker(file *bbolt.DB, size int64) *checker {
	info := file.Info()
	mapped := *(**byte)(unsafe.Pointer(&info.Data))
	return &checker{file: unsafe.Slice(mapped, size), page: uint64(info.PageSize)}
}

// check reads the heads, walks through the tree from the root they name, and holds the free pages against what it has
// seen.
func (c *checker) check() error {
	if err := c.readHeads(); err != nil {
		return err
	}
	c.seen = make([]bool, c.pages)
	c.seen[0], c.seen[1] = true, true
	if err := c.walk(c.root, nil, nil, 0, c.checkBucket); err != nil {
		return err
	}
	return c.checkFree()
}

// readHeads reads the newer of the two heads, and wants both sound: if one is damaged, nobody knows whether the other
// is the last commit's or the one before. A kill or a loss of power damages no head, which is one sector.
func (c *checker) readHeads() error {
	newest := uint64(0)
	for n := range uint64(2) {
		b := c.file[n*c.page+pageHeader:]
		hash := fnv.New64a()
		_, _ = hash.Write(b[:headBytes-8])
		if native.Uint32(b) != headMagic || hash.Sum64() != native.Uint64(b[headBytes-8:]) {
			return damaged(n, "a head that is not as it was written")
		}
		if commit := native.Uint64(b[48:]); commit >= newest {
			newest = commit
			c.root, c.freelist, c.pages = native.Uint64(b[16:]), native.Uint64(b[32:]), native.Uint64(b[40:])
		}
	}
	if c.pages < 2 || uint64(len(c.file))/c.page < c.pages {
		return damaged(c.pages-1, "the file is too short")
	}
	return nil
}

// read is a page with those that it goes on in. It marks them as seen.
func (c *checker) read(id uint64) ([]byte, error) {
	if id < 2 || id >= c.pages {
		return nil, damaged(id, "there is no such page")
	}
	b := c.file[id*c.page:]
	end := id + uint64(native.Uint32(b[12:]))
	if native.Uint64(b) != id || end >= c.pages {
		return nil, damaged(id, "a page of another number or length")
	}
	for i := id; i <= end; i++ {
		if c.seen[i] {
			return nil, damaged(i, "it is used twice")
		}
		c.seen[i] = true
	}
	return b[:(end+1-id)*c.page], nil
}

// element is an element of a page. In a leaf it is a row, in a branch it leads to another page.
type element struct {
	flags      uint32
	child      uint64
	key, value []byte // their capacity goes to the page's end
	last       bool   // of its page: no element behind it says where it ends
}

// elements reads the elements of a page, or of a bucket within a value. Their keys must be in order, from the first
// bound on and below the second. A bound that is nil bounds nothing.
func elements(id uint64, page, from, before []byte) (leaf bool, all []element, err error) {
	flags, count := native.Uint16(page[8:]), int(native.Uint16(page[10:]))
	if leaf = flags == leafPage; !leaf && flags != branchPage {
		return false, nil, damaged(id, "it is neither a branch nor a leaf")
	}
	next := pageHeader + count*elementBytes // where the next element's key has to begin
	if next > len(page) {
		return false, nil, damaged(id, "it has more elements than room")
	}
	all = make([]element, count)
	// Keys must rise. The first may equal the bound, which is the key by which the page above leads here.
	last := from
	for n := range all {
		at := pageHeader + n*elementBytes
		b := page[at : at+elementBytes]
		e, pos, key, value := &all[n], int(native.Uint32(b)), int(native.Uint32(b[4:])), 0
		if leaf {
			e.flags, pos, key, value = native.Uint32(b), key, int(native.Uint32(b[8:])), int(native.Uint32(b[12:]))
		} else {
			e.child = native.Uint64(b[8:])
		}
		if at+pos != next || key == 0 || next+key+value > len(page) {
			return false, nil, damaged(id, "an element is not where it should be")
		}
		e.key, e.value = page[next:next+key], page[next+key:next+key+value]
		next, e.last = next+key+value, n+1 == count
		order := bytes.Compare(last, e.key)
		if order > 0 || order == 0 && n > 0 || before != nil && bytes.Compare(e.key, before) >= 0 {
			return false, nil, damaged(id, "its keys are not in order")
		}
		last = e.key
	}
	if count == 0 && (!leaf || bytes.ContainsFunc(page[pageHeader:], func(b rune) bool { return b != 0 })) {
		return false, nil, damaged(id, "its elements are missing")
	}
	return leaf, all, nil
}

// walk hands over all rows of a tree. A page below others has elements.
func (c *checker) walk(
	id uint64, from, before []byte, depth int, row func(id uint64, e element) error,
) error {
	page, err := c.read(id)
	if err != nil {
		return err
	}
	leaf, all, err := elements(id, page, from, before)
	if err != nil {
		return err
	}
	// A page below others has elements, and a tree that is too deep goes round in a circle.
	if len(all) == 0 && depth > 0 || depth > maxDepth {
		return damaged(id, "the tree is not as it should be")
	}
	for n, e := range all {
		if leaf {
			err = row(id, e)
		} else if n+1 < len(all) {
			err = c.walk(e.child, e.key, all[n+1].key, depth+1, row)
		} else {
			err = c.walk(e.child, e.key, before, depth+1, row)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkBucket is for the rows of the root, which are buckets.
func (c *checker) checkBucket(id uint64, e element) error {
	if e.flags != 1 || len(e.value) < bucketBytes {
		return damaged(id, "a bucket is none")
	}
	checkRow := func(id uint64, row element) error {
		if row.flags != 0 {
			return damaged(id, "a row is none")
		}
		if !sealed(e.key, row.key, row.value) &&
			(!unsealed(e.key, row.value) || row.last && row.lostItsLength(e.key)) {
			return damaged(id, "a row of "+string(e.key)+" is not as it was written")
		}
		return nil
	}
	// A small bucket lies in its row; a larger one has pages of its own.
	root, within := native.Uint64(e.value), e.value[bucketBytes:]
	if root != 0 && len(within) == 0 {
		return c.walk(root, nil, nil, 0, checkRow)
	}
	if root != 0 || len(within) < pageHeader {
		return damaged(id, "a bucket is neither here nor there")
	}
	leaf, rows, err := elements(id, within, nil, nil)
	if err == nil && !leaf {
		err = damaged(id, "a bucket has a branch within")
	}
	for _, row := range rows {
		if err == nil {
			err = checkRow(id, row)
		}
	}
	return err
}

// lostItsLength says whether a row that seems to have no sum would have one if its key or its value had another length:
// so a damaged length is not taken for an old row.
func (e element) lostItsLength(bucket []byte) bool {
	rest := e.key[:cap(e.key)]
	is := func(key, value int) bool {
		return key+value <= len(rest) && sealed(bucket, rest[:key], rest[key:key+value])
	}
	for flip := 1; flip <= len(rest); flip *= 2 {
		if is(len(e.key)^flip, len(e.value)) || is(len(e.key), len(e.value)^flip) {
			return true
		}
	}
	return false
}

// checkFree holds the list of free pages, if there is one, against the pages that are in use: together they are all.
func (c *checker) checkFree() error {
	if c.freelist == noFreelist {
		return nil
	}
	b, err := c.read(c.freelist)
	if err != nil {
		return err
	}
	count, ids := uint64(native.Uint16(b[10:])), b[pageHeader:]
	if count == 0xFFFF { // more than that: the first entry says how many
		count, ids = native.Uint64(ids), ids[8:]
	}
	if native.Uint16(b[8:]) != freelistPage || count > uint64(len(ids)/8) {
		return damaged(c.freelist, "it is no list of free pages")
	}
	for n := range count {
		id := native.Uint64(ids[8*n:])
		if id >= c.pages || c.seen[id] {
			return damaged(c.freelist, "a free page is in use")
		}
		c.seen[id] = true
	}
	if lost := slices.Index(c.seen, false); lost >= 0 {
		return damaged(uint64(lost), "it is neither free nor in use")
	}
	return nil
}
