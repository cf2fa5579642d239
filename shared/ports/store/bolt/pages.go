package bolt

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"go.etcd.io/bbolt"
)

// How bbolt keeps its pages: little-endian on every machine that is served. Each begins with its id, its kind, how many
// elements it has, and by how many pages it is longer than one. Elements say where, from their own place on, their key
// and value are.
const (
	pageHead, element = 16, 16 // bytes
	branchPage        = 0x01
	leafPage          = 0x02
	freelistPage      = 0x10
	ofBucket          = 0x01       // of an element of a leaf: its value is a bucket
	freelistAt        = 48         // where a meta page says which page has the list of free ones
	noFreelist        = ^uint64(0) // the file was not closed well
)

var le = binary.LittleEndian

// freelistOf is the page of a file with the list of free pages.
func freelistOf(path string, tx *bbolt.Tx) (uint64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var b [8]byte
	_, err = f.ReadAt(b[:], int64(tx.ID()%2*tx.DB().Info().PageSize+freelistAt))
	return le.Uint64(b[:]), err
}

// walk looks at each page that a file uses: whether it is the one that it says, lies in the file with all that it
// names, has its keys in order, and is used once. Of the list of free pages it looks at the length alone. bbolt
// believes all of this: a page that leads back to one above it would never let it end, what leads out of the file ends
// the process, and at keys in disorder it panics while a goroutine of its own still reads the file.
func walk(path string, tx *bbolt.Tx) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	free, err := freelistOf(path, tx)
	if err != nil {
		return err
	}
	size := uint64(tx.DB().Info().PageSize)
	w := &walker{end: uint64(tx.Size()) / size, seen: map[uint64]bool{},
		todo: []below{{page: uint64(tx.Cursor().Bucket().Root())}}}
	if free != noFreelist {
		w.todo = append(w.todo, below{page: free})
	}
	head := make([]byte, pageHead)
	for len(w.todo) > 0 {
		next := w.todo[len(w.todo)-1]
		id := next.page
		w.todo = w.todo[:len(w.todo)-1]
		if id < 2 || id >= w.end {
			return fmt.Errorf("page %d is not in the file", id)
		}
		if _, err := file.ReadAt(head, int64(id*size)); err != nil {
			return fmt.Errorf("page %d: %w", id, err)
		}
		pages := 1 + uint64(le.Uint32(head[12:]))
		if le.Uint64(head) != id || id+pages > w.end {
			return fmt.Errorf("page %d is not what it has to be", id)
		}
		for used := id; used < id+pages; used++ {
			if w.seen[used] {
				return fmt.Errorf("page %d is used twice", used)
			}
			w.seen[used] = true
		}
		page := make([]byte, pages*size)
		if _, err := file.ReadAt(page, int64(id*size)); err != nil {
			return fmt.Errorf("page %d: %w", id, err)
		}
		if kind := le.Uint16(head[8:]); (kind == freelistPage) != (id == free) {
			return fmt.Errorf("page %d is of the wrong kind", id)
		}
		if err := w.look(page, next.from, next.to); err != nil {
			return fmt.Errorf("page %d: %w", id, err)
		}
	}
	return nil
}

// walker is on its way through the pages of a file.
type walker struct {
	end  uint64          // how many pages the file has
	seen map[uint64]bool // by page
	todo []below
}

// below is a page that another one leads to: its keys begin with from, and come before to; nil: there is no such bound.
type below struct {
	page     uint64
	from, to []byte
}

var (
	errLeadsOut = errors.New("what it names does not lie in it")
	errDisorder = errors.New("its keys are not in order")
)

// look looks at what a page holds whose keys lie between from and to, and adds the pages below it to what is to be
// done.
func (w *walker) look(page, from, to []byte) error {
	kind, count := le.Uint16(page[8:]), uint64(le.Uint16(page[10:]))
	if kind == freelistPage {
		if at := uint64(pageHead); count == 0xffff { // the first id is their number
			count = le.Uint64(page[at:]) + 1
		}
		if count > uint64(len(page)-pageHead)/8 {
			return errLeadsOut
		}
		return nil
	}
	if kind != branchPage && kind != leafPage {
		return fmt.Errorf("its kind is %#x", kind)
	}
	if pageHead+count*element > uint64(len(page)) {
		return errLeadsOut
	}
	for i := range count {
		at := pageHead + i*element
		e := page[at : at+element]
		place := e // where the key's place and length are
		if kind == leafPage {
			place = e[4:]
		}
		key := at + uint64(le.Uint32(place))
		value := key + uint64(le.Uint32(place[4:]))
		if value > uint64(len(page)) {
			return errLeadsOut
		}
		k := page[key:value]
		if order := bytes.Compare(from, k); order > 0 || order == 0 && i > 0 || to != nil && bytes.Compare(k, to) >= 0 {
			return errDisorder
		}
		from = k
		if kind == branchPage {
			if i > 0 { // the page before ends where this one begins
				w.todo[len(w.todo)-1].to = k
			}
			w.todo = append(w.todo, below{le.Uint64(e[8:]), k, to})
			continue
		}
		end := value + uint64(le.Uint32(e[12:]))
		if end > uint64(len(page)) {
			return errLeadsOut
		}
		if le.Uint32(e)&ofBucket != 0 {
			if err := w.lookAtBucket(page[value:end]); err != nil {
				return err
			}
		}
	}
	return nil
}

// lookAtBucket looks at a bucket: its first page and a number; a small one has its only page right behind them.
func (w *walker) lookAtBucket(bucket []byte) error {
	if len(bucket) < 16 {
		return errLeadsOut
	}
	if root := le.Uint64(bucket); root != 0 {
		w.todo = append(w.todo, below{page: root})
		return nil
	}
	if len(bucket) < 16+pageHead || le.Uint16(bucket[24:]) != leafPage {
		return errLeadsOut
	}
	return w.look(bucket[16:], nil, nil)
}
